#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The host's answers, by both versions of the interface, against what a parked program knows
of itself, field by field: on the live process, on a core that gdb wrote of it, and on the
core that the kernel wrote. Where both versions can say a thing they say the same."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hosttest import PARK, Tap, build_32, host, host_json, looks, scratch

CONSTRUCTS = ("work", "critical", "unnamed", "lock", "nest_lock", "atomic", "barrier",
              "end", "ordered", "taskwait", "taskgroup", "nested", "serial", "icvs", "icvs_final",
              "depend")


class Comparison:
    """Collects what differs between a program's word and the host's answers."""

    def __init__(self, truth, said):
        self.faults = []
        self.truth = truth
        self.abi = said["abi"]
        self.threads = {t["lwp"]: t for t in said["threads"]}
        self.regions = {r["id"]: r for r in said["regions"]}
        self.tasks = {t["id"]: t for t in said["tasks"]}
        if len(self.threads) != len(said["threads"]):
            self.faults.append("a thread is listed twice")
        if said["pid"] != truth["pid"]:
            self.faults.append("pid %s instead of %s" % (said["pid"], truth["pid"]))
        # It knows the C library of its own class only.
        if said["thread_db"] != (said["word_size"] == 8):
            self.faults.append("libthread_db: %s" % said["thread_db"])
        expected = {t["lwp"] for t in truth["threads"]} | {truth["monitor"]}
        if set(self.threads) != expected:
            self.faults.append("threads %s instead of %s" %
                               (sorted(self.threads), sorted(expected)))
            return
        if self.threads[truth["monitor"]]["openmp"]:
            self.faults.append("the monitor is no OpenMP thread")
        for t in truth["threads"]:
            self.thread(t, self.threads[t["lwp"]])
        for region in said["regions"]:
            self.region(region)
        if truth["construct"] == "nested":
            self.nesting()

    def same(self, who, what, got, expected):
        if got != expected:
            self.faults.append("thread %d: %s is %r, not %r" % (who["lwp"], what, got,
                                                                expected))

    def thread(self, truth, said):
        if not said["openmp"]:
            self.faults.append("thread %d is not known as OpenMP's" % truth["lwp"])
            return
        self.same(truth, "pthread", said["pthread"], truth["pthread"])
        state = truth["state"]
        if self.abi == 5:
            name = said["state_name"].replace("ompt_state_", "").replace("_", " ")
            self.same(truth, "name of its state", name, said["state"] + " parallel" * (
                said["state"] == "wait barrier implicit"))  # that of a region, here
            if state == "wait nest lock":
                truth = dict(truth, state="wait lock")  # OpenMP 5.x has one word for both
        if state == "wait barrier":
            # The runtime's entry point is the same for a barrier that is written and one
            # that is implied by a construct inside the region.
            if said["state"] not in ("wait barrier", "wait barrier explicit"):
                self.same(truth, "state", said["state"], truth["state"])
        else:
            self.same(truth, "state", said["state"], truth["state"])
        if truth["state"] == "idle":
            self.same(truth, "region", said["region"], "unavailable")
            self.same(truth, "task", said["task"], "unavailable")
            return
        task = self.tasks.get(said["task"])
        if not task:
            self.faults.append("thread %d has no task" % truth["lwp"])
            return
        self.same(truth, "number", said["num"], truth["num"])
        self.same(truth, "level", task["level"], truth["level"])
        self.same(truth, "active level", task["active_level"], truth["active_level"])
        self.same(truth, "implicit", task["implicit"], 1 - truth["explicit_task"])
        if truth["level"] == 0:
            self.same(truth, "region", said["region"], "unavailable")
            self.same(truth, "parent task", task["parent"], "unavailable")
            self.same(truth, "task function", task["function"], "unavailable")
        else:
            self.inside(truth, said, task)
        self.wait(truth, said)

    def inside(self, truth, said, task):
        region = self.regions.get(said["region"])
        if not region:
            self.faults.append("thread %d has no region" % truth["lwp"])
            return
        self.same(truth, "team size", region["size"], truth["team"])
        self.same(truth, "region of its task", task["region"], region["id"])
        self.same(truth, "file", task.get("file"), "park.c")
        self.same(truth, "line", task.get("line"), truth["line"])
        if "_omp_fn" not in task.get("function_name", ""):
            self.faults.append("task function is %s" % task.get("function_name"))
        if truth["lwp"] not in region["members"]:
            self.faults.append("thread %d is no member of its region" % truth["lwp"])
        elif region["members"].index(truth["lwp"]) != truth["num"]:
            self.faults.append("thread %d is not member %d" % (truth["lwp"], truth["num"]))
        if truth["num"] == 0:
            self.same(truth, "master", region["master"], truth["lwp"])
        if truth["explicit_task"]:
            parent = self.tasks.get(task["parent"], {})
            self.same(truth, "implicit parent", parent.get("implicit"), 1)
            self.same(truth, "parent's region", parent.get("region"), region["id"])
        else:
            self.same(truth, "its implicit task",
                      region["tasks"][truth["num"]], task["id"])
            self.same(truth, "function", task["function"], region["function"])
        # The frame that called the outlined function lies just above that function's.
        if truth["state"] == "wait barrier implicit":
            self.same(truth, "exit frame", task["exit_frame"], 0)
        elif truth["cfa"] and not 0 < task["exit_frame"] - truth["cfa"] < 1024:
            self.faults.append("thread %d: exit frame %x, outlined function's %x" %
                               (truth["lwp"], task["exit_frame"], truth["cfa"]))

    def wait(self, truth, said):
        state = truth["state"]
        if "wait" not in state:
            self.same(truth, "wait id", said["wait_id"], 0)
        elif "barrier" in state or "ordered" in state:
            self.same(truth, "wait id", said["wait_id"], said["region"])
        elif "task" in state:
            self.same(truth, "wait id", said["wait_id"], said["task"])
        elif truth["wait"] > 1:
            self.same(truth, "wait id", said["wait_id"], truth["wait"])
        elif not said["wait_id"]:
            self.faults.append("thread %d waits for nothing" % truth["lwp"])
        if self.truth["construct"] == "critical" and "critical" in state:
            self.same(truth, "name", said["waits_for"], '"update"')
        if self.truth["construct"] == "lock" and state == "wait lock":
            self.same(truth, "name", said["waits_for"], "lock")

    def region(self, region):
        if region["master"] not in self.threads:
            self.faults.append("region %s has no master" % region["id"])
        if len(region["members"]) != region["size"]:
            self.faults.append("region %s of %s threads has members %s" %
                               (region["id"], region["size"], region["members"]))
        if region["parent"] == "unavailable":
            return
        if region["parent"] not in self.regions:
            self.faults.append("region %s: parent %s" % (region["id"], region["parent"]))

    def nesting(self):
        outer = {}
        for t in self.truth["threads"]:
            region = self.regions.get(self.threads[t["lwp"]]["region"], {})
            parent = self.regions.get(region.get("parent"), {})
            self.same(t, "outer team size", parent.get("size"), t["outer_team"])
            outer.setdefault(t["outer_num"], set()).add(region.get("id"))
            if parent and parent["members"][t["outer_num"]] != region["master"]:
                self.faults.append("region %s was not met by outer thread %d" %
                                   (region["id"], t["outer_num"]))
        if sorted(map(len, outer.values())) != [1, 1] or len(set.union(*outer.values())) != 2:
            self.faults.append("inner regions by outer thread: %s" % outer)


def number(value):
    return value["number"]


def known_by_both(said):
    """What both versions of the interface can say, in words that are the same for both."""
    result = {"settings": said["settings"]}
    for thread in said["threads"]:
        entry = {key: thread.get(key) for key in
                 ("openmp", "pthread", "state", "wait_id", "num", "region", "task",
                  "waits_for")}
        if entry["state"] == "wait nest lock":
            entry["state"] = "wait lock"
        result["thread %d" % thread["lwp"]] = entry
    for kind in ("region", "task"):
        for thing in said[kind + "s"]:
            result["%s %s" % (kind, thing["id"])] = {
                key: value for key, value in thing.items() if key != "handle"}
    icvs = said["icvs"]
    for lwp, values in icvs["thread"].items():
        result["ICVs of thread %s" % lwp] = {"thread-num-var":
                                             values["thread-num-var"]["text"]}
    for region, values in icvs["region"].items():
        result["ICVs of region %s" % region] = {"team-size-var":
                                                number(values["team-size-var"])}
    for task, values in icvs["task"].items():
        entry = {name: values[name]["text"] for name in
                 ("dyn-var", "run-sched-var", "implicit-task-var", "final-task-var")}
        # Lists: the report knows the first item only.
        entry.update({name: number(values[name]) for name in ("nthreads-var", "bind-var")})
        result["ICVs of task %s" % task] = entry
    result["num-procs-var"] = number(icvs["process"]["0"]["num-procs-var"])
    # One belongs to the thread in the report and to the task in OpenMP 5.x.
    for thread in said["threads"]:
        task = str(thread.get("task"))
        if task in icvs["task"]:
            values = icvs["thread" if said["abi"] == 2 else "task"]
            key = str(thread["lwp"]) if said["abi"] == 2 else task
            result["max active levels of thread %d" % thread["lwp"]] = number(
                values[key]["max-active-levels-var"])
    return result


def differences(two, five):
    mine, other = known_by_both(two), known_by_both(five)
    return ["%s: %s in 5.x, %s in 2.000" % (what, other.get(what), mine.get(what))
            for what in sorted(mine.keys() | other.keys())
            if mine.get(what) != other.get(what)]


def check(tap, text, target, reason, truth):
    """Both versions, each against the truth and both against each other."""
    if target is None:
        tap.skip(text, reason)
        return
    answers = {}
    for abi in (2, 5):
        answers[abi], faults = host_json(target, abi)
        if answers[abi]:
            faults = Comparison(truth, answers[abi]).faults
            if answers[abi]["counts"]["symbols"] != answers[abi]["counts"]["opening_symbols"]:
                faults.append("symbols were looked up after process_initialize")
        tap.case(faults, "%s, by version %d" % (text, abi))
    faults = differences(answers[2], answers[5]) if all(answers.values()) else ["no answers"]
    tap.case(faults, "%s, both versions agree" % text)


def check_32(tap, constructs):
    """The same for programs of 32 bits, under this host and libraries of 64."""
    with scratch() as home:
        program, reason = build_32(home)
        for construct in constructs:
            text = construct + " with 32 bits: "
            if not program:
                tap.skip(text, reason)
                continue
            for what, *look in looks(construct, program):
                check(tap, text + what, *look)


def check_started(tap):
    """A program that the host starts itself."""
    for abi in (2, 5):
        status, out, messages = host("--abi", abi, "--after", 1, "--", PARK, "work")
        said = json.loads(out) if status == 0 else {"threads": []}
        states = sorted(t.get("state", "") for t in said["threads"])
        faults = [] if states == [""] + 4 * ["work parallel"] else [messages, str(states)]
        tap.case(faults, "a program that the host starts, by version %d" % abi)
    status, _, messages = host("--after", 5, "--", "false")
    tap.case([] if status == 1 and "ended with status 1" in messages else [messages],
             "one that ends at once")
    status, _, messages = host("--", "/nonexistent")
    tap.case([] if status == 1 and "ended with status" in messages else [messages],
             "one that does not exist")


def main():
    tap = Tap()
    for construct in sys.argv[1:] or CONSTRUCTS:
        for what, *look in looks(construct, by_gdb=True):
            check(tap, construct + ": " + what, *look)
    check_started(tap)
    check_32(tap, sys.argv[1:] or CONSTRUCTS)
    tap.end()


main()
