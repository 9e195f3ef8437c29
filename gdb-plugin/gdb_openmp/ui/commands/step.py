# SPDX-License-Identifier: MIT
"""ompd step"""

from __future__ import annotations

import gdb

from gdb_openmp.host import options, stop_notices
from gdb_openmp.ui import session, stepping


def walk(argument: str, enter: bool) -> None:
    """What `ompd step` and `ompd next` have in common."""
    count = _count(argument)
    session.need_program()
    with session.sentences(), stepping.errors(), stepping.Walk(stop_notices.command()) as way:
        for _ in range(count):
            way.step(enter)


def _count(argument: str) -> int:
    if not argument.strip():
        return 1
    try:
        return int(gdb.parse_and_eval(argument))
    except (gdb.error, ValueError):
        raise gdb.GdbError('The argument is a number of steps, not "%s".' %
                           argument.strip()) from None


class Command(options.Helpful):
    """Step a line, into the region or task that it opens.

Usage: ompd step [N]

Where the line opens a parallel region, a task, a league of teams or a target
region that the host runs, this ends in the first line of its body, in this
thread. A task that is put off is followed to the thread that runs it. From
the end of a body it goes to the line after the construct, and with a worker
to the thread that goes on there. Elsewhere it is gdb's "step". With N it
does so N times, or until the program stops for another reason.

The compiler often gives the call that opens a region no line of its own but
that of the statement before: then it is that line from where to step.

Breakpoints in any thread, signals and Ctrl-C end the step. Inside the
runtime the program is continued, so that with "set scheduler-locking step"
other threads run there; with "on" they do not, and a region that needs them
cannot begin."""

    def __init__(self) -> None:
        super().__init__("ompd step", gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE)

    def act(self, argument: str, from_tty: bool) -> None:
        walk(argument, True)
