# SPDX-License-Identifier: MIT
"""What "ompd tasks" costs where there are many: reads that reach the target, reads of the
library, frames and lines of the source that are looked up, Python objects of their own."""

import harness

t = harness.begin(__file__, program="many_tasks.c", timeout=300)
import re  # noqa: E402

import gdb  # noqa: E402
import gdb_openmp  # noqa: E402

from openmp_inspect.core import errors  # noqa: E402
from openmp_inspect.analysis import task_rows  # noqa: E402
from gdb_openmp.program import address_space  # noqa: E402

TASKS, PAGE, THREADS = 4096, 4096, 64
families, asked = [0], [0]


task_rows.Family.__init__ = harness.counting(task_rows.Family.__init__, families)
errors.known = harness.counting(errors.known, asked)

for hooks in (False, True):
    if hooks:
        t.run("ompd on")
    for words in ("", "chained"):
        gdb.execute("set args " + words)
        t.stop_at("here")
        t.run("ompd tasks")  # symbols are known from now on
        address_space.current().forget()
        families[0] = asked[0] = 0
        gdb_openmp.stats(reset=True)
        printed = t.run("ompd tasks")
        found = gdb_openmp.stats(reset=True)
        name = "%s, %s" % ("recorded" if hooks else "stock", words or "free")
        t.note("%s: %s, %d families, %d questions" % (name, found, families[0], asked[0]))
        lines = printed.splitlines()[1:]
        if words:
            t.equal(len(lines), 2, name + ": a line for all but the first")
            t.ok(re.match(r".*waiting x%d .*\(inout sum\), chain" % (TASKS - 1), lines[-1]),
                 name + ": of which each waits for the one before", printed)
        else:
            t.equal(len(lines), 1, name + ": a line for all")
            t.ok(re.match(r".*ready x%d " % TASKS, lines[-1]), name + ": which could begin",
                 printed)
        # A task is 400 bytes or so in libgomp, and as much again recorded. Threads have a page
        # or two each.
        pages = TASKS * 512 / PAGE + 4 * THREADS + 60
        t.ok(found["target_accesses"] <= pages, "%s: %d target accesses are at most %d" % (
            name, found["target_accesses"], pages))
        surveys = 2 if words else 1
        t.ok(found["callback_reads"] <= (surveys + 1) * pages,
             "%s: %d reads are at most %d: what has been read is not read again" % (
                 name, found["callback_reads"], (surveys + 1) * pages))
        t.ok(families[0] <= THREADS + 8, name + ": what tasks have in common is found once",
             families[0])
        t.ok(asked[0] <= 20 * THREADS + 200, name + ": and nothing is asked for each", asked[0])
        t.run("kill")
t.done()
