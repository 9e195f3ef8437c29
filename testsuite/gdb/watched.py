# SPDX-License-Identifier: MIT
"""ompd why -watch stops the program without a signal that it could notice, whatever it does with
SIGINT and gdb is told to, and ends when it said."""

import harness

t = harness.begin(__file__, program="watched.c", timeout=300)
import os  # noqa: E402
import signal  # noqa: E402
import subprocess  # noqa: E402
import threading  # noqa: E402
import time  # noqa: E402

import gdb  # noqa: E402
import mi_client  # noqa: E402

LENGTH = 0.3
TOO_LONG = 30  # seconds, on a machine that is busy


def started(how):
    found = subprocess.Popen([t.program, how], stdin=subprocess.DEVNULL)
    harness.comes_to_rest(found.pid, 3)
    return found


def attached(how):
    found = started(how)
    t.run("attach %d" % found.pid)
    return found


def pending(process):
    """The masks of signals that are pending of it and of its threads."""
    masks = set()
    for thread in os.listdir("/proc/%d/task" % process):
        with open("/proc/%d/task/%s/status" % (process, thread), encoding="ascii") as stream:
            masks |= {int(line.split()[1], 16) for line in stream if "Pnd:" in line}
    return masks


def watch(length=LENGTH):
    """(the verdict's id, seconds that it took)"""
    before = time.monotonic()
    found = t.json("why -watch %s" % length)["verdicts"][0]["id"]
    return found, time.monotonic() - before


def handling():
    return t.run("info signals SIGSTOP") + t.run("info signals SIGINT")


def ends(process, what):
    """The program ends, as it does when it has noticed SIGUSR2 alone."""
    os.kill(process, signal.SIGUSR2)
    gdb.execute("continue", to_string=True)
    t.equal(int(gdb.parse_and_eval("$_exitcode")), 0, what + ": the program has noticed nothing")


t.run("handle SIGINT nostop noprint pass")
t.run("handle SIGUSR2 nostop noprint pass")
usual = handling()
for how in ("default", "handle", "block", "await", "receive"):
    for start in ("attached", "run"):
        what = "%s, %s" % (how, start)
        if start == "attached":
            process = attached(how)
        else:
            t.stop_at("works", "run " + how)
        pid = gdb.selected_inferior().pid
        verdict, seconds = watch()
        t.equal(verdict, "barrier-absent", what + ": a verdict")
        t.ok(LENGTH <= seconds < TOO_LONG, what + ": in time", seconds)
        t.equal((pending(pid), handling()), ({0}, usual), what + ": nothing is pending or set")
        ends(pid, what)
        if start == "attached":
            process.wait()

t.run("handle SIGSTOP nostop noprint pass")
own = handling()
process = attached("block")
t.equal(watch()[0], "barrier-absent", "where gdb is told not to stop for SIGSTOP")
t.equal(handling(), own, "which it is after that, too")
t.run("handle SIGSTOP stop print pass")

# Ctrl-C at the terminal, which the program blocks.
threading.Timer(1, os.kill, (process.pid, signal.SIGINT)).start()
found, took = watch(600)
t.ok(found == "barrier-absent" and took < 100, "Ctrl-C ends it where SIGINT is blocked", found, took)
gdb.execute("kill", to_string=True)
process.wait()

# Something else stops the program in the moment that it is to be stopped.
posted = []
post, gdb.post_event = gdb.post_event, posted.append


class Stop(gdb.Breakpoint):
    def stop(self):
        if not posted:
            return False
        posted.pop()()
        return True


for kept in ("off", "replay"):
    process = attached("default")
    t.run("set scheduler-locking " + kept)
    point = Stop(t.mark("works"))
    printed = t.run("ompd why -watch 0.05")
    t.ok("SIGSTOP" not in printed and pending(process.pid) == {0} and point.hit_count > 0,
         "no signal is left behind where a breakpoint is hit at the same time", printed,
         pending(process.pid))
    t.like(t.run("show scheduler-locking"), '"%s"' % kept, "scheduler-locking is as it was")
    point.delete()
    ends(process.pid, "a breakpoint at the same time")
    process.wait()
gdb.post_event = post

t.run("set non-stop on")
t.stop_at("works", "run default")
t.like(t.error("ompd why -watch 1"), "set non-stop off", "non-stop mode is refused in a sentence")
t.run("kill")
t.run("set non-stop off")

# A front end sees one stop, which is for no signal.
process = started("block")
session = mi_client.Session(t.scratch)
session.run("-target-attach %d" % process.pid)
stops = [line for line in session.run('-interpreter-exec console "ompd why -watch 0.2"')
         if line.startswith("*stopped")]
t.ok(len(stops) == 1 and 'signal-name="0"' in stops[0], "MI: one stop, for no signal", stops)
session.close()
process.kill()
process.wait()
t.done()
