#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ompd top` of programs that measure themselves: shares of time, who comes last, which section is held,
unprepared and recorded; of healthy twins nothing is said. Then its screens, keys and sentences."""

import fcntl
import json
import math
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

import ompd_runs
from ompd_runs import OMPD, STAGE, Running, compiled, need_libdw, ompd, says
from page_reader import Reader
from tap import Tap

RUN = os.path.join(STAGE, "bin/ompd-run")
SECONDS, RATE = 8, 25
POINTS = 0.08  # beside what as many looks miss by chance
TAP = Tap()
# Program, what is said of it beside that processors are lacking, and of which construct.
CASES = (("uneven", {"uneven"}, "parallel for"), ("even", set(), None),
         ("held", {"held"}, "critical (update)"), ("free", set(), None), ("tasks", set(), None),
         ("serial", {"serial"}, None))
KEYS = ((2, b"h"), (3, b"s"), (4, b"p"), (6, b"p"), (8, b"q"))


def is_near(share, truth, looks):
    return abs(share - truth) <= POINTS + 2 * math.sqrt(0.25 / looks)


def measured(path, case, before):
    """What the command says of a program, and the program of itself."""
    kind, wanted, construct = case
    with Running(path, kind, hangs=False, before=before) as one:
        until = time.monotonic() + 20
        while ompd("status", one.pid).status and time.monotonic() < until:
            time.sleep(0.1)
        said = ompd("top", "-json", "-interval", SECONDS, "-n", 1, "-rate", RATE, one.pid)
        work, held = map(float, one.ended()[0].split())
    name = kind + (", recorded" if before else "")
    found = said.json
    if not isinstance(found, dict):
        TAP.ok(False, name, said.out, said.err)
        return
    looks = found["looks"]
    TAP.ok(looks > 20 and is_near(found["shares"]["work"], work, looks), name + ": share of work",
           found["shares"], "wanted: %s" % work, "%d looks" % looks)
    TAP.equal({one["id"] for one in found["findings"]} - {"delayed"}, wanted, name + ": what is said")
    TAP.equal(found["stopped_seconds"] > 0, not before, name + ": stopped for that")
    rows = {row["construct"]: row for row in found["constructs"]}
    if kind == "uneven":
        late = rows[construct]["late"]
        TAP.ok(max(late.values(), default=0) > 0.8, name + ": who comes last", late)
    if kind == "held":
        least, most = rows[construct]["held"]
        TAP.ok(is_near(min(max(held, least), most), held, looks), name + ": for how long", least, most, held)
    if kind == "tasks":
        TAP.ok(rows["task"]["work"] > 0.5, name + ": in tasks", rows)


def of_collapsed(text):
    """[(stack, how often)]"""
    return [(tuple(line.rpartition(" ")[0].split(";")), int(line.rpartition(" ")[2])) for line in text.splitlines()]


def of_speedscope(text):
    """[(stack, seconds)]; what the format promises is held."""
    found = json.loads(text)
    names, stacks = [one["name"] for one in found["shared"]["frames"]], []
    for profile in found["profiles"]:
        TAP.ok(len(profile["samples"]) == len(profile["weights"]) and profile["unit"] == "seconds" and
               profile["startValue"] == 0 and sum(profile["weights"]) <= profile["endValue"] + 0.01,
               "speedscope: " + profile["name"], {**profile, "samples": len(profile["samples"])})
        stacks += [(tuple(names[at] for at in one), weight)
                   for one, weight in zip(profile["samples"], profile["weights"]) if one]
    return stacks


def of_trace(text):
    """[(stack, seconds)] of slices, which lie in each other."""
    found, stacks, is_nested = json.loads(text)["traceEvents"], [], True
    for thread in {event["tid"] for event in found}:
        slices = sorted((event["ts"], -event["dur"], at, event["name"]) for at, event in enumerate(
            found[::-1]) if event["ph"] == "X" and event["tid"] == thread)
        open_ones = []
        for begin, minus, _, name in slices:
            while open_ones and open_ones[-1][1] <= begin + 1:
                open_ones.pop()
            is_nested &= not open_ones or begin - minus <= open_ones[-1][1] + 1
            if open_ones:
                open_ones[-1][2][1] += minus / 1e6
            stack = [tuple(one[0] for one in open_ones) + (name,), -minus / 1e6]
            stacks.append(stack)
            open_ones.append((name, begin - minus, stack))
    TAP.ok(is_nested, "trace: slices lie in each other")
    return stacks


FORMS = {"collapsed": (".collapsed", of_collapsed), "speedscope": (".speedscope.json", of_speedscope),
         "trace": (".trace.json", of_trace)}
# Program, by ompd-run or not, the form, and what is on some stack.
RECORDED = (("held", (), "collapsed", "<waits for critical (update), held by "),
            ("held", (RUN,), "speedscope", "<waits for critical (update), held by "),
            ("uneven", (), "trace", "<waits at the end of "), ("tasks", (RUN,), "collapsed", "#pragma omp task"))


def recorded(path, directory):
    """`ompd record`: waits have the share of the stacks that the program says."""
    for kind, before, form, wanted in RECORDED:
        ending, stacks_of = FORMS[form]
        with Running(path, kind, hangs=False, before=before) as one:
            until = time.monotonic() + 20
            while ompd("status", one.pid).status and time.monotonic() < until:
                time.sleep(0.1)
            file = os.path.join(directory, kind + ending)
            said = ompd("record", "-json", "-duration", SECONDS, "-rate", RATE, "-o", file, one.pid)
            work = float(one.ended()[0].split()[0])
        name = "record: %s%s, %s" % (kind, ", recorded" if before else "", form)
        TAP.ok(said.status == 0 and said.json and said.json["format"] == form, name, said.out, said.err)
        with open(file, encoding="utf-8") as stream:
            stacks = stacks_of(stream.read())
        waits = sum(weight for stack, weight in stacks if stack[-1].startswith(("<waits", "<idle")))
        total, looks = sum(weight for _, weight in stacks), (said.json or {"moments": 1})["moments"]
        TAP.ok(looks > 20 and is_near(1 - waits / total, work, looks), name + ": share of work",
               waits, total, "wanted: %s" % work, looks)
        TAP.ok(any(step.startswith(wanted) for stack, _ in stacks for step in stack), name + ": " + wanted,
               *stacks[:20])
    with subprocess.Popen([OMPD, "record", "-o", os.path.join(directory, "own"), "--", path, "even"], text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as command:
        time.sleep(4)
        out, err = command.communicate(timeout=ompd_runs.LIMIT)
    TAP.ok(command.returncode == 0 and re.search(r"(?m)^\d+ looks of \d+ stacks, .* in .*/own\.$", out),
           "a program that it starts", command.returncode, out, err)
    file = os.path.join(directory, "page.html")
    with Running(path, "held", hangs=False) as one:
        time.sleep(1)
        ompd("record", "-duration", 4, "-o", file, one.pid)
    with open(file, encoding="utf-8") as stream:
        page = stream.read()
    TAP.ok(not Reader(page).faults and "waits for critical (update), held by " in page and
           all('id="%s"' % part in page for part in ("stacks", "timeline", "steps")), "a page", Reader(page).faults)
    says(TAP, ompd("record", "-duration", "0.5", os.getpid()), 78,  # it is given 2 s to have a runtime
         r"ompd: process \d+ was not looked at in that time\.", "record: its time is over before a look")
    for words, status in ((("-format", "svg"), 64), (("-nostop",), 64), (("-duration", "soon"), 64)):
        TAP.equal(ompd("record", *words, os.getpid()).status, status, "usage: record " + " ".join(words))


def terminal(pid):
    """What "q" ends leaves screens, and the terminal as it was."""
    main, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    before, out, began = termios.tcgetattr(end), b"", time.monotonic()
    with subprocess.Popen([OMPD, "top", str(pid)], stdin=end, stdout=end, stderr=end) as command:
        keys = list(KEYS)
        while command.poll() is None and time.monotonic() - began < ompd_runs.LIMIT:
            if keys and time.monotonic() - began > keys[0][0] and (len(keys) < len(KEYS) or out):
                os.write(main, keys.pop(0)[1])
            if select.select([main], [], [], 0.1)[0]:
                out += os.read(main, 1 << 16)
        command.kill()
    while select.select([main], [], [], 0.1)[0]:
        out += os.read(main, 1 << 16)
    screens = out.decode().replace("\r", "").split("\033[H\033[J")
    TAP.ok(command.returncode == 0 and len(screens) > 4, "a terminal, and q", command.returncode, screens)
    TAP.ok(any("q quit" in one for one in screens) and "q quit" not in screens[1], "h: keys", screens[:3])
    wide = [line for one in screens for line in one.split("\n") if len(line) > 80]
    TAP.ok(not wide and max(one.count("\n") for one in screens[:-1]) < 24, "as wide and high as it is", wide)
    TAP.equal(termios.tcgetattr(end), before, "the terminal is as it was")
    for one in (main, end):
        os.close(one)


def sentences(pid):
    says(TAP, ompd("top", "1000000000"), 66, r"ompd: There is no .*", "no process")
    says(TAP, ompd("top", pid, os.getpid()), 64, "ompd: top takes one live process.", "two processes")
    for words in (("-n", "0"), ("-rate", "0"), ("-interval", "soon")):
        TAP.equal(ompd("top", *words, pid).status, 64, "usage: " + " ".join(words))
    said = ompd("top", "-interval", 2, "-n", 2, pid)
    TAP.ok(said.status == 0 and said.out.count("CONSTRUCT") == 2 and not said.fault(),
           "no terminal: one screen below the other", said.out, said.err)
    for number in (signal.SIGINT, signal.SIGTERM):
        with subprocess.Popen([OMPD, "top", "-interval", "600", str(pid)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(
                                  signal.SIGINT, signal.default_int_handler)) as command:
            time.sleep(4)
            command.send_signal(number)
            out, err = command.communicate(timeout=ompd_runs.LIMIT)
        TAP.ok(command.returncode == 0 and re.search(r"\d looks? in ", out) and not err,
               "%s ends it, with a screen" % signal.Signals(number).name, command.returncode, out, err)


def ends(path):
    """The program does while it is looked at; and it runs on if the command is killed."""
    with Running(path, "even", hangs=False) as one, subprocess.Popen(
            [OMPD, "top", "-rate", "50", str(one.pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True) as command:
        time.sleep(4)
        one.ended()
        out, err = command.communicate(timeout=ompd_runs.LIMIT)
        TAP.ok(command.returncode == 0 and "looks in" in out and re.fullmatch(
            r"ompd: process \d+ has ended\.\n", err), "the program ends", command.returncode, out, err)
    with Running(path, "even", hangs=False) as one, subprocess.Popen(
            [OMPD, "top", "-rate", "50", str(one.pid)], stdout=subprocess.DEVNULL) as command:
        time.sleep(3)
        command.kill()
        command.wait()
        time.sleep(0.5)
        TAP.equal((one.field("TracerPid"), one.ended()[1]), ("0", 0), "killed, the program runs on")


def main():
    need_libdw()
    with tempfile.TemporaryDirectory() as directory:
        path = compiled(directory, "command/top.c", "top", "-O1")
        for case in CASES:
            for before in ((), (RUN,)):
                measured(path, case, before)
        with Running(path, "held", hangs=False) as one:
            time.sleep(1)
            terminal(one.pid)
            sentences(one.pid)
        recorded(path, directory)
        ends(path)
    TAP.end()


if __name__ == "__main__":
    sys.exit(main())
