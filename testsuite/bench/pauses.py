# SPDX-License-Identifier: MIT
#
# For how long a process stands still while it is looked at, in milliseconds: as it sees it itself
# (pauses.c), its longest pause; as the command says, the sum; and what each look takes by the clock.
# Beside it eu-stack, which stops one thread after the other, and no look at all. Medians of looks that are
# taken in turn.
#
#   pauses.py PROGRAM STAGE [N...] [--rounds N]
#
# The exit status is 0 whatever the numbers are: an aim that is missed is marked with "!".

import argparse
import mmap
import os
import re
import shutil
import statistics
import struct
import subprocess
import tempfile
import time

COMMANDS = "why", "threads", "stacks", "why -watch 1"
AIMS = {4: 10, 64: 10, 512: 25, 4096: 200}  # milliseconds of one stop, by the number of threads
AIM_WATCHED = 100  # of all stops of -watch
SETTLES = 0.2  # seconds
SAID = re.compile(r"stopped for ([\d.]+) ms")


class Ticking:
    """The program, with so many threads, in a DIRECTORY."""

    def __init__(self, program, threads, directory):
        path = os.path.join(directory, "longest")
        with open(path, "wb") as stream:
            stream.write(bytes(8))
        self._stream = open(path, "r+b")
        self._word = mmap.mmap(self._stream.fileno(), 8)
        environment = dict(os.environ, OMP_WAIT_POLICY="passive", OMP_DYNAMIC="false",
                           OMP_STACKSIZE="256K")
        self._process = subprocess.Popen([program, str(threads), path], env=environment)
        while len(os.listdir("/proc/%d/task" % self._process.pid)) < threads:
            time.sleep(SETTLES)
        time.sleep(5 * SETTLES)

    def look(self, words):
        """Milliseconds: (the longest pause that it saw, what the command said or None, by the clock)"""
        self._word[:] = bytes(8)
        began = time.monotonic()
        done = subprocess.run([*words, str(self._process.pid)] if words else ["sleep", str(SETTLES)],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        took = time.monotonic() - began
        time.sleep(SETTLES)
        said = SAID.search(done.stdout)
        return struct.unpack("=q", self._word[:])[0] / 1e6, float(said.group(1)) if said else None, \
            took * 1e3

    def end(self):
        self._process.kill()
        self._process.wait()
        self._word.close()
        self._stream.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("stage")
    parser.add_argument("counts", nargs="*", type=int)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    looks = {words: [options.stage + "/bin/ompd", *words.split()] for words in COMMANDS}
    if shutil.which("eu-stack"):
        looks["eu-stack"] = ["eu-stack", "-p"]
    looks["none"] = []
    print("\n%-12s %8s %14s %14s %14s" % ("look", "threads", "process sees", "command says",
                                          "by the clock"))
    for count in options.counts or sorted(AIMS):
        found = {name: [] for name in looks}
        with tempfile.TemporaryDirectory() as directory:
            one = Ticking(options.program, count, directory)
            try:
                for _ in range(options.rounds):
                    for name, words in looks.items():
                        found[name].append(one.look(words))
            finally:
                one.end()
        for name, times in found.items():
            sees, says, took = (statistics.median(column) if None not in column else None
                                for column in zip(*times))
            is_missed = name in COMMANDS and (sees > AIMS.get(count, sees) or
                                              "watch" in name and says is not None and says > AIM_WATCHED)
            print("%-12s %8d %11.1f ms %14s %11.0f ms%s" % (
                name, count, sees, "-" if says is None else "%.1f ms" % says, took,
                " !" * is_missed), flush=True)


if __name__ == "__main__":
    main()
