#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ICVs and settings, by both versions of the interface, against what the program was told by
omp_get_*() and what its environment says: live and on the kernel's core."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hosttest import Tap, host_json, looks

SCHEDULES = {1: "static", 2: "dynamic", 3: "guided", 4: "auto"}
BINDS = ("false", "true", "primary", "close", "spread")
ALLOCATORS = (None, "omp_default_mem_alloc", "omp_large_cap_mem_alloc",
              "omp_const_mem_alloc", "omp_high_bw_mem_alloc")

# Two inner levels, so that lists have a second item outside of regions.
ENVIRONMENT = {
    # Not OMP_DYNAMIC: teams would be smaller than the program counts on.
    "OMP_NUM_THREADS": "4,2", "OMP_SCHEDULE": "dynamic,3", 
    "OMP_MAX_ACTIVE_LEVELS": "3", "OMP_PROC_BIND": "spread,close", "OMP_THREAD_LIMIT": "50",
    "OMP_DEFAULT_DEVICE": "2", "OMP_CANCELLATION": "true", "OMP_MAX_TASK_PRIORITY": "7",
    "OMP_WAIT_POLICY": "passive", "OMP_STACKSIZE": "3M", "OMP_NUM_TEAMS": "3",
    "OMP_TEAMS_THREAD_LIMIT": "5", "OMP_AFFINITY_FORMAT": "%n of \"%N\"",
    "OMP_ALLOCATOR": "omp_high_bw_mem_alloc", "OMP_DISPLAY_AFFINITY": "false",
    "OMP_TOOL": "disabled", "OMP_TOOL_LIBRARIES": "/nowhere/tool.so",
    "OMP_TOOL_VERBOSE_INIT": "stderr", "OMP_TARGET_OFFLOAD": "disabled",
}
# ICVs of the process in 5.x that follow from it.
FOLLOWS = {
    "affinity-format-var": "%n of \"%N\"", "nteams-var": "3", "teams-thread-limit-var": "5",
    "stacksize-var": str(3 << 20), "wait-policy-var": "passive",
    "display-affinity-var": "false", "tool-var": "disabled",
    "tool-libraries-var": "/nowhere/tool.so", "tool-verbose-init-var": "stderr",
    "target-offload-var": "disabled",
}


class Comparison:
    def __init__(self, truth, said, settings):
        self.faults = []
        self.said = said
        for t in truth["threads"]:
            thread = next((o for o in said["threads"] if o["lwp"] == t["lwp"]), {})
            if t["state"] == "idle":
                continue
            task = said["icvs"]["task"].get(str(thread.get("task")))
            region = said["icvs"]["region"].get(str(thread.get("region")))
            if not task or bool(region) != (t["level"] > 0):
                self.faults.append("thread %d has no task or no region" % t["lwp"])
                continue
            own = said["icvs"]["thread"][str(t["lwp"])]
            self.task(t, own, task)
            self.same(t, own, "thread-num-var", t["num"])
            if region:
                self.same(t, region, "team-size-var", t["team"])
        self.process(truth, said["icvs"]["process"]["0"], settings)

    def same(self, who, values, name, number, text=None):
        value = values.get(name, {"number": "not listed", "text": ""})
        text = str(number) if text is None else text
        if number is not None and value["number"] != number or value["text"] != text:
            self.faults.append("%s of %s is %s, not %s %r" %
                               (name, who["lwp"] if who else "the process", value, number,
                                text))

    def truth(self, who, values, name, number):
        self.same(who, values, name, number, "true" if number else "false")

    def task(self, t, own, task):
        if self.said["abi"] == 2:
            self.same(t, task, "levels-var", t["level"])
        self.truth(t, task, "dyn-var", t["dynamic"])
        self.truth(t, task, "final-task-var", t["in_final"])
        self.truth(t, task, "implicit-task-var", 1 - t["explicit_task"])
        words = SCHEDULES[t["schedule"]]
        if t["chunk"]:
            words += ",%d" % t["chunk"]
        if self.said["abi"] == 2:
            self.same(t, task, "run-sched-var", t["schedule"], words)
            self.same(t, task, "nthreads-var", t["max_threads"])
            self.same(t, task, "bind-var", t["bind"], BINDS[t["bind"]])
            self.truth(t, task, "in-parallel", t["in_parallel"])
            self.same(t, own, "max-active-levels-var", t["max_active_levels"])
            self.truth(t, task, "nest-var", int(t["max_active_levels"] > 1))
            return
        # A schedule with chunk is no number.
        self.same(t, task, "run-sched-var", "incompatible" if "," in words
                  else t["schedule"], words)
        self.list(t, task, "nthreads-var", t["max_threads"], str)
        self.list(t, task, "bind-var", t["bind"], lambda bind: BINDS[bind])
        self.truth(t, task, "explicit-task-var", t["explicit_task"])
        self.same(t, task, "max-active-levels-var", t["max_active_levels"])
        self.same(t, task, "thread-limit-var", t["thread_limit"])
        self.same(t, task, "default-device-var", t["default_device"])
        self.same(t, task, "def-allocator-var", t["allocator"], ALLOCATORS[t["allocator"]])

    def list(self, t, task, name, first, words):
        """The first item as a number; it is told when there are more."""
        value = task[name]
        items = value["text"].split(",")
        if value["number"] != first or items[0] != words(first) or \
                value["more"] != (len(items) > 1):
            self.faults.append("%s of thread %d is %s, not %s" %
                               (name, t["lwp"], value, first))

    def process(self, truth, process, settings):
        self.same(None, process, "num-procs-var", truth["num_procs"])
        if self.said["abi"] == 2:
            self.same(None, process, "thread-limit-var",
                      truth["threads"][0]["thread_limit"])
        else:
            self.truth(None, process, "cancel-var", truth["cancellation"])
            self.same(None, process, "max-task-priority-var", truth["max_task_priority"])
            for name, words in FOLLOWS.items() if settings else ():
                self.same(None, process, name, None, words)
        lines = dict(line.split("=", 1) for line in self.said["settings"])
        for name, value in settings.items():
            if lines.get(name) != value:
                self.faults.append("setting %s is %r, not %r" %
                                   (name, lines.get(name), value))
        if len(lines) != len(self.said["settings"]) or len(lines) < 20:
            self.faults.append("settings %s" % sorted(lines))


def initial_lists(tap, text, said):
    """Only outside of all regions do lists still have all their items."""
    faults = []
    initial = [t for t in said["tasks"] if t["parent"] == "unavailable"]
    values = said["icvs"]["task"][str(initial[0]["id"])] if initial else {}
    for name, words in (("nthreads-var", "4,2"), ("bind-var", "spread,close")):
        if values.get(name, {}).get("text") != words:
            faults.append("%s of the initial task is %s" % (name, values.get(name)))
    tap.case(faults, text + ": lists in full")


def check(tap, text, target, reason, truth, settings):
    for abi in (2, 5):
        case = "%s, by version %d" % (text, abi)
        if target is None:
            tap.skip(case, reason)
            continue
        said, faults = host_json(target, abi)
        if said:
            faults = Comparison(truth, said, settings).faults
        tap.case(faults, case)
        if said and abi == 5 and settings:
            initial_lists(tap, case, said)


def main():
    tap = Tap()
    for name in list(os.environ):
        if name.startswith(("OMP_", "GOMP_")):
            del os.environ[name]
    for title, settings in (("nothing set", {}), ("much set", ENVIRONMENT)):
        for construct in ("icvs", "icvs_final", "work", "nested", "serial"):
            for what, *look in looks(construct, settings=settings):
                check(tap, "%s, %s: %s" % (construct, title, what), *look, settings)
    tap.end()


main()
