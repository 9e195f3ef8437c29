# SPDX-License-Identifier: MIT
"""gdb loads the plugin by itself with the hooks and with the stock libgomp, once it is
allowed to, and complains about neither when the plugin is there already."""

import harness

t = harness.begin(__file__, program="plain.c")
import glob  # noqa: E402
import os  # noqa: E402
import subprocess  # noqa: E402

program = t.build("nested.c")
GOMP = os.path.join(t.stage, "share/gdb/auto-load")
SAFE = ["-iex", "add-auto-load-safe-path " + t.stage]
HOOKS = ["-ex", "set environment LD_PRELOAD %s" % t.hooks,
         "-ex", "set environment OMP_OMPD on"]
SCRIPTS = ["-iex", "add-auto-load-scripts-directory " + GOMP]


def gdb_prints(*options):
    """What a gdb of its own prints, from the program's start to its idle threads."""
    t.source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nested.c")
    done = subprocess.run(
        [os.environ["GDB"], "-batch", "-nx", *options, "-ex", "break " + t.mark("idle"),
         "-ex", "run", "-ex", "ompd threads", "-ex", "kill", program], capture_output=True,
        text=True, timeout=60, check=False)
    return done.stdout + done.stderr


TABLE = r"^\* 1 +0/1 +work "
t.like(gdb_prints(*SAFE, *HOOKS), TABLE, "with the hooks")
t.like(gdb_prints(*SAFE, *SCRIPTS), TABLE, "with the stock libgomp")
t.like(gdb_prints(*HOOKS), "add-auto-load-safe-path",
       "without leave, gdb says how it is given")
printed = gdb_prints("-iex", "source " + t.plugin, *HOOKS)
t.like(printed, TABLE, "sourced beforehand")
t.ok("auto-load" not in printed, "which gdb takes without a word", printed)
t.equal(len(glob.glob(GOMP + "/**/*-gdb.py", recursive=True)), 1, "one script for libgomp")
t.done()
