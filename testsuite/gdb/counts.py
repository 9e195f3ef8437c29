# SPDX-License-Identifier: MIT
"""What commands cost: reads that reach the target, beneath the page cache, frames that gdb is
asked for, and threads that are looked at; and the start of gdb: modules that are executed."""

import harness

t = harness.begin(__file__, program="many.c", timeout=300)
import os  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
import types  # noqa: E402

import gdb  # noqa: E402
import gdb_openmp  # noqa: E402


def executed():
    """The plugin's modules but those that wait to be needed."""
    return [name for name, module in sys.modules.items()
            if name.startswith("gdb_openmp.") and type(module) is types.ModuleType]


t.ok(len(executed()) <= 85, "of some 170 modules half are executed when gdb starts", executed())
t.ok("gdb_openmp.ui.stepping" not in executed(), "not those of commands that are not used")

from openmp_inspect.model.snapshot import Snapshot  # noqa: E402
from openmp_inspect.stacks import user_frames  # noqa: E402
from openmp_inspect.analysis.thread_rows import ThreadRow  # noqa: E402
from gdb_openmp.host import inferiors  # noqa: E402
from gdb_openmp.ui import session  # noqa: E402

walks, newest, looks, snapshots, made = [0], [0], [0], [0], [0]


user_frames.Walker.place = harness.counting(user_frames.Walker.place, walks)
gdb.newest_frame = harness.counting(gdb.newest_frame, newest)
inferiors.lwp = harness.counting(inferiors.lwp, looks)
Snapshot.__init__ = harness.counting(Snapshot.__init__, snapshots)
ThreadRow.__init__ = harness.counting(ThreadRow.__init__, made)


def stock(n, where):
    """Both times "ompd threads" of a program that nobody prepared."""
    walks[0] = newest[0] = looks[0] = 0
    gdb_openmp.stats(reset=True)
    printed = t.run("ompd threads")
    first = gdb_openmp.stats(reset=True)
    name = "stock, %d threads at %s" % (n, where)
    t.note("%s: %s, %d stacks unwound, %d newest frames, %d looks at threads" %
           (name, first, walks[0], newest[0], looks[0]))
    t.ok(first["target_accesses"] <= 2 * n + 20, "%s: %d target accesses are at most 2N + 20" %
         (name, first["target_accesses"]))
    t.ok(walks[0] <= 8, name + ": stacks that look alike are unwound once", walks[0])
    t.ok(newest[0] <= 16, name + ": gdb is not asked for a frame of each", newest[0])
    t.ok(looks[0] <= 12 * n, name + ": no thread is sought among all", looks[0])
    t.equal(t.run("ompd threads"), printed, name + ": the same again")
    again = gdb_openmp.stats(reset=True)
    t.equal(again["target_accesses"], 0, name + ": from the cache")
    opened = first["symbol_lookups"] > 0  # the library, which looks at all threads to be certain
    t.ok(first["callback_reads"] <= (2.5 if opened else 1.25) * n + 60,
         name + ": each thread is read once", first["callback_reads"])
    t.ok(again["callback_reads"] <= 60, name + ": and not again at the same stop",
         again["callback_reads"])
    return harness.table(printed)

t.run("ompd on")
for n in (8, 64, 512):
    gdb.execute("set args %d" % n)
    t.stop_at("here")
    gdb_openmp.stats(reset=True)
    walks[0] = 0
    began = time.monotonic()
    printed = t.run("ompd threads")
    took = time.monotonic() - began
    t.ok(walks[0] <= 1, "%d threads: only the one in user code is unwound" % n, walks[0])
    first = gdb_openmp.stats(reset=True)
    states = [r["State"] for r in harness.table(printed)]
    t.equal((states.count("work"), states.count("wait barrier")), (1, n - 1),
            "%d threads: one works, the others wait in the barrier" % n)
    t.note("%d threads, first: %s, %.0f ms" % (n, first, took * 1000))
    # The records in bulk, and of libgomp's memory a page for each thread.
    t.ok(first["target_accesses"] <= n / 8 + n + 30,
         "%d threads: %d target accesses are at most 9N/8 + 30" % (n, first["target_accesses"]))
    began = time.monotonic()
    t.equal(t.run("ompd threads"), printed, "%d threads: the same again" % n)
    took = time.monotonic() - began
    again = gdb_openmp.stats(reset=True)
    t.note("%d threads, again: %s, %.0f ms" % (n, again, took * 1000))
    t.equal(again["target_accesses"], 0, "%d threads: from the cache" % n)
    t.equal(again["symbol_lookups"], 0, "%d threads: no symbol after initialisation" % n)

    # One question, one callback read.
    with session.snapshot() as snapshot:
        thread = snapshot.threads[-1]
        region, task = thread.region, thread.task
        for name, ask in (("the lwp", lambda: thread.lwp), ("the state", lambda: thread.state),
                          ("the number", lambda: thread.number),
                          ("the size", lambda: region.size),
                          ("the function", lambda: region.function),
                          ("the parent", lambda: region.parent),
                          ("the master", lambda: region.master),
                          ("the level", lambda: task.level),
                          ("the frames", lambda: task.frames),
                          ("the kind", lambda: task.implicit)):
            before = gdb_openmp.stats()["callback_reads"]
            ask()
            t.ok(gdb_openmp.stats()["callback_reads"] - before <= 1,
                 "%d threads: %s costs one callback read" % (n, name))

    # What was read is forgotten when the program changes.
    t.run("next")
    gdb_openmp.stats(reset=True)
    t.run("ompd threads")
    t.ok(gdb_openmp.stats(reset=True)["target_accesses"] > 0,
         "%d threads: after a step the target is read again" % n)
    t.run("set var hits = 17")
    t.run("ompd threads")
    t.ok(gdb_openmp.stats()["target_accesses"] > 0,
         "%d threads: and after its memory was changed" % n)
    t.run("kill")

# All commands of a stop have one snapshot, and each makes a row of a thread once.
gdb.execute("set args 8")
for _, kind in t.both_ways():
    t.stop_at("here")
    snapshots[0] = 0
    for command in ("ompd threads", "ompd why", "ompd tasks", "ompd status"):
        made[0] = 0
        t.run(command)
        t.equal(made[0], 8, "%s, %s: a row of each thread is made once" % (kind, command))
    for command in ("bt", "ompd bt 1-8", "ompd stacks", "ompd parallel", "ompd doctor"):
        t.run(command)
    t.equal(snapshots[0], 1, kind + ": all commands have one snapshot")
    t.run("kill")

# Nobody prepared the program: every place comes from a stack.
for n in (8, 64, 512):
    gdb.execute("set args %d" % n)
    t.stop_at("here")
    rows = stock(n, "a barrier")
    t.equal([r["State"] for r in rows].count("~wait barrier"), n - 1,
            "stock, %d threads: all but one wait in the barrier" % n)
    t.equal({r["Where"] for r in rows[:-1]}, {"main () at " + t.mark("barrier")},
            "stock, %d threads: in the user's line" % n)
    # Their stacks hold nothing of the user by then.
    t.stop_at("end", "continue")
    rows = stock(n, "the end of the region")
    t.equal({(r["State"], r["Waits for"], r["Where"]) for r in rows[:-1]},
            {("~wait barrier", "implicit, %d of %d arrived" % (n - 1, n),
              "main () at " + t.mark("region"))},
            "stock, %d threads: all but one wait for its end" % n)
    core = os.path.join(t.scratch, "core")
    if n == 64:
        t.run("generate-core-file " + core)
    t.run("kill")
    if n == 64:
        t.run("core-file " + core)
        wanted, found = (sorted((r["OMP"], r["State"], r["Where"]) for r in some)
                         for some in (rows, stock(n, "the same in a core")))
        t.equal(found, wanted, "stock, %d threads: a core tells the same" % n)
        t.run("core-file")
t.done()
