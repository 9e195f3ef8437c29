# SPDX-License-Identifier: MIT
"""The launch.json that is installed: each configuration is used as its extension uses it, and shows
OpenMP's stacks."""

import json
import os
import re
import shutil
import tempfile

import dap_client
import harness
import mi_client

if not os.environ.get("GDB"):
    harness.skip_all("gdb is not installed")

SHARE = os.environ["stage"] + "/share/ompd"
OF_THE_EDITOR = ("name", "type", "request")
tap = harness.Tap()
scratch = tempfile.mkdtemp(prefix="ompd-gdb-")
source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nested.c")


def configurations():
    with open(SHARE + "/launch.json", encoding="utf-8") as stream:
        text = re.sub(r"^\s*//.*$", "", stream.read(), flags=re.M)
    text = text.replace("${workspaceFolder}", scratch)
    return {one["type"]: one for one in json.loads(text)["configurations"]}


def with_mi(chosen):
    """As Microsoft's extension does, which takes commands of MI and of gdb."""
    gdb = mi_client.Session(chosen["cwd"])
    try:
        gdb.console("source %s/gdb/ompd-gdb.py" % SHARE)
        gdb.ask("-gdb-set confirm off")
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
    gdb = dap_client.Client(chosen["cwd"], "-ex", "source %s/gdb/ompd-gdb.py" % SHARE)
    try:
        given = {k: v for k, v in chosen.items() if k not in OF_THE_EDITOR}
        stop = gdb.launch(given.pop("program"), [(source, deep)], **given)
        names = [one["name"] for one in
                 gdb.ask("stackTrace", threadId=stop["threadId"])["stackFrames"]]
        tap.ok(names[0] == "relax" and any("#pragma omp parallel" in name for name in names) and
               names[-1] == "main", "DAP: the call stack has labels, and goes on to main", names)
    finally:
        gdb.close()


try:
    harness.compile_program(source, os.path.join(scratch, "a.out"))
    with open(source, encoding="utf-8") as stream:
        deep = next(n for n, text in enumerate(stream, 1) if "mark: deep " in text)
    found = configurations()
    tap.equal(sorted(found), ["cppdbg", "kdap", "lldb", "lldb-dap"], "a configuration for each protocol")
    with_mi(found["cppdbg"])
    if dap_client.version():
        with_dap(found["kdap"])
    else:
        tap.skip("DAP", "gdb is older than 14")
    with open(SHARE + "/FRONT-ENDS.md", encoding="utf-8") as stream:
        tap.ok("launch.json" in stream.read(), "the text for users is beside it")
finally:
    shutil.rmtree(scratch, ignore_errors=True)
tap.end()
