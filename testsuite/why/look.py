# SPDX-License-Identifier: MIT
"""In gdb: does the job that run.py wrote down, and writes the answer as JSON."""

import json
import os
import random
import sys

import gdb

from openmp_inspect.analysis import verdicts
from gdb_openmp.host import process, timed_run

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
from one_state import asleep, contradictions  # noqa: E402


def asked(words):
    return json.loads(gdb.execute("ompd " + words, to_string=True))


def why(options=""):
    return asked("why -json " + options)


def is_asleep(lwp):
    """Whether a thread that gdb has stopped in a system call goes on with it: else it was just woken."""
    thread = next(one for one in gdb.selected_inferior().threads() if one.ptid[1] == lwp)
    with process.current().selection_kept():
        thread.switch()
        return int(gdb.parse_and_eval("(long) %s" % (
            "$rax" if os.uname().machine == "x86_64" else "$x0"))) < 0


def faults(said, is_live):
    """What "ompd threads" says at this stop that is not so by the kernel, or by what was SAID of one look."""
    rows = asked("threads -json")
    return [*(contradictions({"threads": rows, "why": said}) if said else ()),
            *(asleep(gdb.selected_inferior().pid, rows, is_asleep) if is_live else ())]


def one_look(job):
    if job.get("run"):
        if job.get("hooks"):
            gdb.execute("ompd on")
        gdb.execute("run " + job["run"])
    watch = "-watch %s" % job["watch"] if job.get("watch") else ""
    answer = why(watch)
    answer["faults"] = faults(None if watch else answer, bool(job))
    answer["text"] = gdb.execute("ompd why " + watch, to_string=True)
    print(answer["text"])  # for a person who reads why the test failed
    if job.get("core"):
        gdb.execute("generate-core-file " + job["core"], to_string=True)
    return answer


def each_look(jobs):
    """An answer of each process, None of one that gdb cannot be attached to."""
    answers = []
    for job in jobs:
        try:
            gdb.execute("attach %d" % job["pid"])
            answers.append(one_look(job))
            gdb.execute("detach")
        except gdb.error as error:
            print(error)
            answers.append(None)
    return answers


def watched(seconds, passes):
    """What two looks say of a program that is well, but that it is slow, unless it PASSES from wait to
    wait: that is true of any other."""
    return [verdict for verdict in why("-watch %s" % seconds)["verdicts"]
            if passes or verdict["kind"] != "slow"]


def random_stops(job):
    chance = random.Random(job["seed"])
    worst, stops, seen, stuck, wrong = 0, 0, [], 0, []

    def judge(some):
        nonlocal worst, stuck
        stuck += any(verdict["kind"] in ("deadlock", "stuck") for verdict in some)
        for verdict in some:
            level = verdicts.CERTAINTY[verdict["certainty"] or "none"]
            worst = max(worst, level)
            if level > 1 and len(seen) < 3:
                seen.append(verdict)
                gdb.execute("ompd threads")
                gdb.execute("ompd why -all")

    for _ in range(job["stops"]):
        judge(why()["verdicts"])
        wrong += faults(None, True)
        stops += 1
        with timed_run.TimedRuns() as runs:
            runs.run(chance.uniform(0.001, 0.03), ())
    for _ in range(job["watched"]):
        judge(watched(chance.uniform(0.1, 0.3), job["passes"]))
    return {"worst": worst, "stops": stops, "stuck": stuck, "seen": seen, "faults": wrong[:9]}


with open(os.environ["OMPD_JOB"], encoding="utf-8") as stream:
    JOB = json.load(stream)
gdb.execute("set confirm off")
gdb.execute("set pagination off")
if JOB.get("looks"):
    ANSWER = each_look(JOB["looks"])
else:
    ANSWER = random_stops(JOB) if JOB.get("stops") else one_look(JOB)
with open(JOB["answers"], "w", encoding="utf-8") as stream:
    json.dump(ANSWER, stream)
