# SPDX-License-Identifier: MIT
"""Imported by lldb: does what JOB says and writes what the commands answer. JOB: "pid", a process
to attach to, or "core" and "program"; "before", commands that come first; "ask", commands whose
JSON is wanted; "say", whose text is."""

import json
import os

import lldb


def said(debugger, command):
    """{"out", "error"} of a command. lldb takes what was selected when this was imported, if it is
    not told otherwise."""
    result, target = lldb.SBCommandReturnObject(), debugger.GetSelectedTarget()
    process = target.GetProcess()
    context = lldb.SBExecutionContext(process if process.IsValid() else target)
    debugger.GetCommandInterpreter().HandleCommand(command, context, result)
    return {"out": result.GetOutput() or "", "error": result.GetError() or ""}


def asked(debugger, command):
    """The object that it prints for -json, or its error."""
    answer = said(debugger, "ompd %s -json" % command)
    try:
        return json.loads(answer["out"])
    except ValueError:
        return {"error": answer["error"].strip() or answer["out"]}


def looked(debugger, job):
    debugger.SetAsync(False)
    if job.get("pid"):
        said(debugger, "process attach --pid %d" % job["pid"])
    elif job.get("core"):
        said(debugger, "target create %s -c %s" % (job.get("program", ""), job["core"]))
    elif job.get("program"):
        said(debugger, "target create " + job["program"])
    for command in job.get("before", ()):
        said(debugger, command)
    found = {command: asked(debugger, command) for command in job.get("ask", ())}
    found.update({command: said(debugger, command) for command in job.get("say", ())})
    if job.get("pid"):
        said(debugger, "process detach")
    elif not job.get("core"):
        said(debugger, "process kill")
    return found


def __lldb_init_module(debugger, _names):
    with open(os.environ["OMPD_JOB"], encoding="utf-8") as stream:
        job = json.load(stream)
    with open(job["answers"], "w", encoding="utf-8") as stream:
        json.dump(looked(debugger, job), stream)
