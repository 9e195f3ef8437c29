# SPDX-License-Identifier: MIT
"""The same stop of a program that records and of one that nobody prepared: nothing that is known
of the second may be unknown of the first, or other. Of each case of cases.py what the plugin
answers (-json) and what ompd-host prints, by both versions of the interface.

    run.py                 the short ones, as `make check` does
    run.py --all           every one, live and as a core
    run.py --only WORD     those whose name has WORD
    run.py --facts DIR     and writes what was known to DIR
"""

import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, "../common"))
import compare  # noqa: E402
import gdb_jobs  # noqa: E402
import host_facts  # noqa: E402
import plugin_facts  # noqa: E402
import stop  # noqa: E402
from cases import CASES  # noqa: E402
from stop import clang_of  # noqa: E402
from tap import Tap, skip_all  # noqa: E402

WAYS = {"unprepared": [], "recorded": [os.path.join(os.environ["stage"], "bin/ompd-run")]}
HOST = os.path.join(os.environ.get("top_builddir", "."), "testsuite/host/ompd-host")
LOOK = os.path.join(HERE, "../command/gdb_look.py")
COMMANDS = "threads", "parallel", "tasks", "icvs", "env", "status"


# A busy machine may let a thread wait so long that its program seems to have settled.
ATTEMPTS = 3


class NotThere(Exception):
    """The program is not at its stop."""


def of_host(target):
    """({table: rows}, [fault]) by both versions."""
    tables, faults = {}, []
    for abi in "2", "5":
        done = subprocess.run([HOST, "--abi", abi, str(target)], capture_output=True,
                              text=True, timeout=60, check=False, errors="replace")
        if done.returncode < 0:
            faults.append("ompd-host ended with signal %d" % -done.returncode)
        elif done.returncode == 0:
            tables.update(host_facts.of_host(json.loads(done.stdout)))
    return tables, faults


def of_plugin(pid, core, program, directory):
    job = {"pid": pid, "core": core, "program": program, "commands": COMMANDS}
    answers, printed = gdb_jobs.done(directory, LOOK, job, ["-p", str(pid)])
    if answers is None:
        return {}, ["gdb answers nothing", printed]
    return plugin_facts.of_plugin(answers["core" if core else "live"]), []


def known_of(case, command, environment, core, directory):
    """The tables of one run, stopped; a core is looked at in the place of the process."""
    spins = bool(case.mark) or case.settings.get("OMP_WAIT_POLICY") == "active"
    with stop.Stopped(command, spins, dict(environment, **case.settings)) as stopped:
        if not stopped.settled:
            raise NotThere("it does not come to rest: %s" % stopped.last())
        steps = [lambda: of_host(core or stopped.pid),
                 lambda: of_plugin(stopped.pid, core, command[-1 - len(case.arguments)],
                                   directory)]
        tables, faults = {}, []
        for step in reversed(steps) if core else steps:  # gdb writes the core
            more, found = step()
            tables.update(more)
            faults += found
        if core and os.path.exists(core):
            os.unlink(core)
        if case.mark and not faults and stop.line(case.source, case.mark) not in (
                row["line"] for row in tables["threads"]):
            raise NotThere("no thread is at the mark")
        return tables, faults


def name_of(case):
    words = [case.source, case.flags, *case.arguments] + (["at " + case.mark] if case.mark else []) + \
        ["clang"] * case.clang
    return " ".join(words)


def outcome_of(case, programs, environment, core, keep):
    """([fault], {way: tables}) of a case, and of its CORE."""
    known, faults = {}, []
    with tempfile.TemporaryDirectory(prefix="ompd-both-") as directory:
        program = programs.stopping(case.source, case.flags, case.mark, case.clang)
        for way, prefix in WAYS.items():
            for _ in range(ATTEMPTS):
                try:
                    known[way], found = known_of(
                        case, prefix + [program, *case.arguments], environment,
                        os.path.join(directory, "core") if core else "", directory)
                    break
                except NotThere as error:
                    known[way], found = {}, [str(error)]
            faults += ["%s: %s" % (way, fault) for fault in found]
    if keep:
        with open(os.path.join(keep, name_of(case).replace("/", "-")), "w",
                  encoding="utf-8") as stream:
            json.dump(known, stream, indent=1)
    return faults or compare.compare(*known.values(), case.chance, case.more), known


def misses(tables):
    """The facts that can be taken away from TABLES without that being a fault."""
    for table, rows in tables.items():
        for at, row in enumerate(rows):
            for fact, value in row.items():
                less = dict(tables, **{table: rows[:at] + [dict(row, **{fact: None})] +
                                       rows[at + 1:]})
                if value is not None and not compare.compare(tables, less):
                    yield "%s: %s" % (table, fact)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--facts")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if not os.environ.get("GDB", "gdb"):
        skip_all("gdb is not installed")
    environment = dict({k: v for k, v in os.environ.items()
                        if not k.startswith(("OMP_", "GOMP_", "LD_PRELOAD"))},
                       OMP_WAIT_POLICY="passive", OMP_CANCELLATION="true")
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="ompd-both-") as directory, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        programs = stop.Programs(directory)
        outcomes = [(case, core, pool.submit(outcome_of, case, programs, environment, core,
                                             options.facts))
                    for case in CASES if options.only in name_of(case) and
                    (not case.clang or shutil.which(clang_of(".c")[0])) and
                    (options.all or options.only or case.short)
                    for core in ((False, True) if options.all else (False,))]
        for case, core, outcome in outcomes:
            faults, known = outcome.result()
            tap.case(faults, name_of(case) + (", core" if core else ""), case.defect)
            if tap.cases == 1:
                tap.case(list(misses(known["unprepared"])), "no fact is lost unseen")
    tap.end()


if __name__ == "__main__":
    main()
