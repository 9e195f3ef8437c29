# SPDX-License-Identifier: MIT
"""ompd next"""

from __future__ import annotations

import gdb

from gdb_openmp.host import options
from gdb_openmp.ui.commands.step import walk


class Command(options.Helpful):
    """Step a line, over the regions and tasks that it opens.

Usage: ompd next [N]

Like gdb's "next", but from the end of the body of a region or task it goes to
the line after the construct, as "ompd step" does. With N it does so N times,
or until the program stops for another reason."""

    def __init__(self) -> None:
        super().__init__("ompd next", gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE)

    def act(self, argument: str, from_tty: bool) -> None:
        walk(argument, False)
