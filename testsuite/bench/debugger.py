# SPDX-License-Identifier: MIT
#
# What "ompd threads" costs, against gdb's own "info threads": both in the same gdb, in turn,
# each time with nothing in gdb's caches or ours, as after a stop. Prints medians of
# milliseconds and their ratio, with hooks and without, of a live process and of its core.
#
#   GDB=gdb debugger.py PROGRAM STAGE [N...]
#
# PROGRAM is testsuite/gdb/many.c. The exit status is 0 whatever the numbers are: an aim that
# is missed is marked with "!".

import os
import statistics
import subprocess
import sys
import tempfile
import time

AIM = {"hooks": 0.25, "stock": 2.0}
ROUNDS = 7


def outside():
    program, stage = sys.argv[1:3]
    counts = sys.argv[3:] or ["8", "64", "512"]
    print("%-6s %-5s %6s %14s %14s %7s" % ("", "", "N", "info threads", "ompd threads", "ratio"))
    for mode in AIM:
        for count in counts:
            with tempfile.TemporaryDirectory() as scratch:
                environment = dict(os.environ, BENCH=" ".join([mode, count, stage, scratch]),
                                   OMP_WAIT_POLICY="passive")
                for name in ("LD_PRELOAD", "OMP_OMPD", "OMP_NUM_THREADS"):
                    environment.pop(name, None)
                done = subprocess.run(
                    [os.environ.get("GDB", "gdb"), "-batch", "-nx", "-ex",
                     "source " + os.path.abspath(__file__), program], env=environment,
                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
                lines = [x[2:] for x in done.stdout.splitlines() if x.startswith("= ")]
                print("\n".join(lines) or "%-6s %-5s %6s   failed" % (mode, "", count),
                      flush=True)


def inside(gdb):
    mode, count, stage, scratch = os.environ["BENCH"].split()
    for command in ("set pagination off", "set confirm off", "set width 0",
                    "set print thread-events off",
                    "source %s/share/ompd/gdb/ompd-gdb.py" % stage):
        gdb.execute(command, to_string=True)
    if mode == "hooks":
        gdb.execute("ompd on", to_string=True)
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../gdb/many.c")
    with open(source, encoding="utf-8") as stream:
        line = next(n for n, text in enumerate(stream, 1) if "mark: here " in text)
    gdb.Breakpoint("many.c:%d" % line, temporary=True)
    gdb.execute("run " + count, to_string=True)
    measure(gdb, mode, "live", count)
    core = os.path.join(scratch, "core")
    gdb.execute("generate-core-file " + core, to_string=True)
    gdb.execute("kill", to_string=True)
    gdb.execute("core-file " + core, to_string=True)
    measure(gdb, mode, "core", count)


def measure(gdb, mode, kind, count):
    from ompd import space  # pylint: disable=import-outside-toplevel
    gdb.execute("ompd threads", to_string=True)
    times = {"info threads": [], "ompd threads": []}
    for _ in range(ROUNDS):
        for command, found in times.items():
            gdb.execute("maint flush register-cache", to_string=True)
            space.current().memory.drop()
            began = time.perf_counter()
            gdb.execute(command, to_string=True)
            found.append((time.perf_counter() - began) * 1000)
    theirs, ours = (statistics.median(found) for found in times.values())
    ratio = ours / theirs
    print("= %-6s %-5s %6s %11.1f ms %11.1f ms %7.2f%s" % (
        mode, kind, count, theirs, ours, ratio, " !" if ratio > AIM[mode] else ""))


if "BENCH" in os.environ:
    import gdb
    inside(gdb)
else:
    outside()
