#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lldb's Debug Adapter Protocol, as Visual Studio Code speaks it: initCommands load the commands,
and its debug console takes them, behind a backquote."""

import os
import shutil
import tempfile

from lldb_runs import ENVIRONMENT, LLDB, PLUGIN, need_lldb, python_errors
import dap_client
from harness import compile_program
from tap import Tap, skip_all

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = os.path.join(os.environ["top_srcdir"], "examples/heat.c"), 39
LOOP = os.path.join(HERE, "../gdb/watched.c"), 73
LOAD = "command script import " + PLUGIN
THREAD_FORMAT = "thread #${thread.index} ${script.thread:ompd_lldb.thread_name}"
tap = Tap()


def adapter():
    """That which belongs to lldb, whose name changed in version 18; or None."""
    directory, name = os.path.split(LLDB)
    return next(filter(None, (shutil.which(os.path.join(directory, name.replace("lldb", other)))
                              for other in ("lldb-dap", "lldb-vscode"))), None)


def check(client, program):
    stop = client.launch(program, [EXAMPLE], initCommands=[LOAD], customThreadFormat=THREAD_FORMAT)
    tap.equal(stop["reason"], "breakpoint", "the program runs to a breakpoint")
    said = {command: client.console("`ompd " + command)
            for command in ("threads", "why", "bt", "print me", "threads now")}
    tap.case(python_errors("".join(said.values())), "no Python error")
    tap.like(said["threads"], r"(?m)^\*? *1 +0/4 .*compute", "ompd threads")
    tap.like(said["why"], r"(?m)^(running|waiting|slow): ", "ompd why")
    tap.like(said["bt"], r"#pragma omp parallel, thread \d of 4", "ompd bt")
    tap.like(said["print me"], r"thread 3: +3", "ompd print")
    tap.like(said["threads now"], r'"ompd threads" takes no argument\.', "an error is a sentence")


    client.ask("threads")  # newer ones answer the first time what they knew before the stop
    names = [thread["name"] for thread in client.ask("threads")["threads"]]
    if any("thread #" in name for name in names):  # from version 18 on
        tap.equal(sorted(names), ["thread #%d OpenMP %d/4" % (number + 1, number)
                                  for number in range(4)], "names of threads")


def check_watch(client, program):
    stop = client.launch(program, [LOOP], initCommands=[LOAD])
    since = len(client.events)
    tap.like(client.console("`ompd why -watch 0.2"), r"(?m)^(slow|waiting|nothing waits): ",
             "ompd why -watch")
    tap.equal(client.count("stopped", since), 0, "of whose stops the front end does not hear")
    client.ask("continue", threadId=stop["threadId"])
    tap.equal(client.event("stopped", since)["reason"], "breakpoint", "but of the next one")


def main():
    need_lldb()
    command = adapter()
    if command is None:
        skip_all("lldb has no adapter of the Debug Adapter Protocol")
    with tempfile.TemporaryDirectory(prefix="ompd-lldb-") as scratch:
        for (source, _), ask in ((EXAMPLE, check), (LOOP, check_watch)):
            program = os.path.join(scratch, "program")
            compile_program(source, program, "-lm")
            client = dap_client.Session([command], scratch, ENVIRONMENT)
            try:
                ask(client, program)
            finally:
                client.close()
    tap.end()


main()
