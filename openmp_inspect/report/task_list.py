# SPDX-License-Identifier: MIT
"""Tasks with what each of them waits for: "ompd tasks"."""

from __future__ import annotations

import contextlib

from openmp_inspect.core import garbage, text
from openmp_inspect.core.errors import UserError
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.analysis import task_rows, thread_table
from openmp_inspect.report import explanations, graphviz, task_table

if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List, Optional, Tuple
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.analysis.task_rows import TaskRow, TaskRows


class TaskFilter(NamedTuple):
    """Which tasks are: those in one state, of one region, run by one thread, by the debugger's
    number; only explicit ones, or `every` kind."""

    every: bool = False
    state: Optional[str] = None
    region: Optional[int] = None
    thread: Optional[int] = None

    def takes(self, rows: TaskRows, row: TaskRow) -> bool:
        if row.kind != "explicit" and row.kind is not None and not self.every:
            return False
        return (self.state is None or rows.kind_of_state(row) == self.state) and \
            (self.thread is None or row.thread == self.thread) and \
            (self.region is None or rows.region(row) == self.region)


def wanted(every: bool, state: Optional[str], region: Optional[str],
           thread: Optional[str]) -> TaskFilter:
    """The TaskFilter by words that somebody has typed, or UserError."""
    found = TaskFilter(every, state, _number("region", region), _number("thread", thread))
    if state is not None and state not in task_rows.STATES:
        raise UserError('There is no state "%s": use one of %s.' % (
            state, ", ".join(task_rows.STATES)))
    return found


def facts(here: Space, which: TaskFilter, merge: bool = False) -> List[Dict[str, Any]]:
    """An object for each task, or if MERGE for those that differ in their numbers only; UserError
    where they are not known."""
    with _rows(here, which) as (_, rows, chosen):
        if merge:
            return task_table.merged_facts(rows, chosen)
        return [rows.facts(row) for row in chosen]


def lines(here: Space, which: TaskFilter, as_tree: bool = False, graph: Optional[str] = None) -> List[str]:
    """The table, or the tree, or where the GRAPH is, the path of a file that is written; UserError
    likewise."""
    with _rows(here, which) as (snapshot, rows, chosen):
        if graph is not None:
            graphviz.write(graphviz.of_tasks(rows, task_table.with_creators(chosen)), graph)
            found = ["The graph of %s is in %s." % (
                text.count(len(chosen), "task"), text.style("filename", graph))]
        elif not chosen:
            found = ["There is no such task." if which.state or which.region is not None or
                     which.thread is not None else "There is no explicit task."]
        elif as_tree:
            found = task_table.as_tree(rows, task_table.with_creators(chosen))
        else:
            found = task_table.table(rows, chosen)
        return found + ["There are more tasks than were listed."] * snapshot.incomplete


@contextlib.contextmanager
def _rows(here: Space, which: TaskFilter) -> Iterator[Tuple[Snapshot, TaskRows, List[TaskRow]]]:
    """The snapshot, all rows, and those of them that were asked for."""
    with explanations.explained(here.process), Snapshot.of(here) as snapshot, garbage.kept():
        rows = task_rows.TaskRows(snapshot, thread_table.all_rows(snapshot.space, snapshot))
        yield snapshot, rows, [row for row in rows.all if which.takes(rows, row)]


def _number(option: str, word: Optional[str]) -> Optional[int]:
    if word is None:
        return None
    if not word.isdigit():
        raise UserError('"-%s" takes a number, not "%s".' % (option, word))
    return int(word)
