# SPDX-License-Identifier: MIT
"""The argument with which a thread has called a function of LLVM's runtime, where that keeps it
in a register that its callees preserve: a lock, which the runtime itself knows by another
address, or what the compiler says of a barrier.

For instance __kmpc_set_lock (location, thread, lock), in which a thread waits:

    push %rbx
    ...
    mov  %rdx,%rbx       the third argument
    ...
    call ...             inside of which the thread is: %rbx as it is unwound is the lock

Only what the function's beginning says is believed, up to its first call.
"""

from __future__ import annotations

import re

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import entry_points
from openmp_inspect.host import processes
from openmp_inspect.host.interface import AARCH64, X86_64

if TYPE_CHECKING:
    from typing import Optional
    from openmp_inspect.stacks.thread_stack import StackFrame, ThreadStack

_PROLOGUE = 96  # bytes of code that are looked at
_MOST_FRAMES = 16  # from the newest one to that of the entry point
# The numbers that instructions have for the registers of arguments, and names of those that are
# preserved, by theirs.
_X86_64_ARGUMENTS = (7, 6, 2, 1)
_X86_64_KEPT = {3: "rbx", 5: "rbp", 12: "r12", 13: "r13", 14: "r14", 15: "r15"}


def lock(stack: ThreadStack) -> Optional[int]:
    """The address of the lock with which user code on a ThreadStack has called an entry point, or
    None. Call in selection_kept()."""
    called = _called(stack)
    entry = None if called is None else entry_points.find(called.name)
    if called is None or entry is None or not isinstance(entry.object, int):
        return None
    return _kept(called, entry.object)


def first(stack: ThreadStack) -> Optional[int]:
    """The first argument of the entry point that user code on a ThreadStack has called, or None.
    Call in selection_kept()."""
    called = _called(stack)
    return None if called is None else _kept(called, 0)


def _called(stack: ThreadStack) -> Optional[StackFrame]:
    """The frame of the function that user code has called, or None."""
    called = None
    for frame in stack:
        if frame.is_user or frame.level > _MOST_FRAMES:
            break
        called = frame
    return called if called is not None and called.is_called else None


def _kept(frame: StackFrame, argument: int) -> Optional[int]:
    process = processes.current()
    try:
        name, offset = process.symbol_at(frame.instruction)
        keeping = _KEEPING.get(process.machine)
        if name != frame.name or keeping is None:
            return None
        start = frame.instruction - offset
        code = process.read(start, min(offset, _PROLOGUE))
        register = keeping(code, argument)
        return None if register is None else frame.frame.register(register)
    except HostError:
        debug.ignored()
        return None


def _x86_64_keeping(code: bytes, argument: int) -> Optional[str]:
    """The name of the register to which CODE moves an argument before its first call."""
    number = _X86_64_ARGUMENTS[argument]
    for found in re.finditer(rb"[\x48\x49]\x89(?=[\xc0-\xff])", code.partition(b"\xe8")[0]):
        prefix, operands = code[found.start()], code[found.end()]
        if operands >> 3 & 7 == number:
            name = _X86_64_KEPT.get((operands & 7) + 8 * (prefix & 1))
            if name is not None:
                return name
    return None


def _aarch64_keeping(code: bytes, argument: int) -> Optional[str]:
    for at in range(0, len(code) - 3, 4):
        word = int.from_bytes(code[at:at + 4], "little")
        if word >> 26 == 0b100101:  # bl
            break
        if word & ~0x1F == 0xAA0003E0 | argument << 16 and 19 <= word & 0x1F <= 28:  # mov
            return "x%d" % (word & 0x1F)
    return None


_KEEPING = {X86_64: _x86_64_keeping, AARCH64: _aarch64_keeping}
