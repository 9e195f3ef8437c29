# SPDX-License-Identifier: MIT
"""The handler of a signal that a thread is inside of, what it interrupted, and which signal it is:

    say ()              where the thread is
    on_alarm ()         the handler
    <signal>            the kernel's frame, with the mask of blocked signals as it was before
    say ()              interrupted

While a handler runs the kernel blocks its signal. What a thread blocks that it did not before is
that one alone, unless the handler was installed with others. A core does not say what is blocked:
there the argument counts that a function which was not optimised has stored, and may have changed.
"""

from __future__ import annotations

import signal

from openmp_inspect.core import debug, proc_files
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import x86_code
from openmp_inspect.host import interface
from openmp_inspect.host.interface import AARCH64, X86_64

if TYPE_CHECKING:
    from typing import Optional
    from openmp_inspect.core.escaped import Name
    from openmp_inspect.host.interface import Thread
    from openmp_inspect.code.places import Place
    from openmp_inspect.stacks.thread_stack import StackFrame
    from openmp_inspect.stacks.user_frames import Walker

_MOST_FRAMES = 256  # from the newest one to what was interrupted
_PROLOGUE = 64  # bytes of a handler that are looked at
# From the stack pointer of the kernel's frame: where it has the address of the instruction that
# was interrupted, and the mask.
_SAVED = {X86_64: (168, 296), AARCH64: (568, 168)}
# push %rbp; mov %rsp,%rbp
_WITH_FRAME = b"\x55\x48\x89\xe5", b"\xf3\x0f\x1e\xfa\x55\x48\x89\xe5"
_MOV, _EDI, _RBP = 0x89, 7, 5  # its opcode, and the numbers of registers


class Interrupted(NamedTuple):
    handler: Name  # its function, as the debugger has it
    place: Optional[Place]  # in the user's code
    signal: Optional[str]  # None: not known which
    derived: bool  # the signal is inferred


def of_thread(walker: Walker, thread: Thread) -> Optional[Interrupted]:
    """What the innermost handler of a stopped thread has interrupted, or None."""
    try:
        newer: Optional[StackFrame] = None
        for frame in walker.stack(thread):
            if frame.level > _MOST_FRAMES:
                return None
            if frame.kind == interface.SIGNAL:
                return None if newer is None else _of_frames(walker, thread, newer, frame)
            newer = frame
    except HostError:
        debug.ignored()
    return None


def _of_frames(walker: Walker, thread: Thread, handler: StackFrame,
               kernel: StackFrame) -> Optional[Interrupted]:
    place = older = None
    for frame in walker.stack(thread):
        if frame.level <= kernel.level:
            continue
        older = older or frame
        if frame.level > kernel.level + _MOST_FRAMES or frame.kind == interface.SIGNAL:
            break
        if frame.is_user and walker.place_of(frame).line:
            place = walker.place_of(frame)
            break
    function = walker.place_of(handler).function
    if older is None or not function:
        return None
    blocked = _blocked(thread, kernel, older)
    number = blocked or _argument(handler)
    return Interrupted(function, place, _name(number), blocked is None)


def _name(number: Optional[int]) -> Optional[str]:
    try:
        return None if number is None else signal.Signals(number).name
    except ValueError:
        debug.ignored()
        return None


def _blocked(thread: Thread, kernel: StackFrame, older: StackFrame) -> Optional[int]:
    """The one signal that a thread blocks since it runs the handler, or None."""
    process = kernel.process
    saved = _SAVED.get(process.machine)
    if saved is None or process.origin != interface.LIVE:
        return None
    if process.unsigned(kernel.sp + saved[0], 8) != older.pc:
        return None
    before = process.unsigned(kernel.sp + saved[1], 8)
    try:
        now = int(proc_files.status(process.shown_id(thread))[b"SigBlk"], 16)
    except (ValueError, LookupError):
        debug.ignored()
        return None
    since = now & ~before
    return since.bit_length() if since and not since & (since - 1) else None


def _argument(handler: StackFrame) -> Optional[int]:
    """What the function of a frame has stored of its first argument, or None."""
    process = handler.process
    if process.machine != X86_64:
        return None
    name, offset = process.symbol_at(handler.instruction)
    if name is None:
        return None
    code = process.read(handler.instruction - offset, min(offset, _PROLOGUE))
    distance = _stored(code) if code.startswith(_WITH_FRAME) else None
    return None if distance is None else \
        process.unsigned(handler.frame.register("rbp") + distance & (1 << 64) - 1, 4)


def _stored(code: bytes) -> Optional[int]:
    """The distance in mov %edi,DISTANCE(%rbp) before the first call in CODE, or None."""
    at = 0
    while at < len(code):
        one = x86_code.read(code, at, True)
        if one is None or one.flow == "call":
            break
        if one.opcode == _MOV and not one.prefixes and not one.rex and one.register == _EDI and \
                one.memory is not None and one.memory[:2] == (_RBP, None):
            return one.memory.displacement
        at += one.length
    return None
