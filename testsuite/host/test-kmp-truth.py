#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The truth test (test-gomp-truth.c) over the same program compiled by clang, which runs on
LLVM's runtime: with each setting under which the runtime arranges its teams and barriers
otherwise, recorded, and with the file under another name, as Intel's is; and what
test-gomp-counts.c counts. LIBOMP_DIRECTORY has another libomp.so.5 than the system's. Many more
stops are made by check-libomps."""

import os
import re
import shlex
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hosttest import Tap, build, scratch, stage

HERE = os.path.dirname(os.path.abspath(__file__))
CLANG = shlex.split(os.environ.get("CLANG") or "clang")
STOPS = os.environ.get("OMPD_TRUTH_STOPS")
CORES = os.environ.get("OMPD_TRUTH_CORES")
KINDS = [
    ("as it is", {}, 1300, 4),
    ("without waiting", {"KMP_BLOCKTIME": "0"}, 100, 1),
    ("hot teams at all levels", {"KMP_HOT_TEAMS_MAX_LEVEL": "3"}, 100, 1),
    ("linear barriers", {"KMP_PLAIN_BARRIER_PATTERN": "linear,linear",
                         "KMP_FORKJOIN_BARRIER_PATTERN": "linear,linear"}, 100, 1),
    ("passive", {"OMP_WAIT_POLICY": "passive"}, 100, 1),
    ("recorded", {"LD_PRELOAD": os.path.join(stage, "lib/libompd-hooks.so"),
                  "OMP_OMPD": "on"}, 300, 2),
]


def compiled(directory, name="gomp-truth-target"):
    program = os.path.join(directory, name)
    done = subprocess.run(
        [*CLANG, "-std=gnu11", "-g", "-O1", "-fopenmp", os.path.join(HERE, name + ".c"),
         "-o", program],
        capture_output=True, text=True, check=False)
    return program if done.returncode == 0 else None


def library(directory):
    """Where the runtime is, and what it depends on is found."""
    return os.environ.get("LIBOMP_DIRECTORY") or os.path.dirname(os.path.realpath(
        re.search(r"libomp\S* => (\S+)", subprocess.run(
            ["ldd", directory], capture_output=True, text=True, check=False).stdout).group(1)))


def run(tap, program, kind, settings, stops, cores):
    environment = dict(os.environ, OMPD_TRUTH_STOPS=STOPS or str(stops),
                       OMPD_TRUTH_CORES=CORES or str(cores), **settings)
    done = subprocess.run([os.path.join(build, "testsuite/host/test-gomp-truth"), program],
                          env=environment, capture_output=True, text=True, errors="replace",
                          check=False)
    count = 0
    for line in done.stdout.splitlines():
        found = re.match(r"(not )?ok \d+ - (.*)", line)
        if line.startswith("#"):
            print(line)
        elif found and "# SKIP" in found.group(2):
            tap.skip("%s: %s" % (kind, found.group(2).split(" # ")[0]),
                     found.group(2).split("# SKIP ")[1])
        elif found and re.match(r"(all kinds|and by the)", found.group(2)) and settings:
            print("#", found.group(2))  # few stops need not meet all
        elif found:
            tap.case([line] if found.group(1) else [], "%s: %s" % (kind, found.group(2)))
            count += 1
    tap.case([done.stderr[-500:]] if not count else [], kind + ": it ran")


def main():
    tap = Tap()
    with scratch() as directory:
        program = compiled(directory) if shutil.which(CLANG[0]) else None
        if program is None:
            tap.skip("programs of clang", "%s with OpenMP is not installed" % CLANG[0])
            return tap.end()
        home = library(program)
        os.environ["LD_LIBRARY_PATH"] = home
        for kind in KINDS:
            run(tap, program, *kind)
        many = compiled(directory, "gomp-many")
        done = subprocess.run([os.path.join(build, "testsuite/host/test-gomp-counts"), many],
                              capture_output=True, text=True, check=False)
        for bad, text in re.findall(r"^(not )?ok \d+ - (.*)", done.stdout, re.M):
            tap.case([text] if bad else [], "counts: " + text)
        # The name that the program asks for is that of a file which is called otherwise.
        other = os.path.join(directory, "lib")
        os.mkdir(other)
        shutil.copy(os.path.join(home, "libomp.so.5"), os.path.join(other, "libiomp5.so"))
        data = open(program, "rb").read()
        renamed = program + "-renamed"
        with open(renamed, "wb") as file:
            file.write(data.replace(b"\0libomp.so.5\0", b"\0libiomp5.so\0"))
        os.chmod(renamed, 0o755)
        os.environ["LD_LIBRARY_PATH"] = other
        run(tap, renamed, "as libiomp5.so", {"OMP_DYNAMIC": "false"}, 100, 1)
    return tap.end()


main()
