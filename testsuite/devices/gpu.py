#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gpu.py DIRECTORY: what is said of programs that use a GPU, which gpu.sh has made in DIRECTORY: what is
mapped, by the program's own word; a kernel that never ends; an error on the device."""

import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "command"))
from devices import TAP, at_random, looks
from ompd_runs import OMPD

OF_KERNEL = (("kernel", "threads", r"~wait target .* device 0 .* devices"),
             ("kernel", "why", r"waiting: 1 thread .*waits for device 0 "),
             ("kernel", "stacks", r"main → <inside #pragma omp target"))
# What the runtimes end a program with.
LAST_WORDS = r"libgomp: cu\w+ error|CUDA error|[Oo]mptarget (fatal )?error"


def fails(kind, program, settings):
    """The watchdog says what the device's runtime said last."""
    done = subprocess.run([OMPD, "run", "-watchdog", "60", program, "error"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True,
                          env={**os.environ, **settings}, timeout=120)
    TAP.ok(done.returncode and re.search(LAST_WORDS, done.stdout), kind + ": an error on the device", done.stdout)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        for kind in ("gcc", "clang"):
            program = os.path.join(sys.argv[1], "of-" + kind)
            settings = {"LD_LIBRARY_PATH": os.path.join(sys.argv[1], "lib-" + kind),
                        "OMP_TARGET_OFFLOAD": "mandatory"}
            if not os.path.exists(program):
                TAP.skip(kind, "it did not compile")
                continue
            at_random(kind, program, scratch, settings, "held" if kind == "gcc" else "none")
            looks(kind, program, OF_KERNEL, settings)
            fails(kind, program, settings)
    TAP.end()


main()
