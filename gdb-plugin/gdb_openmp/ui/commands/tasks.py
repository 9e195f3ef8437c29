# SPDX-License-Identifier: MIT
"""ompd tasks"""

from __future__ import annotations

import gdb

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.analysis import task_rows
from openmp_inspect.report import task_list
from gdb_openmp.host import console, options
from gdb_openmp.ui import session

if TYPE_CHECKING:
    from typing import Any, Dict, List, Sequence
    from types import SimpleNamespace


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
        return task_list.facts(_wanted(given), given.merge)

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        if given.merge:
            raise gdb.GdbError('"ompd tasks -merge" is for -json: the table is merged as it is.')
        lines = task_list.lines(_wanted(given), given.tree, given.graph)
        if lines:
            console.write("\n".join(lines) + "\n")

    def offer(self, option: str) -> Sequence[str]:
        return task_rows.STATES if option == "state" else []


def _wanted(given: SimpleNamespace) -> task_list.TaskFilter:
    session.need_program()
    return task_list.wanted(given.all, given.state, given.region,
                            given.thread and console.in_inferior(given.thread))
