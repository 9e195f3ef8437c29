# SPDX-License-Identifier: MIT
"""For tests that are a front end of gdb, or the person before it: they run outside of it."""

import atexit
import os
import shutil
import tempfile
from collections import namedtuple

import harness

HERE = os.path.dirname(os.path.abspath(__file__))
PLUGIN = os.path.join(os.environ["stage"], "share/ompd/gdb/ompd-gdb.py")

# The path of an executable and of its source, and {mark: line} of that.
Program = namedtuple("Program", "path source lines")


class Bench(harness.Tap):
    """TAP, and a directory that is removed in the end."""

    def __init__(self):
        if not os.environ.get("GDB"):
            harness.skip_all("gdb is not installed")
        super().__init__()
        self.scratch = tempfile.mkdtemp(prefix="ompd-gdb-")
        atexit.register(shutil.rmtree, self.scratch, ignore_errors=True)

    def program(self, source, name=None):
        """The Program that a file of the directory of these tests becomes."""
        path = os.path.join(self.scratch, name or source.partition(".")[0])
        source = os.path.join(HERE, source)
        harness.compile_program(source, path)
        return Program(path, source, harness.marks(source))

    def closing(self, session):
        """SESSION, which is closed in the end."""
        atexit.register(session.close)
        return session
