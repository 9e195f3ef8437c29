# SPDX-License-Identifier: MIT
"""ompd threads"""

from __future__ import annotations

import gdb

from openmp_inspect.core import errors, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.analysis import thread_table, verdicts
from gdb_openmp.host import options
from gdb_openmp.ui import explanations, session, why_text

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, TypeVar
    from types import SimpleNamespace
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.analysis.thread_rows import Row

    Answer = TypeVar("Answer")

_HEAD = ["  Id", "OMP", "State", "Waits for", "Where"]
_RUNTIME = 2  # the column of it, where there are several
_CELL = 18  # the most that a column of a wide table takes, but for rows that need more
_INCOMPLETE = "The program claims more threads than were listed."


class Command(options.Command):
    """List threads with what each of them does in OpenMP.

Usage: ompd threads [-json]

One line for each thread, the selected one marked with "*":
  Id         gdb's number of the thread, as in "info threads"
  OMP        its number in its team and the team's size, as 2/4; in nested
             regions the path through the teams, outermost first
  Runtime    of several runtimes the one in a team of which the thread is
  State      what it does: work, idle, what kind of thing it waits for
             (region: the next one), starting or leaving (the body of a
             region), creating task, or "in" a function that user code has
             called and that sleeps; "~" marks what was inferred from stacks
             and the kernel
  Waits for  that thing, by name where it has one, who holds it, by gdb's
             number and by its number in its team, since which line of its
             code if that is recorded, and how many threads have arrived at a
             barrier
  Where      the innermost place in your own code

  -json      an array of objects with the keys id, lwp, selected, number,
             team_size, path ([[number, team size], ...]), level, state,
             call (of state "in_call"), derived (whether the state was
             inferred), inferred (which of state, owner and arrived were),
             wait_id, waits_for, owner (gdb's number), since (a place),
             arrived, runtime (its file), holds (what it has acquired: kind,
             object, wait_id, frame, and a place; empty where that is not
             recorded), stack ([low, high]), and its place: function, file,
             fullname (absolute, on this machine), line; addresses are as
             "0x7ffe10", null is what is not known"""

    name = "ompd threads"
    flags = ("json",)
    category = gdb.COMMAND_STATUS

    def answer(self, given: SimpleNamespace) -> List[Dict[str, Any]]:
        return _of_rows(lambda found, _: [row.facts() for row in found])[0]

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        (found, verdict), remarks = _of_rows(_with_verdict)
        lines = _lines(found)
        if verdict is not None:
            lines.append(text.remark(verdict))
        gdb.write("\n".join(lines + remarks) + "\n")


def _with_verdict(found: List[Row],
                  snapshot: Optional[Snapshot]) -> Tuple[List[Row], Optional[str]]:
    """The rows, and a sentence when it is certain why the program does not get on."""
    verdict = None if snapshot is None or not session.offers_verdicts() else \
        verdicts.unasked(snapshot, found)
    return found, None if verdict is None else why_text.summary(verdict)


def _of_rows(tell: Callable[[List[Row], Optional[Snapshot]], Answer]) -> Tuple[Answer, List[str]]:
    """(what TELL returns for the rows and their snapshot or None, while that lives; lines that
    follow)."""
    session.need_program()
    try:
        with session.snapshot() as snapshot:
            told = tell(thread_table.all_rows(snapshot), snapshot)
            return told, [_INCOMPLETE] * snapshot.incomplete + explanations.remarks(None)
    except (errors.OmpdError, errors.NoLibrary, errors.HostError) as error:
        return tell(thread_table.all_rows(None), None), explanations.remarks(error)


def _lines(found: Sequence[Row]) -> List[str]:
    """The table; owners are named by one number only where the screen is too narrow. A line
    is that of one thread, however wide."""
    runtimes = [row.runtime for row in found]

    def lines_of(cells: Sequence[Tuple[str, ...]],
                 make: Callable[[Sequence[Sequence[str]]], List[str]] = text.table) -> List[str]:
        rows: List[Sequence[str]] = [_HEAD, *cells]
        if any(runtimes):
            names = [name or "-" for name in ["Runtime"] + runtimes]
            width = max(map(len, names))  # few are different: no row is pushed alone
            rows = [[*row[:_RUNTIME], name.ljust(width), *row[_RUNTIME:]]
                    for row, name in zip(rows, names)]
        return make(rows)

    lines = lines_of([row.cells for row in found])
    if text.too_wide(lines):
        lines = lines_of([row.short for row in found])
    if text.too_wide(lines):
        lines = lines_of([row.short for row in found], lambda rows: text.narrowed(rows, _CELL))
    return lines
