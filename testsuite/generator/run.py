#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generates programs, stops them, and holds what `ompd` and gdb say against what each program knows
of itself. Prints how often which answer was right, right and marked as inferred, unknown, or wrong.

Usage: run.py [--seeds FIRST[-LAST]] [--stops N] [--language c|cc|f90] [--compiler gcc|clang]
              [--devices] [--keep DIRECTORY] [--unknown]

Each program is looked at frozen and, N times, at random, unprepared and recorded. A program with a
wrong answer is kept with what was said."""

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, "../common"))
import languages  # noqa: E402
import program  # noqa: E402
import targets  # noqa: E402
import truth  # noqa: E402
from judge import RESULTS, Answer, Judge  # noqa: E402
from rest import comes_to_rest  # noqa: E402
from tap import Tap, skip_all  # noqa: E402

STAGE = os.environ["stage"]
PLUGIN = "libgomp-plugin-nvptx.so.1"
# What is known to be said wrongly: of which compiler or language, recorded or not, which kind of truth
# and fact.
DEFECTS = (
    (".f90", False, r"NEST_LOCK (object|held by|wanted by)", "a nest lock of Fortran has the address "
     "of what the runtime has made for it"),
)
TASKLOOP = "tasks of a taskloop that have not begun are not recorded, and the runtime is not asked"
COMMANDS = "threads", "parallel", "tasks", "locks", "why"
OF_DEVICES = "stacks", "mappings", "devices"


class Part(NamedTuple):
    """A source, and what has been made of it: a program, or a module for one."""

    source: str
    path: str


class Program:
    """Of a seed, compiled into a directory; some have a module of another compiler, which brings
    another runtime."""

    def __init__(self, seed: int, directory: str, language: Optional[str], compiler: Optional[str],
                 has_devices: bool):
        self.chance = chance = random.Random(seed)
        self.has_devices = has_devices
        kinds = [(one, maker) for one in (languages.C, languages.Cxx, languages.Fortran)
                 for maker, command in one.compilers.items()
                 if shutil.which(command) and language in (None, one.suffix[1:])
                 and (not has_devices or one is languages.C and (maker == "gcc" or targets.has_host_plugin()))
                 and compiler in (None, maker)]
        if not kinds:
            skip_all("no such compiler is installed")
        kind, self.compiler = chance.choice(kinds)
        self.level = chance.choice(("-O0", "-O0", "-O2"))
        self.gates: List[Sequence[int]] = []
        self.parts = [self._made(directory, "seed-%d" % seed, kind, self.compiler)]
        # LLVM's runtime has the entry points of GCC's, too, and would serve a module of gcc.
        if self.compiler == "gcc" and not compiler and not has_devices and shutil.which("clang") and \
                chance.random() < 0.2:
            self.parts.append(self._made(directory, "module-%d" % seed, languages.C, "clang"))
            self.compiler = "gcc and clang"

    def _made(self, directory: str, name: str, kind: Any, compiler: str) -> Part:
        text = kind()
        gates = (targets if self.has_devices else program).make(self.chance, text, compiler,
                                                                self.chance.randint(3, 5))
        self.gates = self.gates or gates
        made = Part(name + kind.suffix, os.path.join(directory, name))
        source = os.path.join(directory, made.source)
        with open(source, "w", encoding="utf-8") as stream:
            stream.write("\n".join(text.lines) + "\n")
        options = ["-w", "-g", self.level, "-fopenmp", "-pthread", "-fPIC", "-I" + HERE]
        link = ["-shared", "-Wl,-Bsymbolic"] if name.startswith("module") else ["-ldl"]
        own = [os.path.join(HERE, "truth.c")]
        if self.has_devices:
            own.append(os.path.join(HERE, "targets.c"))
            options += ["-rdynamic"] + [targets.OF_CLANG] * (compiler == "clang")
            subprocess.run([compiler, "-shared", "-fPIC", "-o", os.path.join(directory, PLUGIN),
                            os.path.join(HERE, "../command/device-plugin.c")], check=True)
        objects = [made.path + os.path.basename(one) + ".o" for one in own]
        for command in (*([compiler, "-c", one, "-o", out] for one, out in zip(own, objects)),
                        [kind.compilers[compiler], source, *objects, "-o", made.path, *link]):
            subprocess.run([command[0], *options, *command[1:]], check=True, cwd=directory)
        return made

    def start(self, recorded: bool, *arguments: object) -> "subprocess.Popen[bytes]":
        environment = dict(os.environ, OMP_MAX_ACTIVE_LEVELS="4", OMP_DYNAMIC="false",
                           OMP_WAIT_POLICY="active" if self.chance.random() < 0.1 and
                           not self.has_devices else "passive")
        if self.has_devices:
            environment.update(LD_LIBRARY_PATH=os.path.dirname(self.parts[0].path),
                               DEVICES=str(targets.DEVICES), OMP_NUM_THREADS="64")
        return subprocess.Popen([STAGE + "/bin/ompd-run"] * recorded +
                                [self.parts[0].path, *map(str, arguments),
                                 *[part.path for part in self.parts[1:]]], env=environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def said_by_shell(target: object, commands: Sequence[str]) -> List[Any]:
    """What each says, or why it says nothing."""
    done = [subprocess.run([STAGE + "/bin/ompd", command, "-json", str(target)], text=True,
                           capture_output=True, check=False) for command in commands]
    return [json.loads(one.stdout or json.dumps(one.stderr)) for one in done]


def gdb(pid: int, *commands: str) -> str:
    asks = [word for command in commands for word in ("-ex", command)]
    return subprocess.run(
        [os.environ.get("GDB") or "gdb", "-batch", "-nx", "-ex", "set width 0", "-ex",
         "source %s/share/ompd/gdb/ompd-gdb.py" % STAGE, "-p", str(pid), *asks],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False).stdout


def said_by_gdb(pid: int, commands: Sequence[str]) -> List[Any]:
    printed = gdb(pid, *[
        "python print('\\nsaid ' + gdb.execute('ompd %s -json', to_string=True))" % command
        for command in commands]).split("\nsaid ")
    return [json.JSONDecoder().raw_decode(one)[0] for one in printed[1:]] if \
        len(printed) == 1 + len(commands) else ["\n".join(printed)] * len(commands)


def said_of_snapshot(pid: int, commands: Sequence[str]) -> List[Any]:
    with tempfile.TemporaryDirectory(prefix="ompd-generated-") as directory:
        snapshot = os.path.join(directory, "snapshot")
        subprocess.run([STAGE + "/bin/ompd", "snapshot", "-o", snapshot, str(pid)], check=True,
                       stdout=subprocess.DEVNULL)
        return said_by_shell(snapshot, commands)


def said_of_core(pid: int, commands: Sequence[str]) -> List[Any]:
    with tempfile.TemporaryDirectory(prefix="ompd-generated-") as directory:
        core = os.path.join(directory, "core")
        gdb(pid, "generate-core-file " + core)
        return said_by_shell(core, commands)


def stop(whole: Program, pid: int, is_frozen: bool) -> List[Answer]:
    """What is said of a process that is stopped."""
    chance = whole.chance.random()
    truths = [truth.read(part.path, pid) for part in whole.parts]
    said = said_by_gdb if chance < 0.15 else said_of_core if chance < 0.3 else \
        said_of_snapshot if whole.has_devices and chance < 0.45 else said_by_shell
    commands = (COMMANDS if is_frozen else ("threads", "why")) + OF_DEVICES * whole.has_devices
    answers = dict(zip(commands, said(pid, commands)))
    silent = [one for one in answers.values() if isinstance(one, str)]
    if silent:
        return [Answer("commands", "answers", "wrong", silent[0], ())]
    judges = []
    for part, so in zip(whole.parts, truths):
        judge = Judge(so, answers["threads"], whole.level == "-O0",
                      part.source if len(whole.parts) > 1 else None)
        judges.append(judge)
        if is_frozen:
            judge.frozen()
            judge.regions(answers["parallel"])
            judge.tasks(answers["tasks"])
            judge.locks(answers["locks"])
        else:
            judge.running()
    judges[0].verdicts(answers["why"])
    if whole.has_devices:
        judges[0].kernels(answers["stacks"], is_frozen)
        judges[0].mappings(truth.ranges(whole.parts[0].path, pid), answers["mappings"], answers["devices"])
    return [one for judge in judges for one in judge.answers]


def stops(whole: Program, recorded: bool, count: int) -> Iterator[List[Answer]]:
    """Answers at a frozen stop, and at COUNT random ones."""
    gates = [word for one in whole.gates
             for word in (whole.chance.choice(one), whole.chance.choice(
                 (1, 3, -1, -2) if whole.has_devices else range(1, 7)))]
    for is_frozen in (True, False)[:1 + (count > 0)]:
        process = whole.start(recorded, *(["frozen", *gates] if is_frozen else ["runs"]))
        try:
            if is_frozen:
                if not comes_to_rest(process.pid, 1):
                    continue
            else:
                time.sleep(0.2)
            for _ in range(1 if is_frozen else count):
                os.kill(process.pid, signal.SIGSTOP)
                time.sleep(0.02)
                if process.poll() is not None:
                    raise RuntimeError("it ended")
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
    parser.add_argument("--seeds", default="6-9")
    parser.add_argument("--stops", type=int, default=2)
    parser.add_argument("--language")
    parser.add_argument("--compiler")
    parser.add_argument("--devices", action="store_true")
    parser.add_argument("--keep")
    parser.add_argument("--unknown", action="store_true")
    return parser.parse_args()


def defect(answer: Answer, whole: Program, recorded: bool) -> Optional[str]:
    """Why an answer may be wrong."""
    return next((reason for compiler, way, what, reason in DEFECTS
                 if compiler in whole.compiler + whole.parts[0].source and way in (None, recorded)
                 and re.fullmatch(what, "%s %s" % (answer.kind, answer.fact))), None)


def less_known(ways: List[List[Answer]]) -> Set[tuple]:
    """What the second way does not know, and the first one does."""
    known, unknown = ({(one.kind, one.fact, *one.key) for one in answers
                       if one.key and (one.result == "unknown") == is_unknown}
                      for answers, is_unknown in zip(ways, (False, True)))
    return known & unknown


def look(tap: Tap, whole: Program, asked: argparse.Namespace, found: Dict[tuple, Counter]) -> bool:
    """At one program; whether all was right."""
    ways, good = [], True
    for way, recorded in (("unprepared", False), ("recorded", True)):
        answers = [one for some in stops(whole, recorded, asked.stops) for one in some]
        for one in answers:
            found[one.kind, one.fact][one.result] += 1
        name = "%s, %s %s, %s" % (whole.parts[0].source, whole.compiler, whole.level, way)
        wrong = defaultdict(list)
        for one in answers:
            if one.result == "wrong" or asked.unknown and one.result == "unknown":
                wrong[defect(one, whole, recorded)].append(one.detail)
        for reason, details in wrong.items():
            good &= tap.ok(False, "%s: %d answers" % (name, len(details)), *details, defect=reason)
        tap.ok(answers, "%s: %d answers in all" % (name, len(answers)))
        ways.append(answers)
    less = less_known(ways)
    good &= tap.ok(not less, "%s, %s %s: recorded, no less is known" % (
        whole.parts[0].source, whole.compiler, whole.level), *sorted(map(str, less)),
        defect=TASKLOOP if less and all(one[:2] == ("queued tasks", "count") for one in less) else None)
    return good


def main() -> None:
    asked, tap = arguments(), Tap()
    first, _, last = asked.seeds.partition("-")
    found: Dict[tuple, Counter] = defaultdict(Counter)
    for seed in range(int(first), int(last or first) + 1):
        with tempfile.TemporaryDirectory(prefix="ompd-generated-") as directory:
            whole = Program(seed, directory, asked.language, asked.compiler, asked.devices)
            if not look(tap, whole, asked, found) and asked.keep:
                os.makedirs(asked.keep, exist_ok=True)
                for part in whole.parts:
                    shutil.copy(os.path.join(directory, part.source), asked.keep)
    print_table(tap, found)
    tap.end()


if __name__ == "__main__":
    main()
