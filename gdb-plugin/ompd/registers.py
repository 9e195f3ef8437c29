# SPDX-License-Identifier: MIT
"""Where threads stand and how deep their stacks are, without asking gdb for a frame of each.

gdb takes some 40 microseconds to make the newest frame of a thread. For a process of this
machine the kernel tells both, for a core the notes in its file do (corefile.py). x86-64 only.
Whoever uses them compares with gdb's frame now and then and says doubt() where it differs.
"""

import os
import sys

from ompd import corefile, target


class Registers:
    """Lives during one command; of the selected inferior."""

    def __init__(self, inferior):
        connection = target.connection(inferior)
        kind = None if connection is None else connection.type
        self._of = None
        if kind == "core":
            self._of = (corefile.threads(inferior, connection) or {}).get
        elif kind == "native" and sys.platform == "linux":
            self._path = "/proc/%d/task/%%d/syscall" % inferior.pid
            self._of = self._of_process

    def of(self, thread):
        """(address of the next instruction, stack pointer) of a gdb thread, or None."""
        return None if self._of is None else self._of(target.lwp(thread))

    def doubt(self):
        """gdb says otherwise, as when it replays a record of what was: it is right."""
        self._of = None

    def _of_process(self, lwp):
        try:
            file = os.open(self._path % lwp, os.O_RDONLY)
            try:
                words = os.read(file, 256).split()
            finally:
                os.close(file)
            return int(words[-1], 16), int(words[-2], 16)
        except (OSError, ValueError, IndexError):
            return None  # not allowed to look, or it runs
