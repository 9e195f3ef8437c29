# SPDX-License-Identifier: MIT
"""ompd on"""

from __future__ import annotations

import gdb

from openmp_inspect.core import text
from openmp_inspect.code import code_owner
from gdb_openmp.host import console, options, process
from gdb_openmp.ui import preload


class Command(options.Helpful):
    """Let the program record its OpenMP work from the next "run" on.

Usage: ompd on

Adds the hooks library to LD_PRELOAD, OMP_OMPD=on, and what a program built
with -fsanitize=address needs beside them, to the environment that gdb gives
the program; "ompd off" removes them. Children of an OpenMP program do not
inherit them. A process that is already running is not changed."""

    def __init__(self) -> None:
        super().__init__("ompd on", gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE)

    def act(self, argument: str, from_tty: bool) -> None:
        self.dont_repeat()
        options.no_arguments("ompd on", argument)
        path = preload.prepare()
        console.write("The next run preloads %s with OMP_OMPD=on.\n" %
                  text.style("filename", path))
        if gdb.selected_inferior().pid and not code_owner.runtimes(process.current()).hooks:
            console.write("This process was started without the hooks and is not recorded.\n")
