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

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import processes
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


def name_of(walker: Walker, threads: Iterable[Thread], address: int) -> Optional[str]:
    """An expression for the object at ADDRESS in its frame, as `s.lock`, or None. WALKER: a
    user_frames.Walker; THREADS: all stopped. Call in selection_kept()."""
    try:
        thread = _owner(walker, threads, address)
        return None if thread is None else _in_frames(walker.stack(thread), address)
    except HostError:
        debug.ignored()
        return None


def _owner(walker: Walker, threads: Iterable[Thread], address: int) -> Optional[Thread]:
    """The thread on whose stack an ADDRESS is, if it is on one."""
    known = processes.current().registers()
    asked = 0
    found, nearest = None, -1
    for thread in threads:
        place = known.of(thread)
        if place is not None:
            sp = place[1]
        else:
            asked += 1
            newest = walker.stack(thread).newest if asked <= _MOST_THREADS else None
            if newest is None:
                return None
            sp = newest.sp
        if nearest < sp - _BELOW <= address:
            found, nearest = thread, sp - _BELOW
    return found


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


class Pointers:
    """What frames of the user's have pointers and references to, of THREADS, all stopped."""

    def __init__(self, walker: Walker, threads: Iterable[Thread]) -> None:
        self._walker = walker
        self._threads = list(threads)[:_MOST_POINTING]
        self._found: Optional[List[Tuple[int, Type]]] = None

    def name_of(self, address: int) -> Optional[str]:
        """An expression for the object at ADDRESS, or None. Call in selection_kept()."""
        if self._found is None:
            self._found = list(self._all().items())
        sizes = [(kind.size, start, kind) for start, kind in self._found
                 if start <= address < start + kind.size]
        for _, start, kind in sorted(sizes, key=lambda one: one[:2]):
            path = symbol_names.member(kind, address - start)
            if path.startswith(".") and "+" not in path:
                return "((%s *) %#x)->%s" % (kind.name, start, path[1:])
        return None

    def _all(self) -> Dict[int, Type]:
        """{address of a structure: its type}"""
        found: Dict[int, Type] = {}
        for thread in self._threads:
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
