# SPDX-License-Identifier: MIT
"""A 32-bit program under the 64-bit gdb and library, live and as a core."""

import os
import re

import harness

if not os.environ.get("OMPD_SCRATCH") and harness.no_32_bit():
    harness.skip_all(harness.no_32_bit())

t = harness.begin(__file__, program="waits.c", flags="-m32")

t.run("set startup-with-shell off")  # a 64-bit shell cannot load the 32-bit hooks
hooks = os.path.join(t.stage, "lib/32/libompd-hooks.so")
t.equal(t.run("ompd on"), "The next run preloads %s with OMP_OMPD=on.\n" % hooks,
        "the hooks of the program's class are chosen")
t.stop_at("all_wait")

HELD = r", held by 1 \(0/6\) since waits\.c:\d+"
wanted = {
    "0/6": ("work", "-"),
    "1/6": ("wait critical", '"update"' + HELD),
    "2/6": ("wait critical", "unnamed" + HELD),
    "3/6": ("wait lock", "grid_lock" + HELD),
    "4/6": ("wait nest lock", r"table\.nest\[1\]" + HELD),
    "5/6": ("wait barrier", "explicit, 1 of 6 arrived"),
    "-": ("not OpenMP", "-"),
}


def check(kind):
    found = {r["OMP"]: (r["State"], r["Waits for"]) for r in t.threads()}
    t.ok(found.keys() == wanted.keys() and
         all(found[number][0] == state and re.fullmatch(what, found[number][1])
             for number, (state, what) in wanted.items()),
         "%s: every thread's state and what it waits for" % kind, found)
    t.like(t.run("ompd parallel"), r"6 threads: 1 3-7 +encountered by thread 1",
           "%s: the region" % kind)


for where in t.live_and_core():
    check("live" + where)
t.done()
