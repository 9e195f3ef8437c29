# SPDX-License-Identifier: MIT
"""ompd on and ompd off change the next run's environment, and exactly that."""

import harness

t = harness.begin(__file__, program="waits.c")

from ompd import target  # noqa: E402


def environment():
    return target.environment("LD_PRELOAD"), target.environment("OMP_OMPD")


t.equal(environment(), (None, None), "to begin with nothing is set")
t.equal(t.error("ompd off"), 'There is nothing to undo: "ompd on" was not used.',
        "off before on")
t.equal(t.run("ompd on"), "The next run preloads %s with OMP_OMPD=on.\n" % t.hooks,
        "on says what it did")
t.equal(environment(), (t.hooks, "on"), "and did it")
t.run("ompd on")
t.equal(environment(), (t.hooks, "on"), "twice is once")
t.like(t.run("ompd status"), r"next run +with hooks and tracking", "the status knows")
t.equal(t.run("ompd off"), "The next run goes without hooks.\n", "off says what it did")
t.equal(environment(), (None, None), "and did it")

t.run("set environment LD_PRELOAD = /lib/one.so:/lib/two.so")
t.run("set environment OMP_OMPD = off")
t.run("ompd on")
t.equal(environment(), (t.hooks + ":/lib/one.so:/lib/two.so", "on"),
        "what was preloaded stays behind the hooks")
t.run("ompd off")
t.equal(environment(), ("/lib/one.so:/lib/two.so", "off"), "and is alone again")
t.run("ompd on")
t.run("set environment LD_PRELOAD = %s:/lib/one.so:/lib/two.so:/lib/three.so" % t.hooks)
t.run("ompd off")
t.equal(environment(), ("/lib/one.so:/lib/two.so:/lib/three.so", "off"),
        "what the user added in between stays")
t.run("unset environment LD_PRELOAD")
t.run("unset environment OMP_OMPD")

# Hooks loaded but told not to record.
t.run("set environment LD_PRELOAD = " + t.hooks)
t.stop_at("all_wait")
printed = t.run("ompd threads")
t.note(printed)
rows = harness.table(printed)
t.equal({r["OMP"]: r["State"] for r in rows},
        {"0/6": "work", "1/6": "~wait critical", "2/6": "~wait critical", "3/6": "~wait lock",
         "4/6": "~wait nest lock", "5/6": "~wait barrier", "-": "not OpenMP"},
        "tracking off: what the runtime and the stacks tell")
t.ok(any(r.get("Where") == "anonymous () at " + t.mark("unnamed") for r in rows),
     "tracking off: places are known", printed)
t.like(t.run("ompd parallel"), r"^region +~compute \(\) .* 6 threads: ",
       "tracking off: the region")
t.like(t.run("ompd status"), r"^tracking +off: threads, teams, tasks and ICVs are known",
       "tracking off: the status")
t.run("kill")

t.run("unset environment LD_PRELOAD")
t.run("ompd on")
t.stop_at("all_wait")
t.equal({r["State"] for r in t.threads()} >= {"work", "wait critical"}, True,
        "on works for the run after it")
t.run("ompd off")
t.like(t.run("ompd status"), r"^tracking +on$", "off does not touch the process that runs")
t.stop_at("all_wait")
t.equal("~wait critical" in {r["State"] for r in t.threads()}, True,
        "but the next run goes without")

t.run("kill")
gdb.execute("file")
t.like(t.run("ompd on"), "preloads %s " % t.hooks, "before a program is named, its own class")
t.run("ompd off")

t.equal(t.error("ompd nonsense"), 'Undefined ompd command: "nonsense".  Try "help ompd".',
        "a command that does not exist")
for extra in ("threads", "parallel", "tasks", "env", "status", "on", "off"):
    t.equal(t.error("ompd %s 1" % extra), '"ompd %s" takes no argument.' % extra,
            "ompd %s with an argument" % extra)
t.done()
