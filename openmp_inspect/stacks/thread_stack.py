# SPDX-License-Identifier: MIT
"""The frames of one thread at one stop, unwound lazily, and each once."""

from __future__ import annotations

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import code_owner
from openmp_inspect.host import interface

if TYPE_CHECKING:
    from typing import Callable, Dict, Hashable, Iterator, List, Optional, Union
    from openmp_inspect.host.interface import Frame, Process, Thread


# More than any stack of 8 MiB in a program that stores something in its frames. A debugger ends at
# a frame that repeats a newer one; this ends what only seems to go on.
_MOST = 1 << 17


def code_of(frame: Union[Frame, StackFrame]) -> Optional[Hashable]:
    """As StackFrame.code."""
    return None if frame.kind == interface.INLINED else \
        (frame.pc, frame.kind, frame.instruction != frame.pc)


class StackFrame:
    """One frame.

    frame               the debugger's
    level               0 for the newest one
    pc, kind            as the debugger has them
    instruction         an address in the instruction that it executes
    owner               code_owner.USER, SYSTEM or RUNTIME. The functions that clang puts in
                        front of bodies are the RUNTIME's.
    newer               the StackFrame that it called, or None"""

    __slots__ = ("level", "pc", "kind", "instruction", "owner", "newer", "frame", "_sp", "_names")

    def __init__(self, frame: Frame, newer: Optional[StackFrame],
                 owner_of: Callable[[Frame], int], names: Dict[Hashable, str]) -> None:
        self.frame = frame
        self._names = names
        self._sp: Optional[int] = None
        self.level: int = 0 if newer is None else newer.level + 1
        self.newer = newer
        self.pc = frame.pc
        self.kind = frame.kind
        self.instruction = frame.instruction
        self.owner = owner_of(frame)

    @property
    def process(self) -> Process:
        return self.frame.process

    @property
    def is_called(self) -> bool:
        """Whether it is inside a call that returns to `pc`, and not newest or interrupted."""
        return self.instruction != self.pc

    @property
    def code(self) -> Optional[Hashable]:
        """A key for what the instruction alone decides, or None where it does not."""
        return code_of(self)

    @property
    def is_user(self) -> bool:
        """Whether it runs code of the user's."""
        return self.owner == code_owner.USER and self.kind != interface.SIGNAL

    @property
    def is_runtime(self) -> bool:
        return self.owner == code_owner.RUNTIME

    @property
    def name(self) -> str:
        """The function's name as the debugger has it, "" where there is none."""
        key = self.code
        if key is None:
            return self.frame.name or ""
        if key not in self._names:
            self._names[key] = self.frame.name or ""
        return self._names[key]

    @property
    def sp(self) -> int:
        """The stack pointer; HostError where it cannot be read."""
        if self._sp is None:
            self._sp = self.frame.sp
        return self._sp


class ThreadStack:
    """Iterates over the StackFrames of a thread, newest first, to where the debugger cannot unwind
    further; none where the thread's registers cannot be read. Each is unwound when an iteration
    first reaches it. After an interrupt the next iteration continues where that one was. NAMES of
    functions, by StackFrame.code, are kept for all threads."""

    def __init__(self, process: Process, thread: Thread, owner_of: Callable[[Frame], int],
                 names: Dict[Hashable, str]) -> None:
        self.process = process
        self.thread = thread
        self._names = names
        self._owner_of = owner_of
        self._frames: List[StackFrame] = []
        self._ended = False
        self.is_cut = False  # it may go on where it ends: the debugger has failed, or has no code

    def __iter__(self) -> Iterator[StackFrame]:
        at = 0
        while at < len(self._frames) or self._unwind():
            yield self._frames[at]
            at += 1

    def since(self, frame: Frame) -> Iterator[StackFrame]:
        """Iterates from a Frame of this stack outward; not at all if it is none."""
        found = False
        for one in self:
            found = found or one.frame == frame
            if found:
                yield one

    @property
    def newest(self) -> Optional[StackFrame]:
        """The newest StackFrame, or None."""
        return next(iter(self), None)

    def is_current(self) -> bool:
        """Whether the thread still has its newest frames: a person may give it others."""
        if not self._frames:
            return not self._ended
        return self.process.are_newest(self.thread, [frame.frame for frame in self._frames[:2]])

    def _unwind(self) -> bool:
        """Adds the next frame; False where there is none."""
        if self._ended:
            return False
        try:
            last = self._frames[-1] if self._frames else None
            frame = self.process.newest_frame(self.thread) if last is None else last.frame.older
            if frame is not None:
                self._frames.append(StackFrame(frame, last, self._owner_of, self._names))
                self._ended = len(self._frames) >= _MOST
                return True
            self.is_cut = last is not None and not _has_code(last)
        except HostError:
            debug.ignored()
            self.is_cut = True
        self._ended = True
        return False


def _has_code(frame: StackFrame) -> bool:
    """False where the file of its code is known, and is not here."""
    return frame.process.is_readable(frame.pc) or not frame.process.is_mapped(frame.pc)
