# SPDX-License-Identifier: MIT
"""Threads as reports call them: by gdb's number and by their numbers in their teams."""

from gdb_openmp.core import debug, errors
from gdb_openmp.host import text
from gdb_openmp.analysis.wait_state import Holder


class Names:
    """Lives during one command. NUMBERS: gdb's by kernel ids."""

    def __init__(self, snapshot, numbers):
        self._snapshot = snapshot
        self._numbers = numbers

    def of(self, known, derived=False):
        """The Holder that a model's Thread is; its name is None where it cannot be read."""
        try:
            number = self._numbers.get(known.lwp)
            short = "LWP %d" % known.lwp if number is None else text.thread(number)
            name = "%s (%s)" % (short, text.thread_path(known.path))
        except errors.OmpdError:
            debug.ignored()
            return Holder(None, None, None, None, derived)
        return Holder(name, short, number, known.lwp, derived)

    def at(self, lwp, derived=False):
        """The Holder that a thread is with this kernel id, which OpenMP may not know."""
        try:
            known = None if self._snapshot is None else self._snapshot.thread_of(lwp)
        except errors.OmpdError:
            debug.ignored()
            known = None
        found = None if known is None else self.of(known, derived)
        if found is not None and found.name is not None:
            return found
        number = self._numbers.get(lwp)
        short = "LWP %d" % lwp if number is None else text.thread(number)
        return Holder(short, short, number, lwp, derived)
