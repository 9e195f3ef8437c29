# SPDX-License-Identifier: MIT
"""ompd finish"""

from __future__ import annotations

import gdb

from gdb_openmp.host import options, stop_notices
from gdb_openmp.ui import session, stepping


class Command(options.Helpful):
    """Run to the end of the innermost region or task.

Usage: ompd finish

Innermost from the selected frame on: after "up" it may be an outer one. Ends
at the line after the construct, in the thread that goes on there: for a
worker of a parallel region that is the thread that encountered it. A task
that a thread runs while it waits for something else ends where its body has
returned."""

    def __init__(self) -> None:
        super().__init__("ompd finish", gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE)

    def act(self, argument: str, from_tty: bool) -> None:
        options.no_arguments("ompd finish", argument)
        session.need_program()
        with session.sentences(), stepping.errors(), \
                stepping.Walk(stop_notices.command("function-finished")) as way:
            way.finish()
