# SPDX-License-Identifier: MIT
"""All threads with what each of them does: "ompd threads"."""

from __future__ import annotations

from openmp_inspect.core import errors, screen, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.analysis import thread_table, verdicts
from openmp_inspect.report import explanations, thread_times, why_text

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, TypeVar
    from openmp_inspect.analysis.thread_rows import Row

    Answer = TypeVar("Answer")

_HEAD = ["  Id", "OMP", "State", "Waits for", "Where"]
_RUNTIME = 2  # the column of it, where there are several
_TIME = 3
_CELL = 18  # the most that a column of a wide table takes, but for rows that need more
_INCOMPLETE = "The program claims more threads than were listed."


def facts() -> List[Dict[str, Any]]:
    """An object for each thread. UserError of a program that does not use OpenMP."""
    return _of_rows(lambda found, _: [
        dict(row.facts(), **({} if row.thread is None else thread_times.facts(row.thread)))
        for row in found])[0]


def lines(offer_verdict: bool = True) -> List[str]:
    """The table with what there is to remark. OFFER_VERDICT: with a sentence when it is certain why
    the program does not get on. UserError likewise."""
    def tell(found: List[Row], snapshot: Optional[Snapshot]) -> List[str]:
        verdict = None if snapshot is None or not offer_verdict else \
            verdicts.unasked(snapshot, lambda: found)
        return _table(found) + (
            [] if verdict is None else [text.remark(why_text.summary(verdict))])

    told, remarks = _of_rows(tell)
    return told + remarks


def _of_rows(tell: Callable[[List[Row], Optional[Snapshot]], Answer]) -> Tuple[Answer, List[str]]:
    """(what TELL returns for the rows and their snapshot or None, while that lives; lines that
    follow)."""
    try:
        with Snapshot.current() as snapshot:
            told = tell(thread_table.all_rows(snapshot), snapshot)
            return told, [_INCOMPLETE] * snapshot.incomplete + explanations.remarks(None)
    except (errors.OmpdError, errors.NoLibrary, errors.HostError) as error:
        return tell(thread_table.all_rows(None), None), explanations.remarks(error)


def _table(found: Sequence[Row]) -> List[str]:
    """The table; where the screen is too narrow owners are named by one number only, and times are
    left out. A line is that of one thread, however wide."""
    times = _times(found)

    def lines_of(some: Sequence[Tuple[str, ...]], times: Sequence[str],
                 make: Callable[[Sequence[Sequence[str]]], List[str]] = text.table) -> List[str]:
        return make(_with_columns(some, found, times))

    lines = lines_of([row.cells for row in found], times)
    if text.too_wide(lines):
        lines = lines_of([row.short for row in found], times)
    if text.too_wide(lines):
        lines = lines_of([row.short for row in found], ())
    if text.too_wide(lines):
        lines = lines_of([row.short for row in found], (), lambda rows: text.narrowed(rows, _CELL))
    return lines


def cells(found: Sequence[Row]) -> List[Sequence[str]]:
    """The rows of the table, the first of which is its head."""
    return _with_columns([row.cells for row in found], found, _times(found))


def _times(found: Sequence[Row]) -> List[str]:
    """The column of processors' time with its head, or nothing."""
    if not screen.current().shows_times:
        return []
    times = [thread_times.cell(row.thread) for row in found]
    return ["CPU s", *times] if set(times) - {"-"} else []


def _with_columns(some: Sequence[Tuple[str, ...]], found: Sequence[Row],
                  times: Sequence[str]) -> List[Sequence[str]]:
    """Head and rows, with TIMES, and a column for the runtimes where there are several."""
    rows: List[Sequence[str]] = [_HEAD, *some]
    runtimes = [row.runtime for row in found]
    if times:
        rows = _with_column(rows, _TIME, times)
    if any(runtimes):
        rows = _with_column(rows, _RUNTIME, [name or "-" for name in ["Runtime", *runtimes]])
    return rows


def _with_column(rows: Sequence[Sequence[str]], at: int, column: Sequence[str]
                 ) -> List[Sequence[str]]:
    width = max(map(len, column))  # few are different: no row is pushed alone
    return [[*row[:at], cell.ljust(width), *row[at:]] for row, cell in zip(rows, column)]
