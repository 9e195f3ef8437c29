#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The command, gdb and lldb at one stop, a snapshot: what they answer to what openmp_inspect asks of a host
is compared question by question, which finds what screens do not show.

    questions.py               a test
    questions.py FILE OTHER    compares two recorded stops"""

import json
import lzma
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", name) for name in ("unit", "common", "lldb")]
import stops  # noqa: E402
from lldb_runs import need_lldb, session  # noqa: E402
from tap import Tap  # noqa: E402

GDB_PLUGIN = os.path.join(stops.STAGE, "share/ompd/gdb/ompd-gdb.py")

# Kind and question, by a pattern: why hosts may differ in it.
DIFFERS = (
    (r"Process (code_key|core_file|unwinding|sizes|selected_number)", "their own"),
    (r"Process .*(differing|unread|missing)", "sentences for their own users"),
    (r"Process .*image_files", "the command lists the vdso"),
    (r"Thread (num|ptid|lwp)", "their own numbers"),
    (r"Process .*files_of_symbol", "a list, or another collection"),
    (r"SourceFile .*lines_at", "a line may have several statements at an address"),
    (r"SourceFile path", "gdb searches for it"),
    (r"lldb: Frame (pc|instruction|line)", "of one with an inlined call it has another address of that"),
    (r"lldb: SourceFile name", "without leading dots"),
    (r"lldb: Process .*functions_at", "lldb 14 does not find all that is inlined"),
)
# What imports current(), which returns the Process.
CURRENT = {"gdb": "gdb_openmp.host.process import current",
           "lldb": "lldb_openmp.host.sessions import process as current"}
LOOK = """
import sys
sys.argv = ["stops"]
sys.path[1:1] = [%r, %r]
import stops
from %s
with open(%r, "wb") as stream:
    stream.write(stops.recorded_of(current(), "snapshot")[0].content({}))
"""


class Comparison:
    """Two recorded stops, the other one of this HOST. Objects that were answered to the same question
    are the same."""

    def __init__(self, one, other, host=""):
        self._host = host
        self._one, self._other = (json.loads(lzma.decompress(content))["objects"]
                                  for content in (one, other))
        self._same = {0: {0}}  # {number of an object: numbers of those of the other stop}
        self.compared, self.faults, before = 0, set(), 0
        while before != len(self._pairs()):  # questions may have objects as arguments
            before, self.compared = len(self._pairs()), 0
            for one, other in self._pairs():
                self._compare(self._one[one], self._other[other])

    def _pairs(self):
        return [(one, other) for one, others in self._same.items() for other in others]

    def _compare(self, one, other):
        for question, answer in one["answers"].items():
            same = other["answers"].get(self._translated(question), self)
            if same is self:
                continue
            self.compared += 1
            name = "%s: %s %s" % (self._host, one["kind"], question)
            if not self._alike(answer, same) and not any(
                    re.search(pattern, name) for pattern, _ in DIFFERS):
                self.faults.add("%s: %s, or %s" % (name, answer, same))

    def _translated(self, question):
        return question if question[0] != "[" else json.dumps(
            [self._named(one) for one in json.loads(question)])

    def _named(self, value):
        if not isinstance(value, list):
            return value
        if value[:1] == ["o"]:
            return ["o", min(self._same.get(value[1], [-1]))]
        return [self._named(one) for one in value]

    def _alike(self, one, other):
        if not isinstance(one, list) or not isinstance(other, list):
            return one == other
        if one[:1] == other[:1] == ["o"]:
            self._same.setdefault(one[1], set()).add(other[1])
            return True
        return len(one) == len(other) and all(map(self._alike, one, other))


def recorded(host, program, core, path):
    """What a HOST answers, as a file has it, or None and what it has printed."""
    script = path + ".py"
    with open(script, "w", encoding="utf-8") as stream:
        stream.write(LOOK % (os.path.join(HERE, "../unit"), os.path.join(HERE, "../common"),
                             CURRENT[host], path))
    if host == "lldb":
        printed = session("target create -c %s %s" % (core, program), "ompd threads",
                          "command script import " + script)
    else:
        printed = subprocess.run(
            [os.environ.get("GDB") or "gdb", "-nx", "-batch", "-ex", "source " + GDB_PLUGIN, program,
             core, "-ex", "ompd threads", "-ex", "source " + script], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False,
            env=dict(os.environ, LC_ALL="C.UTF-8", PYTHONDONTWRITEBYTECODE="1")).stdout
    if not os.path.exists(path):
        return None, printed
    with open(path, "rb") as stream:
        return stream.read(), printed


def main():
    if len(sys.argv) == 3:
        contents = []
        for path in sys.argv[1:]:
            with open(path, "rb") as stream:
                contents.append(stream.read())
        print(*sorted(Comparison(*contents).faults), sep="\n")
        return
    need_lldb()
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="ompd-questions-") as scratch:
        for name in ("locks", "locks-recorded"):
            program, core = stops.snapshot(name, scratch)
            process = stops.opened(core)
            mine = stops.recorded_of(process, "snapshot")[0].content({})
            for host in ("gdb", "lldb"):
                path = os.path.join(scratch, "%s_%s" % (name.replace("-", "_"), host))
                other, printed = recorded(host, program, core, path)
                if other is None:
                    tap.ok(False, "%s, %s" % (name, host), printed)
                    continue
                found = Comparison(mine, other, host)
                tap.case(sorted(found.faults), "%s: the command and %s answer alike" % (name, host))
                tap.ok(found.compared > 250, "%d answers" % found.compared)
    tap.end()


if __name__ == "__main__":
    main()
