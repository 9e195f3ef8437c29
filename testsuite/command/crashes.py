#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ompd run -watchdog` of programs that a signal ends, without a core: the log says why, and they end as
they do below ompd-run. Of those that handle the signal, or expect the end of a child, nothing is said."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.parse
from xml.etree import ElementTree

import ompd_runs
from rest import that_runs
from tap import Tap

ompd_runs.need_libdw()

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "crashing.cc")
HEALTHY = 5  # runs of each
# How a program ends, the verdict, and a line below it.
CRASHES = (
    ("region", signal.SIGSEGV, r"crash: SIGSEGV in thread", r"in +#pragma omp parallel"),
    ("task", signal.SIGSEGV, r"crash: SIGSEGV in thread", r"in +the task of crashing\.cc:"),
    ("main", signal.SIGSEGV, r"crash: SIGSEGV in thread", r"at +crashing\.cc:\d+, store \(\)"),
    ("asserts", signal.SIGABRT, r"crash: SIGABRT in thread", r"libc +.*Assertion|.*`sum > 1'"),
    ("uncaught", signal.SIGABRT, r"crash: an exception that nobody catches", r"in +#pragma omp parallel"),
    ("overflow", signal.SIGSEGV, r"crash: stack overflow in thread", r"at +crashing\.cc:\d+, descend \(\)"),
    ("divides", signal.SIGFPE, r"crash: SIGFPE in thread", r"in +#pragma omp parallel"),
    ("says", signal.SIGSEGV, r"crash: SIGSEGV in thread", r"sent +by the process itself"))
# Signals that the program handles, a child whose end it expects, and none.
UNTOUCHED = "handled", "hidden", "expected", ""


def run(*words, watched=True, seconds="30", **given):
    """(status, what is printed, what is said)"""
    command = [ompd_runs.OMPD, "run", "-watchdog", seconds] if watched else [
        os.path.join(ompd_runs.STAGE, "bin/ompd-run")]
    done = subprocess.run([*command, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, timeout=120, **given)
    return done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "replace")


def crashes(tap, name, program):
    for how, number, verdict, line in CRASHES:
        _, wanted, _ = run(program, how, watched=False)
        status, out, said = run(program, how)
        pattern = r"^ompd: a crash after .*\n%s.*\[certain\](?:\n .*)*\n  (?:%s)" % (verdict, line)
        tap.ok(status == -number and out == wanted and re.search(pattern, said, re.M) and "ompd bt" not in said,
               "%s, %s" % (name, how), status, out, said)


def untouched(tap, name, program):
    for how in UNTOUCHED:
        wanted = run(program, how, watched=False)
        found = {run(program, how) for _ in range(HEALTHY)}
        tap.equal(found, {wanted}, "%s, %s: nothing is said" % (name, how or "none"))


def of_several(tap, program):
    """A child, whose parent fails, too; ranks, as one."""
    status, _, said = run(program, "child")
    tap.ok(status == 3 and said.count("crash: SIGSEGV in thread") == 1, "a child", status, said)
    script = "for rank in 0 1 2; do PMI_RANK=$rank PMI_SIZE=3 \"$0\" region & done; wait; exit 3"
    status, _, said = run("sh", "-c", script, program)
    tap.ok(status == 3 and re.search(
        r"^ompd: a crash after \d+ s: 3 ranks on 1 node\n3 ranks +crash: SIGSEGV .* 0-2$", said, re.M),
        "ranks", status, said)


def annotated(program, how, directory, environment=None):
    """(the suite of -junit, the object of -sarif) of a program"""
    files = [os.path.join(directory, name) for name in ("report.xml", "report.sarif")]
    run("-kill", "-junit", files[0], "-sarif", files[1], program, how, seconds="1", env=environment)
    with open(files[1], encoding="utf-8") as stream:
        return ElementTree.parse(files[0]).getroot(), json.load(stream)


# What the schemas want of each element: attributes that have to be there, others, and what may be inside.
SUITE = {"testsuites": ((), (), {"testsuite"}), "system-out": ((), (), set()),
         "testsuite": (("name", "tests", "failures", "errors", "time", "hostname", "timestamp", "skipped"), (),
                       {"testcase"}),
         "testcase": (("classname", "name", "time"), ("file", "line"), {"failure"}),
         "failure": (("message", "type"), (), set())}
# Of SARIF, by key, a pattern of each value that is no object; of objects, by key, what they may have.
WORDS = {"version": r"2\.1\.0|\d.*", "name": "ompd", "id": r"[a-z-]+", "ruleId": r"[a-z-]+",
         "level": "none|note|warning|error", "text": ".+", "uri": r"(file:///)?[\w./%~-]+",
         "startLine": r"[1-9]\d*", "$schema": "https://.*"}
PLACE = {"physicalLocation": {"artifactLocation": {"uri"}, "region": {"startLine"}}, "message": {"text"}}
SARIF = {"$schema": (), "version": (), "runs": {
    "tool": {"driver": {"name": (), "version": (), "rules": {"id"}}}, "results": {
        "ruleId": (), "level": (), "message": {"text"}, "locations": PLACE, "relatedLocations": PLACE}}}


def misfit(value, allowed, key="version"):
    """What of a VALUE is not ALLOWED; all keys of an object are to be there."""
    if isinstance(value, list):
        return [one for part in value for one in misfit(part, allowed, key)]
    if not isinstance(value, dict):
        return [] if re.fullmatch(WORDS[key], str(value)) else ["%s: %r" % (key, value)]
    below = allowed if isinstance(allowed, dict) else {}
    return sorted(set(value) ^ set(allowed)) + [one for name, part in value.items() if name in allowed
                                               for one in misfit(part, below.get(name, ()), name)]


def misfits(suite, sarif):
    """What their schemas do not allow."""
    found = misfit(sarif, SARIF)
    for one in suite.iter():
        required, others, inside = SUITE[one.tag]
        names = set(one.attrib)
        if set(required) - names or names - {*required, *others} or {child.tag for child in one} - inside:
            found.append(ElementTree.tostring(one))
    return found


def annotates(tap, compiler, directory):
    """A crash, a hang and a healthy program, whose source has a name that is none of XML's."""
    strange = os.path.join(directory, "a<&\"'\x1b.cc")
    shutil.copy(SOURCE, strange)
    program = os.path.join(directory, "strange")
    subprocess.run([compiler, "-g", "-O0", "-fopenmp", strange, "-o", program], check=True)
    for how, case, sentence, level in (("region", "crash", "SIGSEGV in thread", "error"),
                                       ("hangs", "hang", "waits for a lock it holds", "error"),
                                       ("hidden", "hang", None, None)):
        suite, sarif = annotated(program, how, directory, dict(os.environ, GITHUB_WORKSPACE=directory))
        test, failure = suite.find(".//testcase"), suite.find(".//failure")
        results = sarif["runs"][0]["results"]
        if sentence is None:
            good = failure is None and not results and suite[0].get("failures") == "0"
        else:
            place = results[0]["locations"][0]["physicalLocation"]
            good = sentence in failure.get("message") and sentence in results[0]["message"]["text"] and \
                results[0]["level"] == level and test.get("file") == "a<&\"'\\x1b.cc" and \
                urllib.parse.unquote(place["artifactLocation"]["uri"]) == os.path.basename(strange) and \
                int(test.get("line")) == place["region"]["startLine"] and sentence in failure.text
        tap.ok(good and test.get("name") == case and not misfits(suite, sarif), "annotations: " + how,
               misfits(suite, sarif), ElementTree.tostring(suite).decode(), json.dumps(sarif, indent=1))


def has_report(tap, program, directory):
    reports = os.path.join(directory, "reports")
    status, _, said = run("-report", reports, program, "region")
    cores = [os.path.join(reports, one) for one in os.listdir(reports) if one.endswith(".core")]
    seen = ompd_runs.ompd("why", *cores)
    tap.ok(status == -signal.SIGSEGV and len(cores) == 1 and seen.status == 12 and
           "crash: SIGSEGV in thread" in seen.out and "crashing.cc" in seen.out,
           "a snapshot, which has the signal", said, seen.out, seen.err)


def keeps_its_status(tap, name, program):
    """Where a watchdog is late, and another thread calls exit() meanwhile."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("\0ompd-test-%d-%s" % (os.getpid(), name))
        listener.listen()
        with subprocess.Popen([os.path.join(ompd_runs.STAGE, "bin/ompd-run"), "--crash-socket",
                               listener.getsockname()[1:].decode(), program, "exits"]) as one:
            listener.settimeout(ompd_runs.LIMIT)
            with listener.accept()[0] as caller:
                thread = int.from_bytes(caller.recv(4), "little")
                others = os.listdir("/proc/%d/task" % one.pid)
                time.sleep(1.5)
                lives = one.poll() is None
            tap.equal((str(thread) in others, lives, one.wait(ompd_runs.LIMIT)), (True, True, -signal.SIGSEGV),
                      name + ": exit() of another thread waits")


def is_let_in(tap, program):
    """A debugger, to which the signal comes first, and which nobody is in the way of."""
    with ompd_runs.Running(ompd_runs.OMPD, "run", "-watchdog", "60", program, "waits", hangs=False) as one:
        pid = that_runs(one.pid, os.path.basename(program))
        done = subprocess.run(
            [os.environ["GDB"], "-batch", "-nx", "-p", str(pid), "-ex", "signal SIGSEGV", "-ex", "kill"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=100)
        tap.like(done.stdout.decode(), r"received signal SIGSEGV", "a debugger is let in")


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="ompd-") as directory:
        for compiler in "g++", "clang++":
            program = os.path.join(directory, "crashing-" + compiler)
            if shutil.which(compiler) and not subprocess.run(
                    [compiler, "-g", "-O0", "-fopenmp", SOURCE, "-o", program], check=False,
                    stderr=subprocess.DEVNULL).returncode:
                crashes(tap, compiler, program)
                untouched(tap, compiler, program)
                keeps_its_status(tap, compiler, program)
            else:
                tap.skip(compiler, "it makes no OpenMP programs")
        of_several(tap, program)
        has_report(tap, program, directory)
        is_let_in(tap, program)
        annotates(tap, compiler, directory)
    tap.end()


main()
