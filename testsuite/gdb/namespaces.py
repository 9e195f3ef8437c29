# SPDX-License-Identifier: MIT
"""Processes of another pid namespace, as a container's are when they are seen from its host:
the kernel's ids that the process knows are not those that gdb knows."""

import json
import os
import re
import shutil
import subprocess

import harness

t = harness.begin(__file__, program="waits.c")
import gdb  # noqa: E402

from openmp_inspect.core import caches  # noqa: E402
from gdb_openmp.host import inferiors, thread_ids  # noqa: E402

STATES = {"0/6": "in pause", "1/6": "wait critical", "2/6": "wait critical", "3/6": "wait lock",
          "4/6": "wait nest lock", "5/6": "wait barrier", "-": "not OpenMP"}
UNSHARE = next((command for command in (["unshare", "-p", "-f", "--mount-proc"],
                                        ["unshare", "-Ur", "-p", "-f", "--mount-proc"])
                if shutil.which("unshare") and subprocess.run(
                    command + ["true"], stderr=subprocess.DEVNULL, check=False).returncode == 0),
               None)
SERVER = shutil.which("gdbserver")
TRANSFER = t.build("../../examples/transfer.c")
LOCKS = t.build("../why/locks.c")
LIBC_LOCKS = t.build("../why/libc_locks.c")


def start(recorded, program, how):
    """A program in a namespace of its own, that has come to where it stays: what started it, and
    its process as it is seen from here."""
    command = [t.stage + "/bin/ompd-run"] if recorded else []
    outer = subprocess.Popen(UNSHARE + command + [program, how],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    if how == "hold":
        t.equal(outer.stdout.readline(), b"holding\n", "the program holds its threads")
    inner = harness.that_runs(outer.pid, os.path.basename(program))
    harness.comes_to_rest(inner)
    return outer, inner


def attach(pid):
    """Attaches gdb, which an ordinary user may not have enter the namespace of files: then it is said
    what to type."""
    gdb.execute("attach %d" % pid, to_string=True)
    found = re.search(r'Type "(set sysroot /proc/%d/root)"' % pid, t.run("ompd threads"))
    if found:
        t.run(found.group(1))


def check(kind, pid):
    rows = [row for row in t.threads() if "OMP" in row]
    t.note(t.run("ompd threads"))
    t.equal({row["OMP"]: row["State"].lstrip("~") for row in rows}, STATES,
            kind + ": every thread has its number, and none is listed twice")
    t.equal(len(rows), 7, kind + ": as many as there are")
    numbers = {}
    for row in rows:
        t.run("thread " + row["Id"].lstrip("* "))
        numbers[row["OMP"]] = int(gdb.parse_and_eval("$_omp_thread_num()"))
        if row["OMP"] == "0/6":
            t.equal(gdb.selected_thread().ptid[1] or gdb.selected_thread().ptid[2], pid,
                    kind + ": under the id that gdb knows")
    t.equal(numbers, {path: int(path[0]) if path != "-" else 0 for path in STATES},
            kind + ": $_omp_thread_num()")
    t.like(t.run("ompd parallel"), r" 6 threads: [-\d ]+ encountered by thread \d$",
           kind + ": the region")


def nobody_is_placed(kind):
    """Without any evidence of who is who nothing is told of a thread."""
    kept, thread_ids._found = thread_ids._found, lambda *_: (False, False, None)
    caches.forget_code()
    rows = [row for row in t.threads() if "OMP" in row]
    t.equal({(row["OMP"], row["State"]) for row in rows}, {("?", "?")},
            kind + ": threads that cannot be placed")
    t.equal(len(rows), 7, kind + ": are not listed twice")
    for name in "thread_num", "num_threads", "level", "in_parallel", "task":
        t.equal(gdb.parse_and_eval("$_omp_%s()" % name).type.code, gdb.TYPE_CODE_VOID,
                "%s: $_omp_%s() of one is void" % (kind, name))
    t.equal(gdb.parse_and_eval("$_omp_state()").string(), "?", kind + ": and so is its state")
    thread_ids._found = kept
    caches.forget_code()


def elsewhere(kind, program, outer, pid, look):
    """The same of its core, which is made here, and over gdbserver, where libc's locks are not
    read; then it ends."""
    core = os.path.join(t.scratch, "core")
    t.run("gcore " + core)
    gdb.execute("detach", to_string=True)
    gdb.execute("file " + program)
    t.run("core-file " + core)
    look(kind + ", core", pid)
    t.run("core-file")
    if program in (LOCKS, LIBC_LOCKS):
        pass
    elif SERVER is None:
        t.skip(kind + ", gdbserver", "gdbserver is not installed")
    else:
        server = subprocess.Popen([SERVER, "--once", "--attach", "localhost:0", str(pid)],
                                  stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for line in server.stderr:
            port = re.search(rb"port (\d+)", line)
            if port:
                break
        t.run("target remote localhost:%d" % int(port.group(1)))
        look(kind + ", gdbserver", pid)
        gdb.execute("detach", to_string=True)
        server.stderr.close()
        server.wait()
    os.kill(pid, 9)
    outer.wait()


if UNSHARE is None:
    t.skip("another pid namespace", "unshare is not permitted here, or not installed")
for recorded in (False, True) if UNSHARE else ():
    kind = "hooked" if recorded else "unprepared"
    outer, pid = start(recorded, t.program, "hold")
    attach(pid)
    check(kind + ", live", pid)
    if not recorded:
        nobody_is_placed(kind + ", live")
    elsewhere(kind, t.program, outer, pid, check)


def why(*words):
    return json.loads(t.run("ompd why -json " + " ".join(words)))["verdicts"]


def is_said(wanted):
    """Looks that want this of the first verdict: its id, certainty and threads."""
    def look(kind, _pid):
        t.note(t.run("ompd why"))
        t.equal([(one["id"], one["certainty"], one["threads"]) for one in why()[:1]], wanted, kind)
    return look


def no_thread_has_ended(kind):
    """Nor, without that evidence, that a thread has ended whose id nobody has here."""
    kept, thread_ids._found = thread_ids._found, lambda *_: (False, False, inferiors.lwp)
    caches.forget_code()
    said = t.run("ompd why -all")
    t.ok(not re.search(r"\d\)? +~?holds |ended", said), kind + ": who holds it is not known", said)
    thread_ids._found = kept
    caches.forget_code()


for program, how, recorded, wanted in (
        (TRANSFER, "hang", True, [("lock-cycle", "certain", [1, 2])]),
        (LOCKS, "mixed", False, [("lock-cycle", "likely", [1, 2])]),
        (LOCKS, "mixed", True, [("lock-cycle", "certain", [1, 2])]),
        (LIBC_LOCKS, "robust", False,
         [("lock-holder-waits", "certain", [1, 2])])) if UNSHARE else ():
    kind = "%s, %s" % (how, "hooked" if recorded else "unprepared")
    outer, pid = start(recorded, program, how)
    gdb.execute("attach %d" % pid, to_string=True)
    is_said(wanted)(kind + ", live", pid)
    no_thread_has_ended(kind)
    elsewhere(kind, program, outer, pid, is_said(wanted))

# A mutex that another process of the same namespace has: by which id gdb attaches to that.
if UNSHARE:
    outer, pid = start(False, LIBC_LOCKS, "elsewhere")
    gdb.execute("attach %d" % pid, to_string=True)
    said = t.run("ompd why")
    with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as stream:
        t.like(said, r"(?m)^  next +gdb -p %s +it holds " % stream.read().split()[0],
               "a mutex of another process")
    gdb.execute("detach", to_string=True)
    os.kill(pid, 9)
    outer.wait()
t.done()
