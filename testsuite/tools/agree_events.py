# SPDX-License-Identifier: MIT
"""Event by event: one source on libgomp with the hooks and on LLVM's runtime. What a tool
(agree_events.c) is told of a scene (agree_scenes.c) may differ by the rows of the table in OMPT.md
and by no others, and each row occurs in the scenes that it names.

    agree_events.py [SCENE...]          those scenes, with all that differs
    agree_events.py --programs FILE...  programs, in which rows may occur anywhere
"""

import collections
import concurrent.futures
import os
import re
import shlex
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "../common"), HERE]

import event_streams  # noqa: E402
from tap import Tap, skip_all  # noqa: E402

STAGE = os.environ["stage"]
TABLE = os.path.join(HERE, "../../runtime-hooks/consumers/ompt/OMPT.md")
HEADING = "| event | differs in | hooks | LLVM |"
# The version that the table is of.
LLVM = 14
GCC_FLAGS = ("-g", "-O1", "-w", "-fopenmp", "-D_GNU_SOURCE")
CLANG_FLAGS = GCC_FLAGS + ("-latomic",)
FOREIGN = ("OMP_", "GOMP_", "KMP_", "LD_PRELOAD")

Row = collections.namedtuple("Row", "difference scenes")


def read_table():
    """The rows by their differences; scenes None where there are too many to list."""
    with open(TABLE, encoding="utf-8") as file:
        lines = file.read().split(HEADING)[1].splitlines()[2:]
    rows = []
    for line in lines:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 7:
            break
        scenes = None if cells[4] == "most" else set(cells[4].split(", "))
        rows.append(Row(event_streams.Difference(*cells[:4]), scenes))
    return rows


def compile_(words, target, *sources):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    return subprocess.run([*words, "-o", target, *sources, "-lpthread", "-lm"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def gcc():
    return shlex.split(os.environ.get("CC") or "gcc")


def clang_version():
    if not shutil.which("clang"):
        return None
    said = subprocess.run(["clang", "--version"], stdout=subprocess.PIPE, text=True, check=False)
    found = re.search(r"version (\d+)", said.stdout)
    return int(found.group(1)) if found else None


class Sides:
    """A program on both runtimes."""

    def __init__(self, work, tool):
        self.work, self.tool = work, tool

    def build(self, source):
        """Why it cannot be had; both programs are made otherwise."""
        for compiler, flags in ((gcc(), GCC_FLAGS), (["clang"], CLANG_FLAGS)):
            done = compile_([*compiler, *flags], self.program(source, compiler[0]), source)
            if done.returncode:
                return "%s does not compile it" % compiler[0]
        return None

    def program(self, source, compiler):
        side = "llvm" if compiler == "clang" else "gomp"
        return os.path.join(self.work, side, os.path.basename(source).replace(".", "-"))

    def record(self, source, side, *arguments):
        """What the tool wrote, and what went wrong. Where LLVM's runtime is not used nothing is
        written."""
        program = self.program(source, "clang" if side == "llvm" else "gcc")
        report = "%s.%s" % (program, "-".join(("events",) + arguments))
        variables = {k: v for k, v in os.environ.items() if not k.startswith(FOREIGN)}
        variables.update(OMP_TOOL_LIBRARIES=self.tool, AGREE_EVENTS=report, OMP_DYNAMIC="false",
                         OMP_CANCELLATION="true", OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive")
        if side == "gomp":
            variables["LD_PRELOAD"] = os.path.join(STAGE, "lib/libompd-hooks.so")
        open(report, "w", encoding="utf-8").close()
        try:
            done = subprocess.run([program, *arguments], env=variables, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
                                  check=False)
        except subprocess.TimeoutExpired:
            return None, "no end after a minute"
        recording = event_streams.read(report)
        if done.returncode or recording.lost:
            return None, "status %d, %s events lost" % (done.returncode, recording.lost)
        return recording, None

    def differences(self, source, *arguments, sides=("gomp", "llvm")):
        recordings = []
        for side in sides:
            recording, problem = self.record(source, side, *arguments)
            if problem:
                return None, "%s: %s" % (side, problem)
            recordings.append(recording)
        return event_streams.compare(*recordings), None

    def chance(self, source):
        """In which events two runs of one side differ, and in what of them."""
        return {(d.event, d.attribute) for side in ("gomp", "llvm")
                for d in self.differences(source, sides=(side, side))[0] or ()}


def show(difference):
    return " | ".join(difference)


def scenes_of(sides, source):
    program = sides.program(source, "gcc")
    return subprocess.run([program, "list"], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.split()


def faults_of_scene(name, rows, found, problem):
    if problem:
        return [problem]
    expected = {row.difference for row in rows if row.scenes and name in row.scenes}
    anywhere = {row.difference for row in rows if row.scenes is None}
    return ["not in the table: " + show(d) for d in sorted(found - expected - anywhere)] + \
        ["only in the table: " + show(d) for d in sorted(expected - found)]


def play_scenes(tap, sides, rows, wanted):
    source = os.path.join(HERE, "agree_scenes.c")
    problem = sides.build(source)
    if problem:
        skip_all(problem)
    names = wanted or scenes_of(sides, source)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = dict(zip(names, pool.map(lambda name: sides.differences(source, name), names)))
    seen = set()
    for name, (found, problem) in results.items():
        seen |= found or set()
        if wanted:
            tap.note("\n".join(show(d) for d in sorted(found or ())))
        tap.case(faults_of_scene(name, rows, found, problem), "the events of " + name)
    if not wanted:
        tap.case(["no scene has it: " + show(row.difference) for row in rows
                  if row.difference not in seen], "each row of the table occurs")


def play_programs(tap, sides, rows, sources):
    """How many threads a runtime creates and keeps is its own matter."""
    known = {row.difference for row in rows}
    for source in sources:
        name = os.path.basename(source)
        problem = sides.build(source)
        if problem:
            tap.skip(name, problem)
            continue
        found, problem = sides.differences(source)
        if problem:
            tap.skip(name, problem)
            continue
        unknown = {d for d in found - known if d.attribute != "threads"}
        for _ in range(3 if unknown else 0):
            chance = sides.chance(source)
            unknown = {d for d in unknown if (d.event, d.attribute) not in chance}
        tap.case(["not in the table: " + show(d) for d in sorted(unknown)], name)


def main():
    if clang_version() != LLVM:
        skip_all("the table is that of LLVM %d, which is not here" % LLVM)
    work = os.path.join(os.environ["top_builddir"], "testsuite/tools/events")
    tool = os.path.join(work, "libevents.so")
    done = compile_([*gcc(), "-g", "-O1", "-Wall", "-Wextra", "-fPIC", "-shared", "-D_GNU_SOURCE",
                     "-I" + os.path.join(STAGE, "include")], tool,
                    os.path.join(HERE, "agree_events.c"))
    if done.returncode:
        print("Bail out! the tool does not compile:", done.stdout)
        sys.exit(1)
    tap, sides, rows = Tap(), Sides(work, tool), read_table()
    if sys.argv[1:2] == ["--programs"]:
        play_programs(tap, sides, rows, sys.argv[2:])
    else:
        play_scenes(tap, sides, rows, sys.argv[1:])
    tap.end()


if __name__ == "__main__":
    main()
