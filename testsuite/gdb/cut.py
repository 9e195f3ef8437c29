# SPDX-License-Identifier: MIT
"""Cores of a program that nobody prepared, cut at every percent of their length, and of one that
is recorded at some: every command answers with what is left or in one sentence, and comes to an
end."""

import harness

t = harness.begin(__file__, program="waits.c", timeout=600)
import os  # noqa: E402
import shutil  # noqa: E402
import time  # noqa: E402

import gdb  # noqa: E402

COMMANDS = ("threads", "parallel", "status", "tasks", "icvs", "env")
TEAM = {"%d/6" % number for number in range(6)}



def cut(kind, percents, recorded=False):
    """Looks at cores of t.program that are cut at these PERCENTS; of a RECORDED one the table of
    threads says so."""
    gdb.execute("file " + t.program, to_string=True)
    whole, reason = t.kernel_core("core", **(
        {"OMP_OMPD": "on", "LD_PRELOAD": t.hooks} if recorded else {}))
    if whole is None:
        t.note("not a core of the kernel: " + reason)
        t.error("ompd on" if recorded else "ompd off")
        t.stop_at("all_wait")
        whole = os.path.join(t.scratch, "whole")
        t.run("generate-core-file " + whole)
        t.run("kill")
    size = os.path.getsize(whole)

    wrong = []
    complete = slowest = 0
    for percent in percents:
        os.truncate(whole, size * percent // 100)
        began = time.monotonic()
        try:
            t.run("core-file " + whole)
        except gdb.error as error:
            t.note("%d %%: %s" % (percent, error))
            continue
        for command in COMMANDS:
            try:
                printed = gdb.execute("ompd " + command, to_string=True)
            except gdb.error as error:
                if "\n" in str(error) or not str(error).endswith(".") or \
                        str(error) == harness.NO_OPENMP:
                    wrong.append((percent, command, str(error)))
                continue
            if command == "threads":
                told = {row.get("OMP") for row in harness.table(printed)} - {"-", "?", None}
                complete += told == TEAM
                if not told <= TEAM or recorded and percent < 100 and \
                        "a core that was cut short" not in printed:
                    wrong.append((percent, command, printed))
        slowest = max(slowest, time.monotonic() - began)
    t.equal(wrong, [], kind + ": every answer is true or a sentence")
    t.ok(complete, kind + ": with all of it there, the whole team is told")
    t.note("the team was whole %d times; slowest: %.2f s" % (complete, slowest))
    t.ok(slowest < 20, kind + ": none takes long", slowest)
    t.run("core-file")
    os.remove(whole)


cut("gcc" if not harness.CLANG else "clang", range(100, 0, -1))
cut("recorded", (100, 90, 60, 30), True)
if not harness.CLANG and shutil.which("clang"):
    t.program = t.by_clang("waits.c", "of_clang", "-pthread")
    cut("clang", range(100, 0, -10))
elif not harness.CLANG:
    t.skip("clang", "it is not installed")
t.done()
