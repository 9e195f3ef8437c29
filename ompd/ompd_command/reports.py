# SPDX-License-Identifier: MIT
"""What each command says of one target that is stopped: lines for people, or an object for JSON.
Most say what command_answers.py has."""

from __future__ import annotations

import argparse

from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.core import screen
from openmp_inspect.code import rank_environment
from openmp_inspect.report import command_answers, command_table, history_list, merged_stacks, \
    page_facts, sum_tables, thread_list, why_report

if TYPE_CHECKING:
    from typing import Any, Dict, Optional, Sequence, Tuple
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.analysis import watching


class Report(NamedTuple):
    said: Any  # a list of lines, or of -json an object
    status: int = 0  # how the command ends
    children: Sequence[int] = ()  # processes that it waits for
    graph: str = ""  # for graphviz
    core: bytes = b""


_POSSIBLE = 9  # what is added to a certainty to be an exit status


def of(here: Space, given: Any, threads: Tuple[int, ...],
       before: Optional[watching.Look] = None) -> Report:
    """The Report of the command that is GIVEN, of a Space. THREADS: only these, where the command
    can, none: all. BEFORE: as for why_report.looked(). UserError where there is none."""
    judged = _JUDGED.get(given.command)
    if judged is not None:
        return judged(here, given, before)
    if given.command == "history" and given.trace:
        return _trace(here, given, threads)
    words = [given.of] if getattr(given, "of", None) else []
    return Report(command_answers.answer(here, _ROWS[given.command], argparse.Namespace(
        **dict(vars(given), words=words, all=False, numbers=list(threads) or None))))


def _why(here: Space, given: Any, before: Optional[watching.Look]) -> Report:
    if given.html:
        return _page(here, given, before)
    with why_report.looked(here, before) as why:
        said = _object(why) if given.json else why.lines(given.every)
        return Report(said, _exit_status(why), why.children(), why.graph() if given.graph else "")


def _exit_status(why: why_report.Why) -> int:
    return why.certainty + _POSSIBLE if why.certainty else 0


def _object(why: why_report.Why) -> Dict[str, Any]:
    """As ompd/schema/ompd-why.json has it."""
    return dict(why.facts(), **rank_environment.facts(why.stacks.space), sentence=why.sentence(),
                lines=why.lines())


def _page(here: Space, given: Any, before: Optional[watching.Look]) -> Report:
    """What a page is made of; BEFORE: as for why_report.looked()."""
    with screen.document(), why_report.looked(here, before) as why:
        return Report(page_facts.facts(why, _object(why), given.without), _exit_status(why))


def _hang(here: Space, given: Any, before: Optional[watching.Look]) -> Report:
    """What a watchdog writes: (lines, facts, the facts of its page if that is wanted, what the process
    does if it gets no further, whether it computes), with a certainty from 0 to 3."""
    with why_report.looked(here, before) as why:
        said = [*why.lines(True), "", *thread_list.lines(here, False), "",
                *merged_stacks.lines(here, [one.num for _, one in here.process.threads()])], _object(why)
        certainty = why.certainty
    return Report((*said, _page(here, given, before).said if given.html else None,
                   *((None, False) if before is None else (before.places, before.computes()))),
                  certainty)


def _trace(here: Space, given: Any, threads: Tuple[int, ...]) -> Report:
    """A trace is written by the process that has asked."""
    return Report(history_list.facts(here, list(threads) or None,
                                     history_list.most(given.last, history_list.EVERY)))


def _summary(here: Space, _given: Any, _before: Optional[watching.Look]) -> Report:
    return Report(sum_tables.summary_lines(here))


_JUDGED = {"why": _why, "hang": _hang, "summary": _summary}
_ROWS = {row.name: row for row in command_table.of(command_table.SHELL)
         if row.name not in ("why", "snapshot")}
COMMANDS = ("why", *_ROWS)
