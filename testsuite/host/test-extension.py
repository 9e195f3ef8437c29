#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What libompd.so tells beyond the standard, against what a parked program knows and against
the standard's own answers: live and on the kernel's core."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hosttest import Tap, host_json, looks


def threads(truth, said, faults):
    """All threads at once are the threads one by one."""
    listed = {t["lwp"]: t for t in said["extension"]["threads"]}
    openmp = {t["lwp"]: t for t in said["threads"] if t["openmp"]}
    if set(listed) != set(openmp) or len(listed) != len(said["extension"]["threads"]):
        faults.append("threads %s instead of %s" % (sorted(listed), sorted(openmp)))
        return
    for lwp, one in openmp.items():
        for field in ("pthread", "wait_id", "num", "region", "task"):
            # 0 in the extension is "not known", which has a name in the standard.
            if one[field] != listed[lwp][field] and \
                    not (listed[lwp][field] == 0 and isinstance(one[field], str)):
                faults.append("%s of thread %d: %s, one by one %s" %
                              (field, lwp, listed[lwp][field], one[field]))
    for t in truth["threads"]:
        if t["state"] != "idle" and (listed[t["lwp"]]["team"], listed[t["lwp"]]["level"]) \
                != (t["team"], t["level"]):
            faults.append("team and level of thread %d: %s" % (t["lwp"], listed[t["lwp"]]))


def tasks(truth, said, faults):
    """The explicit tasks that run are those that say so, with creator and region."""
    listed = {t["id"]: t for t in said["extension"]["tasks"]}
    if any(t["kind"] == "implicit" for t in listed.values()):
        faults.append("implicit tasks are listed")
    running = {t["thread"] for t in listed.values()
               if t["kind"] == "explicit" and t["state"] == "running"}
    expected = {t["lwp"] for t in truth["threads"] if t["explicit_task"]}
    if running != expected:
        faults.append("explicit tasks run on %s, not %s" % (running, expected))
    for task in said["tasks"]:
        other = listed.get(task["id"])
        if task["parent"] == "unavailable" or task["implicit"]:
            continue
        if not other or any(other[field] != task[field] for field in
                            ("parent", "region", "function", "level")):
            faults.append("task %s is %s" % (task, other))
        elif "park.c:" not in other["place"]:
            faults.append("task %d was created at %s" % (task["id"], other["place"]))


def locks(truth, said, faults):
    """Owner and waiters of the one lock there is."""
    states = {"critical": "critical", "unnamed": "critical", "lock": "lock",
              "nest_lock": "nest lock", "atomic": "atomic"}
    kind = states.get(truth["construct"])
    found = [l for l in said["extension"]["locks"] if l["kind"] == kind]
    if not kind:
        return
    waiting = sorted(t["lwp"] for t in truth["threads"] if "wait" in t["state"])
    owners = [t["lwp"] for t in truth["threads"] if "wait" not in t["state"]]
    held = [l for l in found if l["owner"] or l["waiters"]]
    if len(held) != 1 or [held[0]["owner"]] != owners or \
            sorted(held[0]["waiters"]) != waiting:
        faults.append("%s instead of owner %s and waiters %s" % (found, owners, waiting))
        return
    if held[0]["count"] != (2 if kind == "nest lock" else 1):
        faults.append("it is held %s times" % held[0]["count"])
    address = next(t["wait"] for t in truth["threads"] if "wait" in t["state"])
    if address > 1 and held[0]["address"] != address:
        faults.append("it is at %x, not %x" % (held[0]["address"], address))


def barriers(truth, said, faults):
    arrived = sum("wait barrier" in t["state"] for t in truth["threads"])
    found = [(b["arrived"], b["team"]) for b in said["extension"]["barriers"]]
    members = len(truth["threads"])
    # One that runs a task in the barrier has arrived, too.
    if any(team != members for _, team in found) or \
            not arrived <= sum(count for count, _ in found) <= members:
        faults.append("barriers %s, %d arrived" % (found, arrived))


def dependences(truth, said, faults):
    """A task that runs, one that waits for it, one that waits for that, one that waits for
    nobody."""
    edges = said["extension"]["dependences"]
    if truth["construct"] != "depend":
        if edges:
            faults.append("dependences %s" % edges)
        return
    states = {t["id"]: t["state"] for t in said["extension"]["tasks"]
              if t["kind"] == "explicit"}
    ids = sorted(states)
    if [states[i] for i in ids] != ["running", "waiting", "waiting", "ready"]:
        faults.append("states %s" % states)
        return
    found = sorted((e["predecessor"], e["successor"], e["predecessor_kind"],
                    e["successor_kind"]) for e in edges)
    if found != [(ids[0], ids[1], "out", "out"), (ids[1], ids[2], "out", "in")]:
        faults.append("dependences %s among %s" % (found, ids))
    if len({e["address"] for e in edges}) != 2:
        faults.append("over %s" % edges)


def check(tap, text, target, reason, truth):
    if target is None:
        tap.skip(text, reason)
        return
    said, faults = host_json(target, 5)
    extension = said and said.get("extension")
    if said and not extension:
        faults.append("the library has no extension")
    for question in ("threads", "tasks", "dependences", "locks", "barriers"):
        if extension and extension[question + "_answer"] != "ok":
            faults.append("%s: %s" % (question, extension[question + "_answer"]))
    if extension:
        for part in (threads, tasks, locks, barriers, dependences):
            part(truth, said, faults)
    tap.case(faults, text)


def main():
    tap = Tap()
    for construct in ("work", "critical", "unnamed", "lock", "nest_lock", "atomic",
                      "barrier", "end", "taskwait", "taskgroup", "nested", "serial",
                      "icvs_final", "depend"):
        for what, *look in looks(construct):
            check(tap, construct + ": " + what, *look)
    tap.end()


main()
