# SPDX-License-Identifier: MIT
"""ompd threads"""

from __future__ import annotations

import gdb

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import thread_list
from gdb_openmp.host import console, options, parameters
from gdb_openmp.ui import every_inferior, session

if TYPE_CHECKING:
    from typing import Any, Dict, List
    from types import SimpleNamespace


class Command(options.Command):
    """List threads with what each of them does in OpenMP.

Usage: ompd threads [-inferiors] [-json]

One line for each thread, the selected one marked with "*":
  Id         gdb's number of the thread, as in "info threads"
  OMP        its number in its team and the team's size, as 2/4; in nested
             regions the path through the teams, outermost first
  Runtime    of several runtimes the one in a team of which the thread is
  State      what it does: work, idle, what kind of thing it waits for
             (region: the next one), starting or leaving (the body of a
             region), creating task, or "in" a function that user code has
             called and that sleeps; "~" marks what was inferred from stacks
             and the kernel
  Waits for  that thing, by name where it has one, who holds it, by gdb's
             number and by its number in its team, since which line of its
             code if that is recorded, how many threads have arrived at a
             barrier, and for how long it has waited, if that is recorded and
             more than a second; "at least" in a core, which has no time
  Where      the innermost place in your own code

  -inferiors those of every inferior, as of the ranks of a job
  -json      an array of objects with the keys id, lwp, selected, number,
             team_size, path ([[number, team size], ...]), level, state,
             call (of state "in_call"), derived (whether the state was
             inferred), inferred (which of state, owner and arrived were),
             wait_id, waits_for, owner (gdb's number), since (a place),
             arrived, runtime (its file), holds (what it has acquired: kind,
             object, wait_id, frame, and a place; empty where that is not
             recorded), stack ([low, high]), wait_seconds (how long it has
             waited, if that is recorded; wait_at_least: it is so long at
             least, as in a core), barrier_number (at a barrier: which one of
             its region, likewise), and its place: function, file,
             fullname (absolute, on this machine), line; addresses are as
             "0x7ffe10", null is what is not known; with -inferiors an array of
             objects with the keys inferior, pid, program, and threads or error"""

    name = "ompd threads"
    flags = ("inferiors", "json")
    category = gdb.COMMAND_STATUS

    def answer(self, given: SimpleNamespace) -> List[Dict[str, Any]]:
        return every_inferior.facts("threads", _facts) if given.inferiors else _facts()

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        if given.inferiors:
            every_inferior.write(_lines)
        else:
            console.write("\n".join(_lines()) + "\n")


def _facts() -> List[Dict[str, Any]]:
    session.need_program()
    return thread_list.facts()


def _lines() -> List[str]:
    session.need_program()
    return thread_list.lines(parameters.verdicts())
