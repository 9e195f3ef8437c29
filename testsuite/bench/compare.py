# SPDX-License-Identifier: MIT
#
# What the hooks cost: runs constructs.c bare, with the hooks loaded and off, with them
# recording, with flight recorders, with orders of locks, and with sums, in turn, many short runs of each, and
# prints medians. A difference is the median of the differences within rounds, whose runs follow one another closely, so
# that what else the machine does falls on all of them alike.
#
#   compare.py PROGRAM STAGE [--rounds N] [NAME...]
#
# The exit status is 0 whatever the numbers are: an aim that is missed is marked.

import argparse
import math
import os
import statistics
import subprocess
import sys
import time

MODES = ("bare", "off", "tracking", "history", "orders", "sums")
# What each adds to.
BASES = {"off": "bare", "tracking": "bare", "history": "tracking", "orders": "tracking", "sums": "tracking"}
# Four events, and two acquisitions, of 15 ns; five events of 20.
AIM_NS = {"off": 5.0, "tracking": 60.0, "history": 60.0, "orders": 30.0, "sums": 100.0}
SETTINGS = {"OMP_WAIT_POLICY": "active", "OMP_PROC_BIND": "true", "OMP_DYNAMIC": "false"}

# A second table with one thread isolates what the wrapper itself costs.
ALONE = ("parallel", "barrier", "for-chunk", "critical", "critical-named", "atomic", "lock",
         "ordered", "task", "task-undeferred", "taskwait")


def run_once(program, stage, mode, name, threads):
    environment = {k: v for k, v in os.environ.items()
                   if not k.startswith(("OMP_", "GOMP_", "LD_PRELOAD"))}
    environment.update(SETTINGS, OMP_NUM_THREADS=str(threads))
    command = [program, name, str(threads)]
    if mode == "off":
        environment["LD_PRELOAD"] = os.path.join(stage, "lib", "libompd-hooks.so")
    elif mode != "bare":
        command[:0] = [os.path.join(stage, "bin", "ompd-run")] + ["--" + mode] * (mode in MODES[3:])
    return float(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True,
                                timeout=120).stdout)


def collect(program, stage, names, threads, rounds):
    """times[name][mode] is a list with one number for each round."""
    times = {name: {mode: [] for mode in MODES} for name in names}
    for turn in range(rounds):
        for name in names:
            for step in range(len(MODES)):
                mode = MODES[(turn + step) % len(MODES)]
                times[name][mode].append(run_once(program, stage, mode, name, threads))
    return times


def spread(values):
    """Half of the distance between the quartiles."""
    low, _, high = statistics.quantiles(values, n=4)
    return (high - low) / 2


def verdict(added, aim):
    """"!" when the aim is missed, "?" when it may be and the noise hides it."""
    median = statistics.median(added)
    if median <= aim:
        return " "
    # Of the median of values with this quartile distance, were they normal.
    error = 1.253 * spread(added) / 0.674 / math.sqrt(len(added))
    return "!" if median - 2 * error > aim else "?"


def print_table(times, threads):
    print("\n%d thread%s, nanoseconds per construct" % (threads, "s" * (threads > 1)))
    print("%-16s" % "" + "".join(" %9s" % mode for mode in MODES) + "  " +
          "".join(" %-18s" % (mode + " adds") for mode in MODES[1:]) + "ratios")
    missed = 0
    for name, by_mode in times.items():
        middle = {mode: statistics.median(by_mode[mode]) for mode in MODES}
        line = "%-16s" % name + "".join(" %9.1f" % middle[m] for m in MODES) + "  "
        for mode in MODES[1:]:
            added = [b - a for a, b in zip(by_mode[BASES[mode]], by_mode[mode])]
            mark = verdict(added, AIM_NS[mode])
            missed += mark == "!"
            line += " %8.1f ±%-6.1f%s " % (statistics.median(added), spread(added), mark)
        line += "".join(" %.2f" % (middle[m] / middle["bare"]) for m in MODES[1:])
        print(line)
    return missed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("stage")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=21)
    options = parser.parse_args()
    known = subprocess.run([options.program], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.split()
    names = options.names or known
    start = time.monotonic()
    print("settings: " + " ".join("%s=%s" % s for s in SETTINGS.items()) +
          ", %d rounds, each number the fastest of 80 batches of 0.4 ms" % options.rounds)
    missed = 0
    for threads, chosen in ((2, names), (1, [n for n in names if n in ALONE])):
        if chosen:
            missed += print_table(collect(options.program, options.stage, chosen, threads,
                                          options.rounds), threads)
    print("\n%s   (aims: off adds at most %g ns, tracking at most %g ns, history to that "
          "%g ns, orders %g ns, sums %g ns; ! missed, ? perhaps; ± half the quartile distance; %.0f s)" %
          ("%d numbers miss the aim" % missed if missed else "no aim is clearly missed",
           *AIM_NS.values(), time.monotonic() - start))
    return 0


if __name__ == "__main__":
    sys.exit(main())
