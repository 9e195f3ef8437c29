# SPDX-License-Identifier: MIT
"""A deadlock over locks that no constant names, in a program that nobody prepared: live,
attached, and as a core, with debug information and without."""

import re

import harness

t = harness.begin(__file__, program="stuck.c", timeout=120)
import gdb  # noqa: E402


# LLVM's runtime keeps the queues of its locks, and the team.
INFERRED = "" if harness.CLANG else "~"


def rows(kind):
    printed = t.run("ompd threads")
    t.note("%s:\n%s" % (kind, printed))
    return {r["OMP"]: r for r in harness.table(printed)}


def check(kind, found, first, second, ledger, inside="~in pause",
          barrier="explicit, 1 of 5 arrived"):
    if found["3/5"]["State"] == inside:  # either may have come first
        found["2/5"], found["3/5"] = found["3/5"], found["2/5"]
    lock, critical = INFERRED + "wait lock", INFERRED + "wait critical"
    for number, state, wanted in (("0/5", lock, second), ("1/5", lock, first),
                                  ("2/5", inside, "-"), ("3/5", critical, ledger)):
        row = found[number]
        # The code tells who is in the section, and who has acquired a lock.
        owner = r", ~held by \d \(%s/5\)" % {"0/5": "1", "1/5": "0", "3/5": "[23]"}[number] \
            if number != "2/5" else ""
        t.like("%(State)s %(Waits for)s" % row, "^%s %s%s$" % (state, re.escape(wanted), owner),
               "%s: what %s waits for" % (kind, number))
    if barrier:
        t.equal(found["4/5"]["Waits for"], barrier, kind + ": and who has arrived")


def attached(kind, names, region, barrier="explicit, 1 of 5 arrived"):
    with t.attached(t.program, says=b"stuck"):
        for where in t.live_and_core():
            check(kind + where, rows(kind + where), *names, barrier=barrier)
            t.like(t.run("ompd parallel"),
                   r"^region  %s +5 threads: .* encountered by thread \d$" % region,
                   kind + where + ": the region")


NAMES = "accounts[0].lock", "accounts[1].lock", '"ledger"'

t.stop_at("inside")
found = rows("live")
check("live, one just let in", found, *NAMES, inside="work", barrier=None)
t.equal(found["2/5"]["Where"], "book () at " + t.mark("inside"), "who is in it waits no more")
t.equal(found["3/5"]["Where"], "book () at " + t.mark("ledger"), "the other one does")
t.run("kill")

attached("as built", NAMES, INFERRED + r"main \(\) at " + t.mark("region"))
t.program = t.build("stuck.c", "nameless", "-g0")
gdb.execute("file " + t.program)
# What clang makes of a body has no function's name; the end of a loop would be the same call.
attached("without debug information", ("accounts+8", "accounts+24", '"ledger"'),
         r"<body of an OpenMP construct> \(\)" if harness.CLANG else r"~main \(\)",
         "1 of 5 arrived")
t.done()
