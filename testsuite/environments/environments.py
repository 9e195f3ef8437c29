# SPDX-License-Identifier: MIT
#
# Processes as users have them, each run bare, with the hooks loaded and off, recording, and
# recording with a tool: same output, same exit status, same signal. Speaks TAP, one case per
# process and mode.
#
#   environments.py [--long] [--list] [--repeat N] [--jobs J] [NAME...]
#
# A NAME chooses the cases that hold it. --long adds those that are not part of "make check".
# Takes top_builddir and stage from the environment.

import argparse
import concurrent.futures
import importlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "../common"), os.path.join(HERE, "../programs")]

import build  # noqa: E402
import run_modes  # noqa: E402
import table  # noqa: E402
from tap import Tap  # noqa: E402

# Each fills table.CASES.
GROUPS = ("tasks", "runtimes", "references", "processes", "threads", "ends", "others",
          "growth")

WITNESS = table.program("witness.c")
TOOL = table.module("tool.c", "-I{stage}/include", openmp=False)
ANSWERS = {"bare": "no hooks", "off": "off", "recording": "recording",
           "tool": "recording, tool"}


def outcome_of(modes, mode, case, paths):
    command = [paths[w] if isinstance(w, table.Binary) else w for w in case.command]
    directory = os.path.dirname(paths[WITNESS])

    def filled(word):
        return word.replace("{bin}", directory).replace("{here}", HERE) \
            .replace("{stage}", modes.stage)

    return run_modes.run(modes, mode, [filled(w) for w in command],
                         {k: filled(v) for k, v in case.env.items()},
                         case.stdin, case.timeout, directory)


def unexpected(case, outcome):
    """What of an outcome is not what the table says."""
    if outcome.status != case.status:
        yield "status %s and not %s" % (outcome.status, case.status)
    if case.out is not None and outcome.out.decode(errors="replace") != case.out:
        yield "stdout is not %r" % case.out


def compare(modes, case, paths):
    """Whether it is good, the name and the details of this case, for each mode."""
    bare = outcome_of(modes, "bare", case, paths)
    wrong = list(unexpected(case, bare))
    yield not wrong, case.name + ", bare", wrong + bare.shown() if wrong else []
    if wrong:
        return
    for mode in case.modes:
        other = outcome_of(modes, mode, case, paths)
        found = run_modes.differences(bare, other, case.unordered)
        yield (not found, "%s, %s" % (case.name, mode),
               [*found, "bare:", *bare.shown(), mode + ":", *other.shown()] if found else [])


def check_witness(tap, modes, paths):
    """The modes are what they claim, by way of launchers and scripts, too."""
    for words in ((), ("nice",), ("sh", "-c", "\"$0\"")):
        for mode, answer in ANSWERS.items():
            outcome = run_modes.run(modes, mode, [*words, paths[WITNESS]], {})
            good = outcome.status == 0 and outcome.out.decode() == answer + "\n"
            tap.ok(good, "mode %s is what it says%s" %
                   (mode, ", by " + words[0] if words else ""), *outcome.shown())


def check_build(tap, built):
    for binary, result in built.items():
        if isinstance(result, build.CompileError):
            tap.case([result], binary.name + ", compiled")


def why_not(case, built):
    """Why a case cannot run, or None."""
    for binary in table.binaries_of(case):
        if isinstance(built[binary], build.CompileError):
            return "not compiled"
        if isinstance(built[binary], build.Unavailable):
            return str(built[binary])
    return case.unless and case.unless()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    options = parser.parse_args()
    for group in GROUPS:
        importlib.import_module(group + ".cases")
    cases = [c for c in table.CASES if (options.long or not c.long) and
             (not options.names or any(n in c.name for n in options.names))]
    if options.list:
        print("\n".join(c.name for c in cases))
        return 0
    top = os.environ.get("top_builddir", os.getcwd())
    stage = os.environ.get("stage", os.path.join(top, "stage"))
    directory = os.path.join(top, "testsuite", "environments", "bin")
    modes = run_modes.Modes(stage, os.path.join(directory, TOOL.name))
    if modes.missing():
        print("Bail out! not staged: " + ", ".join(modes.missing()))
        return 1

    tap = Tap()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        own = table.Case("", (WITNESS, TOOL), {}, 0, None, "", False, (), 0, False, (), None)
        built = table.build_all(cases + [own], directory, stage, pool)
        if any(isinstance(built[b], Exception) for b in (WITNESS, TOOL)):
            print("Bail out! %s %s" % (built[WITNESS], built[TOOL]))
            return 1
        check_witness(tap, modes, built)
        check_build(tap, built)
        for _ in range(options.repeat):
            pending = []
            for case in cases:
                skipped = why_not(case, built)
                if skipped:
                    tap.skip(case.name, skipped)
                else:
                    pending.append(pool.submit(lambda c: list(compare(modes, c, built)), case))
            for results in pending:
                for good, name, details in results.result():
                    tap.ok(good, name, *details)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
