# SPDX-License-Identifier: MIT
#
# Runs every program of the manifest bare, with the hooks loaded and off, with them
# recording, and with flight recorders, and compares what can be seen from outside: stdout,
# stderr, exit status or signal. Speaks TAP, one case per program and mode.
#
#   transparency.py [--repeat N] [--random] [--seed S] [--jobs J] [NAME...]
#
# Takes top_builddir and stage from the environment. --random draws OMP_* settings anew
# for each repetition; all modes of one repetition run under the same.

import argparse
import concurrent.futures
import os
import random
import subprocess
import sys

import build
import coverage
import manifest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
import run_modes  # noqa: E402
from tap import Tap  # noqa: E402

HOOKED = ("off", "recording", "history")


def run(modes, mode, case, program, settings):
    return run_modes.run(modes, mode, [program, *case.args], dict(settings, **case.env),
                      case.stdin)


def compare(modes, case, program, settings):
    """The TAP arguments of this case, for each mode."""
    bare = run(modes, "bare", case, program, settings)
    good = bare.status == case.status
    yield good, case.name + ", bare", [] if good else bare.shown()
    for mode in HOOKED:
        other = run(modes, mode, case, program, settings)
        found = run_modes.differences(bare, other, case.unordered)
        details = found + ["bare:", *bare.shown(), mode + ":", *other.shown()]
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
    for mode, answer in (("bare", "no hooks"), ("off", "off"), ("recording", "recording"),
                         ("history", "recording")):
        outcome = run(modes, mode, ask, program, {})
        good = outcome.status == 0 and outcome.out.decode() == answer + "\n"
        tap.ok(good, "mode %s is what it says" % mode, *outcome.shown())


def check_coverage(tap, modes, paths):
    libgomp = subprocess.run([os.environ.get("CC", "gcc").split()[0],
                              "-print-file-name=libgomp.so.1"], stdout=subprocess.PIPE,
                             text=True).stdout.strip()
    called = coverage.called(paths + [p + ".so" for p in paths if os.path.exists(p + ".so")])
    for what, offered in (("construct of libgomp", coverage.constructs_of(libgomp)),
                          ("function the hooks interpose",
                           coverage.interposed_by(modes.hooks, libgomp))):
        missing = sorted(offered - called)
        tap.case(missing if offered else ["nothing found"],
                 "some program calls every %s (%d)" % (what, len(offered)))


def check_manifest(tap):
    listed = {b.source for b in manifest.BINARIES} | {b.plugin for b in manifest.BINARIES}
    forgotten = [name for name in sorted(os.listdir(build.SOURCES))
                 if os.path.splitext(name)[1] in build.LANGUAGES and name not in listed]
    tap.case(forgotten, "the manifest lists every source")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--random", action="store_true")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    options = parser.parse_args()
    top = os.environ.get("top_builddir", os.getcwd())
    modes = run_modes.Modes(os.environ.get("stage", os.path.join(top, "stage")))
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
            tap.skip("coverage of entry points", "not every program could be built here")

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for _ in range(options.repeat):
            settings = draw_settings(dice) if options.random else {}
            pending = []
            for case in cases:
                program = programs[case.binary]
                if isinstance(program, build.Unavailable):
                    tap.skip(case.name, str(program))
                elif isinstance(program, build.CompileError):
                    tap.case([program], case.name + ", compiled")
                else:
                    pending.append(pool.submit(
                        lambda c, p, s: list(compare(modes, c, p, s)), case, program,
                        settings))
            for results in pending:
                for good, name, details in results.result():
                    tap.ok(good, name, *details)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
