# SPDX-License-Identifier: MIT
#
# What has begun has ended when a tool is finalized: threads that the runtime lets go just
# before the process ends get there, and ompt_finalize_tool does what the end of the process
# does, but for idle workers; see endings.c.

import collections
import os
import re
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
from tap import Tap  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
STAGE = os.environ["stage"]
WORK = os.path.join(os.environ["top_builddir"], "testsuite", "tools")
RUNS = 40

# Threads, and implicit and initial tasks, that each scene begins; how many workers live on.
SCENES = {"target": (8, 9, 0), "nested": (8, 11, 0), "smaller": (8, 11, 0),
          "owner": (5, 6, 0), "control": (4, 5, 3)}


def compile_(name, *flags):
    target = os.path.join(WORK, name)
    words = (os.environ.get("CC") or "gcc").split()
    subprocess.run([*words, "-g", "-O1", "-Wall", "-Wextra", *flags, "-o", target,
                    os.path.join(HERE, "endings.c"), "-lpthread"], check=True)
    return target


def run(program, tool, scene):
    variables = {k: v for k, v in os.environ.items()
                 if not k.startswith(("OMP_", "GOMP_", "LD_PRELOAD"))}
    variables.update(LD_PRELOAD=os.path.join(STAGE, "lib", "libompd-hooks.so"),
                     OMP_TOOL_LIBRARIES=tool)
    try:
        done = subprocess.run([program, scene], env=variables, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=30)
    except subprocess.TimeoutExpired:
        return "no end after 30 seconds"
    return done.stdout.strip() if not done.returncode else "status %d" % done.returncode


def main():
    os.makedirs(WORK, exist_ok=True)
    tool = compile_("libendings.so", "-DTOOL", "-fPIC", "-shared",
                    "-I" + os.path.join(STAGE, "include"))
    program = compile_("endings", "-fopenmp")
    tap = Tap()
    for scene, (threads, tasks, idle) in SCENES.items():
        good = re.compile(r"%d %d \d+ \d+ begun, %s not ended, 0 in disorder"
                          % (threads, tasks, " ".join(4 * [str(idle)])))
        wrong = collections.Counter(said for said in (run(program, tool, scene)
                                                      for _ in range(RUNS))
                                    if not good.fullmatch(said))
        tap.case(["%d times: %s" % (times, said) for said, times in wrong.items()],
                 "%s, %d runs" % (scene, RUNS))
    tap.end()


if __name__ == "__main__":
    main()
