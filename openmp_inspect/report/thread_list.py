# SPDX-License-Identifier: MIT
"""All threads with what each of them does: "ompd threads"."""

from __future__ import annotations

from openmp_inspect.core import errors, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.analysis import thread_table, verdicts
from openmp_inspect.report import explanations, why_text

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, TypeVar
    from openmp_inspect.analysis.thread_rows import Row

    Answer = TypeVar("Answer")

_HEAD = ["  Id", "OMP", "State", "Waits for", "Where"]
_RUNTIME = 2  # the column of it, where there are several
_CELL = 18  # the most that a column of a wide table takes, but for rows that need more
_INCOMPLETE = "The program claims more threads than were listed."


def facts() -> List[Dict[str, Any]]:
    """An object for each thread. UserError of a program that does not use OpenMP."""
    return _of_rows(lambda found, _: [row.facts() for row in found])[0]


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
