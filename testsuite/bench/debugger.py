# SPDX-License-Identifier: MIT
#
# What the plugin costs in gdb, in time of gdb's processor, so that other work on the machine
# does not count; the least of many rounds.
#
#  - "ompd threads" against gdb's own "info threads", both in the same gdb, in turn, each time
#    with nothing in gdb's caches or ours, as after a stop, and with gdb's registers known
#    ("warm"). With hooks and without, of a live process and of its core.
#  - whole stacks of all threads, in their own words, against gdb's bare "bt" of each.
#  - running to a breakpoint with the plugin and without, in pairs; by the clock, too.
#  - what gdb starts later with the plugin, and what the first "ompd threads" of a session takes
#    longer than the second: whichever loads a module.
#
#   GDB=gdb debugger.py PROGRAM STAGE [N...]
#
# PROGRAM is testsuite/gdb/many.c. The exit status is 0 whatever the numbers are: an aim that
# is missed with 512 threads or more is marked with "!".

import os
import resource
import subprocess
import sys
import tempfile
import time

AIM = {"hooks": 0.2, "stock": 1.0, "run": 1.05}
ROUNDS = 15
STACK_ROUNDS = 3
STACKS = ("thread apply all -q -- bt -no-filters", "ompd bt", "ompd bt -all", "ompd stacks")
PAIRS = 5
MANY = 512  # threads from which on the aims are meant
AIM_MS = {"start": 40, "first": 30}
SMALL_STACKS = 1024  # threads from which on a core of usual stacks would fill the disk


def outside():
    program, stage = sys.argv[1:3]
    counts = sys.argv[3:] or ["8", "64", "512", "4096"]
    stacks, firsts = [], []
    print("%-6s %-10s %6s %14s %14s %7s" % (
        "", "", "N", "info threads", "ompd threads", "ratio"))
    for mode in ("hooks", "stock"):
        for count in counts:
            with tempfile.TemporaryDirectory() as scratch:
                lines = in_gdb(program, mode, count, stage, scratch)
                stacks += [line[8:] for line in lines if line.startswith("stacks: ")]
                firsts += [line[7:] for line in lines if line.startswith("first: ")]
                print("\n".join(line for line in lines if ": " not in line[:8]) or
                      "%-6s %-10s %6s   failed" % (mode, "", count), flush=True)
    print("\n%-6s %-5s %6s %14s %14s %14s %14s %11s" % (
        "", "", "N", "bt of each", "ompd bt", "ompd bt -all", "ompd stacks", "per thread"))
    print("\n".join(stacks), flush=True)
    print("\n%-12s %6s %14s %14s %7s" % ("run", "N", "bare gdb", "with plugin", "ratio"))
    for count in [c for c in counts if int(c) >= MANY]:
        pairs = [[in_gdb(program, kind, count, stage, "-") for kind in ("bare", "plugin")]
                 for _ in range(PAIRS)]
        if not all(bare and plugin for bare, plugin in pairs):
            print("%-12s %6s   failed" % ("", count))
            continue
        for what in range(2):
            bare, plugin = (min(float(pair[which][0].split()[what]) for pair in pairs)
                            for which in range(2))
            ratio = plugin / bare
            print("%-12s %6s %11.1f ms %11.1f ms %7.2f%s" % (
                ("processor", "clock")[what], count, bare, plugin, ratio,
                missed("run", count, ratio)), flush=True)


    starts = [[started(arguments) for arguments in ([], ["-ex", "source " + script(stage)])]
              for _ in range(ROUNDS)]
    bare, plugin = map(min, zip(*starts))
    print("\nstart: bare gdb %.1f ms, with plugin %.1f ms%s" % (
        bare, plugin, later("start", plugin - bare)))
    print("\n%-12s %6s %14s %14s" % ("ompd threads", "N", "first", "second"))
    print("\n".join(firsts), flush=True)


def script(stage):
    return stage + "/share/ompd/gdb/ompd-gdb.py"


def started(arguments):
    """Milliseconds of the processor that gdb takes from its start to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([os.environ.get("GDB", "gdb"), "-batch", "-nx"] + arguments, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def later(aim, milliseconds):
    return " !" if milliseconds > AIM_MS[aim] else ""


def missed(aim, count, ratio):
    return " !" if ratio > AIM[aim] and int(count) >= MANY else ""


def in_gdb(program, mode, count, stage, scratch):
    """The lines of a measurement, [] if it failed."""
    environment = dict(os.environ, BENCH=" ".join([mode, count, stage, scratch]),
                       OMP_WAIT_POLICY="passive")
    for name in ("LD_PRELOAD", "OMP_OMPD", "OMP_NUM_THREADS"):
        environment.pop(name, None)
    if int(count) >= SMALL_STACKS:
        environment["OMP_STACKSIZE"] = "64K"
    done = subprocess.run(
        [os.environ.get("GDB", "gdb"), "-batch", "-nx", "-ex",
         "source " + os.path.abspath(__file__), program], env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return [x[2:] for x in done.stdout.splitlines() if x.startswith("= ")]


def inside(gdb):
    mode, count, stage, scratch = os.environ["BENCH"].split()
    for command in ("set pagination off", "set confirm off", "set width 0",
                    "set print thread-events off"):
        gdb.execute(command, to_string=True)
    if mode != "bare":
        gdb.execute("source " + script(stage), to_string=True)
    if mode == "hooks":
        gdb.execute("ompd on", to_string=True)
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../gdb/many.c")
    with open(source, encoding="utf-8") as stream:
        line = next(n for n, text in enumerate(stream, 1) if "mark: here " in text)
    gdb.Breakpoint("many.c:%d" % line, temporary=True)
    began = time.process_time(), time.perf_counter()
    gdb.execute("run " + count, to_string=True)
    if mode in ("bare", "plugin"):
        print("= %f %f" % ((time.process_time() - began[0]) * 1000,
                           (time.perf_counter() - began[1]) * 1000))
        gdb.execute("kill", to_string=True)
        return
    first, second = (clocked(gdb, "ompd threads", 1, True)[0] for _ in range(2))
    print("= first: %-12s %6s %11.1f ms %11.1f ms%s" % (
        mode, count, first, second, later("first", first - second)))
    measure(gdb, mode, "live", count)
    core = os.path.join(scratch, "core")
    gdb.execute("generate-core-file " + core, to_string=True)
    gdb.execute("kill", to_string=True)
    gdb.execute("core-file " + core, to_string=True)
    measure(gdb, mode, "core", count)


def measure(gdb, mode, kind, count):
    gdb.execute("ompd threads", to_string=True)
    for warm in (False, True):
        times = {"info threads": [], "ompd threads": []}
        for _ in range(ROUNDS):
            for command, found in times.items():
                found += clocked(gdb, command, 1, warm)
        theirs, ours = map(min, times.values())
        ratio = ours / theirs
        print("= %-6s %-10s %6s %11.1f ms %11.1f ms %7.2f%s" % (
            mode, kind + (", warm" if warm else ""), count, theirs, ours, ratio,
            missed(mode, count, ratio)))
    stacks = [min(clocked(gdb, command, STACK_ROUNDS)) for command in STACKS]
    print("= stacks: %-6s %-5s %6s %11.1f ms %11.1f ms %11.1f ms %11.1f ms %8.2f ms" % (
        mode, kind, count, *stacks, stacks[-1] / int(count)))


def clocked(gdb, command, rounds, warm=False):
    """Milliseconds of each of so many times that a command is run with our caches empty, and
    gdb's of registers, too, unless WARM."""
    from gdb_openmp.program import address_space  # pylint: disable=import-outside-toplevel
    found = []
    for _ in range(rounds):
        if not warm:
            gdb.execute("maint flush register-cache", to_string=True)
        address_space.current().forget()
        began = time.process_time()
        gdb.execute(command, to_string=True)
        found.append((time.process_time() - began) * 1000)
    return found


if "BENCH" in os.environ:
    import gdb
    inside(gdb)
else:
    outside()
