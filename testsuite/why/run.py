# SPDX-License-Identifier: MIT
"""Runs the programs of cases.py until they hang, asks gdb why, and compares.

Usage: run.py [--short] [--stops N] [--seed N] [--only WORD] [--table]

Each program is looked at unprepared and recorded, live and as a core, at -O0 and -O2; --short
takes those that are marked so, live and unoptimised where there is a choice. What is certain is
looked at again in a team that has one more member, which works, or reads (--short: works in those
that are unprepared, reads in others): it is possible then.
Healthy programs are stopped N times each at random. TAP, and a table of results with --table.
"""

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

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "../common"), os.path.join(HERE, "../gdb")]
import cases  # noqa: E402
import gdb_jobs  # noqa: E402
from harness import CLANG, compile_program, compiler_of  # noqa: E402
from rest import comes_to_rest  # noqa: E402
from tap import Tap, skip_all  # noqa: E402

_CERTAINTY = (None, "possible", "likely", "certain")


# Runs libraries that have a script beside their source: the system's own, as people have it.
INTERPRETER = "/usr/bin/python3"


class Bench:
    def __init__(self, scratch, seed):
        self.scratch = scratch
        self.stage = os.environ["stage"]
        self.chance = random.Random(seed)
        self.rows = []
        self.scripts = {}  # by the libraries that they call
        self.tap = Tap()

    def compiled(self, source, level, flags=""):
        """The program, or None: there is no compiler for it, or no archive to link to."""
        name, end = os.path.splitext(source)
        script = os.path.join(HERE, name + ".py")
        if os.path.exists(script):
            flags += " -shared -fPIC"
            if not os.path.exists(INTERPRETER):
                return None
        try:
            output = self.built(source, "%s%s-O%d%s" % (name, end[1:], level, flags),
                                "-O%d %s" % (level, flags))
            self.scripts.update({output: script} if os.path.exists(script) else {})
            return output
        except subprocess.CalledProcessError:
            if "-static" not in flags:
                raise
            return None

    def built(self, source, name, options):
        output = os.path.join(self.scratch, name)
        if not os.path.exists(output):
            source = os.path.join(HERE, source)
            if not shutil.which(compiler_of(source)[0]):
                return None
            compile_program(source, output, options)
        return output

    def executable(self, program):
        """What a PROGRAM that compiled() returned runs as."""
        return os.path.realpath(INTERPRETER) if program in self.scripts else program

    def start(self, program, how, recorded, settings=()):
        run = [os.path.join(self.stage, "bin/ompd-run")] if recorded else []
        if program in self.scripts:
            run += [INTERPRETER, self.scripts[program]]
        environment = dict(os.environ, OMP_WAIT_POLICY="passive")
        for name in ("LD_PRELOAD", "OMP_OMPD", "OMP_NUM_THREADS"):
            environment.pop(name, None)
        environment.update(settings)
        return subprocess.Popen(run + [program, how], env=environment, cwd=self.scratch,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, start_new_session=True)

    def ask(self, arguments, job, timeout=300, settings=()):
        """What look.py answers in gdb, as it is doing JOB."""
        return gdb_jobs.done(self.scratch, os.path.join(HERE, "look.py"), job, arguments, timeout,
                             settings)


def line_of(source, mark):
    with open(os.path.join(HERE, source), encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            if re.search(r"(/\*|//|!) %s( \*/)?$" % re.escape(mark), line.rstrip()):
                return number
    raise ValueError(mark)


def judge(bench, case, mode, answer, printed):
    """Compares one answer, and keeps a row of the table."""
    recorded = "recorded" in mode
    wanted, certainty = case.recorded if recorded else case.bare
    found = answer["verdicts"][0] if answer and answer.get("verdicts") else {}
    told = found.get("id"), found.get("certainty")
    good = told == (wanted, certainty)
    lines = {part.get("line") for part in found.get("links", []) + found.get("at", [])} | {
        int(link["construct"].rpartition(":")[2]) for link in found.get("links", ())
        if link["construct"]}
    located = case.mark is None or wanted == "nothing" or line_of(case.source, case.mark) in lines
    located = located and any(typed.startswith(case.typed)
                              for typed in found.get("next") or [""])
    name = "%s %s%s, %s" % (case.source, case.how, ", watched" if case.watch else "", mode)
    bench.rows.append((case, mode, wanted, certainty, *told, located, name))
    lost = "-O%s " % case.lost in mode
    text = re.sub(r" for \d+ s\b", "", " ".join((answer or {}).get("text", "").split()))
    says = [re.sub(r"{([\w-]+)}", lambda mark: str(line_of(case.source, mark[1])), words)
            for words in case.says + (
                () if mode.endswith("core") else case.live) + (case.kept if recorded else ())]
    unsaid = [words for words in says if words not in text]
    faults = (answer or {}).get("faults")
    bench.tap.ok(good and (located or lost) and not unsaid and not faults,
                 "%s: %s [%s]" % (name, wanted, certainty),
                 "found %s [%s], lines %s, next %s, not said %s, faults %s\n%s" % (
                      *told, sorted(filter(None, lines)), found.get("next"), unsaid, faults, printed))


def ended(process, pid):
    """Ends a Popen, and the child PID of it that was looked at."""
    for one in {pid, process.pid} - {None}:
        try:
            os.kill(one, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.wait()
    process.stdout.close()


def run_case(bench, case, level, recorded, short):
    program = bench.compiled(case.source, level, case.flags)
    way = "recorded" if recorded else "unprepared"
    mode = "%s -O%d%s" % (way, level, case.flags)
    if program is None:
        bench.tap.skip("%s %s" % (case.source, case.how), "no compiler")
        return
    core = os.path.join(bench.scratch, "core") if not short and not case.watch else None
    job = {"watch": case.watch, "core": core}
    if case.crash:
        job.update(run=case.how, hooks=recorded)
        answer, printed = bench.ask([program], job, settings=case.settings)
    else:
        with_more = level == case.levels[0] and not CLANG and \
            cases.is_open(case, recorded) is not None
        others = () if not with_more else OTHERS[recorded:recorded + 1] if short else OTHERS
        answers, printed = look_at_all(bench, case, program, recorded, job, others)
        answer = answers[0]
        for other, told in zip(others, answers[1:]):
            judge_open(bench, case, "%s -O%d, one more %s" % (way, level, other), told, printed)
    judge(bench, case, mode + " live", answer, printed)
    if core is not None and os.path.exists(core):
        answer, printed = bench.ask([bench.executable(program), "-c", core], {})
        judge(bench, case, mode + " core", answer, printed)
        os.unlink(core)


# What one more member of a team does, which does not wait.
OTHERS = "works", "reads"


def look_at_all(bench, case, program, recorded, job, others):
    """([answer, ...], printed) of one gdb that is doing JOB with the program, and then looks at it
    in teams with one more member of each kind of OTHERS."""
    started = []
    try:
        for other in (None, *others):
            more = {} if other is None else {"ONE_MORE": other, "LD_PRELOAD": bench.built(
                "one_more.c", "one_more.so", "-shared -fPIC")}
            process = bench.start(program, case.how, recorded, dict(case.settings, **more))
            started.append([process, None])
            started[-1][1] = int(process.stdout.readline()) if case.child else process.pid
        for _, pid in started:
            comes_to_rest(pid, 1 if case.child or case.how == "alone" else 2)
        pids = [pid for _, pid in started]
        answers, printed = bench.ask([], {"looks": [dict(job, pid=pids[0])] +
                                          [{"pid": pid} for pid in pids[1:]]})
        return answers or [None] * len(pids), printed
    finally:
        for process, pid in started:
            ended(process, pid)


def judge_open(bench, case, mode, answer, printed):
    """Compares what is said of a team of one more."""
    recorded = mode.startswith("recorded")
    told = {(one["id"], one["certainty"]) for one in answer["verdicts"]
            if one["certainty"] in (cases.CERTAIN, cases.LIKELY)} if answer and not answer["faults"] else None
    is_open = cases.is_open(case, recorded)
    wanted = cases.of_open(case, recorded) if is_open else \
        {case.recorded if recorded else case.bare}
    bench.tap.ok(told == wanted, "%s %s, %s: %s" % (
        case.source, case.how, mode, "not certain" if is_open else "as certain"),
        "found %s, faults %s\n%s" % (told, answer and answer["faults"], printed))


def run_healthy(bench, source, how, recorded, stops, level):
    program = bench.compiled(source, level)
    process = bench.start(program, how, recorded, {"OMP_CANCELLATION": "true"})
    try:
        time.sleep(0.3)
        answer, printed = bench.ask(["-p", str(process.pid)],
                                    {"stops": stops, "seed": bench.chance.random(),
                                     "watched": 1 + stops // 10, "passes": how in cases.PASSING},
                                    3600)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    worst = answer["worst"] if answer else None
    name = "%s %s, %s -O%d, %s stops" % (
        source, how, "recorded" if recorded else "unprepared", level, answer and answer["stops"])
    bench.tap.ok(answer is not None and answer["stops"] == stops and worst < 2 and
                 not answer["stuck"] and not answer["faults"], name,
                 printed + json.dumps(answer, indent=1))
    bench.rows.append((None, "recorded" if recorded else "unprepared", how, stops, worst))


def table(bench):
    """Lines of Markdown: what was expected of each program in each mode, how often it was
    found, live and in cores, unoptimised and optimised, and how often with the right line."""
    found = {}
    for row in bench.rows:
        if row[0] is not None:
            case, mode, wanted, certainty, told, told_certainty, located, _ = row
            name = "%s %s%s" % (case.source, case.how, " (watched)" if case.watch else "")
            cell = found.setdefault(name, {}).setdefault(mode.split()[0], [
                "%s, %s" % (wanted, certainty), 0, 0, 0, set()])
            right = (told, told_certainty) == (wanted, certainty)
            cell[1] += 1
            cell[2] += right
            cell[3] += located
            if not right:
                cell[4].add("%s, %s" % (told, told_certainty))
    lines = ["| program | unprepared | id | line | recorded | id | line |",
             "|---|---|---|---|---|---|---|"]
    for name, modes in found.items():
        cells = []
        for mode in ("unprepared", "recorded"):
            wanted, runs, right, located, others = modes.get(mode, ("-", 0, 0, 0, ()))
            cells.append("%s | %d/%d%s | %d/%d" % (
                wanted, right, runs, "".join("; " + other for other in sorted(others)),
                located, runs))
        lines.append("| %s | %s |" % (name, " | ".join(cells)))
    for name in ("unprepared", "recorded"):
        some = [row for row in bench.rows if row[0] is not None and name in row[1]]
        lines.append("")
        if some:
            lines.append("%s: id of %d of %d right, line of %d; certain and wrong: %d" % (
                name, sum(row[4] == row[2] for row in some), len(some),
                sum(row[6] for row in some),
                sum(row[5] == "certain" and row[4] != row[2] for row in some)))
        stops = [row for row in bench.rows if row[0] is None and row[1] == name]
        lines.append("%s: %d stops of healthy programs, %d of %d programs above possible" % (
            name, sum(row[3] for row in stops), sum((row[4] or 0) > 1 for row in stops),
            len(stops)))
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--stops", type=int)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only")
    given = parser.parse_args()
    if not shutil.which(os.environ.get("GDB") or "gdb"):
        skip_all("gdb is not installed")
    print("# seed %d" % given.seed)
    scratch = tempfile.mkdtemp(prefix="ompd-why-")
    bench = Bench(scratch, given.seed)
    stops = given.stops if given.stops is not None else 4 if given.short else 230
    try:
        for case in filter(None, map(cases.of_clang, cases.CASES)) if CLANG else cases.CASES:
            if given.only and given.only not in case.source + " " + case.how or \
                    given.short and not case.short:
                continue
            for level in case.levels[:1] if given.short else case.levels:
                for recorded in (False, True):
                    if given.short and recorded and case.recorded == case.bare and \
                            case.short != cases.BOTH:
                        continue
                    run_case(bench, case, level, recorded, given.short)
        for source, how in cases.HEALTHY if stops else ():
            if given.only and given.only not in source + " " + how or \
                    given.short and how not in ("barriers", "pipeline") or \
                    CLANG and how in cases.HANGS_OF_CLANG:
                continue
            for recorded in (False, True):
                run_healthy(bench, source, how, recorded, stops, 0 if given.short else 2)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    if given.table:
        print("\n".join(table(bench)))
    bench.tap.end()


if __name__ == "__main__":
    main()
