# SPDX-License-Identifier: MIT
"""Where threads stand and how deep their stacks are, without asking gdb for a frame of each,
and what they sleep on in the kernel.

gdb takes some 40 microseconds to make the newest frame of a thread. For a process of this
machine the kernel tells all, for a core the notes in its file do (corefile.py). x86-64 only.
Whoever uses them compares with gdb's frame now and then and says doubt() where it differs.
"""

import os
import platform
import sys

import gdb

from ompd import code_owner, corefile, gdbtext, target

_FUTEX = {"x86_64": 202, "aarch64": 98}.get(platform.machine())  # the number of this call


class Registers:
    """Lives during one command; of the selected inferior."""

    def __init__(self, inferior):
        connection = target.connection(inferior)
        kind = None if connection is None else connection.type
        self._of = None
        self._known = {}  # kernel id -> what is told of it
        if kind == "core":
            self._of = (corefile.threads(inferior, connection) or {}).get
        elif kind == "native" and sys.platform == "linux":
            self._path = "/proc/%d/task/%%d/syscall" % inferior.pid
            self._of = self._of_process

    def of(self, thread):
        """(address of the next instruction, stack pointer) of a gdb thread, or None."""
        told = self._told(thread)
        return told and told[:2]

    def futex(self, thread):
        """The address of what a gdb thread sleeps on that the OpenMP runtime sent to sleep,
        or 0."""
        told = self._told(thread)
        if told is None or not told[2]:
            return 0
        # The linker may be what sleeps, on its way to the runtime's function.
        library = gdbtext.library_at(told[0])
        return told[2] if library is None or code_owner.is_runtime(told[0]) else 0

    def _told(self, thread):
        if self._of is None:
            return None
        lwp = target.lwp(thread)
        if lwp not in self._known:
            self._known[lwp] = self._of(lwp)
        return self._known[lwp]

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
            waits = len(words) == 9 and int(words[0]) == _FUTEX
            return (int(words[-1], 16), int(words[-2], 16),
                    corefile.futex(int(words[1], 16), int(words[2], 16)) if waits else 0)
        except (OSError, ValueError, IndexError):
            return None  # not allowed to look, or it runs
