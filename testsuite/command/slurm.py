#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""16 ranks on four nodes of Slurm, one of which is odd: each documented way to one report has all of them.
Slurm's own daemons run on this machine, in a namespace of processes that ends with this test."""

import glob
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import ci
import ompd_runs
from rest import comes_to_rest
from tap import Tap, skip_all

NODES, RANKS, ODD = 4, 16, 5
PATIENCE = 60
DAEMONS = "munged", "slurmctld", "slurmd"
APART = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"] + ["--map-root-user"] * (os.geteuid() != 0)
CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}
SlurmctldPort={ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={place}/munge.socket
ProctrackType=proctrack/pgid
SelectType=select/cons_tres
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/%n
SlurmdPidFile={place}/%n.pid
SlurmctldPidFile={place}/slurmctld.pid
SlurmdParameters=config_overrides
FirstJobId=5000000
PartitionName=all Nodes=ALL Default=YES State=UP
"""
NODE = "NodeName=node{number} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=4\n"
FOUND = [" 1 rank   waiting: 2 threads wait for thread N (N/3), which is in read ()  %d" % ODD,
         "15 ranks  deadlock: threads of one team wait at different barriers  0-4,6-15"]
RANK = "test $SLURM_PROCID = %d && exec %s reads 0<>%s; exec %s mismatch"
TAP = Tap()


class Cluster:
    """Daemons, whose files are in a PLACE."""

    def __init__(self, place):
        self.place = place
        self.environment = dict(os.environ, SLURM_CONF=place + "/slurm.conf", OMP_WAIT_POLICY="passive",
                                PATH=os.path.dirname(ompd_runs.OMPD) + ":" + os.environ["PATH"])
        host = socket.gethostname().split(".")[0]
        ports = free_ports(NODES + 1)
        with open(place + "/slurm.conf", "w", encoding="ascii") as stream:
            stream.write(CONFIGURATION.format(host=host, ports=ports, place=place))
            stream.writelines(NODE.format(number=number, host=host, port=ports[number + 1])
                              for number in range(NODES))
        with open(place + "/key", "wb") as stream:
            stream.write(os.urandom(128))
        os.chmod(place + "/key", 0o600)
        for name in ("state", *("node%d" % number for number in range(NODES))):
            os.mkdir(os.path.join(place, name))
        self.begin("munged", "-F", "--force", "--key-file=" + place + "/key", *(
            "--%s=%s/munge.%s" % (option, place, ending) for option, ending in (
                ("socket", "socket"), ("pid-file", "pid"), ("log-file", "log"), ("seed-file", "seed"))))
        until(lambda: os.path.exists(place + "/munge.socket"))
        self.begin("slurmctld", "-D")
        self.nodes = [self.begin("slurmd", "-D", "-N", "node%d" % number) for number in range(NODES)]
        self.is_up = until(lambda: "idle %d" % NODES in self.said("sinfo", "-h", "-o", "%T %D").out)

    def begin(self, *words):
        with open(self.place + "/log", "ab") as log:
            return subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                                    stderr=log, start_new_session=True)

    def said(self, *words):
        done = subprocess.run(words, env=self.environment, stdin=subprocess.DEVNULL, cwd=self.place, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=PATIENCE)
        return ompd_runs.Said(done.returncode, done.stdout, done.stderr)


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def until(holds):
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def shown(out):
    """Lines of the table, without places, and numbers of threads that chance has given."""
    lines = [re.sub(r"thread \d+ \(\d/", "thread N (N/", line) for line in out.splitlines()[1:3]]
    return [re.sub(r" +barriers\.c:\d+, barriers\.c:\d+ +", "  ", line) for line in lines]


def reports(cluster, job, program):
    look = "ompd why -json -all " + os.path.basename(program)
    start = "srun --jobid %s --overlap -N %d -l " % (job, NODES)
    step, each = ("%s -n %d " % (start, tasks) for tasks in (RANKS, NODES))
    for name, script in (
            ("srun -l", step + "%s | ompd merge -" % look),
            ("-o", step + look + " -o files; ompd merge files/*"),
            ("merged on its node", each + "sh -c '%s | ompd merge -json -' | ompd merge -" % look),
            ("why -job", "ompd why -job " + job),
            ("why -job -json", "ompd why -json -job slurm:%s | ompd merge -" % job)):
        said = cluster.said("sh", "-c", script)
        err = [line for line in said.err.splitlines() if "Exited with exit code" not in line]
        TAP.ok((said.status, shown(said.out), err) == (12, FOUND, []) and
               said.out.startswith("16 ranks on 1 node\n"), name, said.status, said.out, said.err)
    TAP.equal(len(glob.glob(cluster.place + "/files/*")), NODES, "a node has one answer")
    said = cluster.said("sh", "-c", step.replace("-l", "") + look + " | ompd merge -")
    TAP.ok(said.status == 75 and " cut at " in said.err or shown(said.out) == FOUND,
           "without labels what is lost is said", said.status, said.out, said.err)
    TAP.equal(cluster.said("squeue", "-s", "-h", "-o", "%j").out.split(), ["sh"], "no look is left")


def silent(cluster, job):
    cluster.nodes[3].send_signal(19)
    said = cluster.said("ompd", "why", "-job", job)
    TAP.ok(said.status == 75 and shown(said.out) == FOUND and said.err == "ompd: no answer within 10 s of "
           "node3.\n", "a node that is stopped is named", said.status, said.out, said.err)
    cluster.nodes[3].send_signal(18)


def watched(cluster, program):
    """One rank is found to hang, so that the others are ended, and say what they do before that."""
    with open(cluster.place + "/merge.sh", "w", encoding="ascii") as stream:
        stream.write("#!/bin/sh\nompd merge hung/*.json >merged\n")
    os.chmod(cluster.place + "/merge.sh", 0o755)
    look = "exec ompd run -watchdog $(test $SLURM_PROCID = 2 && echo 2 || echo 60) -kill -report hung %s mismatch"
    said = cluster.said("srun", "-N", "2", "-n", "4", "--kill-on-bad-exit=1", "--epilog=" + cluster.place +
                        "/merge.sh", "sh", "-c", look % program)
    merged = cluster.said("cat", "merged").out
    made = glob.glob(cluster.place + "/hung/ompd-%s-r[0-3]-*.json" % os.uname().nodename)
    TAP.ok(said.status and len(made) == 4 and "\n4 ranks  deadlock: " in merged,
           "reports of a watchdog in all ranks", said.status, said.err[-500:], merged, *made)


def at_limit(cluster, program):
    """The manual's line, whose signal comes at once as the job may take a minute."""
    with open(os.path.join(ci.TOP, "doc/manual.md"), encoding="utf-8") as stream:
        line, = re.findall("^    (srun --signal.*) ./heat$", stream.read(), re.M)
    said = cluster.said("sh", "-c", line.replace("srun ", "srun -N 2 -n 4 --time=1 ", 1).replace(
        "TERM@120", "TERM@60").replace("merge.sh", cluster.place + "/merge.sh").replace(
        "-report hung", "-report hung/limit") + " %s mismatch" % program)
    made = glob.glob(cluster.place + "/hung/limit/ompd-*-r[0-3]-*.json")
    TAP.ok(said.status and len(made) == 4 and "ompd: SIGTERM after " in said.err, "doc/manual.md: srun --signal",
           said.status, said.err[-2000:], *made)


def batch(cluster, place):
    """The script of doc/ci.md, whose time is a minute."""
    ompd_runs.compile_program(os.path.join(ci.TOP, "examples/mean.c"), place + "/mean", "-O0")
    with open(place + "/job.sh", "w", encoding="ascii") as stream:
        stream.write(ci.recipes()["Slurm"][0].replace("01:00:00", "00:01:00"))
    log = place + "/batch.log"
    cluster.begin("sbatch", "--wait", "--chdir=" + place, "--output=" + log, place + "/job.sh")
    TAP.ok(until(lambda: os.path.exists(log) and re.search(ci.VERDICT, cluster.said("cat", log).out, re.M)),
           "doc/ci.md: sbatch", cluster.said("cat", log).out)


def main():
    ompd_runs.need_libdw()
    missing = [name for name in (*DAEMONS, "srun", "unshare") if not shutil.which(name)]
    if missing:
        skip_all("there is no " + ", ".join(missing))
    if os.getpid() != 1:
        if subprocess.run([*APART, "true"], stderr=subprocess.DEVNULL, check=False).returncode:
            skip_all("no namespace of processes can be made")
        sys.exit(subprocess.run([*APART, sys.executable, __file__], check=False).returncode)
    with tempfile.TemporaryDirectory(prefix="ompd-") as place:
        program = ompd_runs.compiled(place, "why/barriers.c", "slurm_hang", "-O0")
        os.mkfifo(place + "/pipe")
        cluster = Cluster(place)
        if not TAP.ok(cluster.is_up, "Slurm runs", cluster.said("cat", place + "/log").out[-2000:]):
            TAP.end()
            return
        cluster.begin("srun", "-N", str(NODES), "-n", str(RANKS), "sh", "-c",
                      RANK % (ODD, program, place + "/pipe", program))
        until(lambda: cluster.said("pgrep", "-c", "slurm_hang").out.strip() == str(RANKS))
        for pid in map(int, cluster.said("pgrep", "slurm_hang").out.split()):
            comes_to_rest(pid, 3)
        job = cluster.said("squeue", "-h", "-o", "%i").out.strip()
        reports(cluster, job, program)
        silent(cluster, job)
        cluster.said("scancel", job)
        until(lambda: not cluster.said("squeue", "-h").out)
        watched(cluster, program)
        at_limit(cluster, program)
        batch(cluster, place)
    TAP.end()


main()
