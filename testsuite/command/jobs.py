#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ompd run -watchdog` in jobs: however one that hangs is ended, its log has the verdict, nothing is left
running, and a program that works is looked at ever more rarely."""

import contextlib
import io
import os
import select
import signal
import subprocess
import sys
import tempfile
import time

import ompd_runs
from tap import Tap

ompd_runs.need_libdw()
sys.path.insert(1, os.path.join(ompd_runs.STAGE, "share/ompd/python"))
from ompd_command import job_log, watchdog, watchdog_options  # noqa: E402  pylint: disable=wrong-import-position

LIMIT = 60.0
COST, WORKS = 0.05, 12.0  # seconds of a processor, for a look and for a program that works
MOST = job_log.MOST_LINES
QUIET = {name: words for name, words in os.environ.items()
         if name not in ("GITHUB_ACTIONS", "GITLAB_CI") and not name.startswith("OMP_")}
STAYS = job_log.Hang(["heading", "title"], {"schema": "ompd-why/1", "pid": 1, "verdicts": [{
    "id": "nothing", "kind": "nothing", "certainty": None, "sentence": "2 threads work", "threads": []}]},
                     0, None, b"", "places", False)
TAP = Tap()

# What hangs, or works, and what has to be in the log.
PROGRAMS = (("barriers", "mismatch", "deadlock: threads of one team wait at different barriers"),
            ("barriers", "endless", "spin: "), ("barriers", "polled_flag", "spin: "),
            ("slow", "matrix", "slow: "))
# How it is ended: the words before `ompd run` and behind it, who is sent which signal after two seconds,
# and its exit status.
ENDINGS = {"timeout": (("timeout", "2"), ("-watchdog", "60"), None, None, 124),
           "Ctrl-C": ((), ("-watchdog", "60"), os.killpg, signal.SIGINT, -signal.SIGINT),
           "a runner": ((), ("-watchdog", "60"), os.kill, signal.SIGTERM, -signal.SIGTERM),
           "SIGKILL": ((), ("-watchdog", "60"), os.kill, signal.SIGKILL, -signal.SIGKILL),
           "-kill": ((), ("-watchdog", "1", "-kill"), None, None, watchdog_options.ENDED),
           "nobody": ((), ("-watchdog", "1"), None, None, -signal.SIGTERM)}


def left(path):
    """Ids of processes that execute what is at a PATH."""
    return subprocess.run(["pgrep", "-f", path], stdout=subprocess.PIPE, text=True,
                          check=False).stdout.split()


def ended(before, options, words, send=None, number=None, environment=None):
    """(exit status, log) of a job, which has a session of its own and no terminal."""
    with subprocess.Popen([*before, ompd_runs.OMPD, "run", *options, *words], text=True,
                          stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
                          stdout=subprocess.DEVNULL, env=dict(QUIET, **environment or {})) as job:
        said = ""
        if send is not None:
            time.sleep(2)
            send(job.pid, number)
        elif "-kill" not in options and not before:
            if select.select([job.stderr], [], [], LIMIT)[0]:
                said = job.stderr.readline()
            job.terminate()
        try:
            return job.wait(LIMIT), said + job.stderr.read()
        except subprocess.TimeoutExpired:
            job.kill()  # which ends the program, too
            return "it hangs", said


def all_endings(made):
    for program, how, verdict in PROGRAMS:
        for ending, (before, options, send, number, wanted) in ENDINGS.items():
            if program == "slow" and ending in ("-kill", "nobody"):
                continue  # it is well
            status, said = ended(before, options, (made[program], how), send, number,
                                 {"OMP_WAIT_POLICY": "passive"})
            lives = left(made[program])
            TAP.ok(status == wanted and "\n" + verdict in said and said.count("\n") <= MOST and
                   not lives, "%s, ended by %s" % (how, ending), status, "left: %s" % lives, said)


def all_of_a_shell(made):
    """What timeout(1) sends to a group comes to all of the program, also where it has a group of its own
    now, and is no leader of that."""
    shell = "%s mismatch; echo" % made["barriers"]
    status, said = ended(("timeout", "2"), ("-watchdog", "60"), ("sh", "-c", shell))
    TAP.ok(status == 124 and "\ndeadlock: " in said and not left(made["barriers"]),
           "a shell and its program", status, said)
    status, said = ended((), ("-watchdog", "60"), (
        sys.executable, "-c", "import os; os.setsid()"))
    TAP.equal((status, said), (0, ""), "a program may begin a session")


def says_why_not(made):
    """What cannot be looked at, and what has crashed."""
    script = "import ctypes, os, time\nctypes.CDLL(None).ptrace(0x4206, os.getppid(), None, None)\ntime.sleep(9)"
    shell = "%s -c '%s' & exec %s mismatch" % (sys.executable, script, made["barriers"])
    _, said = ended((), ("-watchdog", "2", "-kill"), ("sh", "-c", shell))
    TAP.like(said, r"^ompd: no progress for 2 s: process \d+ is traced by process \d+ ", "one that is traced")
    status, said = ended((), ("-watchdog", "9"), ("sh", "-c", "ulimit -c 0; kill -SEGV $$"))
    TAP.ok(status == -signal.SIGSEGV and "was ended by SIGSEGV and has left no core" in said,
           "a crash without a core", status, said)


def ranks(made, directory):
    """One that hangs has the others of its node say what they do, once; not those of another job."""
    reports = os.path.join(directory, "ranks")
    jobs = [subprocess.Popen([ompd_runs.OMPD, "run", "-watchdog", seconds, "-report", reports, *words],
                             env=dict(QUIET, SLURM_JOB_ID=job, SLURM_PROCID=rank, SLURM_NTASKS="2"), text=True,
                             stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
            for seconds, job, rank, words in (("30", "7", "0", (made["slow"], "matrix")),
                                              ("30", "8", "0", (made["slow"], "matrix")),
                                              ("2", "7", "1", (made["barriers"], "mismatch")))]
    told, other, hung = jobs
    said = [hung.stderr.readline(), told.stderr.readline()]
    time.sleep(2)
    names = sorted(name for name in os.listdir(reports) if name.endswith(".json"))
    for job in jobs:
        job.kill()
    rest = [job.communicate()[1] for job in jobs]
    TAP.ok("no progress for 2 s" in said[0] and "another rank makes no progress: " in said[1] and
           "another rank" not in rest[0] + rest[1] + rest[2] and
           sorted(name.split("-r")[1][0] for name in names) == ["0", "1"],
           "ranks of one node", said, names, *rest)


def logs(made):
    """Frames of runners, many lines, and an exit status that is asked for."""
    for name, begins, ends, status in (("GITHUB_ACTIONS", "::group::deadlock: ", "::endgroup::\n", 124),
                                       ("GITLAB_CI", "section_start:", "\033[0K\n", 7)):
        found, said = ended((), ("-watchdog=1", "-kill", "-status", str(status)), (
            made["barriers"], "mismatch"), environment={name: "true"})
        TAP.ok(found == status and "\n" + begins in said and said.endswith(ends), "a log of " + name,
               found, said)
    for processes in (1, 3):
        with contextlib.redirect_stderr(io.StringIO()) as log:
            job_log.write("why", dict.fromkeys(range(processes), STAYS._replace(
                lines=["heading", "title", *["line"] * 100])), None, None)
        TAP.ok(MOST - 8 < log.getvalue().count("\n") <= MOST and "more lines with -report DIR" in
               log.getvalue(), "a log of %d processes" % processes, log.getvalue())
    many = {pid: STAYS._replace(facts=dict(STAYS.facts, pid=pid, lines=["line"] * 32)) for pid in range(20)}
    with contextlib.redirect_stderr(io.StringIO()) as log:
        job_log.write("why", many, None, None)
    TAP.ok(log.getvalue().startswith("ompd: why: 20 processes\n20 processes ") and
           log.getvalue().count("\n") <= MOST, "a log of 20 processes", log.getvalue())


class Signals:
    """In place of signals that come: none does."""

    pid = 0

    def came(self, seconds):
        time.sleep(seconds)
        return set(), set()


def works(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def judged(seconds, hang, kills, lasts, other=None):
    """(wait status, number of looks, each of which takes COST) of a program that has a processor for so
    long, of which each look says HANG, or of the OTHER process of its job."""
    looks = []

    def look(processes, _how, _meanwhile):
        works(COST)
        looks.append(processes)
        return {other or process: hang for process in processes[:1]} if hang is not None else {}, []

    watchdog.runtime_search.below = lambda process: [process]
    child = os.fork()
    if child == 0:
        works(lasts)
        os._exit(0)
    wanted = watchdog_options.WatchdogOptions(seconds, None, None, watchdog_options.Files(None, None), "", kills,
                                     watchdog_options.ENDED)
    status = watchdog.Watcher(child, wanted, look, Signals()).wait()
    return status, len(looks)


def likely(kind):
    verdict = dict(STAYS.facts["verdicts"][0], kind=kind, certainty="likely")
    return STAYS._replace(facts=dict(STAYS.facts, verdicts=[verdict]), certainty=2)


def rules():
    """Of one that gets no further, without a verdict, and of one that works."""
    for name, hang, other, wanted in (
            ("stays where it is", STAYS, None, -1), ("computes there", STAYS._replace(computes=True), None, 0),
            ("gets further", STAYS._replace(still=None), None, 0),
            ("works, for which another one waits", STAYS, 1, 0), ("does so likely", likely("waiting"), 1, 0),
            ("works beside a deadlock", likely("deadlock"), 1, -1)):
        status, _ = judged(0.4, hang, True, 3, other)
        TAP.equal(status, wanted, "-kill of one that " + name)
    _, looks = judged(0.2, None, False, WORKS)
    TAP.ok(1 <= looks <= 2 + WORKS * watchdog._SHARE / COST, "looks at one that works", looks)


def main():
    with tempfile.TemporaryDirectory(prefix="ompd-jobs-") as directory:
        made = {name: ompd_runs.compiled(directory, "why/%s.c" % name, "job-" + name)
                for name in ("barriers", "slow")}
        rules()
        all_endings(made)
        all_of_a_shell(made)
        says_why_not(made)
        ranks(made, directory)
        logs(made)
    TAP.end()


main()
