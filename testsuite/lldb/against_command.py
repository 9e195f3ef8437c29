#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""lldb, gdb and the command say the same of the programs of testsuite/why in the same state: live
(but gdb), and of the core that the kernel writes, unprepared and recorded.

Usage: against_command.py [--short] [--only WORD] [--level N] [--recorded 0|1] [--without-gdb]

--short takes a program of each kind, in one mode.
"""

import contextlib
import os
import resource
import shutil
import signal
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", name) for name in ("common", "gdb", "why", "command")]
import against_gdb  # noqa: E402
from against_gdb import COMMANDS, asked, asked_gdb, hung  # noqa: E402
from lldb_facts import finds_inlined, normal  # noqa: E402
from lldb_runs import answered, need_lldb, version  # noqa: E402
from run import Bench  # noqa: E402
from one_state import asleep, contradictions  # noqa: E402
from same_facts import differences  # noqa: E402


def looked(bench, case, program, recorded, with_gdb):
    """({kind: {host: answers}}, what the debuggers printed): kinds are "live" and "core"."""
    core = os.path.join(bench.scratch, "core")
    found, printed = {}, ""
    with hung(bench, case, program, recorded) as (process, pid):
        if pid is not None:
            found["live"] = {"ompd": asked(bench, str(pid))}
            found["asleep"] = list(asleep(pid, found["live"]["ompd"]["threads"]))
            found["live"]["lldb"], printed = answered(bench.scratch, {"pid": pid, "ask": COMMANDS})
            os.kill(pid, signal.SIGABRT)
            with contextlib.suppress(ProcessLookupError):  # it was not stopped
                os.kill(pid, signal.SIGCONT)
            _await_end(pid if case.child else None, process)
    program = bench.executable(program)
    if os.path.exists(core):
        found["core"] = {"ompd": asked(bench, core)}
        found["core"]["lldb"], more = answered(
            bench.scratch, {"core": core, "program": program, "ask": COMMANDS})
        printed += more
        if with_gdb:
            theirs, more = asked_gdb(bench, {"program": program, "kernel": core}, [program])
            found["core"]["gdb"] = theirs.get("kernel", {})
            printed += more
    return found, printed


def _await_end(child, process):
    """Waits for the end of a Popen, or of its CHILD, which it reaps."""
    for _ in range(600):
        if child is None and process.poll() is not None:
            return
        if child is not None and not os.path.exists("/proc/%d" % child):
            return
        time.sleep(.1)
    raise TimeoutError("the program has not ended after 60 seconds")


def compare(bench, case, level, recorded, with_gdb):
    name = against_gdb.name_of(case, level, recorded)
    if not finds_inlined(case.source, case.how, level, version()):
        bench.tap.skip(name, "lldb %d finds nothing that is inlined there" % version())
        return
    program = bench.compiled(case.source, level, case.flags)
    if program is None:
        bench.tap.skip(name, "no compiler, or no library")
        return
    found, printed = looked(bench, case, program, recorded, with_gdb)
    against_gdb.keep(name, found)
    place = case.source, case.how, level
    for kind in ("core",) if case.crash else ("live", "core"):
        if kind not in found:
            bench.tap.skip("%s, %s" % (name, kind), "the kernel wrote no core")
            continue
        hosts = dict(found[kind])
        of_lldb = hosts.pop("lldb")
        mine, faults = normal(of_lldb, place), list(contradictions(of_lldb) if of_lldb else ())
        faults += found["asleep"] if kind == "live" else ()
        for host, answers in hosts.items():
            wanted = normal(answers, place)
            faults += differences(wanted, mine, names=(host, "lldb"))
            bench.tap.ok(wanted and not faults, "%s, %s, lldb and %s" % (name, kind, host),
                         *faults, *([] if mine else [printed]))


def main():
    parser = against_gdb.arguments()
    parser.add_argument("--without-gdb", action="store_true")
    given = parser.parse_args()
    need_lldb()
    with_gdb = not given.without_gdb and bool(shutil.which(os.environ.get("GDB") or "gdb"))
    resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
    with tempfile.TemporaryDirectory(prefix="ompd-lldb-") as scratch:
        bench = Bench(scratch, 0)
        for one in against_gdb.each(given):
            compare(bench, *one, with_gdb)
    bench.tap.end()


if __name__ == "__main__":
    main()
