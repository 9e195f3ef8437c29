#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generates programs, stops them, and holds what `ompd` and gdb say against what each program knows
of itself. Prints how often which answer was right, right and marked as inferred, unknown, or wrong.

Usage: run.py [--seeds FIRST[-LAST]] [--stops N] [--language c|cc|f90] [--compiler gcc|clang]
              [--keep DIRECTORY] [--unknown]

Each program is looked at frozen and, N times, at random, unprepared and recorded. A program with a
wrong answer is kept with what was said."""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from typing import Dict, Iterator, List, Optional

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, "../common"))
import languages  # noqa: E402
import program  # noqa: E402
import truth  # noqa: E402
from judge import RESULTS, Answer, Judge  # noqa: E402
from rest import comes_to_rest  # noqa: E402
from tap import Tap, skip_all  # noqa: E402

STAGE = os.environ["stage"]
COMMANDS = "threads", "parallel", "tasks", "locks", "why"


class Program:
    """Of a seed, compiled into a directory."""

    def __init__(self, seed: int, directory: str, language: Optional[str], compiler: Optional[str]):
        self.chance = chance = random.Random(seed)
        kinds = [(one, maker) for one in (languages.C, languages.Cxx, languages.Fortran)
                 for maker, command in one.compilers.items()
                 if shutil.which(command) and language in (None, one.suffix[1:])
                 and compiler in (None, maker)]
        kind, self.compiler = chance.choice(kinds)
        self.text = kind()
        self.gates = program.make(chance, self.text, self.compiler, chance.randint(3, 5))
        self.name = "seed-%d%s" % (seed, kind.suffix)
        self.path = os.path.join(directory, "generated")
        source = os.path.join(directory, self.name)
        with open(source, "w", encoding="utf-8") as stream:
            stream.write("\n".join(self.text.lines) + "\n")
        options = ["-w", "-g", "-O0", "-fopenmp", "-pthread", "-I" + HERE]
        command = kind.compilers[self.compiler]
        for compiler, more in ((self.compiler, ["-c", os.path.join(HERE, "truth.c"), "-o",
                                                self.path + ".o"]),
                               (command, [source, self.path + ".o", "-o", self.path])):
            subprocess.run([compiler, *options, *more], check=True, cwd=directory)

    def start(self, recorded: bool, *arguments: object) -> "subprocess.Popen[bytes]":
        environment = dict(os.environ, OMP_MAX_ACTIVE_LEVELS="4", OMP_DYNAMIC="false",
                           OMP_WAIT_POLICY="active" if self.chance.random() < 0.1 else "passive")
        return subprocess.Popen([STAGE + "/bin/ompd-run"] * recorded +
                                [self.path, *map(str, arguments)], env=environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def said_by_shell(pid: int, commands: tuple) -> List[object]:
    return [json.loads(subprocess.run(
        [STAGE + "/bin/ompd", command, "-json", str(pid)], stdout=subprocess.PIPE,
        check=False).stdout) for command in commands]


def said_by_gdb(pid: int, commands: tuple) -> List[object]:
    asks = [word for command in commands for word in (
        "-ex", "python print('\\nsaid ' + gdb.execute('ompd %s -json', to_string=True))" % command)]
    printed = subprocess.run(
        [os.environ.get("GDB") or "gdb", "-batch", "-nx", "-ex", "set width 0", "-ex",
         "source %s/share/ompd/gdb/ompd-gdb.py" % STAGE, "-p", str(pid), *asks],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False).stdout
    return [json.JSONDecoder().raw_decode(one)[0] for one in printed.split("\nsaid ")[1:]]


def stop(whole: Program, pid: int, is_frozen: bool) -> List[Answer]:
    """What is said of a process that is stopped."""
    before = truth.read(whole.path, pid)
    host = said_by_gdb if whole.chance.random() < 0.2 else said_by_shell
    threads, *others = host(pid, COMMANDS if is_frozen else COMMANDS[::4])
    judge = Judge(before, threads)  # type: ignore[arg-type]
    if is_frozen:
        judge.frozen()
        judge.regions(others[0])  # type: ignore[arg-type]
        judge.tasks(others[1])  # type: ignore[arg-type]
        judge.locks(others[2])  # type: ignore[arg-type]
    else:
        judge.running()
    judge.verdicts(others[-1])  # type: ignore[arg-type]
    return judge.answers


def stops(whole: Program, recorded: bool, count: int) -> Iterator[List[Answer]]:
    """Answers at a frozen stop, and at COUNT random ones."""
    gates = [word for one in whole.gates
             for word in (whole.chance.choice(one), whole.chance.randint(1, 6))]
    for is_frozen in (True, False)[:1 + (count > 0)]:
        process = whole.start(recorded, *(["frozen", *gates] if is_frozen else ["runs"]))
        try:
            if is_frozen:
                if not comes_to_rest(process.pid, 1):
                    continue
            else:
                time.sleep(0.2)
            for _ in range(1 if is_frozen else count):
                if process.poll() is not None:
                    raise RuntimeError("it ended")
                os.kill(process.pid, signal.SIGSTOP)
                time.sleep(0.02)
                yield stop(whole, process.pid, is_frozen)
                os.kill(process.pid, signal.SIGCONT)
                time.sleep(whole.chance.random() / 50)
        finally:
            process.kill()
            process.wait()


def print_table(tap: Tap, found: Dict[tuple, Counter]) -> None:
    tap.note("%-32s" % "" + "".join("%9s" % one for one in RESULTS))
    for key, counts in sorted(found.items()):
        tap.note("%-32s" % " ".join(key) + "".join("%9s" % (counts[one] or "") for one in RESULTS))
    tap.note("%-32s" % "all" + "".join(
        "%9d" % sum(counts[one] for counts in found.values()) for one in RESULTS))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="1-4")
    parser.add_argument("--stops", type=int, default=2)
    parser.add_argument("--language")
    parser.add_argument("--compiler")
    parser.add_argument("--keep")
    parser.add_argument("--unknown", action="store_true")
    return parser.parse_args()


def main() -> None:
    asked, tap = arguments(), Tap()
    first, _, last = asked.seeds.partition("-")
    found: Dict[tuple, Counter] = defaultdict(Counter)
    for seed in range(int(first), int(last or first) + 1):
        with tempfile.TemporaryDirectory(prefix="ompd-generated-") as directory:
            whole = Program(seed, directory, asked.language, asked.compiler)
            for recorded in (False, True):
                wrong, count = [], 0
                for answers in stops(whole, recorded, asked.stops):
                    count += len(answers)
                    for one in answers:
                        found[one.kind, one.fact][one.result] += 1
                    wrong += [one.detail for one in answers if one.result == "wrong" or
                              asked.unknown and one.result == "unknown"]
                tap.ok(not wrong and count, "%s, %s, %s: %d answers" % (
                    whole.name, whole.compiler, "recorded" if recorded else "unprepared", count),
                    *wrong)
                if wrong and asked.keep:
                    os.makedirs(asked.keep, exist_ok=True)
                    shutil.copy(os.path.join(directory, whole.name), asked.keep)
    print_table(tap, found)
    tap.end()


if __name__ == "__main__":
    main()
