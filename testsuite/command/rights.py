#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Who parses what a target has may open nothing, and who opens gives no more than follows from the
target; neither lets a process be stopped or a signal be lost, however it ends. What is crafted costs a
sentence and names.

Usage: rights.py [--long]: hundreds of interrupted looks, a thousand in a row
"""

import collections
import itertools
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import zlib

from ompd_runs import LIMIT, OMPD, STAGE, Running, compiled, gdb_core, ompd
from tap import Tap

LONG = "--long" in sys.argv
TAP = Tap()
OTHER = 12345  # a user who has nothing
NO_THREAD = 1 << 30  # above all ids
FORBIDDEN = re.compile(r"open|creat|connect|socket|bind|exec|ptrace|kill|clone|fork|unlink|rename|"
                       r"chmod|chown|mkdir|^(sym)?link|mount|process_vm|truncate|io_uring")
MEMORY, SECONDS = 1 << 20, 20  # KiB, and what a look may take


def drop():
    os.setgroups([])
    os.setresgid(OTHER, OTHER, OTHER)
    os.setresuid(OTHER, OTHER, OTHER)


def traced(log, *words):
    """(what is called behind the filter by the process that has installed it, all that it calls)"""
    said = ompd(*words, before=[shutil.which("strace"), "-f", "-o", log, sys.executable, "-I"])
    with open(log, encoding="utf-8", errors="replace") as stream:
        lines = [line.split(None, 1) for line in stream]
    parses = next((pid for pid, call in lines if "PR_SET_SECCOMP" in call), None)
    calls = [call for pid, call in lines if pid == parses and call[:1].isalpha()]
    begins = next((at for at, call in enumerate(calls) if "PR_SET_SECCOMP" in call), 0)
    return said, calls[begins + 1:], calls


def no_system_calls(directory, path):
    """Of a process of another user, of one of root's, and of a core."""
    if shutil.which("strace") is None:
        TAP.skip("system calls of what parses", "no strace")
        return
    is_root = os.geteuid() == 0
    core = os.path.join(directory, "core")
    with Running(path, "mismatch", threads=4) as one:
        gdb_core(one.pid, core)
    for name, before, words in (
            ("a process", (), ()), ("a core", None, ("why", core)),
            ("an attacker's process", (sys.executable, "-c", "import os, sys\n"
             "os.setgroups([])\nos.setresgid(*[%d] * 3)\nos.setresuid(*[%d] * 3)\n"
             "os.execv(sys.argv[1], sys.argv[1:])" % (OTHER, OTHER)), ()))[:3 if is_root else 2]:
        with Running(path, "mismatch", before=before or (), threads=4) as one:
            log = os.path.join(directory, "calls")
            said, found, calls = traced(log, *(words or ("why", one.pid)))
            names = collections.Counter(call.partition("(")[0] for call in found)
            written = {call.partition(",")[0] for call in found if call.startswith("write")}
            user = OTHER if name.startswith("an") else 65534
            TAP.ok(said.status == 12 and names["pread64"] and
                   not any(map(FORBIDDEN.search, names)) and len(written) == 1,
                   "%s: what parses opens nothing, and writes its answer alone" % name, said.err,
                   names, written)
            if is_root:
                TAP.ok(any(re.match(r"setresuid\(%d, %d, %d\)\s+= 0" % ((user,) * 3), call)
                           for call in calls), "%s: with what rights" % name)


def asked(questions, target, owner, named=()):
    """The numbers of errors with which a monitor refuses QUESTIONS, None of what it answers. NAMED:
    by the user."""
    program = """
import json, os, sys
from ompd_command import connection, monitor
target, owner, named, questions = json.loads(sys.argv[1])
one, other = connection.pair()
if os.fork() == 0:
    one.close()
    monitor.run(target, owner and monitor.Owner(*owner), named, other)
    os._exit(0)
other.close()
found = []
for question in questions:
    try:
        one.ask(*question)
        found.append(None)
    except OSError as error:
        found.append(error.errno)
print(json.dumps(found))
"""
    done = subprocess.run(
        [sys.executable, "-c", program, json.dumps([target, owner, named, questions])],
        env=dict(os.environ, PYTHONPATH=STAGE + "/share/ompd/python"), stdout=subprocess.PIPE,
        text=True, check=True, timeout=LIMIT)
    return json.loads(done.stdout)


def wild(target):
    """What a look says that asks for memory that is not there while the process runs, as a torn
    structure may have it, then stops it, and once more for a page that it had not asked for."""
    program = """
import os, sys
from ompd_command import connection, monitor, served_rights
from ompd_command.host import live
number = int(sys.argv[1])
one, other = connection.pair()
if os.fork() == 0:
    one.close()
    monitor.run(number, None, (), other)
    os._exit(0)
other.close()
target = live.LiveProcess(number, True, served_rights.ServedRights(one), None)
target.begin()
target.rehearse()
for address, size in (-4096, 8), ((1 << 64) - 8, 8), (4096, 1 << 30):
    try:
        print(target.read(address, size))
    except Exception as error:
        print(type(error).__name__)
target.look()
print("stopped" if target.is_stopped else "runs")
with open("/proc/%d/maps" % number) as maps:
    address = next(int(line.partition("-")[0], 16) for line in maps if " rw" in line)
for again in True, True, False:
    target.read(address, 8)
    print(target.is_torn, again and target.stopped_again())
"""
    done = subprocess.run([sys.executable, "-c", program, str(target)], stdout=subprocess.PIPE,
                          env=dict(os.environ, PYTHONPATH=STAGE + "/share/ompd/python"), text=True,
                          check=False, timeout=LIMIT)
    return " ".join(done.stdout.split())


def refused(directory, path):
    """What does not follow from the target is not given, whatever asks."""
    secret, plain = (os.path.join(directory, name) for name in ("secret", "plain"))
    for name, mode in ((secret, 0o600), (plain, 0o644)):
        with open(name, "wb"):
            os.chmod(name, mode)
    link, pipe = os.path.join(directory, "link"), os.path.join(directory, "waits")
    os.symlink(plain, link)
    os.mkfifo(pipe)
    with Running(path, "mismatch", threads=4) as one, Running(path, "mismatch", threads=4) as other:
        own, its = "/proc/%d/" % one.pid, "/proc/%d/" % other.pid
        given = [["file", own + "exe"], ["file", plain], ["texts", own + "maps"],
                 ["texts", "%stask/%d/syscall" % (own, one.pid)], ["link", own + "exe"],
                 ["link", own + "cwd"], ["names", own + "task"], ["real", own + "exe"], ["texts", its + "status"],
                 ["file_beneath", directory, "plain"], ["robust_lists", [one.pid]],
                 ["other_ends", one.pid, 1], ["texts", "/proc/loadavg"]]
        kept = [["file", pipe], ["file", "/dev/zero"], ["file_beneath", directory, "link"],
                ["file_beneath", directory, "../plain"], ["texts", own + "environ"],
                ["texts", own + "../%d/maps" % other.pid], ["texts", its + "maps"],
                ["texts", "/etc/passwd"], ["link", its + "exe"], ["link", its + "cwd"],
                ["link", link], ["names", "/"],
                ["names", own + "fd"], ["device", plain], ["file_of_server", "../x"],
                ["stop", 62, False, False, [], [[0, 1 << 40]]], ["stop", 62], ["exec", "true"],
                ["serve"], ["other_ends", other.pid, 1], ["other_ends", one.pid, NO_THREAD], ["file", 7], ["texts", plain]]
        TAP.equal(asked(given, one.pid, None), [None] * len(given), "what follows from the target")
        TAP.ok(None not in asked(kept, one.pid, None), "what does not", asked(kept, one.pid, None))
        TAP.equal(asked([["texts", "%stask/%d/stat" % (own, NO_THREAD)],
                         ["texts", "/proc/%d/schedstat" % NO_THREAD]], one.pid, None), [2, 2],
                  "a thread that has ended is not there")
        TAP.equal(wild(one.pid), "Unreadable Unreadable Unreadable stopped False True False False "
                  "False False", "what a look has asked for in vain is not copied, what it lacked is")
        if os.geteuid() == 0:
            TAP.equal(asked([["file", secret], ["file", plain], ["file", own + "exe"]], one.pid,
                            [OTHER, OTHER, []]), [13, None, None],
                      "what the owner of the target may not read is not")
            TAP.equal(asked([["file", secret]], 0, [OTHER, OTHER, []], [directory]) +
                      asked([["file", secret]], 0, [OTHER, OTHER, []], [secret]), [None, None],
                      "but what the user has named")


def bombed(file, section, content, size):
    """Has a SECTION of a FILE compressed CONTENT that claims a SIZE."""
    with open(file, "rb") as stream:
        data = bytearray(stream.read())
    table, = struct.unpack_from("<Q", data, 40)
    count, names = struct.unpack_from("<HH", data, 60)
    names, = struct.unpack_from("<Q", data, table + 64 * names + 24)
    packed = struct.pack("<IIQQ", 1, 0, size, 1) + content
    at = len(data)
    data += packed
    for number in range(count):
        head = table + 64 * number
        name, = struct.unpack_from("<I", data, head)
        if data[names + name:].startswith(section + b"\0"):
            flags, = struct.unpack_from("<Q", data, head + 8)
            struct.pack_into("<Q", data, head + 8, flags | 0x800)
            struct.pack_into("<QQ", data, head + 24, at, len(packed))
    with open(file, "wb") as stream:
        stream.write(data)


def doubled(letters):
    """The linker's name of a function of C++ that is twice as long with each of LETTERS."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

    def of(number):
        text = ""
        while number:
            number -= 1
            text, number = digits[number % 36] + text, number // 36
        return "S%s_" % text

    return "_Z5crossSt4pairIS_S_E" + "".join(
        "S0_I%s%sE" % (of(number + 2), of(number + 2)) for number in range(letters))


def lines_without_end(file):
    """Has the line table of a FILE rows that its 58 kB unpack to 64 million."""
    said = subprocess.run(["objcopy", "-O", "binary", "--only-section=.debug_line",
                           "--set-section-flags", ".debug_line=alloc", file, file + ".lines"],
                          check=False)
    if said.returncode:
        return False
    with open(file + ".lines", "rb") as stream:
        unit = stream.read()
    length, = struct.unpack_from("<I", unit)
    unit = unit[4:4 + length - 3] + b"\x4b" * (1 << 26) + b"\0\x01\x01"
    unit = struct.pack("<I", len(unit)) + unit
    bombed(file, b".debug_line", zlib.compress(unit, 1), len(unit))
    return True


def crafted(directory):
    """Programs of an attacker: each costs names, at most, and no time of its own."""
    programs = {name: compiled(directory, "why/locks.c", name.replace(" ", "-"), "-O0 -g")
                for name in ("lines", "abbreviations", "information")}
    lines_without_end(programs["lines"])
    zeros = zlib.compress(bytes(1 << 24), 9)
    bombed(programs["abbreviations"], b".debug_abbrev", zeros, 4 << 30)
    bombed(programs["information"], b".debug_info", zeros, 1 << 24)
    name = doubled(60)
    programs["a name"] = compiled(directory, "why/locks.c", "a-name", "-O0 -Dorder=%s" % name)
    for words, path in programs.items():
        with Running(path, "order", threads=2) as one:
            seen, began = set(), time.monotonic()
            with subprocess.Popen([sys.executable, "-c", MEASURED, OMPD, "why", str(one.pid)],
                                  stdout=subprocess.PIPE, text=True) as looking:
                while looking.poll() is None:
                    seen.add(one.state)
                    time.sleep(0.05)
                spent = time.monotonic() - began
                status, most, out, err = json.loads(looking.stdout.read())
            TAP.ok(status in (10, 11, 12) and spent < SECONDS * (1 if LONG else 3) and most < MEMORY
                   and "deadlock" in out + err and one.field("TracerPid") == "0",
                   "%s without end" % words, status, "%.1f s, %d KiB" % (spent, most), out, err)
            TAP.ok(seen & set("SR"), "it runs meanwhile", seen)


MEASURED = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
print(json.dumps([done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss,
                  done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")]))
"""


def too_late(path):
    """An answer that does not come in time."""
    with Running(path, "mismatch", threads=4) as one:
        said = ompd("why", "-limit", "0.1", one.pid)
        TAP.ok(said.status in (12, 78) and re.search(
            r"^ompd: process %d( \(barriers, 4 threads\))? .* it took more than 0\.[01]\d* s; .*\.$" %
            one.pid, said.err, re.M) or said.status == 12 and not said.err,
               "after a tenth of a second it is said what is known", said.status, said.err)
        TAP.equal(ompd("why", "-limit", "soon", one.pid).status, 64, "-limit without a number")


def parts(pid):
    """The processes of a look: that of the command, and its children."""
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as stream:
            return [pid, *map(int, stream.read().split())]
    except OSError:
        return [pid]


def let_go(one):
    """None, or which thread of a process does not run on."""
    until = time.monotonic() + LIMIT
    while True:
        held = []
        for thread in os.listdir("/proc/%d/task" % one.pid):
            with open("/proc/%d/task/%s/status" % (one.pid, thread), encoding="ascii") as stream:
                text = stream.read()
            if re.search(r"^State:\s+[tT]", text, re.M) or not re.search(r"^TracerPid:\s+0$", text, re.M):
                held.append(thread)
        if not held or time.monotonic() > until:
            return held
        time.sleep(0.02)


def interrupted(path, chance):
    """Looks that are ended, or stopped for a moment, at random times: of the command, of what parses,
    of what has rights."""
    count, sent, faults = 465 if LONG else 9, 0, []
    kinds = list(itertools.product((signal.SIGKILL, signal.SIGINT, signal.SIGSTOP), range(3)))
    with Running(path, "signals", threads=3) as one:
        for number in range(count):
            kind, which = kinds[number % len(kinds)]
            with subprocess.Popen([OMPD, "why", str(one.pid)], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, start_new_session=True) as looking:
                until = time.monotonic() + chance.uniform(0.0, 0.5)
                while time.monotonic() < until:
                    os.kill(one.pid, signal.SIGRTMIN)
                    sent += 1
                    time.sleep(0.002)
                meant = parts(looking.pid)[which:which + 1]
                for process in meant:
                    send(process, kind)
                if kind == signal.SIGSTOP:
                    time.sleep(0.05)
                    for process in meant:
                        send(process, signal.SIGCONT)
                looking.wait(10 * LIMIT)
            held = let_go(one)
            if held:
                faults.append("%s of %d: %s" % (kind.name, which, held))
        TAP.case(faults, "%d interrupted looks: no thread stays stopped" % count)
        time.sleep(0.5)
        TAP.equal(one.ended(), ("%d signals\n" % sent, 0), "each of %d signals has come" % sent)


def send(process, number):
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass


def in_a_row(path):
    """A program with timers, epoll and a thread that runs before others computes what it would."""
    with Running(path, "timers", hangs=False) as one:
        time.sleep(0.3)
        count = 1000 if LONG else 5
        faults = [fault for fault in (ompd("threads", one.pid).fault() for _ in range(count)) if fault]
        TAP.case(faults, "%d looks in a row" % count)
        TAP.equal(one.ended(), ("0, 0, 0 wrong\n", 0), "nothing is lost")


def main():
    with tempfile.TemporaryDirectory(prefix="ompd-rights-") as directory:
        os.chmod(directory, 0o755)
        barriers = compiled(directory, "why/barriers.c", "barriers")
        target = compiled(directory, "command/target.c", "target")
        no_system_calls(directory, barriers)
        refused(directory, barriers)
        crafted(directory)
        too_late(barriers)
        interrupted(target, random.Random(43))
        in_a_row(target)
    TAP.end()


if __name__ == "__main__":
    main()
