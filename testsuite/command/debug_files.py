#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Programs whose debug information is elsewhere, or of a form that this libdw does not read, and cores
that are piped or compressed: what is said of each is what is said of the plain one, or a sentence says
what is missing."""

import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile

import ompd_runs
from ompd_runs import Running, compiled, ompd, says
from tap import Tap

TAP = Tap()
SOURCE = os.path.join(ompd_runs.SUITE, "why/locks.c")
# What is known of the plain program at its deadlock: locks by their names, holders, lines, functions.
LOCKS = r"(?s)^deadlock: 2 threads hold what the other waits for.*holds first.*wants +second.*" \
    r"holds second.*wants +first"
FUNCTIONS = r"transfer \("
LINES = r"locks\.c:\d+"
ALL = (LOCKS, FUNCTIONS, LINES)
SPLIT = r"Variables of \S+ are not known: they are in \.dwo or \.dwp files, which are not read\."


def apart(path):
    """Strips a program of all that its debug file has."""
    run("objcopy", "--only-keep-debug", path, path + ".debug")
    run("strip", "-s", path)
    run("objcopy", "--add-gnu-debuglink=%s.debug" % path, path)


def beneath(path):
    """The same with its debug file compressed, and in a directory beside it."""
    run("objcopy", "--compress-debug-sections", path)
    apart(path)
    os.makedirs(os.path.join(os.path.dirname(path), ".debug"), exist_ok=True)
    shutil.move(path + ".debug", os.path.join(os.path.dirname(path), ".debug"))


def mini(path):
    """Leaves in a program what Fedora does: symbols of functions, compressed."""
    run("objcopy", "--only-keep-debug", path, path + ".whole")
    run("objcopy", "-S", "-K", "transfer", "-K", "main", path + ".whole", path + ".mini")
    run("xz", path + ".mini")
    run("strip", "-s", path)
    run("objcopy", "--add-section", ".gnu_debugdata=%s.mini.xz" % path, path)


def several(path):
    """Moves what it has in common with another one into a third."""
    shutil.copy(path, path + ".other")
    run("dwz", "-m", os.path.basename(path) + ".common", path, path + ".other",
        cwd=os.path.dirname(path))


def lost(path):
    """The same, and nobody has the third."""
    several(path)
    os.unlink(path + ".common")


def zstd(path):
    run("objcopy", "--compress-debug-sections=zstd", path)


INLINED = """#include <unistd.h>
static int arrived;
static inline void arrive(void) {
    while (__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST))
        pause();
}
int main(void) {
#pragma omp parallel num_threads(2)
    arrive();
}
"""
# What is done with the program, its compiler and options for that, and what is said of it.
KINDS = (("a debug file", apart, "gcc", ALL),
         ("one that is compressed, in a directory of its own", beneath, "gcc", ALL),
         ("mini debug info", mini, "gcc", (FUNCTIONS,)),
         ("a file shared by several", several, "gcc", ALL),
         ("one that is not there", lost, "gcc", (r"Names in \S+ are not known: the file .* not on this",)),
         ("split DWARF", None, "gcc -gsplit-dwarf", (*ALL, SPLIT)),
         ("split DWARF 5 of clang's", None, "clang -gdwarf-5 -gsplit-dwarf", (*ALL, SPLIT)))
# What compresses a core, and what reads it.
PROGRAMS = ("zstd", "lz4", "xz", "gzip", "bzip2")


def run(*words, **more):
    subprocess.run(words, check=True, stderr=subprocess.PIPE, **more)


def libdw():
    """Its version."""
    ask = ctypes.CDLL("libdw.so.1").dwfl_version
    ask.restype = ctypes.c_char_p
    return ask(None).decode()


def kinds(directory):
    unread = r"Lines and variables of \S+ are not known: its debug information is compressed by zstd, " \
        r"which this libdw %s does not read\." % re.escape(libdw())
    for name, change, compiler, wanted in (
            *KINDS, ("sections compressed by zstd", zstd, "gcc", (FUNCTIONS, LOCKS, unread))):
        path = os.path.join(directory, name.replace(" ", "-"))
        try:
            run(*compiler.split(), "-g", "-O1", "-fopenmp", "-pthread", SOURCE, "-o", path, cwd=directory)
            if change is not None:
                change(path)
        except (OSError, subprocess.CalledProcessError) as error:
            TAP.skip(name, str(error))
            continue
        with Running(path, "order", threads=4) as one:
            said = ompd("why", one.pid)
            text = " ".join(said.out.partition("\n")[2].split())
            missing = [one for one in wanted if not re.search(one, text)]
            if change is zstd and missing == [unread] and re.search(LINES, text):
                missing = []  # it does read it
            TAP.ok(not missing and not said.err, name, missing, said.out, said.err)
            if unread in wanted and not missing:
                TAP.like(" ".join(ompd("doctor", one.pid).out.split()), unread, "and by the doctor")
                TAP.like(" ".join(ompd("status", one.pid).out.split()), unread, "and as a status")


def named(directory):
    """A source is named as somebody typed it. The body begins with what is inlined there: of the lines at
    one address the first is the directive's."""
    os.mkdir(os.path.join(directory, "source"))
    with open(os.path.join(directory, "source/arrive.c"), "w", encoding="utf-8") as stream:
        stream.write(INLINED)
    for words, where, name in (("gcc -gdwarf-5", ".", "source/arrive.c"),
                               ("gcc -gdwarf-4", "source", "./arrive.c"),
                               ("gcc -gdwarf-5", "source", "../source/arrive.c"),
                               ("clang -gdwarf-5", "source", "arrive.c")):
        path = os.path.join(directory, "arrives")
        try:
            run(*words.split(), "-O2", "-fopenmp", name, "-o", path, cwd=os.path.join(directory, where))
        except FileNotFoundError as error:
            TAP.skip(name, str(error))
            continue
        with Running(path, threads=2) as one:
            TAP.like(ompd("parallel", one.pid).out, r"main \(\) at arrive\.c:8 ", "%s %s" % (words, name))


def piped(core, *words, **more):
    """What is said of one that is piped."""
    with open(core, "rb") as stream:
        with subprocess.Popen(["cat"], stdin=stream, stdout=subprocess.PIPE) as cat:
            return ompd(*words, "-", stdin=cat.stdout, **more)


def cores(directory):
    path = compiled(directory, "why/locks.c", "program")
    core = os.path.join(directory, "core")
    with Running(path, "order", threads=4) as one:
        said = ompd("snapshot", "-o", core, one.pid)
    plain = ompd("why", "-json", core).json
    TAP.ok(plain and plain["verdicts"], "a core", said.out, said.err)

    def is_equal(said, name):
        verdicts = (said.json or {}).get("verdicts", ())
        TAP.ok([dict(one, next=None) for one in verdicts] ==
               [dict(one, next=None) for one in plain["verdicts"]], name, said.out, said.err)

    is_equal(piped(core, "why", "-json"), "one that is piped")
    for program in PROGRAMS:
        if not shutil.which(program):
            TAP.skip(program, "it is not installed")
            continue
        packed = "%s.%s" % (core, program)
        with open(core, "rb") as stream, open(packed, "wb") as made:
            run(program, "-c", stdin=stream, stdout=made)
        is_equal(ompd("why", "-json", packed), "one compressed by " + program)
        last = packed
    is_equal(piped(last, "why", "-json"), "one that is both")
    empty = os.path.join(directory, "empty")
    os.mkdir(empty)
    says(TAP, ompd("why", last, before=[sys.executable, "-I"], environment={"PATH": empty}), 66,
         r"ompd: \S+ cannot be read: it is compressed, and %s is not on this machine\." % program,
         "without the program")
    says(TAP, piped(path, "why"), 66, r"ompd: standard input cannot be read: .*core.*\.", "no core")
    os.truncate(last, os.path.getsize(last) // 2)
    TAP.ok(not ompd("why", last).fault(), "one that is cut short")
    TAP.equal([name for name in os.listdir(directory) if name.startswith(".ompd")], [], "nothing is left")


def main():
    with tempfile.TemporaryDirectory(prefix="ompd-files-") as directory:
        os.environ["TMPDIR"] = directory
        kinds(directory)
        named(directory)
        cores(directory)
    TAP.end()


if __name__ == "__main__":
    ompd_runs.need_libdw()
    main()
