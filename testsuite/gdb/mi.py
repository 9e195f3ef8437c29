# SPDX-License-Identifier: MIT
"""MI commands, through gdb's own interpreter for front ends: the objects are those that -json
prints in the same session, and errors are the same sentences."""

import json
import os

import front_end
import mi_client

OBJECTS = ("threads", "parallel", "tasks", "tasks -all", "tasks -state waiting", "icvs",
           "icvs -all", "icvs 2 -changed", "env", "status", "stacks", "stacks -lines", "bt",
           "bt -all", "bt 1-2", "why", "doctor")
ADDRESSES = ("wait-id", "frame", "address", "event", "low", "high")
FILTERS = ("tasks -state waiting", "icvs 2 -changed")  # may leave nothing
REFUSED = ("threads now", "tasks -state nothing", "icvs 77", "bt -nothing", "stacks x",
         "tasks -tree")


def plain(value):
    """JSON in MI's terms."""
    if isinstance(value, dict):
        return {k.replace(" ", "-").replace("_", "-").lstrip("-"): plain(v)
                for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [plain(item) for item in value if item is not None]
    return json.dumps(value) if isinstance(value, bool) else str(value)


tap = front_end.Bench()


def ok(condition, name, *details):
    tap.ok(condition, name, *map(repr, details))


def look(kind):
    for words in OBJECTS:
        command, _, rest = words.partition(" ")
        printed = gdb.console("ompd %s -json" % words)
        found = gdb.ask(("-ompd-%s %s" % (command, rest)).rstrip())
        try:
            wanted = {command: plain(json.loads(printed))}
        except ValueError:
            wanted = printed
        some = isinstance(found, dict) and (found[command] or words in FILTERS)
        ok(found == wanted and some,
           "%s: -ompd-%s" % (kind, words), found, wanted)
        ok(not wrong(found), "%s: -ompd-%s: addresses and names of files" % (kind, words),
           wrong(found))
    for words in REFUSED:
        wanted = gdb.console("ompd %s -json" % words)
        found = gdb.ask("-ompd-" + words)
        ok(found == wanted and isinstance(found, str) and found,
           "%s: -ompd-%s is an error" % (kind, words), found, wanted)


def wrong(value, key=None):
    """What is not as clients of MI want it: keys, addresses, and files without full names."""
    if isinstance(value, dict):
        path = value.get("fullname")
        if path is None and "/" in value.get("file", ""):
            path = "/of a library, whose own names are relative"
        return [k for k in value if "_" in k] + sum((wrong(v, k) for k, v in value.items()), []) + \
            ([value] if "line" in value and "file" in value and
             (path is None or not os.path.isabs(path)) else [])
    if isinstance(value, list):
        return sum((wrong(item, "address" if key == "stack" and isinstance(item, str) else key)
                    for item in value), [])
    return [value] if key in ADDRESSES and not value.startswith("0x") else []


def reads():
    """What the plugin takes from the texts of gdb's own commands: gdb 18 gives it in MI's
    notation."""
    gdb.console("python from gdb_openmp.host import gdb_text")
    for text in ('a "quoted" \\ and \u2500, \t\033[1m\n\n\\101\n', ""):
        gdb.console("python text = " + ascii(text))
        found = gdb.console("python print(ascii(gdb_text.printed('python gdb.write(text)')))")
        ok(found == ascii(text) + "\n", "what a command prints: %s" % ascii(text), found)
    found = gdb.console("python print(gdb_text.printed('output 25') + '.')")
    ok(found == "25.\n", "what a command prints without an end of the line", found)
    gdb.console("set environment LD_PRELOAD /nowhere/libother.so")
    gdb.console("ompd on")
    found = gdb.console("show environment LD_PRELOAD")
    ok(found.endswith(":/nowhere/libother.so\n"), "ompd on keeps what is preloaded", found)
    gdb.console("ompd off")
    for name, wanted in (("LD_PRELOAD", "LD_PRELOAD = /nowhere/libother.so\n"),
                         ("OMP_OMPD", 'Environment variable "OMP_OMPD" not defined.\n')):
        found = gdb.console("show environment " + name)
        ok(found == wanted, "ompd off puts %s back" % name, found)
    gdb.console("unset environment LD_PRELOAD")


program = tap.program("tasks.c")
gdb = tap.closing(mi_client.Session(tap.scratch))
found = gdb.ask("-ompd-threads")
if not gdb.has_commands():
    ok(isinstance(found, str) and "Undefined MI command" in found,
       "a gdb without MI commands in Python: there are none", found)
    tap.skip("the commands", "gdb is older than 12")
else:
    ok(found == gdb.console("ompd parallel"), "without a program: the sentence", found)
    gdb.ask("-file-exec-and-symbols " + program.path)
    reads()
    gdb.console("ompd on")
    gdb.ask("-break-insert tasks.c:%d" % program.lines["child_runs"])
    gdb.answer("-exec-run", r"\*stopped")
    look("hooked")
    core = os.path.join(tap.scratch, "a-core")
    gdb.console("generate-core-file " + core)
    gdb.console("kill")
    gdb.console("core-file " + core)
    look("a core")
    gdb.console("core-file")
    gdb.console("ompd off")
    gdb.answer("-exec-run", r"\*stopped")
    line = gdb.ask("-ompd-threads")
    ok(isinstance(line, dict) and all("lwp" in row for row in line["threads"]),
       "not prepared: -ompd-threads", line)
    selected = gdb.ask("-thread-info")["current-thread-id"]
    gdb.ask("-ompd-stacks")
    ok(gdb.ask("-thread-info")["current-thread-id"] == selected, "the selected thread stays")
    gdb.console("kill")
tap.end()
