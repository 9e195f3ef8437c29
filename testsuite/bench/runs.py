# SPDX-License-Identifier: MIT
#
# What `ompd run` makes of tests that are well: each program of testsuite/programs that ends by itself,
# bare, by `ompd run` and by `ompd run -watchdog 60`. Output and status are to be the same, nothing may be
# said, and what a run takes longer is printed, in milliseconds of the clock and of a processor.
#
#   runs.py BIN STAGE [--runs N]      BIN is where programs are built

import argparse
import collections
import os
import resource
import statistics
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", name) for name in ("programs", "common")]
import build  # noqa: E402
import manifest  # noqa: E402
import run_modes  # noqa: E402

WORDS = (), ("run",), ("run", "-watchdog", "60")
UNRECORDED = "all_static"  # ompd-run says that it is


def used():
    found = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found.ru_utime + found.ru_stime


def measured(modes, words, case, program):
    """(its Outcome, milliseconds of the clock, and of a processor)"""
    before = [os.path.join(modes.stage, "bin/ompd"), *words] if words else []
    began, had = time.monotonic(), used()
    found = run_modes.run(modes, "bare", [*before, program, *case.args], case.env, case.stdin)
    return found, (time.monotonic() - began) * 1e3, (used() - had) * 1e3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("stage")
    parser.add_argument("--runs", type=int, default=200)
    options = parser.parse_args()
    modes = run_modes.Modes(options.stage)
    programs = build.build_all(manifest.BINARIES, options.bin, os.cpu_count() or 1)
    cases = [case for case in manifest.CASES if case.status >= 0 and case.binary != UNRECORDED and
             isinstance(programs[case.binary], str)]
    added, differ = collections.defaultdict(list), []
    for number in range(options.runs):
        case = cases[number % len(cases)]
        bare, clock, processor = measured(modes, (), case, programs[case.binary])
        for words in WORDS[1:]:
            found, *times = measured(modes, words, case, programs[case.binary])
            added[words].append((times[0] - clock, times[1] - processor))
            differ += ["ompd %s, %s: %s" % (" ".join(words), case.name, fault)
                       for fault in run_modes.differences(bare, found, case.unordered)]
    for words, pairs in added.items():
        for name, column in zip(("clock", "processor"), zip(*pairs)):
            print("ompd %-17s %-9s adds %5.1f ms, nine of ten less than %5.1f" % (
                " ".join(words), name, statistics.median(column), sorted(column)[len(column) * 9 // 10]))
    print("%d runs of %d programs: %d differ in output or status" % (
        len(WORDS[1:]) * options.runs, len(cases), len(differ)), *differ, sep="\n  ")
    sys.exit(bool(differ))


main()
