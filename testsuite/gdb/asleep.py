# SPDX-License-Identifier: MIT
"""Threads that sleep for what the OpenMP runtime does not know are never at work, and whatever
lists them says the same of each: unprepared and recorded, attached and as a core."""

import os
import re
import signal

import harness

t = harness.begin(__file__, program="asleep.c", timeout=180)
import gdb  # noqa: E402

RUN = os.path.join(os.environ["stage"], "bin", "ompd-run")


def look(kind, recorded):
    rows = t.threads()
    found = {row["OMP"]: (row["State"], row["Waits for"]) for row in rows
             if row["OMP"].endswith("/9")}
    ids = {row["OMP"]: row["Id"].strip("* ") for row in rows}
    reader = next(row["Id"].strip("* ") for row in rows if row["Where"].startswith("reads ()"))
    held = "held by %s (0/9)" % ids["0/9"]
    lock = ("wait lock", "grid_lock, %s since %s" % (held, t.mark("lock"))) if recorded else \
        ("~wait lock", "grid_lock, ~" + held)
    pipe = "file descriptor 3" if "core" in kind else \
        "a pipe, whose other end is open in this process"
    t.equal(found, {
        "0/9": ("~in pause", "-"),
        "1/9": ("~in pthread_mutex_lock", "cache, " + held),
        "2/9": ("~in pthread_join", "thread " + reader),
        "3/9": ("~in pthread_cond_wait", "-"), "4/9": ("~in read", pipe),
        "5/9": ("~in poll", "-"), "6/9": ("~in nanosleep", "-"), "7/9": ("~in MPI_Recv", pipe),
        "8/9": lock}, kind + ": what each is in, and for what")
    others = {row["Where"].partition(" ")[0]: row for row in rows
              if not row["OMP"].endswith("/9")}
    t.equal(others["reads"]["State"], "not OpenMP", kind + ": a thread that is none of OpenMP's")
    t.like("%(State)s %(Waits for)s" % others["acquires"], r"^~?wait lock grid_lock",
           kind + ": one that waits for a lock of OpenMP's")
    for row in rows:
        t.run("thread " + row["Id"].strip("* "))
        t.equal(gdb.parse_and_eval("$_omp_state()").string(), row["State"],
                "%s: $_omp_state() in thread %s" % (kind, row["Id"].strip("* ")))
    printed = t.noted("ompd tasks -all")
    cells = [re.split(" {2,}", line) for line in printed.splitlines()[1:]]
    tasks = {row[2]: row[1] for row in cells if row[4] != "initial" and
             row[2] in map(ids.get, found)}
    t.equal(tasks, {ids[omp]: state.replace("wait ", "in ") for omp, (state, _) in found.items()},
            kind + ": tasks as their threads")
    facts = {row["number"]: row for row in t.json("threads") if row["team_size"] == 9}
    t.equal((facts[1]["state"], facts[1]["call"], facts[1]["derived"], facts[1]["owner"]),
            ("in_call", "pthread_mutex_lock", True, int(ids["0/9"])), kind + ": as JSON")


for command, recorded in (([t.program], False), ([RUN, t.program], True)):
    with t.attached(*command, says=b"asleep"):
        for where in t.live_and_core():
            look(("recorded" if recorded else "unprepared") + where, recorded)

# The place is where the user has called the C++ library.
programs = {"CXX": t.use("asleep.cc", "-O2"),
            "clang++": t.by_clang("asleep.cc", "asleep-clang", "-O2")}
t.run("file")
for compiler, program in programs.items():
    if program is None:
        t.skip("clang++: where they wait", "it is not installed")
        continue
    with t.attached(program, "lock", says=b"asleep"):
        printed = t.noted("ompd threads") + t.noted("ompd parallel")
        t.equal([row["Where"] for row in harness.table(printed) if "/2" in row.get("OMP", "")],
                ["lock () at " + t.mark("lock")] * 2,
                compiler + ": they wait for a mutex in lock()")
        t.like(printed, r"region .* ~?lock \(\) at %s " % t.mark("region"),
               compiler + ": the region is lock()'s, whatever is inlined at its beginning")
    t.run("file")

with t.attached(t.build("asleep.cc", "asleep-cxx"), says=b"asleep"):
    rows = t.threads()
    t.equal({(row["State"], row["Where"]) for row in rows if "State" in row},
            {("~in pthread_cond_wait", "take () at " + t.mark("take"))},
            "C++: they wait in take()")
    t.run("set width 80")
    lines = t.run("ompd threads").splitlines()
    t.equal({line.index("-  ") for line in lines if "cond_wait" in line},
            {lines[0].index("Waits for")}, "a column of wide cells is as wide as they are")
t.run("file")

# What a person attaches to is the parent; what hangs may be its child.
with t.attached(t.build("children.c", "children"), "sh", "-c", "echo asleep; exec sleep 100",
                says=b"asleep") as process:
    children = "/proc/%d/task/%d/children" % (process.pid, process.pid)
    with open(children, encoding="ascii") as stream:
        child = int(stream.read())
    t.like(t.run("ompd why"), r"\Awaiting: 1 thread is in waitpid \(\)\.\n  1 \(0/1\)  is in waitpid .*\n"
           r" +for child process %d \(s\w+\), which sleeps\n  next     gdb -p %d +its child\n" % (child, child),
           "a parent that waits for its child: why")
    t.run("detach")
    os.kill(child, signal.SIGKILL)
t.done()
