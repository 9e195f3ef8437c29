# SPDX-License-Identifier: MIT
"""A barrier is called explicit, or the end of a loop, where the source says so; and no more
threads wait than have arrived."""

import os
import re
import signal
import threading

import harness

t = harness.begin(__file__, program="closes.c", timeout=180)
import gdb  # noqa: E402

from openmp_inspect.model import sync  # noqa: E402
from gdb_openmp.program import address_space  # noqa: E402
from gdb_openmp.ui import session  # noqa: E402

RUN = os.path.join(os.environ["stage"], "bin", "ompd-run")
WORDS = {"for": "end of for " + t.mark("for"), "barrier": "explicit"}


def waits(kind):
    printed = t.run("ompd threads")
    t.note("%s:\n%s" % (kind, printed))
    return [row["Waits for"] for row in harness.table(printed) if "barrier" in row["State"]]


for level in ("-O0", "-O2", "-O0 -g0", "-O2 -DMERGED"):
    program = t.build("closes.c", "closes" + level.replace(" ", ""), level)
    gdb.execute("file " + program)
    for how, words in WORDS.items():
        for command in ([program, how], [RUN, program, how]):
            kind = "%s %s %s" % (how, level, "recorded" if command[0] == RUN else "unprepared")
            with t.attached(*command, says=b"asleep"):
                found = set(waits(kind))
                count = "2 of 3 arrived"
                if harness.CLANG:
                    # Each thread has called the runtime with what it waits for. Where they spin
                    # unprepared, the runtime has not counted all: then the number is inferred.
                    found = {re.sub("(, |^)~?" + count, "", wait) for wait in found}
                    expected = {words} if "-g0" not in level else {"-", "", "implicit"}
                else:
                    # Optimised, both barriers of this program are one call, of neither's line.
                    expected = {words + ", " + count} if level == "-O0" else \
                        {count, words + ", " + count} if level == "-O2" else {count}
                t.ok((len(found) == 1 or harness.CLANG) and found <= expected, kind, found)
                if level == "-O0" and not harness.CLANG:
                    # As libgomp has it while one of them has not counted itself yet.
                    real = sync.Barrier.__init__

                    def fewer(self, snapshot, facts, real=real):
                        real(self, snapshot, facts)
                        self.arrived = 1
                    sync.Barrier.__init__ = fewer
                    address_space.current().forget()
                    t.equal(waits(kind), [words] * 2, kind + ": 2 wait, of whom 1 has arrived")
                    sync.Barrier.__init__ = real

if not harness.CLANG:
    # Seven threads sleep in a barrier. The eighth has arrived, too, and not woken them yet.
    t.use("many.c")
    t.stop_at("here", "run 8")
    t.run("set scheduler-locking on")
    for _ in range(500):
        with session.snapshot() as snapshot:
            if not snapshot.barriers:
                break
        gdb.execute("stepi", to_string=True)
    waiting = [row["Id"] for row in harness.table(t.run("ompd threads")) if "wait" in row["State"]]
    t.equal(len(waiting), 8, "all are inside of calls of the barrier")
    t.like(t.run("ompd why"), "^waiting: 7 threads wait for thread 8 .*, which works .*possible",
           "one of them runs")
    t.run("set scheduler-locking replay")
    t.run("kill")

    # The worker of a nested team is the last to arrive at the region's end, and the first at the
    # barrier behind it, where it ends. The other one spins, and has been released.
    t.use(t.written("ended.c", """#include <omp.h>
int hits;
int main(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(1)
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num())
        hits++;
    return hits != 1;
}
"""))
    t.run("set environment OMP_WAIT_POLICY active")
    t.run("set environment GOMP_SPINCOUNT infinity")
    gdb.Breakpoint("ended.c:9", temporary=True)
    t.run("run")
    t.run("set scheduler-locking on")
    t.run("thread 1")
    threading.Timer(1, os.kill, (gdb.selected_inferior().pid, signal.SIGINT)).start()
    t.run("continue")
    t.run("thread 2")
    t.run("continue")
    t.run("thread 1")
    printed = t.noted("ompd threads")
    t.equal(len(harness.table(printed)), 1, "the worker has ended")
    t.ok("arrived" not in printed, "it has arrived, not the one that is left")
    t.run("ompd why")
    t.ok(int(gdb.convenience_variable("_ompd_why")) < 3, "nobody is certain to wait for ever")
    t.run("kill")
else:
    # Optimised, the region's body leaves its frame to the barrier at the end of single. Threads look
    # for tasks there, and do not sleep.
    program = t.build(t.written("jumped.c", """#include <stdio.h>
#include <unistd.h>
int main(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp task
    {
        puts("asleep");
        fflush(stdout);
        pause();
    }
}
"""), "jumped", "-O2")
    for command in ([program], [RUN, program]):
        with t.attached(*command, says=b"asleep"):
            found = waits("jumped")
            t.ok(len(found) == 2, "two have left the body", found)
            t.equal({re.sub(", .*", "", wait) for wait in found}, {"end of single jumped.c:6"},
                    "which barrier they are in")
            t.equal({re.search("[0-9] of 3", wait).group() for wait in found}, {"3 of 3"},
                    "who executes a task there has arrived")
t.done()
