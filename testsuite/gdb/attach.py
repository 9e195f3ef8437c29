# SPDX-License-Identifier: MIT
"""A process started by ompd-run, found later by attaching to it."""

import harness

t = harness.begin(__file__, program="waits.c")
import gdb  # noqa: E402
import os  # noqa: E402
import subprocess  # noqa: E402
import time  # noqa: E402



def wait_until_quiet(pid):
    """Until every thread of the process sleeps, as its own program arranges."""
    for _ in range(300):
        try:
            states = [open("/proc/%d/task/%s/stat" % (pid, n)).read().rsplit(")")[1].split()[0]
                      for n in os.listdir("/proc/%d/task" % pid)]
        except OSError:
            states = []
        if len(states) == 7 and set(states) == {"S"}:
            return True
        time.sleep(0.05)
    return False


program = subprocess.Popen([t.stage + "/bin/ompd-run", t.program, "hold"],
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
t.ok(wait_until_quiet(program.pid), "the program waits")
gdb.execute("attach %d" % program.pid, to_string=True)
printed = t.run("ompd threads")
t.note(printed)
rows = {r["OMP"]: r for r in harness.table(printed)}
t.equal(sorted(rows), ["-", "0/6", "1/6", "2/6", "3/6", "4/6", "5/6"], "every thread is known")
t.equal(rows["1/6"]["Waits for"], 'critical "update"', "by what it waits for")
t.equal(rows["3/6"]["Waits for"], "grid_lock", "by name")
t.like(t.run("ompd parallel"), r"met by 1$", "its region is known")
t.like(t.run("ompd status"), r"^tracking +on$", "it records")

gdb.execute("detach", to_string=True)
t.equal(t.error("ompd threads"),
        'There is no process: type "run", attach to one, or open a core file first.',
        "after detach there is nothing to tell")
t.equal(program.poll(), None, "the program lives on")
gdb.execute("attach %d" % program.pid, to_string=True)
t.equal(t.run("ompd threads"), printed, "attached again, it tells the same")
gdb.execute("detach", to_string=True)
program.kill()
program.wait()

program = subprocess.Popen([t.program, "hold"], stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL)
t.ok(wait_until_quiet(program.pid), "the program waits without hooks")
gdb.execute("attach %d" % program.pid, to_string=True)
printed = t.run("ompd threads")
t.note(printed)
rows = harness.table(printed)
t.equal(len(rows), 8, "all threads are listed, and a remark")
t.equal(rows[-1].get("remark"),
        'This program runs without the OMPD hooks: type "ompd on" before "run", or start '
        "it with ompd-run.", "the remark says why no more is known")
t.ok(any(r.get("Where") == "add_up () at " + t.mark("critical") for r in rows),
     "where they are is known", printed)
t.equal(t.error("ompd on"), 'This process was started without the hooks: "ompd on" takes '
        'effect at the next "run".', "ompd on cannot help a process that runs")
gdb.execute("detach", to_string=True)
program.kill()
program.wait()
t.done()
