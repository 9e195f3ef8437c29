#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""gdb, the command and lldb say the same of a core of an aarch64 program: gdb has written it over
qemu's stub, as it does of a process.

Usage: aarch64-hosts.py PROGRAM CORE
"""

import os
import shutil
import sys
import tempfile
import types

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", name) for name in ("command", "lldb", "common")]
from against_gdb import COMMANDS, asked, asked_gdb  # noqa: E402
from lldb_facts import normal  # noqa: E402
from lldb_runs import LLDB, answered  # noqa: E402
from same_facts import differences  # noqa: E402
from tap import Tap  # noqa: E402


def main():
    program, core = sys.argv[1:]
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="ompd-hosts-") as scratch:
        bench = types.SimpleNamespace(scratch=scratch, stage=os.environ["stage"],
                                      gdb=os.environ["GDB"])
        found, printed = asked_gdb(bench, {"program": program, "kernel": core}, [program])
        theirs = normal(found.get("kernel", {}))
        rows = found.get("kernel", {}).get("threads", ())
        tap.ok(sum("held by" in (row["waits_for"] or "") for row in rows) > 1,
               "gdb says who holds what threads wait for", printed)
        mine = normal(asked(bench, core))
        tap.case(differences(theirs, mine), "the command says what gdb does")
        if LLDB is None or not shutil.which(LLDB):
            tap.skip("lldb", "it is not installed")
        else:
            answers, printed = answered(scratch, {"core": core, "program": program, "ask": COMMANDS})
            tap.case(differences(theirs, normal(answers), names=("gdb", "lldb")) or
                     ([] if answers else [printed]), "and so does lldb")
    tap.end()


if __name__ == "__main__":
    main()
