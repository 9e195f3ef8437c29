# SPDX-License-Identifier: MIT
"""What each command of command_table.py says of a process, but for `why` and its page, of
which each host has its own."""

from __future__ import annotations

from openmp_inspect.core import number_list
from openmp_inspect.core.errors import UserError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import held_snapshot
from openmp_inspect.report import control_variables, device_list, doctor_checks, doctor_text, \
    history_list, history_trace, icv_list, lock_list, mapping_list, merged_stacks, program_status, \
    region_tree, sum_tables, task_list, thread_backtrace, thread_list

if TYPE_CHECKING:
    from typing import Any, Callable, Collection, Dict, List, Optional, Sequence, Tuple
    from openmp_inspect.host.interface import Thread
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.report.command_table import Command

    # What was typed: an attribute for each option of the command, False or None when it was not used;
    # `words`; `numbers`, of the threads that are meant, None: all; maybe `variables`, as
    # thread_backtrace.lines() has it.
    Given = Any

_OF_SELECTED = "bt", "icvs"  # about the selected thread, if no other


def answer(here: Space, row: Command, given: Given) -> Any:
    """Of a Space lines, or with -json an object; UserError where there is none."""
    for option in row.options:  # also those that the host does not have
        if not hasattr(given, option.name):
            setattr(given, option.name, False if option.metavar is None else None)
    if row.name in _OWN:
        return _OWN[row.name](here, given)
    module, arguments = _ALIKE[row.name]
    return (module.facts if given.json else module.lines)(here, *arguments(here, given))


def numbers(row: Command, given: Given, known: Collection[int], selected: Callable[[], int],
            in_process: Callable[[str], str] = str) -> Optional[List[int]]:
    """Of the threads that a debugger's command is about, None: all; UserError for those that are not
    KNOWN. SELECTED returns that of the selected one; IN_PROCESS: as for number_list.parsed()."""
    is_every = vars(given).get("all", False)
    if "THREAD" not in row.takes or not given.words:
        return [selected()] if row.name in _OF_SELECTED and not is_every else None
    if is_every:
        raise UserError('"ompd %s" takes %s or "-all", not both.' % (
            row.name, "a thread" if row.takes == "[THREAD]" else "threads"))
    word = given.words[0] if row.name == "bt" and len(given.words) == 1 else ""
    if word.isdigit() and int(word) not in known:
        raise UserError('There is no thread %s: "ompd bt" takes threads, and "bt %s" a number of '
                        "frames." % (word, word))
    found = number_list.parsed(given.words, known, "thread", in_process)
    if len(found) > 1 and row.takes == "[THREAD]":
        raise UserError('"ompd %s" takes one thread, or "-all".' % row.name)
    return found


def _chosen(here: Space, given: Given) -> List[Thread]:
    return [one for _, one in here.process.threads()
            if given.numbers is None or one.num in given.numbers]


def _one(given: Given) -> Optional[int]:
    """The number of the one thread that is meant; None: all are."""
    return given.numbers[0] if given.numbers is not None and len(given.numbers) == 1 else None


def _backtraces(here: Space, given: Given) -> Any:
    if given.json:
        return thread_backtrace.facts(here, _chosen(here, given))
    is_headed = given.numbers is None or len(given.numbers) != 1 or bool(given.words)
    return list(thread_backtrace.lines(here, _chosen(here, given), is_headed,
                                       vars(given).get("variables")))


def _tasks(here: Space, given: Given) -> Any:
    if given.json and (given.graph is not None or given.tree):
        raise UserError('"ompd tasks" takes -json without -graph and -tree.')
    if given.merge and not given.json:
        raise UserError('"ompd tasks -merge" is for -json: the table is merged as it is.')
    own = _one(given)
    wanted = task_list.wanted(given.all, given.state, given.region,
                              given.thread or (None if own is None else str(own)))
    return task_list.facts(here, wanted, given.merge) if given.json else \
        task_list.lines(here, wanted, given.tree, given.graph)


def _history(here: Space, given: Given) -> Any:
    if given.trace and not given.json:
        return history_trace.written(here, given.numbers, given.last, given.trace)
    return (history_list.facts if given.json else history_list.lines)(
        here, given.numbers, history_list.most(given.last))


def _status(here: Space, given: Given) -> Any:
    return (program_status.facts if given.json else program_status.lines)(program_status.rows(here))


def _doctor(here: Space, given: Given) -> Any:
    found = doctor_checks.of_process(here)
    costs = sum_tables.costs(here)
    return doctor_checks.facts(here.process, found, costs) if given.json else doctor_text.lines(found, costs)


def _locks(here: Space, given: Given) -> Any:
    if given.sums:
        return sum_tables.lock_facts(here) if given.json else sum_tables.lock_lines(here)
    return lock_list.facts(here) if given.json else lock_list.lines(here)


def _regions(here: Space, given: Given) -> Any:
    return (sum_tables.region_facts if given.json else sum_tables.region_lines)(here, given.by)


_OWN: Dict[str, Callable[[Space, Given], Any]] = {
    "threads": lambda here, given: thread_list.facts(here) if given.json else
    thread_list.lines(here, wide=given.wide),
    "bt": _backtraces, "tasks": _tasks, "locks": _locks, "regions": _regions, "history": _history,
    "status": _status, "doctor": _doctor,
    "snapshot": lambda here, given: held_snapshot.lines(given, here.process)}
# Those with the functions facts() and lines(), and what these are given.
_ALIKE: Dict[str, Tuple[Any, Callable[[Space, Given], Sequence[Any]]]] = {
    "parallel": (region_tree, lambda _here, _given: ()),
    "devices": (device_list, lambda _here, _given: ()),
    "mappings": (mapping_list, lambda _here, given: (given.device, next(iter(given.words), None))),
    "icvs": (icv_list, lambda _here, given: (_one(given), given.changed)),
    "env": (control_variables, lambda _here, given: (given.changed,)),
    "stacks": (merged_stacks, lambda here, given: ([one.num for one in _chosen(here, given)], given.lines))}
