# SPDX-License-Identifier: MIT
"""What each command says of one target that is stopped: lines for people, or an object for JSON.
Words and tables are openmp_inspect/report's."""

from __future__ import annotations

from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.core import screen
from openmp_inspect.code import rank_environment
from openmp_inspect.host import processes
from openmp_inspect.report import control_variables, device_list, doctor_checks, doctor_text, \
    icv_list, history_list, lock_list, mapping_list, merged_stacks, page_facts, program_status, \
    region_tree, task_list, thread_backtrace, thread_list, why_report

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple
    from openmp_inspect.host.interface import Thread
    from openmp_inspect.analysis import watching


class Report(NamedTuple):
    said: Any  # a list of lines, or of -json an object
    status: int = 0  # how the command ends
    children: Sequence[int] = ()  # processes that it waits for
    graph: str = ""  # for graphviz
    core: bytes = b""


_POSSIBLE = 9  # what is added to a certainty to be an exit status


def of_current(given: Any, threads: Tuple[int, ...],
               before: Optional[watching.Look] = None) -> Report:
    """The Report of the command that is GIVEN, of the current process. THREADS: only these, where
    the command can, none: all. BEFORE: as for why_report.looked(). UserError where there is none."""
    judged = _JUDGED.get(given.command)
    return _REPORTS[given.command](given, threads) if judged is None else judged(given, before)


def _why(given: Any, before: Optional[watching.Look]) -> Report:
    if given.html:
        return _page(given, before)
    with why_report.looked(before) as why:
        said = _object(why) if given.json else why.lines(given.every)
        return Report(said, _exit_status(why), why.children(), why.graph() if given.graph else "")


def _exit_status(why: why_report.Why) -> int:
    return why.certainty + _POSSIBLE if why.certainty else 0


def _object(why: why_report.Why) -> Dict[str, Any]:
    """As ompd/schema/ompd-why.json has it."""
    return dict(why.facts(), **rank_environment.facts(), sentence=why.sentence(),
                lines=why.lines())


def _page(given: Any, before: Optional[watching.Look]) -> Report:
    """What a page is made of; BEFORE: as for why_report.looked()."""
    with screen.document(), why_report.looked(before) as why:
        return Report(page_facts.facts(why, _object(why), given.without), _exit_status(why))


def _hang(given: Any, before: Optional[watching.Look]) -> Report:
    """What a watchdog writes: (lines, facts, the facts of its page if that is wanted, what the process
    does if it gets no further, whether it computes), with a certainty from 0 to 3."""
    with why_report.looked(before) as why:
        said = [*why.lines(True), "", *thread_list.lines(False), "",
                *merged_stacks.lines([one.num for one in _chosen(())])], _object(why)
        certainty = why.certainty
    return Report((*said, _page(given, before).said if given.html else None,
                   *((None, False) if before is None else (before.places, before.computes()))),
                  certainty)


def _threads(given: Any, _threads: Tuple[int, ...]) -> Report:
    return Report(thread_list.facts() if given.json else thread_list.lines())


def _stacks(given: Any, threads: Tuple[int, ...]) -> Report:
    numbers = [one.num for one in _chosen(threads)]
    return Report((merged_stacks.facts if given.json else merged_stacks.lines)(
        numbers, given.lines))


def _backtraces(given: Any, threads: Tuple[int, ...]) -> Report:
    chosen = _chosen(threads)
    if given.json:
        return Report(thread_backtrace.facts(chosen))
    return Report(list(thread_backtrace.lines(chosen, len(threads) != 1)))


def _chosen(threads: Tuple[int, ...]) -> List[Thread]:
    return [one for _, one in processes.current().threads() if not threads or one.num in threads]


def _only(threads: Tuple[int, ...]) -> Optional[int]:
    """The one thread that is meant, or None, also where it is some."""
    return threads[0] if len(threads) == 1 else None


def _tasks(given: Any, threads: Tuple[int, ...]) -> Report:
    own = _only(threads)
    wanted = task_list.wanted(False, given.state, given.region,
                              given.thread or (None if own is None else str(own)))
    return Report(task_list.facts(wanted) if given.json else
                  task_list.lines(wanted, given.tree) or ["There are no tasks."])


def _locks(given: Any, _threads: Tuple[int, ...]) -> Report:
    return Report(lock_list.facts() if given.json else lock_list.lines())


def _history(given: Any, threads: Tuple[int, ...]) -> Report:
    chosen = list(threads) or None
    if given.trace:
        return Report(history_list.facts(chosen, history_list.most(given.last, history_list.EVERY)))
    return Report((history_list.facts if given.json else history_list.lines)(
        chosen, history_list.most(given.last)))


def _parallel(given: Any, _threads: Tuple[int, ...]) -> Report:
    return Report(region_tree.facts() if given.json else
                  region_tree.lines() or ["There is no parallel region."])


def _icvs(given: Any, threads: Tuple[int, ...]) -> Report:
    return Report((icv_list.facts if given.json else icv_list.lines)(
        _only(threads), given.changed))


def _env(given: Any, _threads: Tuple[int, ...]) -> Report:
    return Report((control_variables.facts if given.json else control_variables.lines)(
        given.changed))


def _status(given: Any, _threads: Tuple[int, ...]) -> Report:
    rows = program_status.rows()
    return Report(program_status.facts(rows) if given.json else program_status.lines(rows))


def _devices(given: Any, _threads: Tuple[int, ...]) -> Report:
    return Report(device_list.facts() if given.json else device_list.lines())


def _mappings(given: Any, _threads: Tuple[int, ...]) -> Report:
    return Report((mapping_list.facts if given.json else mapping_list.lines)(given.device, given.of))


def _doctor(given: Any, _threads: Tuple[int, ...]) -> Report:
    found = doctor_checks.of_process()
    return Report(doctor_checks.facts(found) if given.json else doctor_text.lines(found))


_REPORTS: Dict[str, Callable[[Any, Tuple[int, ...]], Report]] = {
    "threads": _threads, "stacks": _stacks, "bt": _backtraces,
    "tasks": _tasks, "locks": _locks, "history": _history, "parallel": _parallel, "icvs": _icvs,
    "env": _env, "status": _status, "devices": _devices, "mappings": _mappings, "doctor": _doctor}
_JUDGED = {"why": _why, "hang": _hang}
COMMANDS = ("why", *_REPORTS)
