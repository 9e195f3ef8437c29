# SPDX-License-Identifier: MIT
"""ompd off"""

from __future__ import annotations

import gdb

from gdb_openmp.host import console, options
from gdb_openmp.ui import preload


class Command(options.Helpful):
    """Undo "ompd on": the next "run" goes without the hooks.

Usage: ompd off"""

    def __init__(self) -> None:
        super().__init__("ompd off", gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE)

    def act(self, argument: str, from_tty: bool) -> None:
        self.dont_repeat()
        options.no_arguments("ompd off", argument)
        if not preload.restore():
            raise gdb.GdbError('There is nothing to undo: "ompd on" was not used.')
        console.write("The next run goes without hooks.\n")
