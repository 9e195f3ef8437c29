# SPDX-License-Identifier: MIT
"""Orders of locks that may deadlock, of a run that has not, and those that may not: by doctor in gdb and on
the shell, live and in a core, where OMP_OMPD=orders has recorded them."""

import harness

t = harness.begin(__file__, program="lock_orders.c", timeout=240)
import json  # noqa: E402
import os  # noqa: E402
import subprocess  # noqa: E402

import gdb  # noqa: E402

STAGE = os.environ["stage"]
PROGRAM = gdb.current_progspace().filename
MAY = {"lock a at %(both)s with lock b held, lock b at %(both)s with lock a held",
       "lock c at %(both)s with lock e held, lock d at %(both)s with lock c held, "
       "lock e at %(both)s with lock d held",
       "critical unnamed at %(section)s with nest lock nest held, "
       "nest lock nest at %(inside)s with critical unnamed held"}
PLACES = {mark: "lock_orders.c:%d" % t.line(mark) for mark in ("both", "section", "inside")}


def orders(answer):
    """The check of an ANSWER, its cycles as sets of acquisitions."""
    check = next((one for one in json.loads(answer)["checks"] if one["id"] == "lock-orders"), None)
    if check is None or check["outcome"] != "found":
        return check and (check["outcome"], check["sentence"])
    return {frozenset(one[len("may deadlock: "):].split(", ")) for one in check["sentence"].split("; ")}


FOUND = {frozenset((words % PLACES).split(", ")) for words in MAY}
UNSEEN = ("unknown", "releases of LLVM's runtime are not recorded")
for how, settings, wanted in (("bad", "orders", FOUND), ("good", "orders", ("passed", None)),
                              ("bad", "history+orders", FOUND), ("bad", "on", None)):
    with t.attached(os.path.join(STAGE, "bin/ompd-run"), PROGRAM, how, says=b"asleep",
                    settings={"OMP_OMPD": settings}) as process:
        name = "%s with %s" % (how, settings)
        for kind in t.live_and_core():
            t.equal(orders(t.run("ompd doctor -json")), UNSEEN if harness.CLANG and wanted else wanted,
                    name + kind)
            core = os.path.join(t.scratch, "core")
            if kind and how == "bad" and settings == "orders":
                printed = subprocess.run([os.path.join(STAGE, "bin/ompd"), "doctor", "-json", core],
                                         stdout=subprocess.PIPE, universal_newlines=True, check=False).stdout
                t.equal(orders(printed), UNSEEN if harness.CLANG else FOUND, name + kind + ", on the shell")
t.done()
