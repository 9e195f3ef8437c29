# SPDX-License-Identifier: MIT
"""Who is in the critical sections that others wait for, where nothing records it: the calls around
the code of a frame say it, and where these are not known the source, by its lines.

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
from openmp_inspect.stacks import segments, stitched_stack

if TYPE_CHECKING:
    from typing import Callable, Dict, Iterable, List, Optional, Set
    from openmp_inspect.stacks.segments import UserFrame
    from openmp_inspect.analysis.thread_rows import Row

_MOST_STACKS = 64  # that are unwound in search of holders; where there are more no holder is named


def of_sections(rows: List[Row],
                is_taken: Callable[[Optional[int]], bool]) -> Dict[Optional[int], Row]:
    """{wait id: thread_rows.Row of the holder} for critical sections that rows with states inferred
    from stacks wait for. IS_TAKEN says it of a wait id, None being the section without a
    name."""
    wanted: Dict[Optional[str], Optional[int]] = {}
    for row in rows:
        if _waits(row) and row.wait.wait_id not in wanted.values() and \
                is_taken(row.wait.wait_id):
            wanted[_name(row.wait.wait_id)] = row.wait.wait_id
    if not wanted:
        return {}
    found: Dict[Optional[int], List[Row]] = {}
    # Who waits for the only section in question is mostly not in it.
    others = [row for row in rows if row.stopped and row.place is not None and
              not (len(wanted) == 1 and _waits(row) and row.wait.wait_id in wanted.values())]
    if len(others) <= _MOST_STACKS:
        _look(others, wanted, found)
        missing = {name: wait for name, wait in wanted.items() if wait not in found}
        if missing:
            _look([row for row in rows if _waits(row) and
                   row.wait.wait_id in missing.values()][:_MOST_STACKS], missing, found)
    return {wait: holders[0] for wait, holders in found.items() if len(holders) == 1}


def _look(rows: Iterable[Row], wanted: Dict[Optional[str], Optional[int]],
          found: Dict[Optional[int], List[Row]]) -> None:
    """Adds to FOUND, {wait id: [row]}, those of ROWS that are in one of the sections WANTED; who
    waits for one as well is in it where a frame further out is."""
    for row in rows:
        for wait in _sections_of(row, wanted):
            found.setdefault(wait, []).append(row)


def _waits(row: Row) -> bool:
    return row.wait.name == "wait_critical" and row.wait.holder is None and row.wait.wait_id != 0


def _name(wait: Optional[int]) -> Optional[str]:
    """The section's name in the source, "" if it has none, or None if that is not known."""
    if wait is None or code_owner.is_runtime(wait):
        return ""
    return symbol_names.critical(wait)


def _sections_of(row: Row, wanted: Dict[Optional[str], Optional[int]]) -> Set[Optional[int]]:
    """The wait ids of those of the sections WANTED that a thread has frames in."""
    parts = errors.known(lambda: stitched_stack.current().stack(row.thread).parts)
    users = [part for part in parts or () if isinstance(part, segments.UserFrame)]
    found: Set[Optional[int]] = set()
    for frame in users:
        called = None
        if frame.function and not frame.system and frame.address is not None:
            called = critical_calls.around(frame.address, frame.level > 0)
        names = map(_name, called) if called is not None else _by_source(frame)
        waits = {wanted[name] for name in names if name in wanted}
        if called is None and frame is users[0] and _waits(row):  # it may be on its way into it
            waits.discard(row.wait.wait_id)
        found |= waits
    return found


def _by_source(frame: UserFrame) -> Set[str]:
    """The names of the critical sections that a frame's line is in."""
    return {(extent.directive.section or "").lower() if directives.is_fortran(frame.file) else
            extent.directive.section or ""
            for extent in frame.within if extent.directive.names == ("critical",)}
