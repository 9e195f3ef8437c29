# SPDX-License-Identifier: MIT
"""Who is in the critical sections that others wait for, where nothing records it: the calls around the
code of a frame say it, and where these are not known the source, by its lines.

libgomp keeps only that a section is taken. Its holder is the one thread that has a frame in it;
who waits for it has one further out than the call, or has not entered it: for instance

    book () at 12      line 12 is the directive        waits
    main () at 30                                      is not in it
    book () at 12      line 12 is the directive        waits
    update () at 15    line 15 is inside               for itself
"""

from __future__ import annotations

from openmp_inspect.core import errors
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.source import directives
from openmp_inspect.code import code_owner, critical_calls, symbol_names
from openmp_inspect.stacks import segments

if TYPE_CHECKING:
    from typing import Dict, Iterable, Iterator, List, Optional, Set, Tuple
    from openmp_inspect.host.interface import Process
    from openmp_inspect.stacks.segments import UserFrame
    from openmp_inspect.analysis.thread_rows import ThreadRow

    # {who waits for a section: its wait id}; that of the one without a name is None.
    Waiting = Dict[ThreadRow, Optional[int]]

MOST_STACKS = 64  # that are unwound in search of holders; where there are more no holder is named


def of_sections(rows: List[ThreadRow], waiting: Waiting) -> Dict[Optional[int], ThreadRow]:
    """{wait id: who is in it} of critical sections for which those of all ROWS wait that are
    WAITING."""
    if not waiting:
        return {}
    wanted = {_name(rows[0].process, wait): wait for wait in dict.fromkeys(waiting.values())}
    found: Dict[Optional[int], List[ThreadRow]] = {}
    # Who waits for the only section in question is mostly not in it.
    others = [row for row in rows if row.stopped and row.place is not None and
              not (len(wanted) == 1 and row in waiting)]
    if len(others) <= MOST_STACKS:
        _look(others, waiting, wanted, found)
        missing = {name: wait for name, wait in wanted.items() if wait not in found}
        if missing:
            _look([row for row, wait in waiting.items()
                   if wait in missing.values()][:MOST_STACKS], waiting, missing, found)
    return {wait: holders[0] for wait, holders in found.items() if len(holders) == 1}


def _look(rows: Iterable[ThreadRow], waiting: Waiting, wanted: Dict[Optional[str], Optional[int]],
          found: Dict[Optional[int], List[ThreadRow]]) -> None:
    """Adds to FOUND, {wait id: [row]}, those of ROWS that are in one of the sections WANTED; who
    waits for one as well is in it where a frame further out is."""
    for row in rows:
        for wait in _sections_of(row, waiting, wanted):
            found.setdefault(wait, []).append(row)


def _name(process: Process, wait: Optional[int]) -> Optional[str]:
    """The section's name in the source, "" if it has none, or None if that is not known."""
    if wait is None or code_owner.is_runtime(process, wait):
        return ""
    return symbol_names.critical(process, wait)


def _sections_of(row: ThreadRow, waiting: Waiting,
                 wanted: Dict[Optional[str], Optional[int]]) -> Set[Optional[int]]:
    """The wait ids of those of the sections WANTED that a thread has frames in."""
    found: Set[Optional[int]] = set()
    for at, (names, by_source) in enumerate(_names_of(row)):
        waits = {wanted[name] for name in names if name in wanted}
        if by_source and at == 0 and row in waiting:  # it may be on its way into it
            waits.discard(waiting[row])
        found |= waits
    return found


def sections(row: ThreadRow) -> Set[str]:
    """The names of the critical sections that a thread which waits for none of them has frames in,
    "" being that of the one without a name."""
    return {name for names, _ in _names_of(row) for name in names if name is not None}


def _names_of(row: ThreadRow) -> Iterator[Tuple[Set[Optional[str]], bool]]:
    """(the names of the critical sections that a frame of user code is in, whether its source says
    so), newest frame first."""
    for frame in _user_frames(row):
        called = None
        if frame.function and not frame.system and frame.address is not None:
            called = critical_calls.around(row.process, frame.address, frame.level > 0)
        yield (_by_source(frame), True) if called is None else (
            {_name(row.process, wait) for wait in called}, False)


def _user_frames(row: ThreadRow) -> List[UserFrame]:
    parts = errors.known(lambda: row.stacks.stack(row.thread).parts)
    return [part for part in parts or () if isinstance(part, segments.UserFrame)]


def _by_source(frame: UserFrame) -> Set[Optional[str]]:
    """The names of the critical sections that a frame's line is in."""
    return {(extent.directive.section or "").lower() if directives.is_fortran(frame.file) else
            extent.directive.section or ""
            for extent in frame.within if extent.directive.names == ("critical",)}
