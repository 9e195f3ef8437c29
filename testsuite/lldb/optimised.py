#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How far a thread is in an optimised loop, by lldb, gdb and the command: as it is, or nothing."""

import os
import re
import shutil
import subprocess
import tempfile

from lldb_runs import STAGE, answered, need_lldb
from rest import comes_to_rest
from tap import Tap

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "optimised.c")
WHY = "ompd why"
WANTED = "1500"
ALL = "called", "innermost", "overwritten", "down", "chunks"
KNOWN = {"gcc": ("called", "innermost", "down", "chunks"), "clang": ("called", "chunks")}
tap = Tap()


def printed(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, text=True).stdout


def said(scratch, pid):
    """{host: what it says}"""
    found = {"lldb": answered(scratch, {"pid": pid, "say": [WHY]})[0][WHY]["out"],
             "ompd": printed(os.path.join(STAGE, "bin/ompd"), "why", str(pid))}
    gdb = shutil.which(os.environ.get("GDB") or "gdb")
    if gdb:
        plugin = os.path.join(STAGE, "share/ompd/gdb/ompd-gdb.py")
        found["gdb"] = printed(gdb, "-batch", "-nx", "-ex", "source " + plugin, "-p", str(pid),
                               "-ex", WHY)
    return found


def look(scratch, name, compiler):
    program = os.path.join(scratch, name)
    subprocess.run([compiler, "-g", "-O2", "-fopenmp", SOURCE, "-o", program], check=True)
    for how in ALL:
        with subprocess.Popen([program, how], stdin=subprocess.DEVNULL) as process:
            try:
                comes_to_rest(process.pid, 2)
                found = said(scratch, process.pid)
            finally:
                process.kill()
        wanted = [WANTED] if how in KNOWN[name] else []
        for host, words in found.items():
            values = re.findall(r"\bi = (-?\d+)\b[^;]*? loop at", words)
            tap.ok(values in (wanted or [WANTED], wanted),
                   "%s, %s: %s" % (name, how, host), words)


def main():
    need_lldb()
    with tempfile.TemporaryDirectory(prefix="ompd-lldb-") as scratch:
        for name, variable in (("gcc", "CC"), ("clang", "CLANG")):
            compiler = shutil.which(os.environ.get(variable) or name)
            if compiler is None:
                tap.skip(name, "it is not installed")
                continue
            look(scratch, name, compiler)
    tap.end()


if __name__ == "__main__":
    main()
