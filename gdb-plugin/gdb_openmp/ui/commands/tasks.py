# SPDX-License-Identifier: MIT
"""ompd tasks"""

from __future__ import annotations

import contextlib

import gdb

from openmp_inspect.core import garbage, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.analysis import task_rows, thread_table
from gdb_openmp.host import console, options
from gdb_openmp.ui import graphviz, session, task_table

if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple
    from types import SimpleNamespace
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.analysis.task_rows import Row, Rows


class Command(options.Command):
    """List tasks with what each of them waits for.

Usage: ompd tasks [-all] [-tree] [-state STATE] [-region N] [-thread N]
                  [-graph FILE] [-json [-merge]]

One line for each explicit task that is not complete, or for several that
differ in their numbers only:
  Id          its number; the row's own where the runtime numbers none
  State       created, ready, waiting (for other tasks), running, suspended
              (its thread runs another task), completed, detached (until its
              event is fulfilled), or in what its thread waits ("blocked" to
              -state)
  Thread      gdb's number of the thread that runs it
  From        the task that generated it, in parentheses when it has ended;
              "chain" where each of several has generated the next
  Task        function and line of the construct
  Blocked by  what keeps it from going on: tasks by its depend clauses, child
              tasks, an event, a lock

  -all           implicit and initial tasks as well
  -tree          each task below the one that generated it
  -state STATE, -region N, -thread N   only tasks in that state, in the region
                 with that number, or run by gdb's thread with that number
  -graph FILE    write who created whom (dashed) and who waits for whom as a
                 graph in the language of graphviz's "dot", or drawn by it
                 when FILE ends with .svg, .png, .pdf or .ps
  -json          an array of objects with the keys id, kind, state, flags,
                 creator, thread, region, children, waits_in (the state of its
                 thread), call, blocked_by ([{task, address, object, kind},
                 ...]), event, serial, function, file, fullname, line; null
                 is what is not known
  -merge         in JSON, too, one object for tasks that differ in their
                 numbers only, with the keys ids ([[first, last], ...]), count
                 and chain in place of id and serial; chain is "creator" or
                 "blocked_by" where each of them names the one before it there"""

    name = "ompd tasks"
    flags = ("all", "tree", "json", "merge")
    values = ("state", "region", "thread", "graph")

    def answer(self, given: SimpleNamespace) -> List[Dict[str, Any]]:
        if given.graph is not None or given.tree:
            raise gdb.GdbError('"ompd tasks" takes -json without -graph and -tree.')
        with _rows(given) as (_, rows, chosen):
            if given.merge:
                return task_table.merged_facts(rows, chosen)
            return [rows.facts(row) for row in chosen]

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        if given.merge:
            raise gdb.GdbError('"ompd tasks -merge" is for -json: the table is merged as it is.')
        with _rows(given) as (snapshot, rows, chosen):
            lines = self._answer(given, rows, chosen)
            if snapshot.incomplete:
                lines.append("There are more tasks than were listed.")
        if lines:
            gdb.write("\n".join(lines) + "\n")

    def _answer(self, given: SimpleNamespace, rows: Rows, chosen: List[Row]) -> List[str]:
        if given.graph is not None:
            graphviz.write(graphviz.of_tasks(rows, task_table.with_creators(chosen)), given.graph)
            return ["The graph of %s is in %s." % (
                text.count(len(chosen), "task"), text.style("filename", given.graph))]
        if not chosen:
            return ["There is no such task." if given.state or given.region or given.thread
                    else "There is no explicit task."]
        if given.tree:
            return task_table.as_tree(rows, task_table.with_creators(chosen))
        return task_table.table(rows, chosen)

    def offer(self, option: str) -> Sequence[str]:
        return task_rows.STATES if option == "state" else []


@contextlib.contextmanager
def _rows(given: SimpleNamespace) -> Iterator[Tuple[Snapshot, Rows, List[Row]]]:
    """The snapshot, all rows, and those of them that were asked for."""
    session.need_program()
    wanted = _Filter(given)
    with session.sentences(), session.snapshot() as snapshot, garbage.kept():
        rows = task_rows.Rows(snapshot, thread_table.all_rows(snapshot))
        yield snapshot, rows, [row for row in rows.all if wanted.takes(rows, row)]


class _Filter:
    def __init__(self, given: SimpleNamespace) -> None:
        self._every = given.all
        self._state = given.state
        self._region = _number("region", given.region)
        self._thread = _number("thread", given.thread and console.in_inferior(given.thread))
        if given.state is not None and given.state not in task_rows.STATES:
            raise gdb.GdbError('There is no state "%s": use one of %s.' % (
                given.state, ", ".join(task_rows.STATES)))

    def takes(self, rows: Rows, row: Row) -> bool:
        if row.kind != "explicit" and row.kind is not None and not self._every:
            return False
        return (self._state is None or rows.kind_of_state(row) == self._state) and \
            (self._thread is None or row.thread == self._thread) and \
            (self._region is None or rows.region(row) == self._region)


def _number(option: str, word: Optional[str]) -> Optional[int]:
    if word is None:
        return None
    if not word.isdigit():
        raise gdb.GdbError('"-%s" takes a number, not "%s".' % (option, word))
    return int(word)
