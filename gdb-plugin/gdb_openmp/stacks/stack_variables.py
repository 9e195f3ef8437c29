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

import gdb

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import gdb_text, registers
from gdb_openmp.program import symbol_names

if TYPE_CHECKING:
    from typing import Iterable, Iterator, List, Optional, Tuple
    from gdb_openmp.host.gdb_types import GdbFrame, GdbSymbol, GdbThread, GdbType, GdbValue
    from gdb_openmp.stacks.thread_stack import StackFrame, ThreadStack
    from gdb_openmp.stacks.user_frames import Walker

_MOST_THREADS = 256  # of which gdb has to make a frame
_MOST_FRAMES = 256  # from the newest one to that of the variable
_MOST_POINTING = 64  # threads whose pointers are looked at
_MOST_CALLERS = 3  # of each, frames of the user's
_BELOW = 128  # bytes below its stack pointer that a function may use that calls none


def name_of(walker: Walker, threads: Iterable[GdbThread], address: int) -> Optional[str]:
    """An expression for the object at ADDRESS in its frame, as `s.lock`, or None. WALKER: a
    user_frames.Walker; THREADS: gdb's, all stopped. Call in selection_kept()."""
    try:
        thread = _owner(walker, threads, address)
        return None if thread is None else _in_frames(walker.stack(thread), address)
    except (gdb.error, RuntimeError):
        debug.ignored()
        return None


def _owner(walker: Walker, threads: Iterable[GdbThread], address: int) -> Optional[GdbThread]:
    """The thread on whose stack an ADDRESS is, if it is on one."""
    known = registers.Registers(gdb.selected_inferior())
    asked = 0
    found, nearest = None, -1
    for thread in threads:
        told = known.of(thread)
        if told is not None:
            sp = told[1]
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
    # gdb may end at main (): its caller is not known.
    return next(filter(None, (_variable(one.frame, address) for one in same)), None)


def _variables(frame: GdbFrame) -> Iterator[GdbSymbol]:
    block = frame.block()
    while block is not None and not block.is_global and not block.is_static:
        for symbol in block:
            if (symbol.is_variable or symbol.is_argument) and symbol.needs_frame:
                yield symbol
        if block.function is not None:
            break
        block = block.superblock


def _variable(frame: GdbFrame, address: int) -> Optional[str]:
    found = (_at(symbol, frame, address) for symbol in _variables(frame))
    return next(filter(None, found), None)


def _at(symbol: GdbSymbol, frame: GdbFrame, address: int) -> Optional[str]:
    """The expression if the variable of a FRAME that a gdb.Symbol is contains an ADDRESS."""
    try:
        value = symbol.value(frame)
        start = None if value.is_optimized_out or value.address is None else int(value.address)
        if start is not None and start <= address < start + value.type.sizeof:
            return gdb_text.symbol_name(symbol) + symbol_names.member(value.type, address - start)
    except (gdb.error, UnicodeDecodeError):
        debug.ignored()
    return None


class Pointers:
    """What frames of the user's have pointers and references to, of gdb's THREADS, all stopped."""

    def __init__(self, walker: Walker, threads: Iterable[GdbThread]) -> None:
        self._walker = walker
        self._threads = list(threads)[:_MOST_POINTING]
        self._found: Optional[List[Tuple[int, GdbType]]] = None

    def name_of(self, address: int) -> Optional[str]:
        """An expression for the object at ADDRESS, or None. Call in selection_kept()."""
        if self._found is None:
            self._found = list(dict(self._all()).items())
        sizes = [(int(kind.sizeof), start, kind) for start, kind in self._found
                 if start <= address < start + kind.sizeof]
        for _, start, kind in sorted(sizes, key=lambda one: one[:2]):
            path = symbol_names.member(kind, address - start)
            if path.startswith(".") and "+" not in path:
                return "((%s *) %#x)->%s" % (_type_name(kind), start, path[1:])
        return None

    def _all(self) -> Iterator[Tuple[int, GdbType]]:
        for thread in self._threads:
            frames = self._walker.user_frames(thread)
            for frame, _ in zip(frames, range(_MOST_CALLERS)):
                try:
                    yield from filter(None, (_pointed(symbol, frame.frame)
                                             for symbol in _variables(frame.frame)))
                except (gdb.error, RuntimeError):
                    debug.ignored()


def _type_name(kind: GdbType) -> str:
    """That of a structure, or an alias, in words of C; in C++ gdb leaves "struct" out."""
    name: str = gdb_text.exact(str, kind)
    known = kind.code != gdb.TYPE_CODE_STRUCT or name.startswith(("struct ", "class "))
    return name if known else "struct " + name


def _pointed(symbol: GdbSymbol, frame: GdbFrame) -> Optional[Tuple[int, GdbType]]:
    """(address, type) of the structure to which the variable of a FRAME leads, or None."""
    try:
        value: GdbValue = symbol.value(frame)
        kind = value.type.strip_typedefs()
        if value.is_optimized_out or kind.code not in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_REF):
            return None
        target = kind.target().unqualified()
        if target.strip_typedefs().code != gdb.TYPE_CODE_STRUCT or not target.sizeof:
            return None
        found = value if kind.code == gdb.TYPE_CODE_PTR else value.referenced_value().address
        return int(found), target
    except (gdb.error, UnicodeDecodeError):
        debug.ignored()
        return None
