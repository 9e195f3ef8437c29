#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Cores and files that are cut short or damaged: the command answers, or says in one sentence why
not, and comes to an end. What it holds for certain is what is true of the whole core.

Usage: hostile.py [--long] [--seed N]
"""

import argparse
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import tempfile
import time

from ompd_runs import Running, compiled, ompd
from tap import Tap, skip_all

TRUTH = "barrier-mismatch"
BATCH = 16  # files that one command looks at
SLOWEST = 20  # seconds of a processor for one file
DEBUG_SECTIONS = (".debug_info", ".debug_abbrev", ".debug_str", ".debug_line", ".debug_line_str",
                  ".debug_ranges", ".debug_rnglists", ".debug_loclists", ".debug_aranges",
                  ".eh_frame", ".eh_frame_hdr", ".symtab", ".strtab", ".dynsym", ".dynstr",
                  ".note.gnu.build-id", ".rela.plt")
TAP = Tap()


def kernel_core(program, directory, left_in=0x33):
    """The path of a core that the kernel writes of PROGRAM, or None. LEFT_IN: as in
    /proc/PID/coredump_filter."""
    with Running("sh", "-c", 'cd "$0" && ulimit -c unlimited && '
                 'echo "$1" >/proc/self/coredump_filter && shift && exec "$@"',
                 directory, str(left_in), program, "mismatch") as one:
        os.kill(one.pid, 6)
        one.ended()
    found = [name for name in os.listdir(directory) if re.fullmatch(r"core(\.\d+)?", name)]
    if not found:
        return None
    path = os.path.join(directory, "whole-%#x" % left_in)
    os.rename(os.path.join(directory, found[0]), path)
    return path


def wrong(said, sentences, is_true=True):
    """What is wrong with an answer about one file or several, or None. IS_TRUE: their memory is
    that of the program, as far as it goes."""
    if said.fault():
        return said.fault()
    answers = said.json if isinstance(said.json, list) else [said.json] if said.out else []
    for answer in answers if is_true else ():
        for verdict in answer["verdicts"]:
            if verdict["certainty"] == "certain" and verdict["id"] not in (TRUTH, "crash-signal"):
                return "%s is certain: %s" % (verdict["id"], verdict["sentence"])
    for line in said.err.splitlines():
        line = re.sub(r"/\S*/", "", line)
        sentences[line] = sentences.get(line, 0) + 1
    return None


def check(name, files, is_true):
    """A case: FILES yields (path, what it is); each is looked at, BATCH of them by one command."""
    faults, sentences, count, slowest = [], {}, 0, 0.0
    batch = []

    def look():
        nonlocal slowest
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        fault = wrong(ompd("why", "-json", *(path for path, _ in batch),
                           timeout=60 + SLOWEST * len(batch)), sentences, is_true)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        slowest = max(slowest, spent / len(batch))
        if fault or spent > SLOWEST:
            for path, what in batch:
                before = time.monotonic()
                fault = wrong(ompd("why", "-json", path, timeout=120), {}, is_true)
                if fault or time.monotonic() - before > 3 * SLOWEST:
                    faults.append("%s: %s" % (what, fault or "slow"))
                    keep(path)

    for one in files:
        batch.append(one)
        count += 1
        if len(batch) == BATCH:
            look()
            batch = []
    if batch:
        look()
    TAP.case(faults, "%d %s" % (count, name))
    TAP.note("%.2f s each at most on average" % slowest)
    for line, times in sorted(sentences.items()):
        TAP.note("%4d %s" % (times, line))


def keep(path):
    """For who looks into a fault: a copy in $OMPD_KEEP."""
    if os.environ.get("OMPD_KEEP"):
        target = os.path.join(os.environ["OMPD_KEEP"], "fault-%d" % time.monotonic_ns())
        shutil.copy(path, target)
        TAP.note(target)


def cut(core, directory, step):
    """Copies of a core that are cut at each STEP, and within its headers."""
    size = os.path.getsize(core)
    path = os.path.join(directory, "cut")
    for number, length in enumerate([1, 15, 16, 63, 65, 120, 1000, *range(step, size, step)]):
        one = "%s%d" % (path, number % BATCH)
        shutil.copy(core, one)
        os.truncate(one, length)
        yield one, "%d of %d bytes" % (length, size)


def thinned(program, directory):
    """Cores from which the kernel leaves out what it may, private memory or first pages of files."""
    for left_in in (0, 1, 2, 3, 0x10, 0x11):
        yield kernel_core(program, directory, left_in), "coredump_filter %#x" % left_in


def parts(core):
    """{name: [(offset, size)]} of a core."""
    with open(core, "rb") as stream:
        data = stream.read()
    table, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    found = {"headers": [(0, 64), (table, size * count)], "notes": [], "memory": []}
    for at in range(count):
        kind, flags, offset, _, _, length = struct.unpack_from("<IIQQQQ", data, table + at * size)
        if length and kind in (1, 4):
            if kind == 4 or flags & 2:
                found["notes" if kind == 4 else "memory"].append((offset, length))
    return found


def damaged(file, directory, places, rounds, chance):
    """Copies of a FILE in each of which some bytes at PLACES are others."""
    for number in range(rounds):
        one = os.path.join(directory, "damaged%d" % (number % BATCH))
        shutil.copy(file, one)
        changed = []
        with open(one, "r+b") as stream:
            for _ in range(chance.choice((1, 1, 3, 20))):
                offset, size = chance.choice(places)
                at = chance.randrange(offset, offset + size)
                byte = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
                stream.seek(at)
                stream.write(bytes((byte,)))
                changed.append((at, byte))
        yield one, "round %d: %s" % (number, changed)


def below(root, program):
    """Copies PROGRAM and its libraries below ROOT; {name: path there}."""
    listed = subprocess.run(["ldd", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = {}
    for path in [program, *re.findall(r"(/\S+) \(0x", listed)]:
        os.makedirs(root + os.path.dirname(path), exist_ok=True)
        shutil.copy(path, root + path)
        found[os.path.basename(path)] = root + path
    return found


def sections(path):
    """{name: (offset, size)}"""
    table = subprocess.run(["readelf", "-SW", path], stdout=subprocess.PIPE, text=True,
                           check=True).stdout
    return {name: (int(offset, 16), int(size, 16)) for name, offset, size in
            re.findall(r"\] (\S+) +\w+ +\w+ +(\w+) (\w+) ", table) if int(size, 16)}


def libraries(core, program, directory, rounds, chance):
    """A core whose program or libraries are damaged on this machine."""
    root = os.path.join(directory, "root")
    copies = below(root, program)
    for name, path in copies.items():
        if not name.startswith(("barriers", "libgomp", "libc.")):
            continue
        whole = path + ".whole"
        shutil.copy(path, whole)
        size = os.path.getsize(path)
        places = [(0, 64), (64, 600), (0, size)] + [
            place for section, place in sections(path).items() if section in DEBUG_SECTIONS]
        faults, sentences = [], {}
        for section in half(path, whole) if rounds > 10 or "barriers" in name else ():
            fault = wrong(ompd("why", "-json", "-sysroot", root, core), sentences)
            faults += ["%s: %s" % (section, fault)] if fault else []
        for spoiled, what in damaged(whole, directory, places, rounds, chance):
            shutil.copy(spoiled, path)
            fault = wrong(ompd("why", "-json", "-sysroot", root, core), sentences)
            if fault:
                faults.append("%s: %s" % (what, fault))
                keep(path)
        for length in (0, 1, 64, 1000, size // 2, size - 1)[:: 1 if rounds > 10 else 4]:
            shutil.copy(whole, path)
            os.truncate(path, length)
            fault = wrong(ompd("why", "-json", "-sysroot", root, core), sentences)
            faults += ["%d bytes: %s" % (length, fault)] if fault else []
        shutil.copy(whole, path)
        TAP.case(faults, "damaged %s" % name)
        for line, times in sorted(sentences.items()):
            TAP.note("%4d %s" % (times, line))


def half(path, whole):
    """PATH with one section after the other that is nonsense from its middle on."""
    for section, (offset, size) in sections(whole).items():
        if section in DEBUG_SECTIONS:
            shutil.copy(whole, path)
            with open(path, "r+b") as stream:
                stream.seek(offset + size // 2)
                stream.write(b"\xff" * (size - size // 2))
            yield section


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--seed", type=int, default=2000)
    given = parser.parse_args()
    chance = random.Random(given.seed)
    with tempfile.TemporaryDirectory(prefix="ompd-hostile-") as directory:
        program = compiled(directory, "why/barriers.c", "barriers")
        os.mkdir(os.path.join(directory, "thin"))
        core = kernel_core(program, directory)
        if core is None:
            skip_all("the kernel writes no core into the directory of a program")
        said = ompd("why", "-json", core)
        TAP.ok(said.json and TRUTH in [one["id"] for one in said.json["verdicts"]],
               "the whole core", said.out, said.err)
        said = ompd("why", kernel_core(program, os.path.join(directory, "thin"), 1))
        TAP.like(said.err, "no first pages of files.*coredump_filter", "a core without first pages")
        check("cores that leave much out", thinned(program, os.path.join(directory, "thin")), True)
        size = os.path.getsize(core)
        short = shutil.copy(core, os.path.join(directory, "short"))
        os.truncate(short, 1000)
        TAP.like(ompd("why", short).err, r"ompd: This core is cut short: it has 1000 bytes of \d+\.$",
                 "one without its notes")
        check("cores that are cut short", cut(core, directory, 4096 if given.long else
                                              max(size // 9 // 4096, 1) * 4096), True)
        for name, places in parts(core).items():
            check("cores with damaged " + name, damaged(
                core, directory, places, 300 if given.long else 16, chance), False)
        if shutil.which("readelf"):
            libraries(core, program, directory, 100 if given.long else 1, chance)
    TAP.end()


if __name__ == "__main__":
    main()
