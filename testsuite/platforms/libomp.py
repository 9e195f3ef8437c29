# SPDX-License-Identifier: MIT
"""A program of clang on a libomp that debuggers can read, by way of LLVM's own OMPD library:
live, attached to, and as a core."""

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../gdb"))
import harness  # noqa: E402

t = harness.begin(__file__, program="libomp.c")
import gdb  # noqa: E402

LIBRARY = os.path.join(os.environ["LIBOMP"], "libompd.so")
t.run("set ompd library " + LIBRARY)  # ours reads this runtime, too
TEAM = [("0/4", "work"), ("1/4", "wait lock"), ("2/4 \u00b7 0/2", "wait barrier"),
        ("2/4 \u00b7 1/2", "work"), ("3/4", "wait barrier")]


def objects(command):
    printed = t.run(command)
    return json.loads(printed[printed.index("["):])


def look(kind, stopped):
    """All that the standard's routines tell; STOPPED: thread 0 is at the mark."""
    status = t.run("ompd status")
    t.like(status, "^library +" + LIBRARY, kind + ": the status names the library")
    t.like(status, "^tracking +on$", kind + ": and says that it is tracked")
    rows = t.threads()
    found = sorted((row["OMP"], row["State"]) for row in rows if row["OMP"] != "-")
    t.equal(found, TEAM, kind + ": threads")
    where = {row["OMP"]: row["Where"] for row in rows}
    t.like(where["2/4 \u00b7 0/2"], r"^nested \(\) at libomp\.c:\d+$", kind + ": where they are")
    facts = {fact["number"]: fact for fact in objects("ompd threads -json")
             if fact["level"] == 1}
    t.equal(sorted(facts), [0, 1, 3], kind + ": as objects")
    t.ok(facts[1]["wait_id"], kind + ": what the lock is")
    regions = objects("ompd parallel -json")
    t.equal([(region["size"], len(region["threads"])) for region in regions],
            [(4, 4), (2, 2)], kind + ": regions with their teams")
    t.equal([region["file"] and os.path.basename(region["file"]) for region in regions],
            ["libomp.c"] * 2, kind + ": where they were met")
    t.equal([region["function"] for region in regions], ["main", "nested"],
            kind + ": in which functions")
    inner = regions[1]["master"]
    t.equal([row["OMP"] for row in rows if row["Id"].strip("* ") == str(inner)],
            ["2/4 \u00b7 0/2"], kind + ": and by whom")
    tasks = objects("ompd tasks -json")
    t.equal([task["kind"] for task in tasks], ["explicit"], kind + ": the task")
    t.equal(tasks[0]["thread"], regions[0]["master"], kind + ": who runs it")
    kinds = sorted(str(task["kind"]) for task in objects("ompd tasks -all -json"))
    t.note(kinds)
    t.ok({"explicit", "initial", "implicit"} <= set(kinds), kind + ": all kinds of tasks")
    icvs = {icv["name"]: icv["value"] for icv in objects("ompd icvs -json %d" % inner)}
    t.note(icvs)
    t.equal([icvs.get(name) for name in ("team-size-var", "levels-var", "thread-num-var",
                                         "max-active-levels-var")], ["2", "2", "0", "3"],
            kind + ": control variables")
    t.like(t.run("ompd env"), "^OMP_DYNAMIC = false$", kind + ": settings")
    printed = t.run("ompd bt -all")
    t.note(printed)
    t.like(printed, r"continued in thread \d+, which encountered the region",
           kind + ": whole stacks")
    t.like(printed, r"^#\d+ +nested \(\) at .*\n.*#pragma omp parallel.*\n(.*continued.*\n)?"
           r"#\d+ +nested \(\) at .*\n#\d+ +main \(\) at ", kind + ": a body by its function")
    tree = t.run("ompd stacks")
    t.note(tree)
    t.like(tree, r"^5 threads$|^\d+ threads$", kind + ": stacks in a tree")
    t.ok(".omp_" not in printed + tree, kind + ": nothing of clang's own")
    if stopped:
        t.equal(int(gdb.parse_and_eval("$_omp_thread_num()")), 0, kind + ": a function")
        t.like(t.run("ompd thread 2.1"), r"2/4 \S 1/2", kind + ": a thread by its number")
        t.equal(int(gdb.parse_and_eval("$_omp_num_threads()")), 2, kind + ": its team")


t.run("set environment OMP_DEBUG enabled")
t.stop_at("here")
look("live", True)
core = os.path.join(t.scratch, "core.of.gdb")
t.run("generate-core-file " + core)
t.run("kill")
t.run("core-file " + core)
look("a core of gdb", False)
t.run("core-file")

core, reason = t.kernel_core("abort", OMP_DEBUG="enabled")
if core is None:
    t.skip("a core of the kernel", reason)
else:
    t.run("core-file " + core)
    look("a core of the kernel", False)
    t.run("core-file")

process = subprocess.Popen([t.program, "wait"], stdout=subprocess.PIPE, text=True,
                           env=dict(os.environ, OMP_DEBUG="enabled"))
while process.stdout.readline() not in ("ready\n", ""):
    pass
try:
    t.run("attach %d" % process.pid)
    look("attached", False)
    t.run("detach")
finally:
    process.kill()
    process.wait()

# An independent witness: what the two libraries say of the same stop.
t.run("file " + t.program)
t.stop_at("here")
told = {}
for library in (LIBRARY, ""):
    t.run("set ompd library " + library)
    printed = t.run("ompd threads")
    t.note(printed)
    objects = json.loads(t.run("ompd threads -json"))
    told[library] = {one["lwp"]: (one["path"], one["level"]) for one in objects
                     if one["path"]}
    regions = json.loads(t.run("ompd parallel -json"))
    told[library]["regions"] = sorted((one["size"], one["function"] or "") for one in regions)
t.equal(told[LIBRARY], told[""], "LLVM's library and ours say the same")
t.run("set ompd library " + LIBRARY)
t.run("kill")

t.run("file " + t.program)
t.run("unset environment OMP_DEBUG")
t.stop_at("here")
t.like(t.run("ompd status"), "^tracking +off$", "not tracked: the status")
t.like(t.error("ompd parallel") or "", 'type "set environment OMP_DEBUG enabled" before "run"',
       "not tracked: what to do")
t.equal({row["State"] for row in t.threads()} - {"not tracked", "not OpenMP"}, set(),
        "not tracked: no state is made up")
t.done()
