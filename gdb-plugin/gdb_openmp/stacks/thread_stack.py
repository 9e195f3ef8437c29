# SPDX-License-Identifier: MIT
"""The frames of one thread at one stop, unwound lazily, and each once."""

from __future__ import annotations

import gdb

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import frames, gdb_text
from gdb_openmp.program import code_owner

if TYPE_CHECKING:
    from typing import Callable, Hashable, Iterator, List, Optional
    from gdb_openmp.host.gdb_types import GdbFrame, GdbThread


class StackFrame:
    """One frame. Its attributes hold whichever thread is selected; `frame` selects its own,
    without which a gdb.Frame is of no use.

    level, pc, type     as gdb has them
    instruction         an address in the instruction that it executes, as frames.instruction()
    owner               code_owner.USER, SYSTEM or RUNTIME. The functions that clang puts in
                        front of bodies are the RUNTIME's.
    newer               the StackFrame that it called, or None"""

    __slots__ = ("level", "pc", "type", "instruction", "owner", "newer", "_frame", "_stack", "_sp")

    def __init__(self, stack: ThreadStack, frame: GdbFrame, newer: Optional[StackFrame],
                 owner_of: Callable[[GdbFrame], int]) -> None:
        self._stack, self._frame = stack, frame
        self._sp: Optional[int] = None
        self.level: int = 0 if newer is None else newer.level + 1
        self.newer = newer
        self.pc: int = frame.pc()
        self.type = frame.type()
        self.instruction = frames.instruction(frame)
        self.owner = owner_of(frame)

    @property
    def frame(self) -> GdbFrame:
        """The gdb.Frame. Selects its thread."""
        self._stack.select()
        return self._frame

    @property
    def is_called(self) -> bool:
        """Whether it is inside a call that returns to `pc`, and not newest or interrupted."""
        return self.instruction != self.pc

    @property
    def code(self) -> Optional[Hashable]:
        """A key for what the instruction alone decides, or None where it does not."""
        return None if self.type == gdb.INLINE_FRAME else (self.pc, self.type, self.is_called)

    @property
    def is_user(self) -> bool:
        """Whether it runs code of the user's."""
        return self.owner == code_owner.USER and self.type != gdb.SIGTRAMP_FRAME

    @property
    def is_runtime(self) -> bool:
        return self.owner == code_owner.RUNTIME

    @property
    def name(self) -> str:
        """The function's name as gdb has it, "" where there is none."""
        return gdb_text.frame_name(self.frame) or ""

    @property
    def sp(self) -> int:
        """The stack pointer as an integer; gdb.error where it cannot be read."""
        if self._sp is None:
            self._sp = int(self.frame.read_register("sp"))
        return self._sp

    def is_frame(self, frame: GdbFrame) -> bool:
        """Whether it is this gdb.Frame."""
        return bool(self._frame == frame)


class ThreadStack:
    """Iterates over the StackFrames of a gdb thread, newest first, to where gdb cannot unwind
    further; none where the thread's registers cannot be read. Each is unwound when an iteration
    first reaches it, with the thread selected: iterate in selection_kept(). After an interrupt
    the next iteration continues where that one was."""

    def __init__(self, thread: GdbThread, owner_of: Callable[[GdbFrame], int]) -> None:
        self.thread = thread
        self._owner_of = owner_of
        self._frames: List[StackFrame] = []
        self._ended = False

    def __iter__(self) -> Iterator[StackFrame]:
        at = 0
        while at < len(self._frames) or self._unwind():
            yield self._frames[at]
            at += 1

    def select(self) -> None:
        """Selects the thread."""
        if gdb.selected_thread() != self.thread:
            self.thread.switch()

    def since(self, frame: GdbFrame) -> Iterator[StackFrame]:
        """Iterates from a gdb.Frame of this stack outward; not at all if it is none."""
        found = False
        for one in self:
            found = found or one.is_frame(frame)
            if found:
                yield one

    @property
    def newest(self) -> Optional[StackFrame]:
        """The newest StackFrame, or None."""
        return next(iter(self), None)

    def is_current(self) -> bool:
        """Whether the thread, if it is the selected one, still has its newest frames: "return"
        and changes of registers give it others, and of a process that was killed from outside
        gdb has registers, but no memory to unwind with."""
        if not self._frames:
            return not self._ended
        if gdb.selected_thread() != self.thread:
            return True
        newest = frames.newest()
        try:
            return newest is not None and newest.pc() == self._frames[0].pc and \
                int(newest.read_register("sp")) == self._frames[0].sp and \
                all(frame.frame.is_valid() for frame in self._frames[:2])
        except gdb.error:
            debug.ignored()
            return False

    def _unwind(self) -> bool:
        """Adds the next frame; False where there is none."""
        if self._ended:
            return False
        try:
            self.select()
            last = self._frames[-1] if self._frames else None
            frame = frames.newest() if last is None else frames.older(last.frame)
            if frame is not None:
                self._frames.append(StackFrame(self, frame, last, self._owner_of))
                self._ended = len(self._frames) >= frames.MOST
                return True
        except gdb.error:
            debug.ignored()
        self._ended = True
        return False
