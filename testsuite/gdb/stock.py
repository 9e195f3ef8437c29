# SPDX-License-Identifier: MIT
"""Programs that nobody prepared, on the stock libgomp: live, attached, and as cores."""

import os
import re

import harness

t = harness.begin(__file__, program="waits.c")
import gdb  # noqa: E402

TELL = "tracking +off: threads, teams, tasks and ICVs are known"


# Code of GCC 12 does not tell who has the lock.
GRID_LOCK = "grid_lock" + ", ~held by 1 (0/6)" * (harness.version_of(*harness.compiler_of(".c")) >= 16)


def wanted():
    return {
        "0/6": ("work", "-", "hold () at " + t.mark("all_wait")),
        "1/6": ("~wait critical", '"update", ~held by 1 (0/6)',
                "add_up () at " + t.mark("critical")),
        "2/6": ("~wait critical", "unnamed, ~held by 1 (0/6)",
                "anonymous () at " + t.mark("unnamed")),
        "3/6": ("~wait lock", GRID_LOCK, "compute () at " + t.mark("lock")),
        "4/6": ("~wait nest lock", "table.nest[1], held by 1 (0/6)",
                "compute () at " + t.mark("nest_lock")),
        "5/6": ("~wait barrier", "explicit, 1 of 6 arrived", "compute () at " + t.mark("barrier")),
        "-": ("not OpenMP", "-", "poll_net () at " + t.mark("net")),
    }


def told():
    """The same of the threads that there are."""
    return {r["OMP"]: (r["State"], r["Waits for"], r["Where"]) for r in t.threads()}


def check(kind):
    t.equal(told(), wanted(), kind + ": every thread, and what its stack tells")
    t.equal({r["level"] for r in t.json("threads")}, {1, None}, kind + ": levels")
    gdb.execute("set width 80")
    narrow = t.shown("ompd threads")
    gdb.execute("set width 0")
    t.ok(all(len(line) <= 80 for line in narrow.splitlines()), kind + ": eighty columns", narrow)
    printed = t.run("ompd parallel")
    t.like(printed, r"^region +~compute \(\) at %s +6 threads: 1 3-7 +encountered by thread 1$" %
           t.mark("region"), kind + ": the region, its place told from a stack")
    t.like(t.run("ompd status"), TELL, kind + ": the status says where this comes from")


t.stop_at("all_wait")
selected = gdb.selected_thread().num, gdb.selected_frame()
check("live")
t.equal((gdb.selected_thread().num, gdb.selected_frame()), selected,
        "what was selected stays selected")
core = t.become_core()
check("core")

# The machine has another libgomp: the same but for its build-id.
from gdb_openmp.host import inferiors  # noqa: E402
root = os.path.join(t.scratch, "root")
own = None
for objfile in gdb.current_progspace().objfiles():
    path = objfile.filename
    if path not in inferiors.libraries():
        continue
    place = root + path
    os.makedirs(os.path.dirname(place), exist_ok=True)
    if "libgomp" in path:
        own = objfile.build_id
        with open(path, "rb") as real, open(place, "wb") as other:
            other.write(real.read().replace(bytes.fromhex(own), b"\x5a" * (len(own) // 2)))
    else:
        os.symlink(path, place)
t.run("core-file")
t.run("set sysroot " + root)
t.run("core-file " + core)
SAID = r'^libgomp\.so\.1 of this core is not on this machine \(build-id %s\u2026\)\. Set "set ' \
    r'sysroot DIR" or "set solib-search-path DIR" to where it is\.$' % own[:8]
printed = t.noted("ompd threads")
t.like(printed, SAID, "another libgomp than the core's")
t.like(t.error("ompd parallel") or "", SAID, "which every command says")
t.run("core-file")
t.run("set sysroot /")
t.run("core-file " + core)
t.equal({r["OMP"] for r in harness.table(t.run("ompd threads"))}, set(wanted()),
        "with the right one all is well")
t.run("core-file")

# A program may call anything of its own as the hooks do their records.
gdb.execute("file " + t.build("waits.c", "alike", "-Wl,--defsym=ompd_hooks_root=main"))
t.stop_at("all_wait")
t.equal(told(), wanted(),
        "a symbol of the hooks in the program does not make it a runtime")
t.run("kill")

t.use("nested.c")
t.stop_at("deep")
printed = t.noted("ompd threads")
t.ok(any(" \u00b7 " in r["OMP"] for r in harness.table(printed)),
     "nested teams have paths", printed)
printed = t.noted("ompd parallel")
t.like(printed, r"\A *region +~main \(\) at %s +3 threads: 1-3 +encountered by thread 1\n" %
       t.mark("outer"), "and regions a tree, with the outer one, in which nobody is any more")
t.equal(set(re.findall(r"\u2500 region +(\S+ \(\) at \S+)", printed)),
        {"~relax () at " + t.mark("inner")}, "and the inner ones")
t.run("kill")
t.done()
