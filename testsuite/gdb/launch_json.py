# SPDX-License-Identifier: MIT
"""The launch.json that is installed: each configuration is used as its extension uses it, and shows
OpenMP's stacks."""

import json
import os
import re

import dap_client
import front_end
import mi_client

SHARE = os.environ["stage"] + "/share/ompd"
OF_THE_EDITOR = ("name", "type", "request")
tap = front_end.Bench()
program = tap.program("nested.c", "a.out")
deep = program.lines["deep"]


def configurations():
    with open(SHARE + "/launch.json", encoding="utf-8") as stream:
        text = re.sub(r"^\s*//.*$", "", stream.read(), flags=re.M)
    text = text.replace("${workspaceFolder}", tap.scratch)
    return {one["type"]: one for one in json.loads(text)["configurations"]}


def with_mi(chosen):
    """As Microsoft's extension does, which takes commands of MI and of gdb."""
    gdb = mi_client.Session(chosen["cwd"])
    try:
        for command in chosen["setupCommands"]:
            line = gdb.answer(command["text"])[0]
            tap.ok(line.startswith("^done"), "MI: " + command["description"], line)
        gdb.ask("-file-exec-and-symbols " + chosen["program"])
        gdb.ask("-break-insert nested.c:%d" % deep)
        gdb.answer("-exec-run", r"\*stopped")
        names = [one["func"] for one in gdb.ask("-stack-list-frames")["stack"]]
        tap.ok(names[0] == "relax" and "#pragma omp parallel" in names[1],
               "MI: the call stack has labels", names)
        tap.like(gdb.console("ompd status"), "tracking +on", "MI: waits are recorded")
        gdb.console("kill")
    finally:
        gdb.close()


def with_dap(chosen):
    """As any extension that starts gdb's adapter: what it does not know it hands on."""
    gdb = dap_client.Client(chosen["cwd"], "-ex", "source " + front_end.PLUGIN)
    try:
        given = {k: v for k, v in chosen.items() if k not in OF_THE_EDITOR}
        stop = gdb.launch(given.pop("program"), [(program.source, deep)], **given)
        names = [one["name"] for one in
                 gdb.ask("stackTrace", threadId=stop["threadId"])["stackFrames"]]
        tap.ok(names[0] == "relax" and any("#pragma omp parallel" in name for name in names) and
               names[-1] == "main", "DAP: the call stack has labels, and goes on to main", names)
    finally:
        gdb.close()


found = configurations()
tap.equal(sorted(found), ["cppdbg", "kdap", "lldb", "lldb-dap"], "a configuration for each protocol")
with_mi(found["cppdbg"])
if dap_client.version():
    with_dap(found["kdap"])
else:
    tap.skip("DAP", "gdb is older than 14")
with open(SHARE + "/FRONT-ENDS.md", encoding="utf-8") as stream:
    tap.ok("launch.json" in stream.read(), "the text for users is beside it")
tap.end()
