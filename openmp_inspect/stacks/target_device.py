# SPDX-License-Identifier: MIT
"""The device that a call of the runtime is about, by the registers that functions preserve: one has
the address of the structure with which the runtime describes the device. For instance, in libgomp 12:

    #4  GOMP_OFFLOAD_run (), of the plugin
    #5  GOMP_target_ext ()      %r13 as it is unwound is where device 1 is described
    #6  relax () at heat.c:52   %r13 is another value: it is of the runtime's own function

In libgomp 14 %r12 has the address of what the construct has mapped, a structure in which the
device's is.
"""

from __future__ import annotations

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import kept_registers

if TYPE_CHECKING:
    from typing import Dict, Iterator, List, Optional, Set, Tuple
    from openmp_inspect.host.interface import Process
    from openmp_inspect.stacks.thread_stack import StackFrame, ThreadStack

_MOST_FRAMES = 64  # between user code
_WORD = 8
_DEVICE_OF_MAPPED = 56, 64  # until GCC 12, and since
_STACK = 1 << 20  # bytes from a stack pointer on, in which may be what is left of other calls


def number(stack: ThreadStack, level: int, numbers: Dict[int, int]) -> Optional[int]:
    """That of the device for which the runtime is called, of whose frames the newest has this LEVEL; None
    where the first frame from the outermost on that has one's address has another's, too, or none has.
    NUMBERS: by the addresses of descriptors."""
    called: List[StackFrame] = []
    caller = None
    if not numbers:
        return None
    for frame in stack:
        if frame.level < level:
            continue
        if frame.is_user or len(called) == _MOST_FRAMES:
            caller = frame
            break
        called.append(frame)
    try:
        of_caller = set() if caller is None else _kept(caller)
        for frame in reversed(called):
            own = {value for name, value in _kept(frame) - of_caller} \
                if frame.is_runtime and frame.is_called else set()
            found = {numbers[value] for value in own if value in numbers} or {
                numbers[at] for at in _of_mapped(stack.process, own, frame.sp) if at in numbers}
            if found:
                return found.pop() if len(found) == 1 else None
    except HostError:
        debug.ignored()
    return None


def _of_mapped(process: Process, addresses: Set[int], sp: int) -> Iterator[int]:
    """What is at each of these ADDRESSES, but for those on the stack, where that of what is mapped has its
    device."""
    for at in addresses:
        if at % _WORD or sp <= at < sp + _STACK:
            continue
        for offset in _DEVICE_OF_MAPPED:
            try:
                yield process.unsigned(at + offset, _WORD)
            except HostError:
                debug.ignored()


def _kept(frame: StackFrame) -> Set[Tuple[str, int]]:
    return {(name, frame.frame.register(name))
            for name in kept_registers.of(frame.process, frame.frame)}
