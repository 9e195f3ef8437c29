# SPDX-License-Identifier: MIT
#
# What the hooks cost whole programs: compiles the kernels of programs/, runs each bare, with the
# hooks loaded and off, with them recording, with flight recorders and with sums, and prints processor time
# (user and system) and time by the clock. A round runs all of them one after the other, each round another first;
# a ratio is the median of the ratios within rounds.
#
#   programs.py BUILD STAGE [--rounds N] [--threads N...] [--policies P...] [NAME...]
#
# The exit status is 1 only when a kernel is wrong: an aim that is missed is marked.

import argparse
import math
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, os.pardir, "programs"))

import build  # noqa: E402

SOURCES = os.path.join(HERE, "programs")
MODES = ("bare", "off", "recording", "history", "sums")
POLICIES = ("default", "active", "passive")
AIM = 1.03


def compile_all(names, directory):
    os.makedirs(directory, exist_ok=True)
    for name in names:
        source = os.path.join(SOURCES, name + ".c")
        build.execute([*build.compiler(source), "-g", "-O2", "-Wall", "-Wextra", "-fopenmp",
                       source, "-o", os.path.join(directory, name), "-lm"], directory)


def environments(stage):
    """Of each mode. What ompd-run sets is taken from it, so that its own start costs nothing."""
    bare = {k: v for k, v in os.environ.items()
            if not k.startswith(("OMP_", "GOMP_", "LD_PRELOAD"))}
    off = dict(bare, LD_PRELOAD=os.path.join(stage, "lib", "libompd-hooks.so"))
    text = subprocess.run([os.path.join(stage, "bin", "ompd-run"), "env", "-0"], env=bare,
                          stdout=subprocess.PIPE, check=True).stdout.decode()
    recording = dict(line.split("=", 1) for line in text.split("\0") if "=" in line)
    return {"bare": bare, "off": off, "recording": recording,
            "history": dict(recording, OMP_OMPD="history"),
            "sums": dict(recording, OMP_OMPD="sums")}


def run_once(program, environment, policy, threads):
    """(processor seconds, seconds by the clock) of one run."""
    environment = dict(environment, OMP_NUM_THREADS=str(threads), OMP_DYNAMIC="false")
    if policy != "default":
        environment["OMP_WAIT_POLICY"] = policy
    begin = time.perf_counter()
    process = subprocess.Popen([program], env=environment, stdout=subprocess.PIPE)
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.stdout.close()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode or not said.endswith(b": right\n"):
        sys.exit("%s: status %s: %s" % (program, process.returncode, said.decode()))
    return usage.ru_utime + usage.ru_stime, seconds


def collect(program, by_mode, policy, threads, rounds):
    """times[mode] is a list with one pair for each round."""
    times = {mode: [] for mode in MODES}
    for turn in range(rounds):
        for step in range(len(MODES)):
            mode = MODES[(turn + step) % len(MODES)]
            times[mode].append(run_once(program, by_mode[mode], policy, threads))
    return times


def ratio(times, mode, which):
    """The median of the ratios within rounds, and an estimate of its error."""
    ratios = [b[which] / a[which] for a, b in zip(times["bare"], times[mode])]
    low, _, high = statistics.quantiles(ratios, n=4)
    error = 1.253 * (high - low) / 1.349 / math.sqrt(len(ratios))
    return statistics.median(ratios), error


def verdict(median, error):
    """"!" when the aim is missed, "?" when it may be and the noise hides it."""
    return " " if median <= AIM else "!" if median - 2 * error > AIM else "?"


def print_line(name, times):
    """Returns how many ratios of processor time clearly miss the aim."""
    line, missed = "%-10s" % name, 0
    for which in (0, 1):
        for mode in MODES:
            line += " %7.3f" % statistics.median(t[which] for t in times[mode])
        for mode in MODES[1:]:
            median, error = ratio(times, mode, which)
            mark = verdict(median, error) if which == 0 else " "
            missed += mark == "!"
            line += " %6.3f±%.3f%s" % (median, error, mark)
        line += "  " if which == 0 else ""
    print(line, flush=True)
    return missed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("stage")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--policies", nargs="*", choices=POLICIES, default=POLICIES)
    options = parser.parse_args()
    names = options.names or sorted(f[:-2] for f in os.listdir(SOURCES) if f.endswith(".c"))
    compile_all(names, options.build)
    by_mode = environments(options.stage)
    missed = 0
    print("seconds, medians of %d rounds; load average %.1f" %
          (options.rounds, os.getloadavg()[0]))
    for threads in options.threads:
        for policy in options.policies:
            print("\n%d thread%s, OMP_WAIT_POLICY %s" % (threads, "s" * (threads > 1), policy))
            print("%-10s %-76s %s" % ("", "processor time", "by the clock"))
            print("%-10s" % "" + 2 * ("".join(" %7.7s" % mode for mode in MODES) +
                                      "".join(" %-13s" % (mode + "/bare") for mode in MODES[1:]) +
                                      "   "))
            for name in names:
                missed += print_line(name, collect(os.path.join(options.build, name), by_mode,
                                                   policy, threads, options.rounds))
    print("\n%s   (aim: at most %g of bare in processor time; ! missed, ? perhaps; "
          "load average now %.1f)" %
          ("%d ratios miss the aim" % missed if missed else "no aim is clearly missed", AIM,
           os.getloadavg()[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
