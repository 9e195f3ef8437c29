# SPDX-License-Identifier: MIT
"""A program that nobody prepared, stopped where the runtime is half way: at its first
instruction, while a team is made, inside fork, at its exit. Live, and each as a core that
the host reads, too."""

import harness

t = harness.begin(__file__, program="moments.c", timeout=300)
import os  # noqa: E402
import subprocess  # noqa: E402

import gdb  # noqa: E402

NOT_YET = "gdb sees no OpenMP runtime in this program yet: it has not got there, or it is " \
          "a core that was cut short."
HOST = os.path.join(os.environ["top_builddir"], "testsuite/host/ompd-host")
LIBRARY = os.path.join(t.stage, "lib/libompd-2.so")
cores = []


def rows():
    """(OMP, State) of each thread by gdb's number."""
    return [(r["OMP"], r["State"]) for r in t.threads() if "Id" in r]


def core(moment, threads):
    """Writes a core, to be looked at in the end."""
    path = os.path.join(t.scratch, "core-%d" % len(cores))
    t.run("generate-core-file " + path)
    cores.append((path, moment, threads, stack()))


def stack():
    """Addresses of the selected thread's frames, as gdb itself has them."""
    frame, found = gdb.newest_frame(), []
    while frame is not None:
        found.append(frame.pc())
        frame = frame.older()
    return found


t.run("starti")
found = t.threads()
t.equal([r.get("remark") for r in found][-1], NOT_YET, "first instruction: threads")
name = gdb.newest_frame().name()  # gdb may have no symbols of the dynamic linker
t.equal(found[0]["Where"].partition(" at ")[0], name + " ()" if name else "-",
        "first instruction: what it is in, not what it came from")
t.equal(t.error("ompd parallel"), NOT_YET, "first instruction: parallel")
t.like(t.run("ompd status"), "^runtime +none", "first instruction: status")
core("first instruction", None)

# One thread of the team after the other is made inside the runtime's team start.
t.run("break pthread_create")
for made in range(1, 4):
    t.run("continue")
    found = rows()
    t.equal(found[0], ("0/4", "~runtime"), "team start %d: the master is in the region" % made)
    t.ok(len(found) == made and
         all(row in (("%d/4" % n, "~runtime"), ("-", "idle"), ("-", "~starting"), ("-", "not OpenMP"),
                     ("?", "~starting"))
             for n, row in enumerate(found[1:], 1)),
         "team start %d: those that were made are in it, or not yet" % made, found)
    t.like(t.run("ompd parallel"), "^region .* 4 threads: 1.* encountered by thread 1$",
           "team start %d: the region" % made)
    core("team start %d" % made, found)
gdb.execute("delete")

t.run("set detach-on-fork off")
t.run("set schedule-multiple off")
t.run("catch fork")
t.run("continue")
t.equal(rows(), [("0/1", "~in fork")] + [("-", "idle")] * 3, "inside fork: the parent")
core("inside fork", rows())
gdb.execute("delete")
t.run("break " + t.mark("exit"))
t.run("set follow-fork-mode parent")
t.run("next")
child = [i for i in gdb.inferiors() if i.num != 1]
if t.ok(len(child) == 1, "gdb holds the child"):
    gdb.execute("inferior %d" % child[0].num, to_string=True)
    t.ok(gdb.newest_frame().name() != "main", "the child is still inside fork")
    t.equal(rows(), [("0/1", "~in fork")], "inside fork: the child has one thread")
    t.equal(t.error("ompd parallel"), None, "inside fork: the child's regions")
    core("the child inside fork", rows())
    t.stop_at("in_child", "continue")
    t.equal(rows(), [("0/1", "work")], "after fork: the child has one thread")
    t.run("detach")
    gdb.execute("inferior 1", to_string=True)

t.run("continue")
gdb.execute("delete")
t.run("break _exit")
t.run("continue")
t.equal(rows()[0], ("0/1", "work"), "after exit: the thread that exits")
t.ok(set(rows()[1:]) <= {("-", "idle"), ("-", "not OpenMP")}, "after exit: the others", rows())
t.like(t.run("ompd status"), "libgomp", "after exit: status")
core("after exit", rows())
t.run("kill")

for path, moment, threads, frames in cores:
    t.run("core-file " + path)
    if threads is None:
        t.equal([r.get("remark") for r in t.threads()][-1], NOT_YET, moment + ", core: threads")
    elif stack() != frames:
        # gdb 10, of a core that it wrote before the process went on to its end.
        t.skip(moment + ", core: threads as they were live", "gdb itself reads another stack")
    else:
        t.equal(rows(), threads, moment + ", core: threads as they were live")
    t.run("core-file")
    done = subprocess.run([HOST, "--lib", LIBRARY, path], capture_output=True, text=True,
                          timeout=60)
    t.ok(done.returncode in (0, 1) and len(done.stderr.splitlines()) <= 1,
         moment + ", core: the host answers, or says why not in a line",
         done.returncode, done.stderr)
t.done()
