# SPDX-License-Identifier: MIT
"""What commands say of the current process: lines for people, or an object for JSON. Words and
tables are openmp_inspect/report's."""

from __future__ import annotations

from openmp_inspect.core import number_list, screen, text
from openmp_inspect.core.errors import UserError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import rank_environment
from openmp_inspect.host import held_snapshot, processes
from openmp_inspect.analysis import watching
from openmp_inspect.report import control_variables, device_list, doctor_checks, doctor_text, \
    history_list, history_trace, html_page, icv_list, lock_list, mapping_list, merged_stacks, page_facts, \
    page_process, program_status, region_tree, task_list, thread_backtrace, thread_list, why_report
from lldb_openmp.host import sessions

if TYPE_CHECKING:
    from types import SimpleNamespace
    from typing import Any, List, Optional
    from lldb_openmp.host.frames import Thread


def why(given: SimpleNamespace) -> Any:
    compare = None if given.watch is None else why_report.watched(watching.seconds(given.watch))
    with why_report.looked(compare) as found:
        return found.facts() if given.json else found.lines(given.all, given.graph)


def report(given: SimpleNamespace) -> List[str]:
    if not given.words:
        raise UserError('"ompd report" needs the name of a file to write.')
    without = page_process.parts(vars(given)["leave-out"], vars(given)["no-source"])
    with screen.document(), why_report.looked() as found:
        facts = page_facts.facts(found, dict(found.facts(), **rank_environment.facts()), without)
    html_page.write(facts, given.words[0])
    return ["The page is in %s." % text.style("filename", given.words[0])]


def snapshot(given: SimpleNamespace) -> List[str]:
    return held_snapshot.lines(given, processes.current())


def threads(given: SimpleNamespace) -> Any:
    return thread_list.facts() if given.json else thread_list.lines()


def stacks(given: SimpleNamespace) -> Any:
    numbers = [thread.num for thread in _chosen(given.words)]
    return (merged_stacks.facts if given.json else merged_stacks.lines)(numbers, given.lines)


def bt(given: SimpleNamespace) -> Any:
    if given.all and given.words:
        raise UserError('"ompd bt" takes threads or "-all", not both.')
    chosen = _chosen(given.words) if given.all or given.words else [selected()]
    if given.json:
        return thread_backtrace.facts(chosen)
    return list(thread_backtrace.lines(chosen, bool(given.all or given.words)))


def parallel(given: SimpleNamespace) -> Any:
    return region_tree.facts() if given.json else \
        region_tree.lines() or ["There is no parallel region."]


def tasks(given: SimpleNamespace) -> Any:
    if given.json and (given.tree or given.graph):
        raise UserError('"ompd tasks" takes -json without -graph and -tree.')
    wanted = task_list.wanted(given.all, given.state, given.region, given.thread)
    return task_list.facts(wanted) if given.json else \
        task_list.lines(wanted, given.tree, given.graph) or ["There are no tasks."]


def locks(given: SimpleNamespace) -> Any:
    return lock_list.facts() if given.json else lock_list.lines()


def history(given: SimpleNamespace) -> Any:
    numbers = [thread.num for thread in _chosen(given.words)] if given.words else None
    if given.trace:
        return history_trace.written(numbers, given.last, given.trace)
    return (history_list.facts if given.json else history_list.lines)(
        numbers, history_list.most(given.last))


def icvs(given: SimpleNamespace) -> Any:
    if given.all and given.words:
        raise UserError('"ompd icvs" takes a thread or "-all", not both.')
    number: Optional[int] = None
    if given.words:
        number = _chosen(given.words)[0].num
    elif not given.all:
        number = selected().num
    return (icv_list.facts if given.json else icv_list.lines)(number, given.changed)


def env(given: SimpleNamespace) -> Any:
    return (control_variables.facts if given.json else control_variables.lines)(given.changed)


def status(given: SimpleNamespace) -> Any:
    rows = program_status.rows()
    return program_status.facts(rows) if given.json else program_status.lines(rows)


def devices(given: SimpleNamespace) -> Any:
    return device_list.facts() if given.json else device_list.lines()


def mappings(given: SimpleNamespace) -> Any:
    return (mapping_list.facts if given.json else mapping_list.lines)(
        given.device, given.words[0] if given.words else None)


def doctor(given: SimpleNamespace) -> Any:
    found = doctor_checks.of_process()
    return doctor_checks.facts(found) if given.json else doctor_text.lines(found)


def selected() -> Thread:
    """The selected thread; UserError where none is."""
    found = sessions.process().selected()
    if found is None:
        raise UserError('No thread is selected: type "thread select N" first.')
    return found


def _chosen(words: List[str]) -> List[Thread]:
    """Threads by lldb's numbers, all without WORDS; UserError for what is no list of them."""
    known = {thread.num: thread for _, thread in sessions.process().threads()}
    numbers = number_list.parsed(words, known, "thread") if words else sorted(known)
    return [known[number] for number in numbers]
