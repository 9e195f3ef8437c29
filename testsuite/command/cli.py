#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The command line of `ompd`: exit statuses, targets, what it prints, and processes that run on.

Usage: cli.py [--long]: looks at programs that run a hundred times and more
"""

import ctypes
import fcntl
import os
import pty
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

import ompd_runs
from ompd_runs import LIMIT, OMPD, Running, compiled, ompd
from tap import Tap, no_32_bit

LONG = "--long" in sys.argv
TAP = Tap()
NOBODY = 65534
PYTHON = os.path.realpath(sys.executable)


def programs(directory):
    """{name: path} of those that are looked at."""
    return {name: compiled(directory, source, name) for name, source in (
        ("barriers", "why/barriers.c"), ("locks", "why/locks.c"),
        ("libc_locks", "why/libc_locks.c"), ("target", "command/target.c"))}


def says(said, status, pattern, name):
    """A sentence of the command, and nothing else."""
    fault = said.fault()
    TAP.ok(fault is None and said.status == status and not said.out and
           re.fullmatch(pattern, said.err.strip()), name, fault, "status %s" % said.status,
           said.out, said.err, "wanted: " + pattern)


def modules(top):
    """Paths of the command's modules below a directory."""
    return {os.path.relpath(os.path.join(directory, name), top)
            for directory, _, names in os.walk(top) for name in names if name.endswith(".py")}


def installed():
    source = os.environ.get("top_srcdir", os.path.join(ompd_runs.SUITE, ".."))
    TAP.equal(modules(os.path.join(ompd_runs.STAGE, "share/ompd/python/ompd_command")),
              modules(os.path.join(source, "ompd/ompd_command")), "every module is installed")


def usage():
    for words in ((), ("nonsense",), ("why",), ("why", "-nonsense", "1"),
                  ("threads", "-graph", "f", "1")):
        said = ompd(*words)
        TAP.equal((said.status, "Traceback" in said.err), (64, False),
                  "usage: ompd " + " ".join(words))
    said = ompd("--help")
    TAP.ok(said.status == 0 and all(status in said.out for status in (
        "10", "11", "12", "64", "66", "77", "78")), "--help has the exit statuses", said.out)
    TAP.like(ompd("--version").out, r"^ompd \d", "--version")


def statuses(made):
    for program, how, status in (("barriers", "mismatch", 12), ("locks", "mixed", 11),
                                 ("locks", "braces", 10), ("libc_locks", "elsewhere", 0)):
        with Running(made[program], how) as one:
            said = ompd("why", one.pid)
            TAP.ok(said.status == status and not said.fault(), "status %d: %s %s" % (
                status, program, how), said.status, said.out, said.err)
    with Running("sleep", "60", hangs=False) as one:
        time.sleep(0.2)
        says(ompd("tasks", one.pid), 78, r"ompd: .*OpenMP.*\.", "a program without OpenMP")


def no_targets(directory):
    says(ompd("why", 999999999), 66, r"ompd: There is no process 999999999\.", "no such process")
    says(ompd("why", "no_such_program_here"), 66, r"ompd: There is no file .*\.", "no such program")
    says(ompd("why", "/no/such/core"), 66, r"ompd: There is no file /no/such/core\.",
         "no such core")
    says(ompd("why", directory), 66, r"ompd: .* is no file\.", "a directory")
    for name, content in (("empty", b""), ("text", b"hello\n" * 1000)):
        path = os.path.join(directory, name)
        with open(path, "wb") as stream:
            stream.write(content)
        says(ompd("why", path), 66, r"ompd: .* cannot be read: .*\.", "a file that is %s" % name)
    says(ompd("why", PYTHON), 66, r"ompd: .* cannot be read: .*\.", "a program, no core")
    fifo = os.path.join(directory, "fifo")
    os.mkfifo(fifo)
    says(ompd("why", fifo), 66, r"ompd: .* is no file\.", "a pipe with a name")
    kernel = next((int(one) for one in os.listdir("/proc") if one.isdigit() and
                   is_kernel_thread(int(one))), None)
    if kernel is None:
        TAP.skip("a thread of the kernel", "none is seen here")
    else:
        says(ompd("why", kernel), 66, r"ompd: .*\.", "a thread of the kernel")


def is_kernel_thread(pid):
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as stream:
            return int(stream.read().rpartition(")")[2].split()[6]) & 0x200000
    except OSError:
        return False


def several(made):
    with Running(made["barriers"], "mismatch") as one, Running(made["locks"], "mixed") as two:
        said = ompd("why", one.pid, two.pid)
        TAP.ok(said.status == 12 and "%d barriers, " % one.pid in said.out and
               "%d locks, " % two.pid in said.out, "two processes: the worst status, and headings",
               said.status, said.out, said.err)
        said = ompd("why", "-json", one.pid, two.pid)
        TAP.equal([found["pid"] for found in said.json or ()], [one.pid, two.pid],
                  "-json of several is an array")
        said = ompd("why", "-json", one.pid)
        TAP.ok(isinstance(said.json, dict) and said.json["pid"] == one.pid,
               "-json of one is an object", said.out)
        said = ompd("why", "-json", one.pid, 999999998)
        TAP.equal(said.status, 66, "one that is and one that is not")
        said = ompd("why", "locks", "barriers")
        TAP.ok(said.status == 12 and "%d locks" % two.pid in said.out, "by name", said.out,
               said.err)
        os.chdir(os.path.dirname(made["locks"]))
        TAP.equal(ompd("why", "locks").status, 11, "by the name of a program that is here")
        thread = max(map(int, os.listdir("/proc/%d/task" % two.pid)))
        said = ompd("bt", thread)
        TAP.ok(said.status == 0 and "lookup ()" in said.out and "update ()" not in said.out,
               "bt of one thread by its id", said.out, said.err)
        TAP.equal(ompd("why", thread).status, 11, "why by a thread's id")
        for command in ("threads", "bt", "tasks", "icvs", *(
                ("stacks", "locks", "parallel", "env", "status", "doctor") if LONG else ())):
            said, told = ompd(command, "-json", one.pid), ompd(command, one.pid)
            TAP.ok(said.json is not None and said.status == told.status == 0 and told.out and
                   not said.err + told.err, "%s, as text and as JSON" % command, said.out, said.err,
                   told.out, told.err)


ERASED = re.compile(r"\r\x1b\[K[^\n]*?(?=\r\x1b\[K)")  # a line that another one replaces


def on_terminal(columns, *words):
    """What is on a terminal that is so wide when it has ended."""
    told = ERASED.sub("", written_to_terminal(columns, *words))
    return re.sub(r"\x1b\[[0-9;]*[mK]", "", told).replace("\r", "")


def written_to_terminal(columns, *words):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen([OMPD, *map(str, words)], stdin=subprocess.DEVNULL, stdout=slave,
                          stderr=slave, env=dict(os.environ, LC_ALL="C.UTF-8")) as process:
        os.close(slave)
        data = b""
        try:
            while True:
                data += os.read(master, 65536)
        except OSError:
            pass  # it has ended
        os.close(master)
        process.wait()
    return data.decode("utf-8", "replace")


def bars(made):
    """How far it has come is on a terminal alone."""
    with Running(made["barriers"], "mismatch") as one:
        told = written_to_terminal(80, "why", "-watch", "3", one.pid)
        TAP.ok("1 target" in told and "1 target" not in ERASED.sub("", told),
               "progress on a terminal", told)
        said = ompd("why", "-watch", "3", one.pid)
        TAP.ok("target" not in said.out + said.err and not said.err, "and none elsewhere", said.err)


def widths(made):
    with Running(made["barriers"], "mismatch") as one:
        for command, columns in (("why", 60), ("threads", 90), *(
                (("stacks", 60), ("why", 50), ("why", 200)) if LONG else ())):
            told = on_terminal(columns, command, one.pid)
            widest = max(map(len, told.splitlines()), default=0)
            TAP.ok(0 < widest <= columns, "%s on a terminal of %d columns" % (command, columns),
                   "widest %d" % widest, told)


def alone(made, directory):
    """What it needs, and what it does not."""
    empty = os.path.join(directory, "nothing")
    os.mkdir(empty)
    with Running(made["barriers"], "mismatch") as one:
        said = ompd("why", one.pid, before=[sys.executable, "-I"], environment={"PATH": empty})
        TAP.ok(said.status == 12 and not said.err, "without gdb, or any program, in PATH", said.err)
        with open(os.path.join(empty, "libdw.so.1"), "wb"):
            pass
        says(ompd("why", one.pid, environment=dict(os.environ, LD_LIBRARY_PATH=empty)), 78,
             r"ompd: ompd needs libdw\.so\.1 .*\.", "without libdw")
        TAP.equal(one.state, "S", "which was not touched")


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


def trees_of_many(made):
    with Running(made["barriers"], "mismatch") as one, Running(made["barriers"], "mismatch") as two:
        said = ompd("stacks", one.pid, two.pid)
        TAP.ok(said.out.startswith("8 threads of 2 processes\n") and "%d: " % one.pid in said.out and
               "%d: " % two.pid in said.out and said.status == 0, "stacks of two are one tree",
               said.out, said.err)
        TAP.ok(all(row["elapsed_seconds"] > 0 and 0 <= row["cpu_seconds"] < row["elapsed_seconds"]
                   for row in ompd("threads", "-json", one.pid).json or ({"elapsed_seconds": 0},)),
               "times of threads")


def hints(made, directory):
    """What is to be typed next names the target."""
    with Running(made["barriers"], "mismatch") as one:
        told = ompd("threads", one.pid).out
        TAP.ok(told.endswith('Type "ompd why %d".\n' % one.pid), "hints name a process", told)
        core = os.path.join(directory, "a core")
        subprocess.run([os.environ["GDB"], "-batch", "-nx", "-p", str(one.pid), "-ex",
                        "generate-core-file " + core], stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, check=True)
        told = ompd("why", core).out
        TAP.ok("ompd bt '%s'" % core in told, "and a core, as a shell takes it", told)


def states(made):
    """Processes that are stopped, have ended, or are traced."""
    with Running(made["barriers"], "mismatch") as one:
        os.kill(one.pid, signal.SIGSTOP)
        time.sleep(0.1)
        said = ompd("why", one.pid)
        time.sleep(0.1)
        TAP.equal((said.status, one.state, one.field("TracerPid")), (12, "T", "0"),
                  "one that was stopped stays so")
        os.kill(one.pid, signal.SIGCONT)
        time.sleep(0.1)
        TAP.equal(one.state, "S", "and goes on")
        ptrace = ctypes.CDLL(None, use_errno=True).ptrace
        if ptrace(0x4206, one.pid, None, None) == 0:
            says(ompd("why", one.pid), 77,
                 r"ompd: process %d is traced by process %d \(.*\), .*\." % (one.pid, os.getpid()),
                 "one that another debugger has")
            without_a_stop(one)
            ptrace(17, one.pid, None, None)
    with subprocess.Popen(["true"]) as process:
        time.sleep(0.3)
        says(ompd("why", process.pid), 66, r"ompd: Process \d+ has ended\.", "one that has ended")
    with Running(made["target"], "leaderless", hangs=False) as one:
        time.sleep(0.5)
        said = ompd("threads", "-json", one.pid)
        TAP.ok(said.status == 0 and one.state == "Z" and [row["call"] for row in said.json or ()] ==
               ["pause"] * 3, "one whose first thread has ended", one.state, said.out, said.err)
    faults = []
    for number in range(20 if LONG else 2):
        with Running("sh", "-c", "exec timeout 0.%d %s churn" % (number % 4, made["target"]),
                     hangs=False) as one:
            faults.append(ompd("threads", one.pid).fault())
    TAP.case(list(filter(None, faults)), "processes that end meanwhile")


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
            says(ompd("why", one.pid), 66, r"ompd: process \d+ cannot be read: .*32.*\.",
                 "a program of 32 bits")


def interpreter(directory):
    """Frames of Python's interpreter are one step of a merged stack."""
    library = compiled(directory, "why/python.c", "python.so", "-shared -fPIC")
    python = "/usr/bin/python3"
    if library is None or not os.path.exists(python):
        TAP.skip("an interpreter", "there is none here")
        return
    script = os.path.join(ompd_runs.SUITE, "why/python.py")
    with Running(python, script, library, "gil", threads=4) as one:
        said = ompd("stacks", one.pid)
        TAP.ok(re.search(r" 4  <Python> \S+ gil ", said.out) and
               said.out.count("<Python>") == 2 and "Py" not in said.out.replace("<Python>", ""),
               "an interpreter in merged stacks", said.out, said.err)
        said = ompd("stacks", "-lines", one.pid)
        TAP.ok("<Python>" not in said.out and "Eval" in said.out, "with -lines as it is", said.out)


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
        subprocess.run([os.environ["GDB"], "-batch", "-nx", "-p", str(one.pid), "-ex",
                        "generate-core-file " + core], stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, check=True)
    shutil.copy(PYTHON, named)
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
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        try:
            with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as stream:
                for one in (pid, *map(int, stream.read().split())):
                    if os.path.basename(os.readlink("/proc/%d/exe" % one)) == name:
                        ompd_runs.comes_to_rest(one)
                        return one
        except OSError:
            pass
        time.sleep(0.05)
    return pid


def registers(directory):
    """What a function has in registers that its callees leave alone, or have saved."""
    path = compiled(directory, "why/locks.c", "by registers", "-O2")
    with Running(path, "order", threads=4) as one:
        TAP.like(ompd("why", one.pid).out, r"(?s)~holds first.*~holds second",
                 "holders of locks whose addresses are in registers")


def main():
    with tempfile.TemporaryDirectory(prefix="ompd-command-") as directory:
        os.chmod(directory, 0o755)
        made = programs(directory)
        installed()
        usage()
        statuses(made)
        no_targets(directory)
        several(made)
        widths(made)
        bars(made)
        trees_of_many(made)
        hints(made, directory)
        alone(made, directory)
        of_others(made)
        states(made)
        chance = random.Random(2000)
        run_on(made, chance)
        signals(made, chance)
        registers(directory)
        kinds_of_programs(directory)
        interpreter(directory)
        files(directory)
        containers(made, directory)
    TAP.end()


if __name__ == "__main__":
    main()
