# SPDX-License-Identifier: MIT
"""Run by gdb: what the plugin answers about the process OMPD_PID, written as JSON to the file
OMPD_ANSWERS: {command: answer, or {"error": message}}. With OMPD_CORE the process is killed and
its core asked, which is written to that file."""

import json
import os

import gdb

COMMANDS = "threads", "parallel", "tasks", "icvs", "env", "status"


def ask(command):
    try:
        return json.loads(gdb.execute("ompd %s -json" % command, to_string=True))
    except gdb.error as error:
        return {"error": str(error)}


gdb.execute("set confirm off")
gdb.execute("set pagination off")
gdb.execute("source %s/share/ompd/gdb/ompd-gdb.py" % os.environ["stage"])
gdb.execute("attach " + os.environ["OMPD_PID"], to_string=True)
core = os.environ.get("OMPD_CORE")
if core:
    gdb.execute("generate-core-file " + core, to_string=True)
    gdb.execute("kill")
    gdb.execute("core-file " + core, to_string=True)
with open(os.environ["OMPD_ANSWERS"], "w", encoding="utf-8") as stream:
    json.dump({command: ask(command) for command in COMMANDS}, stream)
