# SPDX-License-Identifier: MIT
"""TAP for the tests in Python: numbers cases, prints each with what explains a failure."""

import os
import re
import sys
import threading


class Tap:
    """Cases may come from several threads."""

    def __init__(self):
        self.cases = self.failures = 0
        self._lock = threading.Lock()

    def _write(self, line):
        print(line, flush=True)

    def ok(self, condition, name, *details, defect=None):
        """A case; the lines of DETAILS are shown when it fails, as is expected for a DEFECT."""
        with self._lock:
            self.cases += 1
            self.failures += bool(condition) == bool(defect)
            self._write("%s %d - %s%s" % ("ok" if condition else "not ok", self.cases,
                                          name.replace("#", "no."),
                                          " # TODO " + defect if defect else ""))
            for detail in () if condition else details:
                for line in str(detail).splitlines():
                    self._write("#   " + line)
        return bool(condition)

    def case(self, faults, name, defect=None):
        """A case that holds when the list of its FAULTS is empty."""
        return self.ok(not faults, name, *(faults or ()), defect=defect)

    def equal(self, found, wanted, name):
        return self.ok(found == wanted, name, "found:  %r" % (found,),
                       "wanted: %r" % (wanted,))

    def like(self, found, pattern, name):
        return self.ok(re.search(pattern, found, re.M), name, "found:", found,
                       "wanted: " + pattern)

    def skip(self, name, reason):
        with self._lock:
            self.cases += 1
            self._write("ok %d - %s # SKIP %s" % (self.cases, name, reason))

    def note(self, text):
        for line in str(text).splitlines():
            self._write("# " + line)

    def end(self):
        """The last call: the plan, and the exit status."""
        self._write("1..%d" % self.cases)
        sys.exit(1 if self.failures else 0)


def no_32_bit():
    """Why 32-bit programs cannot be tested here; empty if they can."""
    path = os.path.join(os.environ.get("top_builddir", "."), "testsuite/common/no-32-bit")
    with open(path, encoding="utf-8", errors="replace") as answer:
        return answer.read().strip()


def skip_all(reason):
    print("1..0 # SKIP " + reason)
    sys.exit(0)
