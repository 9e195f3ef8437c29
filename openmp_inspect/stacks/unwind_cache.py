# SPDX-License-Identifier: MIT
"""User frames of many threads with equal stacks, each kind unwound once.

The threads of a team mostly wait at the same instruction inside the runtime, called from the
same line. Where a thread is at an instruction that was unwound before, and the same return
addresses lie at the same distances from its stack pointer, its frames are the same, and so is
the place. Anything else is unwound. x86-64 only: there a return address always
lies right below the caller's stack pointer.
"""

from __future__ import annotations

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.core.errors import HostError
from openmp_inspect.code import code_owner, places, values
from openmp_inspect.host import interface

if TYPE_CHECKING:
    from typing import Callable, Dict, List, Optional, Sequence, Tuple
    from openmp_inspect.host.page_cache import PageCache
    from openmp_inspect.code.places import Place
    from openmp_inspect.stacks.thread_stack import StackFrame
    from openmp_inspect.stacks.user_frames import Walker
    from openmp_inspect.host.interface import Registers, Thread

_WORD = 8
_FARTHEST = 4096  # bytes from the newest frame's stack pointer to the user's
_MOST_KINDS = 16  # for one instruction


class Stacks:
    """Lives during one command. WALKER is a user_frames.Walker, REGISTERS an
    interface.Registers, MEMORY a page_cache.PageCache."""

    def __init__(self, walker: Walker, registers: Registers, memory: PageCache) -> None:
        self._walker = walker
        self._registers = registers
        self._memory = memory
        self._kinds: Dict[int, List[_Kind]] = {}  # by address
        self._functions: Dict[int, Optional[Place]] = {}  # by address
        self._in_user_code: Dict[int, List[Tuple[_Kind, bool]]] = {}  # by address
        self._fits: Optional[bool] = None

    def place(self, thread: Thread, below: Optional[int] = None) -> Optional[Place]:
        """As Walker.place()."""
        registers = self._registers.of(thread)
        known = self._known(registers, below) if self._fits else None
        if known is not None:
            return known[0]
        try:
            newest = self._walker.stack(thread).newest
            if newest is None:
                return places.UNREAD
            if self._fits is None:
                self._fits = self._walker.process.machine == interface.X86_64
            if not self._fits:
                return self._walker.place(thread, below)
            found = newest.pc, newest.sp
        except HostError:
            debug.ignored()
            return places.UNREAD
        if found != registers:
            if registers is not None:
                self._registers.doubt()
            known = self._known(found, below)
            if known is not None:
                return known[0]
        place = self._walker.place(thread, below)
        if below is None:
            self._learn(thread, *found, place)
        return place

    def pc(self, thread: Thread) -> Optional[int]:
        """The address of a thread's next instruction, or None."""
        place = self._registers.of(thread)
        if place is not None:
            return place[0]
        newest = self._walker.stack(thread).newest
        return None if newest is None else newest.pc

    def first_argument(self, thread: Thread) -> Optional[int]:
        """What the register of the first argument has where a thread is in the runtime: a loop
        that waits for a word to change leaves it alone. None where it is elsewhere, or that
        cannot be read."""
        newest = self._walker.stack(thread).newest
        if newest is None or not newest.is_runtime:
            return None
        try:
            executor = values.of_process(self._walker.process)
            return newest.frame.register(executor.NAMES[executor.ARGUMENTS[0]])
        except HostError:
            debug.ignored()
            return None

    def in_system(self, thread: Thread) -> bool:
        """Whether a thread runs code of the system's libraries for the user's code, though
        the runtime seems to have called it."""
        pc = self.pc(thread)
        return pc is not None and self._walker.in_system(thread, pc) and \
            self._walker.user_left(thread)

    def is_in_user_code(self, thread: Thread) -> bool:
        """As Walker.is_in_user_code(), once for stacks that begin alike."""
        registers = self._registers.of(thread)
        pc = self.pc(thread) if registers is None else registers[0]
        if pc is None or code_owner.is_runtime(self._walker.process, pc):
            return False
        ways = self._in_user_code.setdefault(pc, [])
        if registers is not None:
            for way, known in ways:
                if self._is_of(way, registers[1]):
                    return known
        answer = self._walker.is_in_user_code(thread, pc)
        if registers is not None and len(ways) < _MOST_KINDS and \
                self._walker.process.machine == interface.X86_64:
            kind = self._way(thread, registers[1], None, lambda frame:
                             frame.owner != code_owner.SYSTEM)
            if kind is not None:
                ways.append((kind, answer))
        return answer

    def innermost(self, thread: Thread) -> Optional[Place]:
        """As Walker.innermost(), which the instruction alone decides but for the system's."""
        registers = self._registers.of(thread) if self._fits else None
        if registers is None or self._walker.in_system(thread, registers[0]):
            return self._walker.innermost(thread)
        if registers[0] not in self._functions:
            self._functions[registers[0]] = self._walker.innermost(thread)
        return self._functions[registers[0]]

    def _known(self, registers: Optional[Tuple[int, int]],
               below: Optional[int]) -> Optional[Tuple[Optional[Place]]]:
        """(Place or None,) of a thread with this (pc, sp), in user code or with a stack equal to
        one that was unwound before; None on a cache miss."""
        if registers is None:
            return None
        pc, sp = registers
        place = self._walker.user_code(pc)
        if below is not None:
            return (place,) if place is not None and sp < below else None
        if place is not None:
            return (place,)
        return next(((kind.place,) for kind in self._kinds.get(pc, ()) if self._is_of(kind, sp)),
                    None)

    def _learn(self, thread: Thread, pc: int, sp: int, place: Optional[Place]) -> None:
        """Keeps the way from the newest frame to PLACE, or to the end of a stack that has
        nothing of the user's. These have been unwound."""
        kinds = self._kinds.setdefault(pc, [])
        if len(kinds) >= _MOST_KINDS or place is not None and place.address == pc:
            return
        kind = self._way(thread, sp, place, lambda frame:
                         place is not None and frame.pc == place.address, place is None)
        if kind is not None:
            kinds.append(kind)

    def _way(self, thread: Thread, sp: int, place: Optional[Place],
             ends: Callable[[StackFrame], bool], may_end: bool = False) -> Optional[_Kind]:
        """That from the newest frame of a thread, whose stack pointer is SP, to the one where it ENDS,
        or if it MAY_END to the end of the stack; None where it is none that can be compared."""
        addresses: List[int] = []
        distances: List[int] = []
        try:
            for frame in self._walker.stack(thread):
                # What is inlined and what it is inlined into are one frame of the machine's, and
                # what has left its frame to what it called is none.
                if frame.newer is not None and frame.newer.kind != interface.INLINED and \
                        frame.kind != interface.TAIL_CALL:
                    addresses.append(frame.pc)
                    distances.append(frame.sp - _WORD - sp)
                    if frame.kind not in (interface.NORMAL, interface.INLINED) or \
                            not 0 <= distances[-1] <= _FARTHEST:
                        return None
                if frame.newer is not None and ends(frame):
                    break
            else:
                if not may_end:
                    return None
        except HostError:
            debug.ignored()
            return None
        kind = _Kind(place, addresses, distances) if addresses else None
        return kind if kind is not None and self._is_of(kind, sp) else None

    def _is_of(self, kind: _Kind, sp: int) -> bool:
        try:
            data = self._memory.read(sp, kind.size)
        except HostError:
            debug.ignored()
            return False
        return all(data[at:at + _WORD] == word for at, word in kind.words)


class _Kind:
    """One way from an instruction out to user code."""

    def __init__(self, place: Optional[Place], addresses: Sequence[int],
                 distances: Sequence[int]) -> None:
        self.place = place
        self.size = max(distances) + _WORD
        self.words = [(distance, address.to_bytes(_WORD, "little"))
                      for address, distance in zip(addresses, distances)]
