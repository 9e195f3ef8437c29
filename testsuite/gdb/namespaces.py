# SPDX-License-Identifier: MIT
"""Processes of another pid namespace, as a container's are when they are seen from its host:
the kernel's ids that the process knows are not those that gdb knows."""

import os
import re
import shutil
import subprocess

import harness

t = harness.begin(__file__, program="waits.c")
import gdb  # noqa: E402

from gdb_openmp.core import caches  # noqa: E402
from gdb_openmp.host import thread_ids  # noqa: E402

STATES = {"0/6": "in pause", "1/6": "wait critical", "2/6": "wait critical", "3/6": "wait lock",
          "4/6": "wait nest lock", "5/6": "wait barrier", "-": "not OpenMP"}
UNSHARE = next((command for command in (["unshare", "-p", "-f", "--mount-proc"],
                                        ["unshare", "-Ur", "-p", "-f", "--mount-proc"])
                if shutil.which("unshare") and subprocess.run(
                    command + ["true"], stderr=subprocess.DEVNULL, check=False).returncode == 0),
               None)
SERVER = shutil.which("gdbserver")


def start(*command):
    """A program in a namespace of its own, that has come to where it holds its threads: what
    started it, and its process as it is seen from here."""
    outer = subprocess.Popen(UNSHARE + list(command) + [t.program, "hold"],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    t.equal(outer.stdout.readline(), b"holding\n", "the program holds its threads")
    with open("/proc/%d/task/%d/children" % (outer.pid, outer.pid), encoding="ascii") as stream:
        inner = int(stream.read().split()[0])
    harness.comes_to_rest(inner)
    return outer, inner


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


if UNSHARE is None:
    t.skip("another pid namespace", "unshare is not permitted here, or not installed")
for recorded in (False, True) if UNSHARE else ():
    kind = "hooked" if recorded else "unprepared"
    outer, pid = start(*[t.stage + "/bin/ompd-run"] if recorded else [])
    gdb.execute("attach %d" % pid, to_string=True)
    check(kind + ", live", pid)
    if not recorded:
        nobody_is_placed(kind + ", live")
    core = os.path.join(t.scratch, kind)
    t.run("gcore " + core)
    gdb.execute("detach", to_string=True)
    gdb.execute("file " + t.program)
    t.run("core-file " + core)
    check(kind + ", core", pid)
    t.run("core-file")
    if SERVER is None:
        t.skip(kind + ", gdbserver", "gdbserver is not installed")
    else:
        server = subprocess.Popen([SERVER, "--once", "--attach", "localhost:0", str(pid)],
                                  stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for line in server.stderr:
            port = re.search(rb"port (\d+)", line)
            if port:
                break
        t.run("target remote localhost:%d" % int(port.group(1)))
        check(kind + ", gdbserver", pid)
        gdb.execute("detach", to_string=True)
        server.stderr.close()
        server.wait()
    os.kill(pid, 9)
    outer.wait()
t.done()
