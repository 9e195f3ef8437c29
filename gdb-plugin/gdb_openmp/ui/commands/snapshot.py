# SPDX-License-Identifier: MIT
"""ompd snapshot"""

from __future__ import annotations

import gdb

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import held_snapshot, processes
from gdb_openmp.host import console, options
from gdb_openmp.ui import session

if TYPE_CHECKING:
    from typing import Any, Optional
    from types import SimpleNamespace


class Command(options.Command):
    """Write what all commands need of the program into a small core.

Usage: ompd snapshot [-anonymous] [FILE]

FILE, ompd-PID.core by default, is a core that gdb, lldb and "ompd" read: the
registers and stacks of all threads, and the memory that these commands read.
It is 0.1 to 5 MB for a process of any size.

  -anonymous  without arguments, environment and variables of the program"""

    name = "ompd snapshot"
    flags = ("anonymous",)
    takes = 1

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        session.need_program()
        for line in held_snapshot.lines(given, processes.current()):
            console.write(line + "\n")

    def complete(self, text: str, word: Optional[str]) -> Any:
        return super().complete(text, word) if text.startswith("-") else gdb.COMPLETE_FILENAME
