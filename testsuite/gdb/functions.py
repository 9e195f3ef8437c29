# SPDX-License-Identifier: MIT
"""$_omp_...(): what omp_get_...() would say, in conditions of breakpoints and elsewhere."""

import harness

t = harness.begin(__file__, program="teams.c")
import time  # noqa: E402

import gdb  # noqa: E402
import gdb_openmp  # noqa: E402

from gdb_openmp.program import address_space  # noqa: E402

NAMES = ("thread_num", "num_threads", "level", "in_parallel", "task", "state")


def value(name):
    found = gdb.parse_and_eval("$_omp_%s()" % name)
    return found.string() if name == "state" else int(found)


def values(*names):
    return tuple(value(name) for name in names)


NO_ID = 'Tracking is off in this program: type "ompd on" before "run", or start it with ' \
        "ompd-run."

t.run("set args one")
for recorded, kind in t.both_ways():
    t.run("break main")
    t.run("run")
    t.run("delete")
    t.equal(values(*NAMES[:4]), (0, 1, 0, 0), kind + ": before the first region")
    t.stop_at("first", "continue")
    t.equal(values(*NAMES[:4]), (0, 1, 0, 0), kind + ": right before it")

    # A condition that holds in one thread of three, once.
    point = gdb.Breakpoint(t.mark("counted"))
    point.condition = "$_omp_thread_num() == 2 && $_omp_num_threads() == 3 && " \
                      "$_omp_level() == 1 && $_omp_in_parallel() == 1 && round == 49"
    gdb_openmp.stats(reset=True)
    began = time.monotonic()
    t.run("continue")
    took = time.monotonic() - began
    stats = gdb_openmp.stats()
    frame = gdb.selected_frame()
    t.equal((int(frame.read_var("round")), int(frame.older().read_var("own"))), (49, 2),
            kind + ": a breakpoint stops where its condition holds, and nowhere before")
    hits = 150
    t.note("%s: %d hits in %.2f s: %s" % (kind, hits, took, stats))
    t.ok(stats["target_accesses"] <= 16 * hits, kind + ": a hit costs few target accesses",
         stats)
    t.equal(values(*NAMES[:4]), (2, 3, 1, 1), kind + ": the same at the stop")
    state = value("state")
    t.equal(state, "work", kind + ": its state")
    if recorded:
        t.ok(value("task") > 0, kind + ": its task")
    else:
        t.equal(t.error("print $_omp_task()"), NO_ID, kind + ": tasks have no number")

    point.condition = '$_streq($_omp_state(), "idle")'
    t.stop_at("all_here", "continue")
    t.equal(gdb.selected_frame().find_sal().line, t.line("all_here"),
            kind + ": a condition on the state that never holds")
    point.delete()

    for where in t.live_and_core():
        kind_here = kind + where
        known = {}
        for row in t.threads():
            t.run("thread " + row["Id"].lstrip("* "))
            known[row["OMP"]] = values(*NAMES[:4]) + (value("state"),)
            frame = gdb.selected_frame()
            if recorded:
                known[row["OMP"]] += (value("task"),)
            t.equal(gdb.selected_frame(), frame, "%s: the frame stays selected" % kind_here)
        tasks = {found[5:] for found in known.values()}
        t.equal(len(tasks), len(known) if recorded else 1, kind_here + ": tasks differ")
        t.equal({path: found[:4] for path, found in known.items()},
                {"0/3": (0, 3, 1, 1), "1/3 \u00b7 0/2": (0, 2, 2, 1),
                 "1/3 \u00b7 1/2": (1, 2, 2, 1), "2/3 \u00b7 0/2": (0, 2, 2, 1),
                 "2/3 \u00b7 1/2": (1, 2, 2, 1)}, kind_here + ": nested teams")
        t.equal({found[4] for found in known.values()}, {"work", "~in usleep"},
                kind_here + ": states")

# What one of them costs does not grow with the number of threads. On how many pages the
# records stand is chance; what is asked for is not.
t.use("many.c")
for recorded, count, most in ((True, "callback_reads", 12), (False, "target_accesses", 6)):
    t.run("ompd on" if recorded else "ompd off")
    for n in (4, 64):
        t.run("set args %d" % n)
        t.stop_at("here")
        value("level")
        cost = {}
        for name in NAMES:
            if name == "task" and not recorded:
                continue
            address_space.current().memory.drop()
            gdb_openmp.stats(reset=True)
            value(name)
            cost[name] = gdb_openmp.stats()[count]
        t.ok(max(cost.values()) <= most,
             "%d threads: at most %d %s" % (n, most, count.replace("_", " ")), cost)
        t.run("kill")

# States, recorded and told from the stack.
t.use("waits.c")
t.run("set args")
for _, _ in t.both_ways():
    t.stop_at("all_wait")
    for row in t.threads():
        t.run("thread " + row["Id"].lstrip("* "))
        t.equal(value("state"), row["State"], "state of %s is what the table says" % row["OMP"])
        if row["OMP"] == "-":
            t.equal(values(*NAMES[:5]), (0, 1, 0, 0, 0), "a thread that is not OpenMP's")
    t.run("kill")
for name in NAMES:
    takes = r"\[STATE\]" if name == "state" else ""
    t.like(t.run("help function _omp_" + name), r"^Usage: \$_omp_%s \(%s\)$" % (name, takes),
           "help for $_omp_" + name)
    if takes:
        continue
    t.equal(t.error("print $_omp_%s(1)" % name), "$_omp_%s takes no argument." % name,
            name + " with an argument")
for arguments in ("", "1", '"x", "y"'):
    t.equal(t.error("print $_omp_var(%s)" % arguments),
            'Give a variable\'s name, as in $_omp_var("x").', "$_omp_var(%s)" % arguments)
for arguments in ("1", '"work", "work"'):
    t.equal(t.error("print $_omp_state(%s)" % arguments),
            'Give a state, as in $_omp_state("wait barrier").', "$_omp_state(%s)" % arguments)
t.equal(t.error('print $_omp_catch("task begin", "i", "j")'),
        'Give an event, as in $_omp_catch("task begin").', "$_omp_catch with too much")
t.done()
