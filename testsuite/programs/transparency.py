# SPDX-License-Identifier: MIT
#
# Runs every program of the manifest bare, with the hooks loaded and off, and with them
# recording, and compares what can be seen from outside: stdout, stderr, exit status or
# signal. Speaks TAP, one case per program and mode.
#
#   transparency.py [--repeat N] [--random] [--seed S] [--jobs J] [NAME...]
#
# Takes top_builddir and stage from the environment. --random draws OMP_* settings anew
# for each repetition; all modes of one repetition run under the same.

import argparse
import concurrent.futures
import os
import random
import signal
import subprocess
import sys

import build
import coverage
import manifest

TIMEOUT = 20
SHOWN_LINES = 40
SHOWN_STACK_LINES = 150

# What a session may hold and a program under test must not see unasked.
FOREIGN = ("OMP_", "GOMP_", "LD_PRELOAD", "MALLOC_", "LC_", "LANG")


class Outcome:
    def __init__(self, status, out, err, note=""):
        self.status, self.out, self.err, self.note = status, out, err, note


class Modes:
    def __init__(self, stage):
        self.hooks = os.path.join(stage, "lib", "libompd-hooks.so")
        self.runner = os.path.join(stage, "bin", "ompd-run")

    def missing(self):
        return [p for p in (self.hooks, self.runner) if not os.path.exists(p)]

    def command(self, mode, program, environment):
        """Changes the environment as the mode wants it; returns the words before args."""
        if mode == "off":
            environment["LD_PRELOAD"] = self.hooks
        return [self.runner, program] if mode == "tracking" else [program]


def stacks_of(pid):
    """Where a program hangs, for the report."""
    gdb = os.environ.get("GDB") or "gdb"
    try:
        return subprocess.run([gdb, "-nx", "-batch", "-p", str(pid), "-ex",
                               "thread apply all bt 8"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                              text=True, timeout=30).stdout
    except (OSError, subprocess.TimeoutExpired):
        return "no stacks\n"


def run(modes, mode, case, program, settings):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(FOREIGN)}
    environment.update({"LC_ALL": "C", "OMP_NUM_THREADS": "2"}, **settings)
    environment.update(case.env)
    command = modes.command(mode, program, environment) + list(case.args)
    process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True)
    try:
        out, err = process.communicate(case.stdin.encode(), timeout=TIMEOUT)
        return Outcome(process.returncode, out, err)
    except subprocess.TimeoutExpired:
        note = "still running after %d s:\n%s" % (TIMEOUT, stacks_of(process.pid))
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return Outcome(None, out, err, note)


def same_text(a, b, unordered):
    return a == b or unordered and sorted(a.splitlines()) == sorted(b.splitlines())


def differences(case, bare, other):
    """What of two outcomes differs, in words; empty when nothing does."""
    found = []
    if bare.status != other.status:
        found.append("status %s, bare %s" % (other.status, bare.status))
    for name in ("out", "err"):
        if not same_text(getattr(bare, name), getattr(other, name), case.unordered):
            found.append("std%s differs" % name)
    return found


def shown(outcome):
    lines = []
    for name in ("out", "err"):
        text = getattr(outcome, name).decode(errors="backslashreplace").splitlines()
        lines += ["std%s: %s" % (name, line) for line in text[:SHOWN_LINES]]
    return ["status %s" % outcome.status] + lines + \
        outcome.note.splitlines()[:SHOWN_STACK_LINES]


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def case(self, good, name, details=(), skip=None):
        self.count += 1
        self.failed += not good
        print("%s %d - %s%s" % ("ok" if good else "not ok", self.count, name,
                                " # SKIP " + skip if skip else ""))
        for line in details:
            print("#   " + line)
        sys.stdout.flush()

    def plan(self):
        print("1..%d" % self.count)


def compare(modes, case, program, settings):
    """The TAP arguments of this case, for each mode."""
    bare = run(modes, "bare", case, program, settings)
    good = bare.status == case.status
    yield good, case.name + ", bare", [] if good else shown(bare)
    for mode in ("off", "tracking"):
        other = run(modes, mode, case, program, settings)
        found = differences(case, bare, other)
        details = found + ["bare:"] + shown(bare) + [mode + ":"] + shown(other)
        if found and settings:
            details.insert(0, "settings %s" % settings)
        yield not found, "%s, %s" % (case.name, mode), details if found else []


def draw_settings(dice):
    return {"OMP_NUM_THREADS": str(dice.randint(1, 6)),
            "OMP_WAIT_POLICY": dice.choice(("active", "passive")),
            "OMP_PROC_BIND": dice.choice(("true", "false", "close", "spread")),
            "OMP_SCHEDULE": dice.choice(("static", "dynamic", "guided,3", "dynamic,5",
                                         "monotonic:dynamic", "auto")),
            "GOMP_SPINCOUNT": dice.choice(("0", "1000", "100000")),
            "OMP_DYNAMIC": "false"}


def check_witness(tap, modes, program):
    """The modes are what they claim."""
    ask = manifest.Case("witness", manifest.WITNESS, (), {}, 0, "", False)
    for mode, answer in (("bare", "no hooks"), ("off", "off"), ("tracking", "tracking")):
        outcome = run(modes, mode, ask, program, {})
        good = outcome.status == 0 and outcome.out.decode() == answer + "\n"
        tap.case(good, "mode %s is what it says" % mode, [] if good else shown(outcome))


def check_coverage(tap, modes, paths):
    libgomp = subprocess.run([os.environ.get("CC", "gcc").split()[0],
                              "-print-file-name=libgomp.so.1"], stdout=subprocess.PIPE,
                             text=True).stdout.strip()
    called = coverage.called(paths + [p + ".so" for p in paths if os.path.exists(p + ".so")])
    for what, offered in (("construct of libgomp", coverage.constructs_of(libgomp)),
                          ("function the hooks interpose",
                           coverage.interposed_by(modes.hooks))):
        missing = sorted(offered - called)
        tap.case(bool(offered) and not missing,
                 "some program calls every %s (%d)" % (what, len(offered)),
                 missing if offered else ["nothing found"])


def check_manifest(tap):
    listed = {b.source for b in manifest.BINARIES} | {b.plugin for b in manifest.BINARIES}
    forgotten = [name for name in sorted(os.listdir(build.SOURCES))
                 if os.path.splitext(name)[1] in build.LANGUAGES and name not in listed]
    tap.case(not forgotten, "the manifest lists every source", forgotten)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--random", action="store_true")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    options = parser.parse_args()
    top = os.environ.get("top_builddir", os.getcwd())
    modes = Modes(os.environ.get("stage", os.path.join(top, "stage")))
    if modes.missing():
        print("Bail out! not staged: " + ", ".join(modes.missing()))
        return 1

    tap = Tap()
    programs = build.build_all(manifest.BINARIES,
                               os.path.join(top, "testsuite", "programs", "bin"),
                               options.jobs)
    seed = options.seed if options.seed is not None else random.randrange(1 << 30)
    dice = random.Random(seed)
    if options.random:
        print("# --seed %d" % seed)
    cases = [c for c in manifest.CASES
             if not options.names or c.binary in options.names or c.name in options.names]
    if not options.names:
        check_manifest(tap)
        check_witness(tap, modes, programs[manifest.WITNESS])
        if all(isinstance(p, str) for p in programs.values()):
            check_coverage(tap, modes, list(programs.values()))
        else:
            tap.case(True, "coverage of entry points",
                     skip="not every program could be built here")

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for _ in range(options.repeat):
            settings = draw_settings(dice) if options.random else {}
            pending = []
            for case in cases:
                program = programs[case.binary]
                if isinstance(program, build.Unavailable):
                    tap.case(True, case.name, skip=str(program))
                elif isinstance(program, build.CompileError):
                    tap.case(False, case.name + ", compiled", str(program).splitlines())
                else:
                    pending.append(pool.submit(
                        lambda c, p, s: list(compare(modes, c, p, s)), case, program,
                        settings))
            for results in pending:
                for good, name, details in results.result():
                    tap.case(good, name, details)
    tap.plan()
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
