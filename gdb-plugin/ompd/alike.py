# SPDX-License-Identifier: MIT
"""User frames of many threads whose stacks look alike, each kind unwound once.

The threads of a team mostly stand at the same instruction inside the runtime, called from
the same line. Where a thread stands at an instruction that was unwound before, and the same
return addresses lie at the same distances from its stack pointer, its frames are the same,
and so is the place. Anything else is unwound. x86-64 only: there a return address always
lies right below the caller's stack pointer.
"""

import gdb

_WORD = 8
_DEEPEST = 12  # frames between the newest and the user's
_FARTHEST = 4096  # bytes between their stack pointers
_MOST_KINDS = 16  # for one instruction


class Stacks:
    """Lives during one command. WALKER is a frames.Walker, REGISTERS a
    registers.Registers, MEMORY a memory.PageCache."""

    def __init__(self, walker, registers, memory, byte_order):
        self._walker = walker
        self._registers = registers
        self._memory = memory
        self._order = byte_order
        self._kinds = {}  # address -> [_Kind]
        self._functions = {}  # address -> Place
        self._fits = None

    def place(self, thread, below=None):
        """As Walker.place(). Call in selection_kept()."""
        told = self._registers.of(thread)
        known = self._known(told, below) if self._fits else None
        if known is not None:
            return known[0]
        try:
            thread.switch()
            frame = gdb.newest_frame()
            if self._fits is None:
                self._fits = frame.architecture().name() == "i386:x86-64"
            if not self._fits:
                return self._walker.place(thread, below)
            found = frame.pc(), int(frame.read_register("sp"))
        except gdb.error:
            return None
        if found != told:
            if told is not None:
                self._registers.doubt()
            known = self._known(found, below)
            if known is not None:
                return known[0]
        place = self._walker.place(thread, below)
        if below is None:
            self._learn(frame, *found, place)
        return place

    def in_system(self, thread):
        """Whether a thread runs code of the system's libraries for the user's code, though
        the runtime seems to have called it. Call in selection_kept()."""
        told = self._registers.of(thread)
        if told is None:
            try:
                thread.switch()
                told = gdb.newest_frame().pc(), 0
            except gdb.error:
                return False
        return self._walker.in_system(told[0]) and self._walker.user_left(thread)

    def innermost(self, thread):
        """As Walker.innermost(), which the instruction alone decides."""
        told = self._registers.of(thread) if self._fits else None
        if told is None:
            return self._walker.innermost(thread)
        if told[0] not in self._functions:
            self._functions[told[0]] = self._walker.innermost(thread)
        return self._functions[told[0]]

    def _known(self, registers, below):
        """(Place or None,) of a thread that stands there, in user code or with a stack like
        one that was unwound before. None: it has to be unwound."""
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

    def _learn(self, frame, pc, sp, place):
        kinds = self._kinds.setdefault(pc, [])
        if len(kinds) >= _MOST_KINDS:
            return
        try:
            addresses, distances = [], []
            for _ in range(_DEEPEST):
                frame = frame.older()
                if frame is None and place is None and addresses:
                    break  # the whole stack, and nothing of the user in it
                if frame is None or frame.type() != gdb.NORMAL_FRAME:
                    return
                addresses.append(frame.pc())
                distances.append(int(frame.read_register("sp")) - _WORD - sp)
                if place is not None and addresses[-1] == place.address:
                    break
            else:
                return
        except gdb.error:
            return
        if all(0 <= distance <= _FARTHEST for distance in distances):
            kind = _Kind(place, addresses, distances, self._order)
            if self._is_of(kind, sp):
                kinds.append(kind)

    def _is_of(self, kind, sp):
        try:
            data = self._memory.read(sp, kind.size)
        except gdb.MemoryError:
            return False
        return all(data[at:at + _WORD] == word for at, word in kind.words)


class _Kind:
    """One way from an instruction out to user code."""

    def __init__(self, place, addresses, distances, order):
        self.place = place
        self.size = max(distances) + _WORD
        self.words = [(distance, address.to_bytes(_WORD, order))
                      for address, distance in zip(addresses, distances)]
