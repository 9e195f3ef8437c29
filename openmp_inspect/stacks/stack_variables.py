# SPDX-License-Identifier: MIT
"""Variables by their address, which is on some thread's stack, or which a pointer there leads to.

Stacks do not overlap, so an address is on that of the thread whose stack pointer is the nearest
one below; the frame that it lies in ends where that of its caller begins. For instance 0x7ffe10,
where frame 2, of compute (), has the stack pointer 0x7ffdc0 and its caller 0x7ffe40, is `s.lock`
if compute () has a variable `s` of 32 bytes at 0x7ffe00.

What is on the heap has no name: 0x5558a2a8 is `((node *) 0x5558a2a0)->lock` where a frame has a
pointer or a reference to a `node` there, whatever each thread calls it.
"""

from __future__ import annotations

import bisect

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import symbol_names

if TYPE_CHECKING:
    from typing import Dict, Iterable, List, Optional, Tuple
    from openmp_inspect.host.interface import Frame, Thread, Type, Variable
    from openmp_inspect.stacks.thread_stack import StackFrame, ThreadStack
    from openmp_inspect.stacks.user_frames import Walker

_MOST_THREADS = 256  # of which the debugger has to make a frame
_MOST_FRAMES = 256  # from the newest one to that of the variable
_MOST_POINTING = 64  # threads whose pointers are looked at
_MOST_CALLERS = 3  # of each, frames of the user's
_BELOW = 128  # bytes below its stack pointer that a function may use that calls none


def _in_frames(stack: ThreadStack, address: int) -> Optional[str]:
    """The same of an ADDRESS that may be on one ThreadStack."""
    same: List[StackFrame] = []  # frames of one function, with what it has inlined
    for frame in stack:
        if frame.level > _MOST_FRAMES:
            return None
        if same and frame.sp > address:
            break
        if same and frame.sp != same[0].sp:
            same = []
        same.append(frame)
    # A debugger may end at main (): its caller is not known.
    return next(filter(None, (_variable(one.frame, address) for one in same)), None)


def _variable(frame: Frame, address: int) -> Optional[str]:
    """The expression if a variable of a FRAME contains an ADDRESS."""
    return next((one.name + symbol_names.member(one.type, address - one.address)
                 for one in frame.variables() if one.address is not None and
                 one.address <= address < one.address + one.type.size), None)


class Objects:
    """Variables on the stacks of THREADS, all stopped, and what frames of the user's have pointers and
    references to. WALKER: a user_frames.Walker."""

    def __init__(self, walker: Walker, threads: Iterable[Thread]) -> None:
        self._walker, self._threads = walker, list(threads)
        self._stacks: Optional[List[Tuple[int, Thread]]] = None  # by the lowest address in use
        self._starts: List[int] = []
        self._pointed: Optional[List[Tuple[int, Type]]] = None

    def name_of(self, address: int) -> Optional[str]:
        """An expression for the object at ADDRESS, or None."""
        return self._on_stack(address) or self._of_pointers(address)

    def _on_stack(self, address: int) -> Optional[str]:
        try:
            if self._stacks is None:
                self._stacks = sorted(self._lowest(), key=lambda one: one[0])
                self._starts = [start for start, _ in self._stacks]
            at = bisect.bisect_right(self._starts, address) - 1
            return None if at < 0 else _in_frames(self._walker.stack(self._stacks[at][1]), address)
        except HostError:
            debug.ignored()
            return None

    def _lowest(self) -> List[Tuple[int, Thread]]:
        """Of each stack; nothing if some are not known."""
        known = self._walker.process.registers()
        found, asked = [], 0
        for thread in self._threads:
            place = known.of(thread)
            if place is not None:
                sp = place[1]
            else:
                asked += 1
                newest = self._walker.stack(thread).newest if asked <= _MOST_THREADS else None
                if newest is None:
                    return []
                sp = newest.sp
            found.append((sp - _BELOW, thread))
        return found

    def _of_pointers(self, address: int) -> Optional[str]:
        if self._pointed is None:
            self._pointed = list(self._all().items())
        sizes = [(kind.size, start, kind) for start, kind in self._pointed
                 if start <= address < start + kind.size]
        for _, start, kind in sorted(sizes, key=lambda one: one[:2]):
            path = symbol_names.member(kind, address - start)
            if path.startswith(".") and "+" not in path:
                return "((%s *) %#x)->%s" % (kind.name, start, path[1:])
        return None

    def _all(self) -> Dict[int, Type]:
        """{address of a structure: its type}"""
        found: Dict[int, Type] = {}
        for thread in self._threads[:_MOST_POINTING]:
            for frame, _ in zip(self._walker.user_frames(thread), range(_MOST_CALLERS)):
                try:
                    found.update(filter(None, map(_pointed, frame.frame.variables())))
                except HostError:
                    debug.ignored()
        return found


def _pointed(variable: Variable) -> Optional[Tuple[int, Type]]:
    """(address, type) of the structure to which a variable leads, or None."""
    if variable.leads_to is None:
        return None
    target = variable.type.target()
    return (variable.leads_to, target) if target.kind == "struct" and target.size else None
