#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The screen of `ompd why` in the README, but for ids and times: of examples/transfer.c, recorded."""

import os
import re
import tempfile

import ompd_runs
from tap import Tap

ompd_runs.need_libdw()

TOP = os.environ["top_srcdir"]


def plain(text):
    """Without what differs from run to run, and without the width of columns."""
    text = re.sub(r",? for \d+ s\b", "", re.sub(r"[\d.]+ (s ago|ms)\b", r"N \1", text))
    for number, lwp in enumerate(dict.fromkeys(re.findall(r"\b\d{3,}\b", text))):
        text = re.sub(r"\b%s\b" % lwp, "LWP%d" % number, text)
    return [" ".join(line.split()) for line in text.splitlines()]


def main():
    tap = Tap()
    with open(os.path.join(TOP, "README.md"), encoding="utf-8") as stream:
        text = stream.read()
    section = text[text.index("### Without gdb: the command ompd"):]
    shown = re.search(r"(?:^    .*\n)+", section, re.M)
    wanted = plain(shown.group()) if shown else []
    with tempfile.TemporaryDirectory(prefix="ompd-") as directory:
        program = os.path.join(directory, "transfer")
        ompd_runs.compile_program(os.path.join(TOP, "examples/transfer.c"), program, "-O0")
        run = os.path.join(ompd_runs.STAGE, "bin/ompd-run")
        with ompd_runs.Running(program, "hang", before=(run,)) as one:
            said = ompd_runs.ompd("why", one.pid)
    tap.ok(plain(said.out) == wanted, "ompd why, as the README has it", *plain(said.out), said.err,
           "wanted:", *wanted)
    tap.equal(said.status, 12, "its exit status")
    tap.end()


main()
