# SPDX-License-Identifier: MIT
"""A process on gdbserver is known as well as one of gdb's own: each kind of wait, with the same
verdict; and where the server does not say what threads sleep on, a waiter still is one."""

import harness

t = harness.begin(__file__, timeout=400)
import os  # noqa: E402
import re  # noqa: E402
import shutil  # noqa: E402
import sys  # noqa: E402

import gdb  # noqa: E402

from gdb_openmp.host import registers  # noqa: E402

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../command"))
import same_facts  # noqa: E402

CERTAINTY = (None, "possible", "likely", "certain")
# Programs of ../why, and what their threads wait for.
CASES = (
    ("locks.c", "order", "lock"),
    ("locks.c", "orphan", "lock of all but one"),
    ("locks.c", "nested", "nest lock"),
    ("locks.c", "self", "critical section"),
    ("locks.c", "mixed", "mutex and critical section"),
    ("libc_locks.c", "writes", "read-write lock"),
    ("libc_locks.c", "pool", "condition variable"),
    ("barriers.c", "mismatch", "barrier and end of a region"),
    ("barriers.c", "joins", "thread that is joined"),
    ("barriers.c", "reads", "system call"),
    ("tasks.c", "detached", "taskwait"),
    ("tasks.c", "group", "taskgroup"),
    ("constructs.c", "doacross", "iteration"),
)
_PATHS = {}


def program(source):
    if source not in _PATHS:
        _PATHS[source] = t.build("../why/" + source, source.partition(".")[0])
    return _PATHS[source]


def look():
    """Rows of threads and verdicts, proposals but for what needs a process of this machine, how
    certain each verdict is, and what is not known: threads by the kernel's ids, and in proposals,
    which have the first of several that are alike, by how many, as gdb from 16 on numbers them
    otherwise than those of a server."""
    rows, why = t.json("threads"), t.json("why")
    for row in rows:  # what a descriptor is /proc says, of a process of this machine
        if (row["waits_for"] or "").startswith(("file descriptor ", "a pipe")):
            row["waits_for"] = "a pipe"
    if not harness.FROM_LAST:
        for row in rows:
            row["cpu_seconds"] = row["processor"] = None
        for verdict in why["verdicts"]:
            verdict["next"] = [one for one in verdict["next"] if "-watch" not in one]
        return rows, why["verdicts"], [one["certainty"] for one in why["verdicts"]], why["unknown"]
    ids = {str(row["id"]) for row in rows}
    proposals = [[["a thread" if word in ids else word for word in one.split()]
                  for one in verdict["next"] if "-watch" not in one] for verdict in why["verdicts"]]
    certainties = [verdict["certainty"] for verdict in why["verdicts"]]
    facts = {"threads": rows, "why": {"verdicts": why["verdicts"]}, "stacks": None}
    return same_facts.normal(facts), proposals, certainties, why["unknown"]


def remote(pid):
    t.run("target remote | gdbserver --once --attach - %d" % pid)


for source, how, what in CASES if shutil.which("gdbserver") else ():
    gdb.execute("file " + program(source), to_string=True)
    with t.attached(program(source), how, threads=2,
                    settings={"OMP_WAIT_POLICY": "passive"}) as process:
        here = look()
        t.run("detach")
        remote(process.pid)
        t.equal(look(), here, what)
        t.run("disconnect")

        numbers, registers._NUMBERS = registers._NUMBERS, {}  # of which no server says orig_rax
        remote(process.pid)
        *_, certainties, unknown = look()
        printed = t.run("ompd why")
        t.ok(not re.search(r"\bworks?\b", printed) and
             CERTAINTY.index(certainties[0]) <= CERTAINTY.index(here[2][0]),
             what + ": who waits, or may, does not work, and nothing is more certain", printed)
        if how == "order" and not harness.CLANG:
            t.like(printed, r"\[possible\]\n  1-2  ~want an unknown lock  at locks\.c:",
                   what + ": one that is not known")
            t.ok("which locks are waited for could not be read" in unknown, "and JSON says so")
        registers._NUMBERS = numbers
        t.run("disconnect")
if not shutil.which("gdbserver"):
    t.skip("gdbserver", "it is not installed")
t.done()
