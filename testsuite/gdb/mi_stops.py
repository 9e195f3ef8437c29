# SPDX-License-Identifier: MIT
"""Stops of ours in MI: one record for each command, with what an ordinary one has; and threads
that "ompd thread" selects."""

import os
import re

import front_end
import harness
import mi_client

# clang gives the call that opens a region the line of its directive, gcc often that of the
# statement before.
OWN = 1 if harness.CLANG else 0
tap = front_end.Bench()
gdb = tap.closing(mi_client.Session(tap.scratch))
lines = {}


def use(name):
    """Makes a program of this directory the one that is debugged; its marks are in `lines`."""
    program = tap.program(name + ".c")
    lines.update(program.lines)
    gdb.ask("-file-exec-and-symbols " + program.path)


def stop(command):
    """(results of the one stop of a command, all records)"""
    records = gdb.run(command)
    stops = [r for r in records if r.startswith("*stopped")]
    tap.ok(len(stops) == 1, command + ": one stop", *records)
    tap.case([r for r in records if re.search(r'Breakpoint -|bkptno="-|^[^~^*=&(@\d]', r)],
             command + ": nothing of hidden breakpoints, nothing but records")
    return mi_client.Results((stops or ["*stopped,"])[-1].partition(",")[2]).members(""), records


def goes(command, reason, line, **more):
    found, records = stop(command)
    frame = found.get("frame", {})
    tap.ok(found.get("reason") == reason and frame.get("line", "?") == str(line) and
           os.path.isabs(frame.get("fullname", "")) and "thread-id" in found and
           all(found.get(key.replace("_", "-")) == value for key, value in more.items()),
           "%s: %s, in line %d, by a thread" % (command, reason, line), *records)
    tap.ok(sum(r.startswith('*running,thread-id="all"') for r in records) == 1,
           command + ": one start", *records)


def catches(command, number, line):
    """A stop at a catchpoint, whichever breakpoint found it."""
    found, records = stop(command)
    tap.ok(found.get("reason") == "breakpoint-hit" and found.get("bkptno") == number and
           found.get("disp") == "keep" and "addr" in found.get("frame", {}) and
           "thread-id" in found, command + ": at catchpoint " + number, *records)
    tap.ok(found["frame"].get("line") == str(line) and
           os.path.isabs(found["frame"].get("fullname", "")) and "level" not in found["frame"],
           command + ": in the user's frame", *records)
    selected = [mi_client.Results(r.partition(",")[2]).members("") for r in records
                if r.startswith("=thread-selected")]
    tap.ok(len(selected) == 1 and selected[0]["id"] == found.get("thread-id") and
           selected[0]["frame"].get("line") == str(line) and selected[0]["frame"]["level"] != "0",
           command + ": the user's frame is selected", *records)
    tap.ok(any(r.startswith('~"[thread ') for r in records), command + ": the sentence", *records)


def console(command):
    return '-interpreter-exec console "%s"' % command


def steps():
    gdb.answer("-break-insert -t step.c:%d" % lines["plain_before"])
    gdb.answer("-exec-run", r"\*stopped")
    goes(console("ompd step"), "end-stepping-range", lines["plain_before"] + 1)
    goes(console("ompd step"), "end-stepping-range", lines["plain_first"])
    goes(console("ompd next"), "end-stepping-range", lines["plain_last"])
    goes(console("ompd finish"), "function-finished", lines["plain_after"])
    gdb.answer("-break-insert step.c:%d" % lines["static_first"])
    number = gdb.ask("-break-insert step.c:%d" % lines["static_before"])["bkpt"]["number"]
    goes("-exec-continue", "breakpoint-hit", lines["static_before"], bkptno=number)
    gdb.ask("-break-delete")
    goes(console("ompd step %d" % (1 + OWN)), "end-stepping-range", lines["static_first"])
    number = gdb.ask("-break-insert step.c:%d" % lines["static_last"])["bkpt"]["number"]
    goes(console("ompd next"), "breakpoint-hit", lines["static_last"], bkptno=number)
    gdb.ask("-break-delete")
    found = gdb.answer(console("ompd finish nothing"))[0]
    tap.ok(found.startswith("^error"), "a wrong command stops nothing", found)


def commands():
    """The same as commands of MI."""
    gdb.answer("-break-insert -t step.c:%d" % lines["plain_before"])
    gdb.answer("-exec-run", r"\*stopped")
    goes("-ompd-step 2", "end-stepping-range", lines["plain_first"])
    goes("-ompd-next", "end-stepping-range", lines["plain_last"])
    goes("-ompd-finish", "function-finished", lines["plain_after"])
    found = gdb.answer("-ompd-step x")[0]
    tap.ok(found.startswith("^error"), "-ompd-step x: a sentence", found)
    made = gdb.ask("-ompd-catch parallel")["bkpt"]
    tap.ok(made["kind"] == "parallel" and made["moment"] == "begin" and made["number"].isdigit(),
           "-ompd-catch answers what it has made", made)
    catches("-exec-continue", made["number"], lines["static_before"] + OWN)
    catches("-exec-continue", made["number"], lines["dynamic_before"] + OWN)
    gdb.ask("-break-delete")
    made = gdb.ask("-ompd-catch task begin if total >= 0")["bkpt"]
    tap.equal(made.get("cond"), "total >= 0", "-ompd-catch takes a condition")
    found, records = stop("-exec-continue")
    tap.ok(found.get("bkptno") == made["number"], "at a task's body: its number", *records)
    gdb.ask("-break-delete")


def threads():
    use("nested")
    gdb.answer("-break-insert -t nested.c:%d" % lines["deep"])
    gdb.answer("-exec-run", r"\*stopped")
    for command in ("-ompd-thread 0", console("ompd thread 1.0"), console("ompd thread 2.1")):
        if command.startswith("-ompd") and not has:
            continue
        line, result = gdb.answer(command, "=thread-selected")[0], gdb.wait()[0]
        found = mi_client.Results(line.partition(",")[2]).members("")
        tap.ok(line.startswith("=thread-selected") and "nested.c" in found["frame"].get("file", "")
               and found["id"] == gdb.ask("-thread-info")["current-thread-id"],
               command + ": says which thread and frame is selected", line, result)
    named = {one["id"]: one.get("name") for one in gdb.ask("-thread-info")["threads"]}
    tap.ok(sum(name.startswith("OpenMP ") for name in named.values()) == len(named) == 5 and
           named[found["id"]] == "OpenMP 2/3 \u00b7 1/2",
           "threads have their OpenMP numbers as names", named)
    gdb.console("kill")


has = gdb.has_commands()
use("step")
steps()
gdb.console("kill")
if has:
    commands()
    gdb.console("kill")
else:
    tap.skip("commands of MI", "gdb is older than 12")
threads()
tap.end()
