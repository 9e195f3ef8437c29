#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`ompd` on processes and cores of every kind, and that those are left as they were.

Usage: targets.py [--long]: all kinds, and programs that run on a hundred times and more
"""

import collections
import ctypes
import itertools
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

import ompd_runs
from ompd_runs import LIMIT, OMPD, Running, compiled, ompd, says
from tap import Tap, no_32_bit

LONG = "--long" in sys.argv
TAP = Tap()
NOBODY = 65534
# What a process may be copied with, and what Python itself does between.
STOPPED_CALLS = {"ptrace", "wait4", "pread64", "getdents64", "newfstatat", "fstat", "fcntl", "lseek",
                 "close", "clock_nanosleep", "select", "pselect6", "brk", "mmap", "munmap", "mremap",
                 "madvise"}
PYTHON = os.path.realpath(sys.executable)


def alone(made, directory):
    """What it needs, and what it does not."""
    empty = os.path.join(directory, "nothing")
    os.mkdir(empty)
    with Running(made["barriers"], "mismatch") as one:
        said = ompd("why", one.pid, before=[sys.executable, "-I"], environment={"PATH": empty})
        TAP.ok(said.status == 12 and not said.err, "without gdb, or any program, in PATH", said.err)
        with open(os.path.join(empty, "libdw.so.1"), "wb"):
            pass
        says(TAP, ompd("why", one.pid, environment=dict(os.environ, LD_LIBRARY_PATH=empty)), 78,
             r"ompd: ompd needs libdw\.so\.1 .*\.", "without libdw")
        TAP.equal(one.state, "S", "which was not touched")


def system_calls(made, directory):
    """What is called while a process stands still: a bound by threads and pages, and no file."""
    strace = shutil.which("strace")
    if strace is None:
        TAP.skip("system calls of a stop", "no strace")
        return
    for name, words, threads in (("barriers", ("mismatch",), 4), ("target", ("many", "64"), 64)):
        with Running(made[name], *words, threads=threads) as one:
            for command in ("why", "stacks", "tasks"):
                calls = calls_of_looks(command, one, directory)
                last = max(at for at, call in enumerate(calls) if "PTRACE_DETACH" in call)
                found = collections.Counter(call.partition("(")[0] for call in calls[:last])
                running = itertools.takewhile(lambda call: "PTRACE_INTERRUPT" not in call, calls)
                waits = found.pop("wait4")  # and as many again as the machine is busy
                TAP.ok(set(found) <= STOPPED_CALLS and found["ptrace"] == 4 * threads - 1 and
                       found["pread64"] <= threads + 60 and
                       sum("PTRACE_SEIZE" in call for call in running) == threads and
                       waits <= threads * (2 + found["clock_nanosleep"]) and
                       sum(found.values()) - found["clock_nanosleep"] <= 5 * threads + 100,
                       "%s: system calls of a stop of %d threads" % (command, threads), dict(found), waits)
                with open(os.path.join(directory, "calls"), encoding="utf-8", errors="replace") as stream:
                    asked = set(re.findall(r'"/proc/(\d+)/stat"', stream.read()))
                TAP.equal(asked & set(os.listdir("/proc/%d/task" % one.pid)) - {str(one.pid)}, set(),
                          command + ": what adds up all threads is not asked of each of them")
            stops = sum("PTRACE_SEIZE" in call
                        for call in calls_of_looks("why -watch 0.5", one, directory))
            TAP.ok(2 * threads < stops <= 2 * threads + 23 * 8,
                   "-watch stops %d threads twice, and in between those that it samples" % threads, stops)


def calls_of_looks(command, one, directory):
    """The system calls of the process that stops ONE, from the first stop on."""
    log = os.path.join(directory, "calls")
    ompd(*command.split(), one.pid, before=["strace", "-f", "-o", log, sys.executable, "-I"])
    with open(log, encoding="utf-8", errors="replace") as stream:
        lines = [line.split(None, 1) for line in stream]
    looking = next(pid for pid, call in lines if "PTRACE_SEIZE" in call)
    calls = [call for pid, call in lines if pid == looking and call[:1].isalpha()]
    return calls[next(at for at, call in enumerate(calls) if "PTRACE_SEIZE" in call):]


def of_its_own(made, directory):
    """Few files of the installation are opened and asked for, which a thousand nodes may share."""
    if shutil.which("strace") is None:
        TAP.skip("files of the installation", "no strace")
        return
    log = os.path.join(directory, "calls")
    with Running(made["barriers"], "mismatch") as one:
        for _ in range(2):  # the first may write byte code
            subprocess.run(["strace", "-f", "-e", "trace=file", "-o", log, OMPD, "why", str(one.pid)],
                           stdout=subprocess.DEVNULL, check=False)
    with open(log, encoding="utf-8", errors="replace") as stream:
        calls = [line.split()[1] for line in stream if '"%s/' % ompd_runs.STAGE in line]
    opened = sum(call.startswith("open") for call in calls)
    TAP.ok(8 < opened <= 15 and len(calls) <= 80, "files of the installation", opened, len(calls))


def of_others(made):
    if os.geteuid() != 0:
        said = ompd("why", 1)
        TAP.ok(said.status == 77 and not said.fault(), "the process of another user", said.err)
        return

    def drop():
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)

    with Running(made["barriers"], "mismatch") as one:
        done = subprocess.run([OMPD, "why", str(one.pid)], preexec_fn=drop, text=True,
                              check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=LIMIT, cwd="/")
        TAP.ok(done.returncode == 77 and re.fullmatch(
            r"ompd: process %d may not be looked at: .*\.\n" % one.pid, done.stderr),
               "the process of another user", done.returncode, done.stdout, done.stderr)


def without_a_stop(one):
    """Of a process that another debugger has, so that it cannot be stopped."""
    said, told = ompd("why", "-json", "-nostop", one.pid), ompd("threads", "-nostop", one.pid)
    first = said.json["verdicts"][0] if isinstance(said.json, dict) else {}
    TAP.ok(said.status == 11 and said.json["stopped"] is False and
           (first["id"], first["certainty"]) == ("barrier-mismatch", "likely"),
           "without a stop nothing is certain", said.status, said.out, said.err)
    TAP.ok("looked at while it ran: may be torn" in told.out and "share () at" in told.out and
           not told.fault(), "threads that sleep are known without a stop", told.out, told.err)
    TAP.equal(ompd("why", "-nostop", "-watch", "1", one.pid).status, 64, "-nostop and -watch")


def states(made):
    """Processes that are stopped, have ended, or are traced."""
    with Running(made["barriers"], "mismatch") as one:
        os.kill(one.pid, signal.SIGSTOP)
        time.sleep(0.1)
        said = ompd("why", one.pid)
        time.sleep(0.1)
        TAP.equal((said.status, one.state, one.field("TracerPid")), (12, "T", "0"),
                  "one that was stopped stays so")
        TAP.ok(", stopped by a signal before, stopped for" in " ".join(said.out.split()), "and is said to",
               said.out)
        os.kill(one.pid, signal.SIGCONT)
        time.sleep(0.1)
        TAP.equal(one.state, "S", "and goes on")
        ptrace = ctypes.CDLL(None, use_errno=True).ptrace
        if ptrace(0x4206, one.pid, None, None) == 0:
            says(TAP, ompd("why", one.pid), 77,
                 r"ompd: process %d is traced by process %d \(.*\), .*-nostop.*\." % (one.pid, os.getpid()),
                 "one that another debugger has")
            without_a_stop(one)
            with subprocess.Popen([OMPD, "why", str(one.pid)], stdout=subprocess.DEVNULL) as look:
                time.sleep(0.5)
                ptrace(0x4207, one.pid, None, None)
                os.waitpid(one.pid, 0x40000000)
                ptrace(17, one.pid, None, None)
                TAP.equal(look.wait(), 12, "one that is let go meanwhile, as by a watchdog")
    ended = subprocess.run(
        [sys.executable, "-c", "from ompd_command.host import ptrace\nptrace.tasks(999999998)"],
        env=dict(os.environ, PYTHONPATH=os.environ["stage"] + "/share/ompd/python"),
        stderr=subprocess.PIPE, text=True, check=False).stderr
    TAP.ok(ended.strip().endswith("ProcessLookupError: process 999999998 has ended"),
           "one that ends while it is stopped", ended)
    with subprocess.Popen(["true"]) as process:
        time.sleep(0.3)
        says(TAP, ompd("why", process.pid), 66, r"ompd: Process \d+ has ended\.",
             "one that has ended")
    with Running(made["target"], "leaderless", hangs=False) as one:
        time.sleep(0.5)
        said = ompd("threads", "-json", one.pid)
        TAP.ok(said.status == 0 and one.state == "Z" and [row["call"] for row in said.json or ()] ==
               ["pause"] * 3, "one whose first thread has ended", one.state, said.out, said.err)
    with Running(made["barriers"], "forked", threads=1) as one:
        said, found = ompd("why", one.pid), ompd("why", "-json", one.pid)
        TAP.ok(said.status == found.status == 12 and re.search(
            r"waiting: 1 thread is in waitpid \(\)(.|\n)*deadlock: a child of fork", said.out) and
               [child["verdicts"][0]["id"] for child in found.json["children"]] == ["fork"],
               "one that waits for a child which hangs", said.out, found.out)
    faults = []
    for number in range(20 if LONG else 2):
        with Running("sh", "-c", "exec timeout 0.%d %s churn" % (number % 4, made["target"]),
                     hangs=False) as one:
            faults.append(ompd("threads", one.pid).fault())
    TAP.case(list(filter(None, faults)), "processes that end meanwhile")


FREEZER = "/sys/fs/cgroup/freezer"


def unstoppable(made):
    """Threads that no debugger can stop: what is known of them is said, and that they were not."""
    with Running(made["barriers"], "vforks", hangs=False) as one:
        until = time.monotonic() + LIMIT
        while one.field("Threads") != "3" and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(0.5)
        for options in ((), ("-watch", "0.5")):
            said = ompd("why", *options, one.pid)
            TAP.ok(said.status in (10, 11) and not said.err and
                   "no verdict: 1 of 3 threads could not be stopped (in vfork)\n" in said.out and
                   "which is in vfork ()" in said.out, "in vfork", said.status, said.out, said.err)
        TAP.equal((one.state, one.field("TracerPid")), ("S", "0"), "it is let go")
    group = "%s/ompd-%d" % (FREEZER, os.getpid())
    try:
        os.mkdir(group)
        with open(group + "/freezer.state", "r+b"):
            pass
    except OSError as error:
        TAP.skip("frozen", "no group to freeze it in: %s" % error)
        return
    with Running(made["barriers"], "mismatch") as one:
        frozen(one, group)
    until = time.monotonic() + LIMIT
    while os.path.isdir(group) and time.monotonic() < until:
        try:
            os.rmdir(group)
        except OSError:
            time.sleep(0.05)


def frozen(one, group):
    for file, text in (("cgroup.procs", "%d" % one.pid), ("freezer.state", "FROZEN")):
        with open("%s/%s" % (group, file), "w", encoding="ascii") as stream:
            stream.write(text)
    try:
        until = time.monotonic() + LIMIT
        while one.state != "D" and time.monotonic() < until:
            time.sleep(0.05)
        for options in ((), ("-watch", "0.5")):
            said = ompd("why", *options, one.pid)
            TAP.ok(said.status == 11 and not said.err and re.search(
                r"^no verdict: (\d+) of \1 threads could not be stopped \(frozen by "
                r"/ompd-\d+\)\n  as they were when last seen:\ndeadlock: .* \[likely\]$", said.out, re.M),
                   "frozen", said.status, said.out, said.err)
        told = ompd("why", "-json", one.pid).json
        TAP.ok(told["stopped"] is False and "could not be stopped" in told["unknown"][0],
               "and in JSON", told)
    finally:
        with open(group + "/freezer.state", "w", encoding="ascii") as stream:
            stream.write("THAWED")
    said = ompd("why", one.pid)
    TAP.ok(said.status == 12 and "no verdict" not in said.out, "it is thawed", said.out)


def run_on(made, chance):
    """Looks at what runs, some of them killed; it computes what it should."""
    with Running(made["target"], "churn", hangs=False) as one:
        faults = [ompd("threads", one.pid).fault() for _ in range(200 if LONG else 3)]
        TAP.case(list(filter(None, faults)), "%d looks while threads come and go" % len(faults))
        for number in range(60 if LONG else 4):
            with subprocess.Popen([OMPD, "why", str(one.pid)], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, start_new_session=True) as process:
                time.sleep(chance.uniform(0.05, 0.8))
                (os.kill, os.killpg)[number % 2](process.pid, signal.SIGKILL)
        time.sleep(0.5)
        TAP.ok(one.state in "RS" and one.field("TracerPid") == "0",
               "killed at random times: it runs", one.state, one.field("TracerPid"))
        TAP.equal(one.ended(), ("some rounds, 0 wrong\n", 0), "what it has computed is right")


def signals(made, chance):
    """A process that gets signals gets each, whoever looks."""
    with Running(made["target"], "signals", threads=3) as one:
        sent, faults = 0, []
        for number in range(40 if LONG else 2):
            with subprocess.Popen([OMPD, "why", str(one.pid)], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, start_new_session=True) as process:
                until = time.monotonic() + (chance.uniform(0.2, 0.8) if number % 2 else LIMIT)
                while process.poll() is None and time.monotonic() < until:
                    os.kill(one.pid, signal.SIGRTMIN)
                    sent += 1
                    time.sleep(0.002)
                process.kill()
                faults += [line for line in process.stderr.read().decode().splitlines()]
        TAP.case(faults, "looks while signals come")
        time.sleep(0.5)
        TAP.equal(one.ended(), ("%d signals\n" % sent, 0), "each of %d signals has come" % sent)


def as_ever(pid, name, **settings):
    """What is said of a program is what is said of it as it usually is."""
    said = ompd("why", "-json", pid, **settings)
    found = said.json["verdicts"][0] if isinstance(said.json, dict) else {}
    lines = {link.get("line") for link in found.get("links", ())}
    TAP.ok(said.status == 12 and found.get("id") == "barrier-mismatch" and
           ("stripped" in name or any(lines)) and not said.err, name, said.status,
           said.out[:3000], said.err)


def kinds_of_programs(directory):
    for name, flags in (("static", "-static"), ("static-pie", "-static-pie"),
                        ("at a fixed place", "-no-pie"),
                        ("with compressed debug information", "-gz"),
                        ("with DWARF 4", "-gdwarf-4"),
                        ("with split DWARF", "-gsplit-dwarf"))[0 if LONG else 1::1 if LONG else 4]:
        path = compiled(directory, "why/barriers.c", "of " + name, flags)
        if path is None:
            TAP.skip(name, "it cannot be linked")
            continue
        with Running(path, "mismatch") as one:
            as_ever(one.pid, name)
    reason = no_32_bit()
    path = None if reason else compiled(directory, "why/barriers.c", "narrow", "-m32")
    if path is None:
        TAP.skip("32 bits", reason or "it cannot be linked")
    else:
        with Running(path, "mismatch") as one:
            says(TAP, ompd("why", one.pid), 66, r"ompd: process \d+ cannot be read: .*32.*\.",
                 "a program of 32 bits")


def interpreter(directory):
    """Frames of Python's interpreter are the functions in Python of a merged stack, or one step."""
    library = compiled(directory, "why/python.c", "python.so", "-shared -fPIC")
    python = "/usr/bin/python3"
    if library is None or not os.path.exists(python):
        TAP.skip("an interpreter", "there is none here")
        return
    script = os.path.join(ompd_runs.SUITE, "why/python.py")
    with Running(python, script, library, "gil", threads=4) as one:
        said = ompd("stacks", one.pid)
        TAP.ok(re.search(r" 4  <module> in python.py \S+ keeps in python.py \S+ gil ", said.out) and
               said.out.count("<Python>") == 1 and "Py" not in said.out.replace("<Python>", ""),
               "an interpreter in merged stacks", said.out, said.err)
        said = ompd("stacks", "-lines", one.pid)
        TAP.ok("<Python>" not in said.out and "Eval" in said.out, "with -lines as it is", said.out)
    with Running(python, script, library, "rests", threads=1) as one:
        said = ompd("stacks", "-json", one.pid)
        steps = [step for step in json.loads(said.out)[0]["steps"] if "#" not in step]
        TAP.equal(steps, ["<module> in python.py", "keeps in python.py", "team_of_one", "team_of_one",
                          "rests in python.py", "pause"], "a function that a region calls")


def files(directory):
    """Programs whose files are elsewhere, or other ones by now."""
    copies = {name: compiled(directory, "why/barriers.c", name)
              for name in ("deleted", "replaced", "apart", "stripped")}
    if shutil.which("objcopy"):
        subprocess.run(["objcopy", "--only-keep-debug", copies["apart"],
                        copies["apart"] + ".debug"], check=True)
        subprocess.run(["objcopy", "-g", "--add-gnu-debuglink=" + copies["apart"] + ".debug",
                        copies["apart"]], check=True)
        subprocess.run(["strip", copies["stripped"]], check=True)
        for name, words in (("apart", "debug information in a file of its own"),
                            ("stripped", "stripped")):
            with Running(copies[name], "mismatch") as one:
                as_ever(one.pid, words)
    with Running(copies["deleted"], "mismatch") as one:
        os.unlink(copies["deleted"])
        as_ever(one.pid, "a program whose file was deleted")
    with Running(copies["replaced"], "mismatch") as one:
        os.unlink(copies["replaced"])
        shutil.copy(copies["stripped"], copies["replaced"])
        as_ever(one.pid, "a program whose file was replaced")
    named = os.path.join(directory, "bar\033[31mriers")
    shutil.copy(copies["stripped"], named)
    with Running(named, "mismatch") as one:
        core = os.path.join(directory, "named")
        ompd_runs.gdb_core(one.pid, core)
    states = [[row["state"] for row in ompd("threads", "-json", core).json or ()]]
    os.unlink(named)
    states.append([row["state"] for row in ompd("threads", "-json", core).json or ()])
    said = ompd("why", core)
    TAP.ok(states[0] == states[1] and len(set(states[0])) == 2 and
           said.out.count("of this process is not on this machine: -sysroot DIR") == 1,
           "a core whose program is gone", states, said.out, said.err)
    shutil.copy(PYTHON, named)
    TAP.like(ompd("why", core).out, "^bar.*iers of this machine is another file", "or another one")
    said = ompd("threads", core)
    TAP.ok("another file" in said.out and "\\x1b" in said.out and
           "\033" not in said.out + said.err, "a core of another file, whose name is not obeyed",
           said.out, said.err)
    library = re.search(r"=> (\S*libgomp\S*)", subprocess.run(
        ["ldd", copies["stripped"]], stdout=subprocess.PIPE, text=True, check=True).stdout).group(1)
    own = os.path.join(directory, "lib")
    os.mkdir(own)
    copy = os.path.join(own, os.path.basename(library))
    for words, change in (("deleted", os.unlink), ("replaced", lambda path: shutil.move(
            shutil.copy(PYTHON, directory), path))):
        shutil.copy(library, copy)
        with Running(copies["apart"], "mismatch", LD_LIBRARY_PATH=own) as one:
            change(copy)
            as_ever(one.pid, "libgomp was " + words)


def debug_links(directory):
    """Debug files by names that are the program's word; what they lead to may be anything."""
    plain = compiled(directory, "why/barriers.c", "linked", "-O0 -Wl,--build-id=none")
    if plain is None or not shutil.which("objcopy"):
        TAP.skip("links to debug files", "objcopy and a linker are needed")
        return
    own, section = os.path.join(directory, "own.debug"), os.path.join(directory, "section")
    subprocess.run(["objcopy", "--only-keep-debug", plain, own], check=True)
    os.mkfifo(os.path.join(directory, "waits.debug"))
    os.symlink(own, os.path.join(directory, "link.debug"))
    with open(own, "rb") as stream:
        checksum = zlib.crc32(stream.read())
    below = "../" * 9
    for words, kind, name, number, wanted in (
            ("by a checksum", "link", "own.debug", checksum, True),
            ("by a wrong one", "link", "own.debug", checksum ^ 1, False),
            ("a pipe", "link", "waits.debug", checksum, False),
            ("another directory's", "link", "../%s/own.debug" % os.path.basename(directory),
             checksum, False),
            ("a device's", "link", below + "dev/zero", checksum, False),
            ("a symbolic link", "link", "link.debug", checksum, False),
            ("a pipe of many files'", "altlink", "waits.debug", 0, True),
            ("a device of many files'", "altlink", below + "dev/zero", 0, True)):
        with open(section, "wb") as stream:
            stream.write(name.encode() + bytes(4 - len(name) % 4) + struct.pack("<I", number)
                         if kind == "link" else name.encode() + b"\0" + bytes(range(20)))
        program = os.path.join(directory, "by " + words)
        subprocess.run(["objcopy", *["-g"] * (kind == "link"), "--add-section",
                        ".gnu_debug%s=%s" % (kind, section), plain, program], check=True)
        with Running(program, "mismatch") as one:
            said = ompd("why", "-json", one.pid, timeout=20)
            links = said.json["verdicts"][0]["links"] if said.json else ()
            TAP.equal((said.status, any(link.get("line") for link in links)), (12, wanted),
                      "a debug file " + words)


def containers(made, directory):
    """Those of other namespaces, and below another root directory."""
    for name, words in (("a pid namespace", "unshare -p -f --mount-proc"),
                        ("a mount namespace", "unshare -m"),
                        ("all namespaces", "unshare -U -r -p -f -m --mount-proc"))[
                            0 if LONG else 2:]:
        words = words.split()
        if not shutil.which("unshare") or subprocess.run(
                [*words, "true"], check=False, stderr=subprocess.DEVNULL).returncode:
            TAP.skip(name, "not permitted")
            continue
        with Running(made["barriers"], "mismatch", before=words, hangs=False) as one:
            as_ever(inside(one.pid, "barriers"), name)
    if os.geteuid() != 0:
        TAP.skip("another root directory", "not root")
        return
    root = os.path.join(directory, "root")
    needs = subprocess.run(["ldd", made["barriers"]], stdout=subprocess.PIPE, text=True, check=True)
    for path in {made["barriers"], *re.findall(r"(/\S+) \(0x", needs.stdout)}:
        os.makedirs(root + os.path.dirname(path), exist_ok=True)
        shutil.copy(path, root + path)
    with Running(made["barriers"], "mismatch", before=["chroot", root], hangs=False) as one:
        as_ever(inside(one.pid, "barriers"), "another root directory")


def inside(pid, name):
    """The process of this program, PID or its child, once it is at rest."""
    found = ompd_runs.that_runs(pid, name) or pid
    ompd_runs.comes_to_rest(found)
    return found


def launchers(made):
    """One that a program without OpenMP has started is shown in place of that."""
    with Running("sh", "-c", "%s mismatch; :" % made["barriers"], hangs=False) as one:
        child = inside(one.pid, "barriers")
        for options in ((), ("-json",), ("-html", os.devnull)):
            said = ompd("why", *options, one.pid)
            TAP.ok(said.status == 12 and "%d" % child in said.out and re.fullmatch(
                r"ompd: process %d \(\w+, 1 thread\) has no OpenMP runtime loaded; its descendant %d "
                r"has\.\n" % (one.pid, child), said.err),
                   " ".join(("a shell that waits for it", *options)), said.status, said.out, said.err)


def registers(directory):
    """What a function has in registers that its callees leave alone, or have saved."""
    path = compiled(directory, "why/locks.c", "by registers", "-O2")
    with Running(path, "order", threads=4) as one:
        TAP.like(ompd("why", one.pid).out, r"(?s)~holds first.*~holds second",
                 "holders of locks whose addresses are in registers")


def main():
    with tempfile.TemporaryDirectory(prefix="ompd-command-") as directory:
        os.chmod(directory, 0o755)
        made = {"barriers": compiled(directory, "why/barriers.c", "barriers"),
                "target": compiled(directory, "command/target.c", "target")}
        alone(made, directory)
        system_calls(made, directory)
        of_its_own(made, directory)
        of_others(made)
        states(made)
        unstoppable(made)
        chance = random.Random(2000)
        run_on(made, chance)
        signals(made, chance)
        launchers(made)
        registers(directory)
        kinds_of_programs(directory)
        interpreter(directory)
        files(directory)
        debug_links(directory)
        containers(made, directory)
    TAP.end()


if __name__ == "__main__":
    main()
