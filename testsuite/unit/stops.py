#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stops that were recorded, with what all commands say of each: no program runs and no debugger.

    stops.py                    compares; without_debugger.py does, too
    stops.py --write            writes what is said now beside the recorded stops
    stops.py --make             runs the programs of PROGRAMS, records where they hang, writes
    stops.py --keep CORE NAME   records a core or snapshot, such as a user's, writes

A file of testsuite/stops/ is a stop as host/recorded.py has it, and the screens in one of the same name
are what is said of it. After a change a question may not have been recorded: then --make. """

import contextlib
import difflib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SUITE = os.path.dirname(HERE)
STOPS = os.path.join(SUITE, "stops")
STAGE = os.environ["stage"]
sys.path[1:1] = [os.path.join(SUITE, "common"), os.path.join(SUITE, "gdb"),
                 os.path.join(STAGE, "share/ompd/python")]
from tap import Tap  # noqa: E402
from openmp_inspect.bindings import spaces  # noqa: E402
from openmp_inspect.code import library_choice  # noqa: E402
from openmp_inspect.core import caches, errors, screen  # noqa: E402
from openmp_inspect.host import recorded  # noqa: E402
from openmp_inspect.source import source_file  # noqa: E402
from ompd_command import arguments, reports  # noqa: E402
from ompd_command.host import core  # noqa: E402
import harness  # noqa: E402
import rest  # noqa: E402

# Name: source below testsuite/, what it is started with, options of its compiler, whether that is clang,
# by which ompd-run it records.
HISTORY = ("ompd-run", "--history")
PROGRAMS = {
    "locks": ("why/locks.c", "order3", "-O1", False, ()),
    "locks-recorded": ("why/locks.c", "mixed", "-O1", False, HISTORY),
    "tasks-recorded": ("why/tasks.c", "successor", "-O1", False, HISTORY[:1]),
    "doacross-recorded": ("why/constructs.c", "doacross", "-O1", False, HISTORY[:1]),
    "libc": ("why/libc_locks.c", "owner_ended", "-O1", False, ()),
    "fortran": ("why/hangs.f90", "trips", "-O0", False, ()),
    "fork": ("why/barriers.c", "forked", "-O1", False, ()),
    "barriers-clang": ("why/barriers.c", "mismatch", "-O1", True, ()),
    "tasks-clang-recorded": ("why/tasks.c", "successor", "-O1", True, HISTORY),
}
COMMANDS = [[name] + ["-changed"] * (name in ("icvs", "env")) for name in reports.COMMANDS] + [
    ["tasks", "-tree"], ["stacks", "-lines"]]
JSON = [["why"], ["threads"], ["tasks"], ["locks"]]
_INSTALLED = re.compile(r"/[^ \"]*/(?=lib\w*/(ompd/|libompd))")  # paths before what is ours


class Screen(screen.Screen):
    def charset(self):
        return "utf-8"

    def width(self):
        return 100


@contextlib.contextmanager
def asked(process, name, root=""):
    """The Space of a PROCESS that stands still, whose sources are below ROOT."""
    caches.forget_code()
    space = spaces.Space(process, name)
    space.still = True
    before = screen.current()
    screen.use(Screen())
    spaces.open_by(library_choice.open_session)
    source_file.are_below(lambda: root)
    with space.in_use():
        yield space
    space.close()
    screen.use(before)


def said(here):
    """Lines of all that is said of a Space, as text and of some commands as JSON."""
    for words in COMMANDS:
        for more in ([], ["-json"])[:1 + (words in JSON)]:
            given = arguments.parsed([*words, *more, "core"], "")
            yield "== " + " ".join(words + more)
            try:
                found = reports.of(here, given, ()).said
            except (errors.UserError, errors.HostError) as error:
                found = [str(error)]
            rows = found if isinstance(found, list) else [found]
            lines = "\n".join(map(json.dumps, rows) if more else rows)
            yield from _INSTALLED.sub("", lines).split("\n")


def opened(path):
    """The process of a core or snapshot."""
    process = core.CoreProcess(path)
    process.has_names = True
    process.begin()
    return process


def recorded_of(process, name):
    """(a Recorder of what all commands ask of a PROCESS, what they say)."""
    recorder = recorded.Recorder(process)
    with asked(recorder.process, name, os.path.dirname(SUITE)) as here:
        return recorder, list(said(here))


def keep(path, name, sources=()):
    """SOURCES: files below testsuite/ that its program is made from."""
    recorder, found = recorded_of(opened(path), name)
    texts = {}
    for source in sources:
        with open(os.path.join(SUITE, source), encoding="utf-8") as stream:
            texts[os.path.join("/testsuite", source)] = stream.read()
    with open(os.path.join(STOPS, name + ".xz"), "wb") as stream:
        stream.write(recorder.content(texts))
    write(name, found)


def write(name, found):
    with open(os.path.join(STOPS, name + ".txt"), "w", encoding="utf-8") as stream:
        stream.write("\n".join(found) + "\n")


def replayed(name):
    with open(os.path.join(STOPS, name + ".xz"), "rb") as stream:
        process = recorded.Recording(stream.read())
    with tempfile.TemporaryDirectory() as root:
        for path, text in process.texts.items():
            os.makedirs(os.path.dirname(root + path), exist_ok=True)
            with open(root + path, "w", encoding="utf-8") as stream:
                stream.write(text)
        with asked(process, name, root) as here:
            return list(said(here))


def names():
    return sorted({one.partition(".")[0] for one in os.listdir(STOPS)})


def run(tap):
    for name in names():
        with open(os.path.join(STOPS, name + ".txt"), encoding="utf-8") as stream:
            wanted = stream.read().splitlines()
        tap.case(list(difflib.unified_diff(wanted, replayed(name), "wanted", "said", lineterm=""))[:40],
                 "stop " + name)


def snapshot(name, scratch):
    """(one of PROGRAMS, a snapshot of it where it hangs), below a directory."""
    source, how, options, by_clang, runner = PROGRAMS[name]
    program = os.path.join(scratch, os.path.basename(source).partition(".")[0])
    harness.compile_program(
        os.path.join(SUITE, source), program, "-w -ffile-prefix-map=%s=/testsuite %s" % (SUITE, options),
        harness.clang_of if by_clang else harness.compiler_of)
    runner = [os.path.join(STAGE, "bin", word) if word == "ompd-run" else word for word in runner]
    with subprocess.Popen(runner + [program, how], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          start_new_session=True,
                          env=dict(os.environ, OMP_WAIT_POLICY="passive")) as process:
        try:
            if not rest.comes_to_rest(process.pid, 1):
                raise SystemExit("%s does not come to rest" % name)
            with open("/proc/%d/task/%d/children" % (process.pid, process.pid), "rb") as children:
                last = [process.pid, *map(int, children.read().split())][-1]
            path = os.path.join(scratch, name + ".core")
            subprocess.run([os.path.join(STAGE, "bin/ompd"), "snapshot", str(last), "-o", path],
                           stdout=subprocess.DEVNULL, check=True)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
    return program, path


def main():
    if "--make" in sys.argv:
        with tempfile.TemporaryDirectory() as scratch:
            for name in PROGRAMS:
                keep(snapshot(name, scratch)[1], name, PROGRAMS[name][:1])
        return
    if "--keep" in sys.argv:
        keep(*sys.argv[2:4])
        return
    if "--write" in sys.argv:
        for name in names():
            write(name, replayed(name))
        return
    tap = Tap()
    run(tap)
    tap.end()


if __name__ == "__main__":
    main()
