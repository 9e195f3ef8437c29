# SPDX-License-Identifier: MIT
"""Run by gdb: what the plugin answers about the processes of the file OMPD_JOB, live and as cores,
written as JSON to the file OMPD_ANSWERS. Of one with another root directory also what is said
before gdb is told that."""

import json
import os

import gdb

COMMANDS = ("threads", "parallel", "tasks", "why -all", "stacks")


def ask(command):
    try:
        return json.loads(gdb.execute("ompd %s -json" % command, to_string=True))
    except gdb.error as error:
        return {"error": str(error)}


def said(command):
    try:
        return gdb.execute(command, to_string=True)
    except gdb.error as error:
        return str(error)


def look(job):
    """{"live" or "core": {command: answer}} of a process."""
    found = {}
    gdb.execute("attach %d" % job["pid"], to_string=True)
    if job["root"]:
        found["other"] = {"threads": said("ompd threads"), "bt": said("thread apply all -q bt")}
        gdb.execute("set sysroot /proc/%d/root" % job["pid"])
    found["live"] = {command: ask(command) for command in COMMANDS}
    core = os.environ["OMPD_ANSWERS"] + ".core"
    gdb.execute("generate-core-file " + core, to_string=True)
    gdb.execute("detach", to_string=True)
    gdb.execute("file " + job["program"])
    gdb.execute("set sysroot " + (job["root"] or "/"))
    gdb.execute("core-file " + core, to_string=True)
    found["core"] = {command: ask(command) for command in COMMANDS}
    gdb.execute("core-file")
    gdb.execute("file")
    gdb.execute("set sysroot target:")
    os.unlink(core)
    return found


gdb.execute("set confirm off")
gdb.execute("set pagination off")
gdb.execute("source %s/share/ompd/gdb/ompd-gdb.py" % os.environ["stage"])
with open(os.environ["OMPD_JOB"], encoding="utf-8") as stream:
    jobs = json.load(stream)
answers = {}
for job in jobs:
    try:
        answers[job["name"]] = look(job)
    except gdb.error as error:
        print("%s: %s" % (job["name"], error))
with open(os.environ["OMPD_ANSWERS"], "w", encoding="utf-8") as stream:
    json.dump(answers, stream)
