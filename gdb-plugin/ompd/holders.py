# SPDX-License-Identifier: MIT
"""Who is in the critical sections that others wait for, where nothing records it: the source
says which lines are inside.

libgomp keeps only that a section is taken. Where exactly one thread has a frame in it, and
does not wait for it itself, that one is told.
"""

from ompd import code_owner, directives, errors, frames, names, stack, story

_MOST_STACKS = 64  # that are unwound in search of holders; where there are more none is told


def of_sections(rows, is_taken):
    """{wait id: rows.Row of the holder} for critical sections that rows with states told
    from stacks wait for. IS_TAKEN says it of a wait id, None being the section without a
    name."""
    wanted = {}
    for row in rows:
        if _waits(row) and row.state[4] not in wanted.values() and is_taken(row.state[4]):
            wanted[_name(row.state[4])] = row.state[4]
    if not wanted:
        return {}
    found = {}
    # Who waits for the only section in question is not in it.
    others = [row for row in rows if row.thread is not None and row.known is not None and
              not (len(wanted) == 1 and _waits(row) and row.state[4] in wanted.values())]
    if len(others) > _MOST_STACKS:
        return {}
    with frames.selection_kept():
        for row in others:
            for name in _sections_of(row):
                if name in wanted and not (_waits(row) and row.state[4] == wanted[name]):
                    found.setdefault(wanted[name], []).append(row)
    return {wait: holders[0] for wait, holders in found.items() if len(holders) == 1}


def of_waiters(rows):
    """{row: the wait id of the section} of rows that wait for a critical section while a frame
    further out, which has called something, is in the section."""
    found = {}
    with frames.selection_kept():
        for row in rows[:_MOST_STACKS]:
            if _waits(row) and _name(row.state[4]) in _sections_of(row, calling=True):
                found[row] = row.state[4]
    return found


def _waits(row):
    return row.state[3] == "wait_critical" and row.state[5] and row.state[4] != 0


def _name(wait):
    """The section's name in the source, "" if it has none, or None if that is not known."""
    if wait is None or code_owner.is_runtime(wait):
        return ""
    return names.critical(wait)


def _sections_of(row, calling=False):
    """The names of the critical sections that a thread has frames in; CALLING: but for the
    innermost frame, which may be on its way into one."""
    try:
        parts = story.current().stack(row.thread).parts
    except errors.OmpdError:
        return set()
    users = [part for part in parts if isinstance(part, stack.UserFrame)]
    return {(extent.directive.section or "").lower() if _is_fortran(part) else
            extent.directive.section or ""
            for part in users[1 if calling else 0:]
            for extent in part.within if extent.directive.names == ("critical",)}


def _is_fortran(part):
    return directives.sentinel(part.file) == "!$omp"
