#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ompd run -watchdog`: what hangs is reported, what does not is left alone, and a program that is
watched runs as it would below ompd-run."""

import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import ompd_runs
from tap import Tap

ompd_runs.need_libdw()

MUCH = 1 << 20  # bytes of what is said
PYTHON = "/usr/bin/python3", "-IS", "-c", "pass"  # which the command is


def run(*words, environment=None, before=()):
    """(exit status, what is printed, what is said on standard error)"""
    done = subprocess.run([*before, ompd_runs.OMPD, "run", *words], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=120,
                          env=environment)
    return done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "replace")


def hangs(tap, made, directory):
    passive = dict(os.environ, OMP_WAIT_POLICY="passive")
    status, _, said = run("-watchdog", "1", "-kill", made["barriers"], "reads", environment=passive)
    tap.equal(status, 79, "a hang ends with 79")
    tap.like(said, r"^ompd: no progress for 1 s: \d+ watched-barriers, \d threads, ", "it is said")
    tap.like(said, r"^waiting: .*(\n  .*)?(arrived|read)", "and why")
    tap.like(said, r"^  Id +OMP", "all threads")
    tap.like(said, r"^└─ 3  main|^`- 3  main", "all stacks")
    reports = os.path.join(directory, "reports")
    active = dict(os.environ, OMP_WAIT_POLICY="active", OMP_NUM_THREADS="2")
    status, _, said = run("-watchdog", "2", "-report", reports, "-kill", made["locks"], "order",
                          environment=active)
    tap.ok(status == 79 and "\ndeadlock: 2 threads hold" in said and
           "all stacks, page and snapshot in " in said and "ompd bt" not in said,
           "one that spins, too", status, said)
    files = sorted(os.listdir(reports)) if os.path.isdir(reports) else []
    tap.equal([name.rpartition(".")[2] for name in files], ["core", "html", "json", "txt"],
              "reports in a directory")
    facts = {}
    if files:
        with open(os.path.join(reports, files[2]), encoding="utf-8") as stream:
            facts = json.load(stream)
    tap.equal([one["id"] for one in facts.get("verdicts", ())][:1], ["lock-cycle"],
              "what programs read")
    said = ompd_runs.ompd("why", *(os.path.join(reports, name) for name in files[:1]))
    modes = [os.stat(os.path.join(reports, name)).st_mode & 0o077 for name in files[:1]]
    tap.ok(said.status == 12 and "deadlock: 2 threads hold" in said.out and modes == [0],
           "a snapshot, which others may not read", said.status, modes, said.out, said.err)


def is_said_once(tap, made):
    """Of one that hangs for several times the time, asleep and spinning."""
    sentence = b"no progress for "
    for program, how, policy in (("barriers", "reads", "passive"), ("locks", "order", "active")):
        with tempfile.TemporaryFile() as written:
            with subprocess.Popen([ompd_runs.OMPD, "run", "-watchdog", "1", made[program], how],
                                  env=dict(os.environ, OMP_WAIT_POLICY=policy, OMP_NUM_THREADS="2"),
                                  stdin=subprocess.DEVNULL, stderr=written,
                                  start_new_session=True) as watched:
                until = time.monotonic() + 60
                while sentence not in os.pread(written.fileno(), MUCH, 0) and time.monotonic() < until:
                    time.sleep(0.1)
                time.sleep(5)
                os.killpg(watched.pid, signal.SIGKILL)
            said = os.pread(written.fileno(), MUCH, 0)
        tap.equal(said.count(sentence), 1, "%s, %s: said once" % (how, policy))


def goes_on(tap, program):
    tap.equal(run("-watchdog", "1", program, "sums", "4"), (5, "0 wrong\n", ""),
              "a program that works ends as it does, and nothing is said")
    tap.equal(run("-watchdog", "1", "sh", "-c", "kill -9 $$")[0], -9, "one that a signal ends")
    tap.equal(run("-watchdog", "1", "/no/such/program")[0], 127, "one that is not there")
    status, _, said = run("-watchdog", "1", "sleep", "3")
    tap.ok(status == 0 and said.count("\n") == 1 and "no process with OpenMP" in said,
           "one without OpenMP that sleeps", status, said)


def is_untouched(tap):
    plain = dict(os.environ, LC_ALL="C")
    show = "env | grep -v '^_=' | sed '/^OMPD_RUN=/s/,@.*//' | sort; grep -E '^Sig(Ign|Blk)' /proc/self/status"
    wanted = subprocess.run([os.path.join(ompd_runs.STAGE, "bin/ompd-run"), "sh", "-c", show],
                            stdout=subprocess.PIPE, check=True, env=plain).stdout.decode()
    for words in ((), ("-watchdog", "9")):
        found = run(*words, "sh", "-c", show, environment=plain)[1]
        tap.ok(found == wanted, "environment and signals are ompd-run's " + " ".join(words),
               found, "wanted:", wanted)


def again(tap, made):
    """SIGTERM comes again and again while the first one is explained: it is passed on after that."""
    with tempfile.TemporaryFile() as written:
        with subprocess.Popen([ompd_runs.OMPD, "run", "-watchdog", "60", made["barriers"], "mismatch"],
                              env=dict(os.environ, OMP_WAIT_POLICY="passive"), stdin=subprocess.DEVNULL,
                              stderr=written) as watched:
            ompd_runs.comes_to_rest(ompd_runs.that_runs(watched.pid, os.path.basename(made["barriers"])), 4)
            while watched.poll() is None:
                watched.send_signal(signal.SIGTERM)
                time.sleep(0.03)
        said = os.pread(written.fileno(), MUCH, 0)
    tap.ok(watched.returncode == -signal.SIGTERM and b"\ndeadlock: threads of one team" in said,
           "SIGTERM, again and again", watched.returncode, said)


def takes_no_time(tap):
    """The least of some times, as the machine may be busy: one that is not watched takes no more of a
    processor than some starts of Python, and one that is watched is not asked whether it has ended."""
    def took(*words):
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run([*words, "sleep", "0.2"], check=True)
        ended, after = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        return ended - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    rounds = [[took(*words) for words in (
        (), (ompd_runs.OMPD, "run"), (ompd_runs.OMPD, "run", "-watchdog", "60"), PYTHON)] for _ in range(9)]
    plain, run_, watched, python = (list(map(min, zip(*column))) for column in zip(*rounds))
    tap.ok(run_[1] - plain[1] < 4 * python[1] and watched[0] - plain[0] < 0.15, "no time is lost", plain, run_,
           watched, python)
    if shutil.which("strace") is None:
        tap.skip("few files are looked at", "no strace")
        return
    with tempfile.NamedTemporaryFile() as log:
        subprocess.run(["strace", "-f", "-e", "trace=file", "-o", log.name, ompd_runs.OMPD, "run", "true"],
                       check=True)
        calls = log.read().count(b"\n")
    tap.ok(99 < calls < 400, "few files are looked at", calls)


def signals(tap, program):
    with subprocess.Popen([ompd_runs.OMPD, "run", "-watchdog", "1", "sh", "-c",
                           "trap 'echo got; exit 7' TERM; echo ready; while :; do sleep 0.1; done"],
                          stdout=subprocess.PIPE) as watched:
        watched.stdout.readline()
        watched.send_signal(signal.SIGTERM)
        tap.equal((watched.stdout.read(), watched.wait()), (b"got\n", 7), "SIGTERM is passed on")
    of_group(tap)
    for words in (("-watchdog",), ("-watchdog", "x", program), ("-kill", program)):
        tap.equal(run(*words)[0], 64, "ompd run %s" % " ".join(words[:2]))


COUNTS = """import os, signal, sys, time
signal.signal(signal.SIGUSR1, lambda number, _: os.write(1, b"U"))
signal.signal(signal.SIGINT, lambda number, _: os.write(1, b"I"))
if "apart" in sys.argv:
    os.setpgid(0, 0)
os.write(1, b"!")
while not os.path.exists(sys.argv[1]):
    time.sleep(0.05)
"""


def of_group(tap):
    """Each signal comes once, whomever it was sent to, also while the program is looked at."""
    one, usr1, interrupt = os.kill, signal.SIGUSR1, signal.SIGINT
    for name, words, sent, wanted in (
            ("of the group", (), [(os.killpg, usr1)] * 6, "U" * 6),
            ("of the watchdog alone", (), [(one, usr1)] * 3 + [(one, interrupt)], "UUUI"),
            ("of the terminal's kind", (), [(os.killpg, interrupt)] * 3, "III"),
            ("of either", (), [(os.killpg, usr1), (one, interrupt)] * 3, "UI" * 3),
            ("of a group that the program has left", ("apart",), [(os.killpg, usr1)] * 2, "UU")):
        with tempfile.TemporaryDirectory(prefix="ompd-") as directory:
            end = os.path.join(directory, "end")
            with subprocess.Popen([ompd_runs.OMPD, "run", "-watchdog", "0.4", sys.executable, "-c",
                                   COUNTS, end, *words], stdout=subprocess.PIPE, bufsize=0,
                                  stderr=subprocess.DEVNULL, start_new_session=True) as watched:
                came = watched.stdout.read(1)
                for send, number in sent:
                    send(watched.pid, number)
                    if select.select([watched.stdout], [], [], 20)[0]:
                        came += watched.stdout.read(1)
                time.sleep(1)
                with open(end, "w", encoding="ascii"):
                    pass
                came += watched.stdout.read()
                tap.equal(came.decode(), "!" + wanted, "signals " + name)


def ends_all(tap, directory):
    """-kill leaves nothing of what the program has made, also what ignores SIGTERM, and has lost its
    parent."""
    ids = os.path.join(directory, "ids")
    stubborn = "trap '' TERM; echo $$ >>'%s'; exec sleep 100" % ids
    status = run("-watchdog", "1", "-kill", "sh", "-c", "(sh -c \"$0\" & sh -c \"$0\" & wait) & "
                 "sleep 60", stubborn)[0]
    with open(ids, encoding="ascii") as stream:
        left = [pid for pid in stream.read().split() if os.path.exists("/proc/" + pid)]
    tap.equal((status, left), (79, []), "-kill ends what ignores SIGTERM")
    for pid in left:
        os.kill(int(pid), signal.SIGKILL)


def others_places(tap, made, directory):
    """What others have put where a report goes is left alone, and not waited for."""
    reports, victim = os.path.join(directory, "open"), os.path.join(directory, "victim")
    os.mkdir(reports)
    os.chmod(reports, 0o777)
    status, _, said = run("-watchdog", "1", "-report", reports, made["target"], "sums", "4")
    tap.ok(status == 64 and "others may write to it" in said, "a directory of all", status, said)
    os.chmod(reports, 0o1777)
    with open(victim, "w", encoding="ascii") as stream:
        stream.write("whole")
    script = "for end in txt json; do ln -s '%s' '%s'/ompd-$(uname -n)-$$.$end; done; " \
        "mkfifo '%s'/ompd-$(uname -n)-$$.html; " \
        "exec '%s' reads" % (victim, reports, reports, made["barriers"])
    status, _, said = run("-watchdog", "1", "-report", reports, "-kill", "sh", "-c", script,
                          environment=dict(os.environ, OMP_WAIT_POLICY="passive"))
    files = [name for name in os.listdir(reports) if "-2." in name]
    with open(victim, encoding="ascii") as stream:
        tap.equal((status, stream.read(), len(files), "-2.txt" in said), (79, "whole", 4, True),
                  "names that are taken")


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="ompd-") as directory:
        # cli.py, which may run beside this, looks for programs by name.
        made = {name: ompd_runs.compiled(directory, "%s/%s.c" % (folder, name), "watched-" + name)
                for folder, name in (("why", "barriers"), ("why", "locks"), ("command", "target"))}
        hangs(tap, made, directory)
        is_said_once(tap, made)
        again(tap, made)
        goes_on(tap, made["target"])
        is_untouched(tap)
        takes_no_time(tap)
        signals(tap, made["target"])
        ends_all(tap, directory)
        others_places(tap, made, directory)
    tap.end()


main()
