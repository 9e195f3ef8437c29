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

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import entry_points, machine_code, values
from openmp_inspect.code.expressions import register

if TYPE_CHECKING:
    from typing import Optional
    from openmp_inspect.host.interface import Process
    from openmp_inspect.stacks.thread_stack import StackFrame, ThreadStack

_PROLOGUE = 96  # bytes of code that are looked at
_MOST_FRAMES = 16  # from the newest one to that of the entry point


def lock(stack: ThreadStack) -> Optional[int]:
    """The address of the lock with which user code on a ThreadStack has called an entry point, or
    None."""
    called = entered(stack)
    entry = None if called is None else entry_points.find(called.name)
    if called is None or entry is None or not isinstance(entry.object, int):
        return None
    return _kept(called, entry.object)


def first(stack: ThreadStack) -> Optional[int]:
    """The first argument of the entry point that user code on a ThreadStack has called, or None."""
    called = entered(stack)
    return None if called is None else _kept(called, 0)


def entered(stack: ThreadStack) -> Optional[StackFrame]:
    """The frame of the function that user code on a ThreadStack has called, or None; that to which the
    body of a region has left its own frame, where LLVM's runtime calls bodies by one with a name:

        ?? ?? ?? __kmpc_barrier __kmp_invoke_microtask ?? start_thread"""
    called = None
    for frame in stack:
        if frame.is_user or frame.level > _MOST_FRAMES or \
                called is not None and entry_points.internal(frame.name) == "region":
            break
        called = frame
    return called if called is not None and called.is_called else None


def _kept(frame: StackFrame, argument: int) -> Optional[int]:
    process = frame.process
    try:
        name, offset = process.symbol_at(frame.instruction)
        if name != frame.name:
            return None
        start = frame.instruction - offset
        code = process.read(start, min(offset, _PROLOGUE))
        kept = _keeping(process, code, argument)
        return None if kept is None else frame.frame.register(kept)
    except HostError:
        debug.ignored()
        return None


def _keeping(process: Process, code: bytes, argument: int) -> Optional[str]:
    """The name of the register to which CODE moves an argument before its first call."""
    executor, preserved = values.of_process(process), values.preserved(process)
    number = executor.ARGUMENTS[argument]
    for at, one in machine_code.run(process.machine, code, 0):
        if one.flow == "call":
            break
        done = executor.effect(code[at:at + one.length], 0)
        if done is None or done.register is None:
            continue
        if done.value == register(number) and done.register in preserved:
            return executor.NAMES[done.register]
        if done.register == number:
            break
    return None
