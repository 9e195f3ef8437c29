# SPDX-License-Identifier: MIT
"""What a thing is by which threads sleep in libc, besides its address: its name in the program, who
reads or initialises it, the unit of a Fortran program."""

from __future__ import annotations

from openmp_inspect.core import debug, escaped
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import symbol_names
from openmp_inspect.stacks import fortran_io

if TYPE_CHECKING:
    from typing import Dict, List, Optional
    from openmp_inspect.host.interface import Process
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from openmp_inspect.code.places import Place
    from openmp_inspect.analysis.evidence_items import Evidence, Node
    from openmp_inspect.analysis.thread_rows import ThreadRow
    from openmp_inspect.stacks.libc_waits import LibcWait

# From where on a path, or an offset, is what glibc and libstdc++ have in their objects.
_INNER = regex(r"\.(__|_M_|std::).*$|\+\d+$")
_OF_LIBRARY = "std::__"  # which waits for many objects of the program by one of its own
_LOADER = "_rtld_global"
_RUNTIME = "libgfortran"
_ALIGNED = 16  # what malloc() returns
_LARGEST_UNIT = 2048  # bytes of the library's object of a unit
_MUTEX = 40  # bytes of a pthread_mutex_t
_MOST_STACKS = 64  # that are unwound in search of who initialises something
_MOST_FRAMES = 64  # of each


def object_name(stacks: StitchedStacks, address: int) -> Optional[str]:
    """The object of the program in which a word of libc's is at an ADDRESS, or None."""
    name = stacks.object_at(address)
    return None if name is None or name.raw.startswith(_OF_LIBRARY) else \
        _INNER.sub("", name.raw) or None


def add_names(thing: Node, row: ThreadRow, wait: Optional[LibcWait]) -> None:
    """Adds to a new THING what is known of it."""
    if thing.what != "mutex":
        thing.object = escaped.name(object_name(row.stacks, thing.address or 0))
        thing.readers = 0 if wait is None else wait.readers
    elif thing.name and thing.name.raw.startswith(_LOADER):
        thing.noun, thing.name = "lock", Name("of the dynamic loader")
    elif thing.noun == "mutex" and thing.address and _is_of_fortran(row) and \
            row.process.image_at(thing.address) is None:
        found = fortran_io.statements(row.stacks.walker, row.thread)
        if found and row.place is not None and found[0].place.line == row.place.line:
            unit = found[0].unit
            thing.noun = "unit"
            thing.name = Name("~" * (not _is_in_unit(row.process, thing.address or 0, unit)) + str(unit))


def _is_in_unit(process: Process, lock: int, unit: int) -> bool:
    """Whether a mutex is in what the library has allocated of a UNIT: that begins with the unit's
    number, and glibc keeps the size of what malloc() returns right before it."""
    for start in range(lock & -_ALIGNED, lock - _LARGEST_UNIT, -_ALIGNED):
        try:
            size = process.unsigned(start - 8, 8) & ~7
            if lock + _MUTEX - start < size < _LARGEST_UNIT and \
                    process.unsigned(start, 4) == unit & 0xFFFFFFFF:
                return True
        except HostError:
            debug.ignored()
            break
    return False


def _is_of_fortran(row: ThreadRow) -> bool:
    """Whether it is the library of gfortran that user code has called."""
    for frame in row.stacks.walker.stack(row.thread):
        image = row.process.image_at(frame.pc)
        if image is None or frame.level > _MOST_FRAMES:
            return False  # in the program
        if _RUNTIME in image:
            return True
    return False


def add_holders(evidence: Evidence) -> None:
    """Adds where the owner of a Fortran unit has begun the statement that needs it, and who
    initialises what threads wait for under a guard of C++: the one other thread that is in the
    function which they call it from."""
    waiting: Dict[Node, List[ThreadRow]] = {}
    for edge in evidence.edges.values():
        if edge.kind == "needs" and edge.from_.noun == "unit" and edge.to.row is not None:
            edge.from_.acquired = _outer(edge.to.row, str(edge.from_.name))
        elif edge.kind == "waits" and symbol_names.guarded(edge.to.name) and edge.from_.row:
            waiting.setdefault(edge.to, []).append(edge.from_.row)
    nodes = [node for node in evidence.nodes.values() if node.kind == "thread" and node.row]
    for thing, rows in waiting.items():
        place = rows[0].place
        start = None if place is None or place.address is None else \
            symbol_names.function_start(evidence.stacks.process, place.address - 1)
        inside = [node for node in nodes[:_MOST_STACKS]
                  if node.row not in rows and node.row and _is_in(node.row, start)]
        thing.by = inside[0] if len(inside) == 1 and len(nodes) <= _MOST_STACKS else None


def _outer(row: ThreadRow, unit: str) -> Optional[Place]:
    """The place of the outermost statement for a unit that a thread is inside of, if it is not that
    in which it waits for the unit."""
    found = [one.place for one in fortran_io.statements(
        row.stacks.walker, row.thread) if str(one.unit) == unit.lstrip("~")]
    return found[-1] if len(found) > 1 or found and row.wait.name != "in_call" else None


def _is_in(row: ThreadRow, start: Optional[int]) -> bool:
    """Whether a function that begins at START is on a thread's stack."""
    if start is None or row.thread is None or not row.stopped:
        return False
    frames = row.stacks.walker.user_frames(row.thread)
    return any(symbol_names.function_start(row.process, frame.instruction) == start
               for frame, _ in zip(frames, range(_MOST_FRAMES)))
