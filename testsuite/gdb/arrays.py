# SPDX-License-Identifier: MIT
"""Arrays in the body of a region: each thread's own has the bounds of that around and its own values,
and what is not in memory is not put there: nothing that is asked for executes the program."""

import re

import harness

t = harness.begin(__file__, program="arrays.c")
import gdb  # noqa: E402

COMMANDS = ("ompd threads", "ompd why", "bt", "ompd locals", "ompd print fixed",
            "ompd print copied", "ompd print common")


def rows(printed):
    """{name: (class, value)} of the body's variables."""
    body = printed.partition("\naround it")[0]
    return {name: (kind, value) for kind, name, value in
            re.findall(r"^  (\S+) +(\w+) = (.*)$", body, re.M)}


def started(level):
    """Stops both threads of a program of that LEVEL in the body."""
    t.use("arrays.c", "-" + level)
    t.stop_at("here")
    return min(thread.num for thread in gdb.selected_inferior().threads())


for level in ("O0", "Og", "O1", "O2"):
    first = started(level)
    allocates = gdb.Breakpoint("malloc")
    for number in (first, first + 1):
        t.run("thread %d" % number)
        where = gdb.selected_thread().ptid, gdb.selected_frame().pc()
        errors = [t.error(command) for command in COMMANDS]
        t.equal((gdb.selected_thread().ptid, gdb.selected_frame().pc()), where,
                "%s: thread %d is where it was" % (level, number))
        t.ok("Frame is invalid" not in str(errors), level + ": frames stay valid", errors)
    t.equal(allocates.hit_count, 0, level + ": the program has allocated nothing")
    allocates.delete()
    t.run("kill")

first = started("O0")
if not harness.CLANG:
    for number in (0, 1):
        t.run("thread %d" % (first + number))
        found = rows(t.noted("ompd locals"))
        t.equal((found["copied"], found["fixed"], found["common"][0]),
                (("firstprivate", "{0, %d, 20, 30}" % (11 + number)),
                 ("firstprivate", "{4, %d, 3, 4}" % (2 + number)), "shared"),
                "thread %d has its copies" % number)
    t.equal(t.noted("ompd print copied").splitlines(),
            ["thread 0:  {0, 11, 20, 30}", "thread 1:  {0, 12, 20, 30}"],
            "each thread's copy, by one command")
    t.like(t.run("ompd print common"), r"^threads 0-1:  {0, 10, 2\d, 3\d}\ncommon is that of sum \(\) "
           r"in thread %d\.$" % first, "what they share is that around")
t.run("kill")
t.done()
