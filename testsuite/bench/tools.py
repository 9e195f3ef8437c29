# SPDX-License-Identifier: MIT
#
# What tools cost: constructs.c with the hooks recording, with a tool that registers nothing
# and with one whose callbacks are all registered and empty; beside it, where clang has an
# OpenMP runtime, LLVM's without a tool, recorded (which is to cost at most 60), and with the same
# tool. Medians of many short runs, taken in turn.
#
#   tools.py PROGRAM SOURCE-OF-PROGRAM TOOL STAGE [--rounds N] [NAME...]

import argparse
import os
import shutil
import statistics
import subprocess
import sys

from compare import SETTINGS

MODES = ("bare", "tracking", "tool: none", "tool: all", "LLVM bare", "LLVM tracking",
         "LLVM: all")


def run_once(programs, stage, tool, mode, name, threads):
    environment = {k: v for k, v in os.environ.items()
                   if not k.startswith(("OMP_", "GOMP_", "LD_PRELOAD", "EMPTY_TOOL"))}
    environment.update(SETTINGS, OMP_NUM_THREADS=str(threads), OMP_TOOL="disabled")
    program = programs["LLVM" if mode.startswith("LLVM") else "GNU"]
    if mode in ("tracking", "LLVM tracking", "tool: none", "tool: all"):
        environment["LD_PRELOAD"] = os.path.join(stage, "lib", "libompd-hooks.so")
        environment["OMP_OMPD"] = "on"
    if mode == "LLVM tracking":
        environment["OMP_TOOL"] = "enabled"
    if mode.endswith(("none", "all")):
        environment.update(OMP_TOOL="enabled", OMP_TOOL_LIBRARIES=tool,
                           EMPTY_TOOL=mode.rsplit(" ", 1)[1])
    return float(subprocess.run([program, name, str(threads)], env=environment, check=True,
                                stdout=subprocess.PIPE, timeout=120).stdout)


def build_llvm(source, target):
    """The same program with clang, or None."""
    clang = shutil.which("clang")
    if not clang:
        return None
    done = subprocess.run([clang, "-std=gnu11", "-O2", "-fopenmp", "-w", "-o", target, source,
                           "-latomic"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return target if done.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("source")
    parser.add_argument("tool")
    parser.add_argument("stage")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=11)
    options = parser.parse_args()
    known = subprocess.run([options.program], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.split()
    programs = {"GNU": options.program,
                "LLVM": build_llvm(options.source, options.program + "-llvm")}
    modes = [m for m in MODES if programs["LLVM"] or not m.startswith("LLVM")]
    print("\ntools: 1 thread, nanoseconds per construct")
    print("%-16s" % "" + "".join("%14s" % mode for mode in modes))
    for name in options.names or known:
        times = {mode: [] for mode in modes}
        for turn in range(options.rounds):
            for step in range(len(modes)):
                mode = modes[(turn + step) % len(modes)]
                times[mode].append(run_once(programs, options.stage, options.tool, mode, name,
                                            1))
        print("%-16s" % name + "".join("%14.1f" % statistics.median(times[mode])
                                       for mode in modes))
    if not programs["LLVM"]:
        print("(clang with an OpenMP runtime would stand beside this)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
