# SPDX-License-Identifier: MIT
"""The words of memory that a loop reads which a thread is in, where the loop calls nothing: what it
may wait for another thread to change. For instance

    <+8>   mov   -20(%rbp),%eax           its own variable, on its stack
    <+11>  cltq
    <+13>  mov   finished(,%rax,4),%eax   the word that is polled
    <+20>  test  %eax,%eax
    <+22>  je    <+8>
"""

from __future__ import annotations

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import call_argument, loops, x86_values
from openmp_inspect.host import processes
from openmp_inspect.host.interface import X86_64

if TYPE_CHECKING:
    from typing import Any, List, Optional, Set
    from openmp_inspect.code.loops import LoopPart
    from openmp_inspect.code.x86_values import Value
    from openmp_inspect.host.interface import Frame

_RED_ZONE = 128  # bytes below the stack pointer that are a function's own
_SIZE = 1 << 64


def polled(frame: Frame, stack_end: int) -> List[int]:
    """Addresses of words that the innermost loop around a thread's instruction reads; none where
    that is not known. FRAME is its newest one, which ends at STACK_END: what it has there is its
    own."""
    try:
        if processes.current().machine != X86_64:
            return []
        loop: List[LoopPart] = next(iter(loops.around(frame.pc)), [])
        if any(one.found.flow == "call" for one in loop):
            return []
        written: Set[Any] = {effect.register for effect in map(_effect, loop) if effect is not None}
        written.add(x86_values.UNKNOWN.first)
        if None in map(_effect, loop):
            return []
        found = [_address(loop[:at + 1], written, frame) for at in range(len(loop))]
        low = frame.sp - _RED_ZONE
    except (HostError, OverflowError):
        debug.ignored()
        return []
    return list(dict.fromkeys(one for one in found
                              if one is not None and not low <= one < stack_end))


def polled_alone(frame: Frame, stack_end: int) -> List[int]:
    """The same of a loop that writes nothing and computes nothing from what it has computed before;
    of others none."""
    try:
        loop: List[LoopPart] = next(iter(loops.around(frame.pc)), [])
    except HostError:
        debug.ignored()
        return []
    only = all(one.found.flow in ("jump", "branch") or
               one.found.flow == "other" and x86_values.only_loads(one.code) for one in loop)
    return polled(frame, stack_end) if only else []


def _effect(one: LoopPart) -> Optional[x86_values.Effect]:
    """That of an instruction of a loop; None where it is not known."""
    if one.found.flow in ("jump", "branch"):
        return x86_values.Effect(None)
    return x86_values.effect(one.code, one.end)


def _address(run: List[LoopPart], written: Set[Any], frame: Frame) -> Optional[int]:
    """From where the last of a RUN of instructions of a loop reads, which has WRITTEN registers."""
    value: Optional[Value] = x86_values.read_from(run[-1].code, run[-1].end)
    for one in reversed(run[:-1]):
        done = _effect(one)
        if value is None or done is None or call_argument.is_large(value):
            return None
        if done.register is not None:
            value = call_argument.replaced(value, done.register, done.value)
    if value is None or any(isinstance(part, x86_values.Expression) and part.kind == "register" and
                            part.first in written for part in call_argument.parts(value)):
        return None
    return call_argument.evaluated(value, frame) % _SIZE
