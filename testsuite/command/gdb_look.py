# SPDX-License-Identifier: MIT
"""Run by gdb, which has attached to a process: what the plugin answers to the "commands" of JOB
about it, its core, the snapshot of the command and, if JOB wants one, the core that the kernel writes
when a signal ends it."""

import json
import os
import re
import signal
import time

import gdb


def ask(command):
    try:
        told = gdb.execute("ompd %s -json" % command, to_string=True)
        return json.loads(re.sub(r"(?m)^warning: .*\n", "", told))  # of gdb's, about a core
    except gdb.error as error:
        return {"error": str(error)}
    except ValueError:
        return {"error": told}


def asked():
    return {command: ask(command) for command in JOB["commands"]}


def asked_of(core):
    gdb.execute("core-file " + core, to_string=True)
    found = asked()
    gdb.execute("core-file", to_string=True)
    return found


def has_ended(pid):
    """Whether a process has, if nobody has waited for it, too."""
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as stream:
            return stream.read().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def look(job):
    """{"live", "core", "snapshot" or "kernel": answers by command}"""
    found = {}
    if job.get("pid"):
        pid = job["pid"]
        if gdb.selected_inferior().pid != pid:
            raise gdb.GdbError("not attached")
        found["live"] = asked()
        if job.get("core"):
            gdb.execute("generate-core-file " + job["core"], to_string=True)
        if job.get("snapshot") and not os.path.exists(job["snapshot"]):
            gdb.execute("ompd snapshot " + job["snapshot"], to_string=True)
        gdb.execute("detach", to_string=True)
        gdb.execute("file " + job["program"], to_string=True)
        for kind in "core", "snapshot":
            if job.get(kind):
                found[kind] = asked_of(job[kind])
        if job.get("kernel"):
            os.kill(pid, signal.SIGABRT)
            os.kill(pid, signal.SIGCONT)  # it may have been stopped before
            until = time.monotonic() + 20
            while not has_ended(pid) and time.monotonic() < until:
                time.sleep(0.02)
    if job.get("kernel") and os.path.exists(job["kernel"]):
        found["kernel"] = asked_of(job["kernel"])
    return found


gdb.execute("set confirm off")
gdb.execute("set pagination off")
with open(os.environ["OMPD_JOB"], encoding="utf-8") as stream:
    JOB = json.load(stream)
ANSWERS = look(JOB)
with open(JOB["answers"], "w", encoding="utf-8") as stream:
    json.dump(ANSWERS, stream)
