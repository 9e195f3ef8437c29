# SPDX-License-Identifier: MIT
"""What a page says of a program at one look, as a plain object that can be kept or sent: the page
is made of it alone, when the program runs on."""

from __future__ import annotations

from openmp_inspect.core import build, debug, screen, text
from openmp_inspect.core.errors import UserError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.analysis import labelled_stacks, task_rows
from openmp_inspect.report import doctor_text, history_list, merged_stacks, node_words, page_process, \
    page_source, program_status, task_list, task_table, thread_backtrace, thread_list, wait_graph, \
    why_text

if TYPE_CHECKING:
    from typing import Any, Collection, Dict, List, Optional, Sequence
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.analysis.thread_rows import ThreadRow
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.report.why_report import Why

SCHEMA = "ompd-page/1"
_MOST_VERDICTS = 32  # with their source
_MOST_STACKS = 16  # of threads of verdicts
_MOST_EVENTS = 1024
_ID = 0  # the column of a thread's number


def facts(why: Why, said: Dict[str, Any], without: Collection[str] = ()) -> Dict[str, Any]:
    """The object, of a program that WHY is about; SAID: of that what "ompd why -json" prints, with
    which process it is; WITHOUT these of page_process.parts(). Call while the snapshot lives, in
    screen.document()."""
    said = {name: None if name in without else value for name, value in said.items()}
    stacks, here = labelled_stacks.of(why.stacks), why.stacks.space
    threads = {thread.num: thread for _, thread in here.process.threads()}
    looked_at = dict.fromkeys(node_words.number(node) for verdict in why.judged[:_MOST_VERDICTS]
                              for node in why_text.Words(verdict).worth_a_look())
    return {"schema": SCHEMA, "version": build.VERSION, "debugger": screen.current().debugger,
            "time": text.moment(),
            "why": said,
            "sources": [[]] * len(said["verdicts"]) if page_process.SOURCE in without else
            page_source.of_verdicts(here.process, said["verdicts"][:_MOST_VERDICTS]),
            "backtraces": thread_backtrace.of_threads(here, [
                threads[number] for number in looked_at if number is not None][:_MOST_STACKS]),
            "headings": [why_text.sentence(verdict) for verdict in why.judged],
            "lines": [_split(why_text.body(verdict, stacks)) for verdict in why.judged],
            "process": page_process.facts(said, program_status.facts(program_status.rows(here)),
                                          stacks.stacks.walker, without),
            "doctor": [doctor_text.facts(check) for check in why.doctor],
            "doctor_lines": _split(doctor_text.lines(why.doctor)),
            "graph": wait_graph.facts(why.found), "stacks": merged_stacks.facts(here, threads, True),
            "history": _history(here), "threads": _threads(here, why.rows, why.snapshot),
            "more_threads": why.snapshot is not None and why.snapshot.incomplete,
            "tasks": [task_table.HEAD, *_tasks(why)]}


def _history(here: Space) -> List[Dict[str, Any]]:
    try:
        return history_list.facts(here, None, _MOST_EVENTS)
    except UserError:
        debug.ignored()  # none is kept
        return []


def _tasks(why: Why) -> List[List[str]]:
    """The rows of "ompd tasks"."""
    if why.snapshot is None:
        return []
    tasks = task_rows.TaskRows(why.snapshot, why.rows)
    return task_table.cells(tasks, [row for row in tasks.all
                                    if task_list.TaskFilter().takes(tasks, row)])


def _split(lines: Sequence[str]) -> List[str]:
    """Lines of which none is several."""
    return "\n".join(lines).split("\n") if lines else []


def _threads(here: Space, rows: Sequence[ThreadRow],
             snapshot: Optional[Snapshot]) -> List[List[str]]:
    """The table of "ompd threads", with the kernel's ids where they are not the numbers."""
    head, *cells = [list(row) for row in thread_list.cells(here, rows, snapshot)]
    for row in cells:
        row[_ID] = row[_ID].lstrip("* ")
    head[_ID] = head[_ID].strip()
    process = here.process
    ids = [str(process.shown_id(row.thread) if row.thread is not None else row.lwp or "-")
           for row in rows]
    if all(row[_ID] == shown for row, shown in zip(cells, ids)):
        return [head, *cells]
    return [[*row[:_ID + 1], shown, *row[_ID + 1:]]
            for row, shown in zip([head, *cells], ["LWP", *ids])]
