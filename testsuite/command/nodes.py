#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ompd why` on many machines: -hosts by ssh, -job of a job of Slurm, -o, and one look of a node where a
launcher starts many; ssh and Slurm are stand-ins that execute what they are given here."""

import fcntl
import glob
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

import ompd_runs
from rest import comes_to_rest
from tap import Tap

TAP = Tap()
NAME = "nodes_hang"
JOB = 999999999  # no process has this id
STAND_INS = {
    "ssh": 'while [ "$1" != -- ]; do shift; done; host=$2; shift 2\n'
           'case $host in dead) exec sleep 100;; odd) echo no such host >&2; exit 255;; esac\nexec sh -c "$*"',
    "squeue": 'test "$3" = %d && echo "some[0-1]"' % JOB,
    "sinfo": 'test "$4" = night && printf "a\\na\\nb\\n"',
    "scontrol": 'test "$3" = "some[0-1]" && printf "some0\\nsome1\\n"',
    # Which passes on 1 kB at once, as Slurm's does, and has nothing of the second node.
    "srun": 'while [ "${1#/}" = "$1" ]; do shift; done; "$@" 2>"$0.err" | fold -b -w 1024 | sed "s/^/0: /"\n'
            'sed "s/^/0: /" "$0.err" >&2; echo "srun: error: some1" >&2'}
PLACE = "2 ranks  deadlock: threads of one team wait at different barriers  barriers.c:34, barriers.c:40  0-1"


def launchers(directory):
    for name, words in STAND_INS.items():
        path = os.path.join(directory, name)
        with open(path, "w", encoding="ascii") as stream:
            stream.write("#!/bin/sh\n%s\n" % words)
        os.chmod(path, 0o755)
    environment = dict(os.environ, PATH=directory + ":" + os.environ["PATH"])
    listed = os.path.join(directory, "hosts")
    node = os.uname().nodename

    def said(status, sentences, *words, text="a\n"):
        with open(listed, "w", encoding="ascii") as stream:
            stream.write(text)
        found = ompd_runs.ompd("why", *words, environment=environment)
        lines = found.out.splitlines()[:2] or ["", ""]
        TAP.equal((found.status, lines, found.err),
                  (status, ["2 ranks on 1 node", PLACE] if status != 66 else ["", ""], sentences),
                  "why %s: %s" % (" ".join(words[:1]), text.replace("\n", " ")))

    said(12, "", "-hosts", listed, "-all", NAME, text="a\n\nb slots=3\n")
    said(75, "ompd: no such host\nompd: no answer within 10 s of odd, dead.\n", "-hosts", listed, "-all", NAME,
         text="a\nodd\ndead\n")
    said(66, "ompd: %s has no names of hosts: -oX.\n" % listed, "-hosts", listed, text="a\n-oX\n")
    said(66, "ompd: No process there has an OpenMP runtime loaded.\n", "-hosts", listed, "-all", "none")
    said(75, "ompd: no answer within 10 s of some1.\n", "-job", JOB, text="of Slurm")
    said(75, "ompd: no answer within 10 s of some1.\n", "-job", "slurm:%d" % JOB, text="of Slurm")
    said(66, "ompd: No job 1 of slurm runs.\n", "-job", "slurm:1", text="of nobody, where there is such a process")
    said(66, "ompd: There is no process %d, and no job of that number runs.\n" % (JOB - 1), "-job", JOB - 1,
         text="of nobody")


def readme(directory):
    """What README has people type of a cluster, whose second node is silent in that job."""
    with open(os.path.join(os.path.dirname(ompd_runs.SUITE), "README.md"), encoding="utf-8") as stream:
        path = re.search(r"^\*\*A cluster\*\*.*?^and ", stream.read(), re.M | re.S).group()
    listed = os.path.join(directory, "hosts")
    with open(listed, "w", encoding="ascii") as stream:
        stream.write("a\n")
    of_job, of_hosts = re.findall("^    (.*)#", path, re.M)
    for line, status in (of_job, 75), (of_hosts, 12):
        typed = line.replace("JOBID", str(JOB)).replace("FILE", "%s -all %s" % (listed, NAME))
        done = subprocess.run(typed, shell=True, env=dict(os.environ, PATH=":".join((
            directory, os.path.dirname(ompd_runs.OMPD), os.environ["PATH"]))), stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, check=False, timeout=ompd_runs.LIMIT)
        TAP.equal((done.returncode, done.stdout.splitlines()[1:2]), (status, [PLACE]),
                  "README: " + line.strip())


def fleet(directory, waits):
    """examples/fleet.sh, of a file and of a partition; where nothing surely hangs; beside another one."""
    page, listed = (os.path.join(directory, name) for name in ("page.html", "hosts"))
    path = ":".join((directory, os.path.dirname(ompd_runs.OMPD), os.environ["PATH"]))
    script = os.path.join(os.path.dirname(ompd_runs.SUITE), "examples/fleet.sh")

    def night(hosts, name, text="a\nb\n"):
        with open(listed, "w", encoding="ascii") as stream:
            stream.write(text)
        done = subprocess.run(["sh", script, hosts, page, "-all", name],
                              env=dict(os.environ, PATH=path),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                              timeout=ompd_runs.LIMIT)
        written = ""
        if os.path.exists(page):
            with open(page, encoding="utf-8") as stream:
                written = stream.read()
            os.remove(page)
        return done.returncode, done.stdout, "<html" in written and name in written

    for hosts, text, status in ((listed, "a\nb\n", 12), ("night", "", 12), (listed, "odd\na\n", 75)):
        found = night(hosts, NAME, text)
        TAP.ok(found[0] == status and PLACE in found[1] and found[2] and
               ("within 10 s of odd" in found[1]) == (status == 75), "fleet.sh " + hosts, *found)
    TAP.equal(night(listed, os.path.basename(waits)), (10, "", True), "fleet.sh: what only may hang")
    with open(page + ".lock", "ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        TAP.equal(night(listed, NAME), (75, "fleet.sh: last night's look has not ended.\n", False),
                  "fleet.sh: one at a time")


def beside():
    """The one of a lower id answers, which is stopped here until the other one has left it all to that."""
    words = [ompd_runs.OMPD, "why", "-json", "-all", NAME]

    def begun(rank):
        return subprocess.Popen(words, env=dict(os.environ, PMI_RANK=rank, PMI_SIZE="2"),
                                stdout=subprocess.PIPE, text=True)

    with begun("0") as first:
        os.kill(first.pid, signal.SIGSTOP)
        while NAME.encode() not in cmdline(first.pid):
            os.kill(first.pid, signal.SIGCONT)
            time.sleep(0.001)
            os.kill(first.pid, signal.SIGSTOP)
        with begun("1") as second:
            TAP.equal((second.communicate(timeout=ompd_runs.LIMIT)[0], second.returncode), ("[]\n", 0),
                      "a launcher's second command leaves the node to the first")
        os.kill(first.pid, signal.SIGCONT)
        out = first.communicate(timeout=ompd_runs.LIMIT)[0]
        TAP.ok(out.count('"schema"') == 2 and first.returncode == 12, "which answers", out)


def cmdline(pid):
    with open("/proc/%d/cmdline" % pid, "rb") as stream:
        return stream.read()


def files(directory):
    place = os.path.join(directory, "reports")
    for _ in range(2):
        said = ompd_runs.ompd("why", "-json", "-all", NAME, "-o", place)
        TAP.equal((said.status, said.out, said.err), (12, "", ""), "-o: nothing is said")
    made = glob.glob(place + "/ompd-%s-*.json" % os.uname().nodename)
    said = ompd_runs.ompd("merge", *made)
    TAP.ok(len(made) == 2 and said.out.splitlines()[1] == PLACE and said.status == 12,
           "-o: a file of each command, merged", said.out, said.err, *made)
    os.chmod(place, 0o777)
    for words in (("-json", "-o", place), ("-o", directory)):
        said = ompd_runs.ompd("why", "-all", NAME, *words)
        TAP.ok(said.status == 64 and not said.out, "why %s: refused" % " ".join(words[:2]), said.err)


def main():
    ompd_runs.need_libdw()
    with tempfile.TemporaryDirectory(prefix="ompd-") as directory:
        program = ompd_runs.compiled(directory, "why/barriers.c", NAME, "-O0")
        settings = {"PMI_SIZE": "2", "SLURM_JOB_ID": str(JOB)}
        with ompd_runs.Running(program, "mismatch", threads=4, PMI_RANK="0", **settings) as first, \
                ompd_runs.Running(program, "mismatch", threads=4, PMI_RANK="1", **settings) as second, \
                ompd_runs.Running(program, "mismatch", threads=4, SLURM_JOB_ID="9") as other:
            for one in first, second, other:
                comes_to_rest(one.pid, 4)
            found = ompd_runs.ompd("why", "-json", "-all", "-part", JOB)
            TAP.equal([group["members"][0][2] for group in found.json["groups"]],
                      [[[0, first.pid], [1, second.pid]]], "processes of other jobs are left out")
            os.kill(other.pid, signal.SIGKILL)
            launchers(directory)
            readme(directory)
            waits = shutil.copy(program, os.path.join(directory, "nodes_waits"))
            with ompd_runs.Running(waits, "reads", threads=4):
                fleet(directory, waits)
            beside()
            files(directory)
    TAP.end()


main()
