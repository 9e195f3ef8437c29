# SPDX-License-Identifier: MIT
"""All threads with what each of them does: "ompd threads"."""

from __future__ import annotations

from openmp_inspect.core import errors, screen, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.analysis import thread_table, verdicts
from openmp_inspect.report import explanations, thread_times, why_text
from openmp_inspect.report.thread_words import ThreadWords

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, TypeVar
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.analysis.thread_rows import ThreadRow

    Answer = TypeVar("Answer")

_HEAD = ["  Id", "OMP", "State", "Waits for", "Where"]
_RUNTIME = 2  # the column of it, where there are several
_TIME = 3
_CELL = 18  # the most that a column of a wide table takes, but for rows that need more
_INCOMPLETE = "The program claims more threads than were listed."


def facts(here: Space) -> List[Dict[str, Any]]:
    """An object for each thread. UserError of a program that does not use OpenMP."""
    def tell(found: List[ThreadRow], snapshot: Optional[Snapshot]) -> List[Dict[str, Any]]:
        words = ThreadWords(here, snapshot)
        return [dict(words.facts(row), **({} if row.thread is None else dict(
            thread_times.facts(row), processor=thread_times.last_processor(row))))
                for row in found]

    return _of_rows(here, tell)[0]


def lines(here: Space, offer_verdict: bool = True, wide: bool = False) -> List[str]:
    """The table with what there is to remark. OFFER_VERDICT: with a sentence when it is certain why
    the program makes no progress. WIDE: with the processor that each had last, however wide the screen is.
    UserError likewise."""
    def tell(found: List[ThreadRow], snapshot: Optional[Snapshot]) -> List[str]:
        verdict = None if snapshot is None or not offer_verdict else \
            verdicts.unasked(snapshot, lambda: found)
        return (_wide if wide else _table)(found, ThreadWords(here, snapshot)) + (
            [] if verdict is None else [text.remark(why_text.summary(verdict))])

    result, remarks = _of_rows(here, tell)
    return result + remarks


def _of_rows(here: Space, tell: Callable[[List[ThreadRow], Optional[Snapshot]], Answer]
             ) -> Tuple[Answer, List[str]]:
    """(what TELL returns for the rows and their snapshot or None, while that lives; lines that
    follow)."""
    try:
        with Snapshot.of(here) as snapshot:
            result = tell(thread_table.all_rows(here, snapshot), snapshot)
            return result, [_INCOMPLETE] * snapshot.incomplete + explanations.remarks(
                here.process, None, snapshot)
    except (errors.OmpdError, errors.NoLibrary, errors.HostError) as error:
        return tell(thread_table.all_rows(here, None), None), \
            explanations.remarks(here.process, error)


def _table(found: Sequence[ThreadRow], words: ThreadWords) -> List[str]:
    """The table; where the screen is too narrow owners are named by one number only, and times are
    left out. A line is that of one thread, however wide."""
    times = _times(found)

    def rows(short: bool, times: Sequence[str]) -> List[Sequence[str]]:
        return _with_columns(_cells(found, words, short), words.runtimes(found), times)

    lines = text.table(rows(False, times))
    if text.too_wide(lines):
        lines = text.table(rows(True, times))
    if times and text.too_wide(lines):
        lines = text.table(rows(True, ()))
    if text.too_wide(lines):
        lines = text.narrowed(rows(True, ()), _CELL)
    return lines


def _wide(found: Sequence[ThreadRow], words: ThreadWords) -> List[str]:
    rows = _with_columns(_cells(found, words, False), words.runtimes(found), _times(found))
    last = map(thread_times.last_processor, found)
    column = ["CPU", *("-" if one is None else "%d" % one for one in last)]
    return text.table(_with_column(rows, rows[0].index("State"), column))


def cells(here: Space, found: Sequence[ThreadRow],
          snapshot: Optional[Snapshot]) -> List[Sequence[str]]:
    """The rows of the table, the first of which is its head."""
    words = ThreadWords(here, snapshot)
    return _with_columns(_cells(found, words, False), words.runtimes(found), _times(found))


def _cells(found: Sequence[ThreadRow], words: ThreadWords, short: bool) -> List[Tuple[str, ...]]:
    with words.process.selection_kept():
        return [words.cells(row, short) for row in found]


def _times(found: Sequence[ThreadRow]) -> List[str]:
    """The column of processors' time with its head, or nothing."""
    if not screen.current().shows_times:
        return []
    times = [thread_times.cell(row) for row in found]
    return ["CPU s", *times] if set(times) - {"-"} else []


def _with_columns(some: Sequence[Tuple[str, ...]], runtimes: Sequence[Optional[str]],
                  times: Sequence[str]) -> List[Sequence[str]]:
    """Head and rows, with TIMES, and a column for the runtimes where there are several."""
    rows: List[Sequence[str]] = [_HEAD, *some]
    if times:
        rows = _with_column(rows, _TIME, times)
    if any(runtimes):
        rows = _with_column(rows, _RUNTIME, [name or "-" for name in ["Runtime", *runtimes]])
    return rows


def _with_column(rows: Sequence[Sequence[str]], at: int, column: Sequence[str]
                 ) -> List[Sequence[str]]:
    width = max(map(len, column))  # few are different: no row is pushed alone
    return [[*row[:at], cell.ljust(width), *row[at:]] for row, cell in zip(rows, column)]
