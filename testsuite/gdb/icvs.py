# SPDX-License-Identifier: MIT
"""Control variables: of threads, of the process, and those that the environment set."""

import json
import os
import re

import harness

t = harness.begin(__file__, program="nested.c")
import gdb  # noqa: E402


def of(name, command="ompd icvs -json"):
    """The values of a variable, with the threads that have them."""
    return [(row["value"], row["threads"]) for row in json.loads(t.run(command))
            if row["name"] == name]


def looked_at(kind, recorded):
    printed = t.noted("ompd icvs")
    t.like(printed, r"^nthreads-var +3 +threads of the next region$", kind + ": in words")
    gdb.execute("set width 80")
    shown = t.shown("ompd icvs")
    gdb.execute("set width 0")
    t.ok(all(len(line) <= 80 for line in shown.splitlines()), kind + ": eighty columns", shown)
    meanings = [line for line in shown.splitlines() if re.match(r"\S+ +\S+ {2,}\S", line)]
    start = len(re.search(r"^dyn-var +false +", shown, re.M).group())
    t.ok(len(meanings) > 9 and all(line[start - 2:start] == "  " and line[start] != " "
                                    for line in meanings), kind + ": which are kept", shown)
    if recorded and not harness.CLANG:
        t.like(shown, r"^affinity-format-var +a format of more than twenty-two letters\n {%d}how "
               r"affinity is shown$" % start, kind + ": a long value has a line of its own")
    t.equal(of("levels-var")[0][0], "2", kind + ": of the selected thread")
    printed = t.noted("ompd icvs -all")
    t.like(printed, r"^nthreads-var +3 +threads 1-5$", kind + ": equal values merged")
    t.equal(len(of("thread-num-var", "ompd icvs -all -json")), 2,
            kind + ": different ones apart")
    t.equal(sorted(sum((who for _value, who in of("team-size-var", "ompd icvs -all -json")),
                       [])), [1, 2, 3, 4, 5], kind + ": each thread once")
    changed = t.noted("ompd icvs -changed")
    t.like(changed, r"^run-sched-var +guided,4 ", kind + ": what the environment changed")
    if recorded or t.has("omp_fulfill_event"):
        t.like(changed, r"^max-active-levels-var +3 ", kind + ": what the program changed")
    else:
        t.skip(kind + ": what the program changed", "libgomp before GCC 11 has one "
               "max-active-levels-var for all tasks, behind no name")
    t.like(changed, r"^nthreads-var +3 +threads of the next region( \(default: the number of "
           r"processors\))?$", kind + ": the number of threads")
    t.equal(bool(re.search("^wait-policy-var +active ", changed, re.M)), harness.CLANG,
            kind + ": how threads wait in these tests")
    t.ok(not re.search(r"^(levels|dyn|thread-limit)-var ", changed, re.M),
         kind + ": and nothing else", changed)
    if recorded and not harness.CLANG:
        printed = t.run("ompd env")
        t.like(printed, r"^OMP_SCHEDULE = guided,4$", kind + ": a control variable")
        t.equal(t.json("env")["OMP_NUM_THREADS"], "3", kind + ": as an object")
        printed = t.noted("ompd env -changed")
        t.like(printed, r"^OMP_NUM_THREADS = 3( \(default: the number of processors\))?$",
               kind + ": those that differ from the default")
        t.equal(sorted(t.json("env -changed").items()), CHANGED, kind + ": all of them and no other")
    else:
        said = t.json("env")
        t.equal(said["OMP_WAIT_POLICY"], POLICY, kind + ": what the environment has")
        t.ok(all(re.match("(G?OMP|KMP)_", name) for name in said), kind + ": for OpenMP", said)
        said = t.json("env -changed")
        t.equal(sorted(said.items()), CHANGED[1:] + [("OMP_WAIT_POLICY", POLICY)] * harness.CLANG,
                kind + ": of that what differs from the default")


POLICY = os.environ["OMP_WAIT_POLICY"]
CHANGED = [("GOMP_SPINCOUNT", "0"),
           ("OMP_AFFINITY_FORMAT", "a format of more than twenty-two letters"),
           ("OMP_NUM_THREADS", "3"), ("OMP_SCHEDULE", "guided,4")]
for variable, value in CHANGED[1:]:
    t.run("set environment %s = %s" % (variable, value))
for prepared, word in t.both_ways():
    t.stop_at("deep")
    if prepared:
        t.equal(t.error("ompd icvs 99"), 'There is no thread 99.',
                "no such thread")
        t.equal(t.error("ompd icvs 1 -all"), '"ompd icvs" takes a thread or "-all", not both.',
                "too much")
        t.equal(of("thread-num-var", "ompd icvs 1 -json"), [("0", [1])], "of another thread")
    for where in t.live_and_core():
        looked_at(word + where, prepared)

t.run("set environment OMP_SCHEDULE = dynamic")
for variable, _ in CHANGED[1:]:
    if variable != "OMP_SCHEDULE":
        t.run("unset environment " + variable)
t.run("ompd on")
t.stop_at("call")
if not harness.CLANG:  # whose defaults are others
    t.equal(t.run("ompd icvs -changed"), "No setting differs from its default.\n",
            "nothing was changed")
    t.equal(t.run("ompd env -changed"), "GOMP_SPINCOUNT = 0\n",
            "nor a variable, but for what follows from the wait policy of these tests")
status = t.json("status")
t.equal(status["tracking"], "on", "the status as an object")
t.equal(status["library"][0], t.stage + "/lib/libompd.so", "with its library")
t.equal(t.json("parallel"), [], "no region")
t.run("kill")
t.done()
