# SPDX-License-Identifier: MIT
"""Imported into lldb: types commands of OMPD_JOB = {"directives": [line, ...], "walks": [[[command,
mark or None, words], ...], ...]} into the program of the target, a run for each walk, and prints
where each has led to, for step.py."""

import json
import os

import lldb


def place(process):
    thread = process.GetSelectedThread()
    entry = thread.GetFrameAtIndex(0).GetLineEntry()
    return {"state": process.GetState(), "line": entry.GetLine() if entry.IsValid() else 0,
            "file": entry.GetFileSpec().GetFilename() or "", "thread": thread.GetIndexID(),
            "points": [one.GetID() for one in process.GetTarget().breakpoint_iter()
                       if not one.IsOneShot()]}


def typed(debugger, words):
    target, result = debugger.GetSelectedTarget(), lldb.SBCommandReturnObject()
    thread = target.GetProcess().GetSelectedThread()
    debugger.GetCommandInterpreter().HandleCommand(
        words, lldb.SBExecutionContext(thread if thread.IsValid() else target), result)
    return result.GetError() or ""


def walk(debugger):
    with open(os.environ["OMPD_JOB"], encoding="utf-8") as stream:
        job = json.load(stream)
    debugger.SetAsync(False)
    target = debugger.GetSelectedTarget()
    for at, walk in enumerate(job["walks"]):
        for number, (command, mark, _) in enumerate(walk):
            print("@@ %d.%d" % (at, number), flush=True)
            error = typed(debugger, command)
            process = target.GetProcess()
            # A construct's directive may have a line of its own before what it opens.
            if mark and process.IsValid() and command in ("ompd step", "ompd next") and \
                    place(process)["line"] in job["directives"]:
                error = typed(debugger, command)
            print("@@ = " + json.dumps(dict(place(process) if process.IsValid() else {},
                                            error=error)), flush=True)
        typed(debugger, "process kill")
        typed(debugger, "breakpoint delete -f")
