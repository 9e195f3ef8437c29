#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The conformance statement (../conformance.py): it leaves out no routine that is exported and no
event of a header, shows what logs say and nothing that they do not, and is a page by itself."""

import html.parser
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "../common"), os.path.join(HERE, "..")]
import conformance  # noqa: E402  pylint: disable=wrong-import-position
from tap import Tap  # noqa: E402  pylint: disable=wrong-import-position

VOID = ("meta",)
LATER = 2000000000


class Reader(html.parser.HTMLParser):
    """The tags, attributes and rows of a page; `faults` are tags that do not pair."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.rows, self.faults, self._open = set(), [], [], [], []
        self.feed(page)
        self.close()
        self.faults += self._open

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in VOID:
            self._open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        if not self._open or self._open.pop() != tag:
            self.faults.append("/" + tag)

    def handle_data(self, data):
        if any(tag in self._open for tag in ("td", "th")):
            self.rows[-1][-1] += data

    def row(self, name):
        return next((row for row in self.rows if row and row[0] == name), [])


class Directory:
    """A build directory with what a test puts there, newer than its libraries."""

    def __init__(self, path):
        self.path = conformance.BUILD = path
        for library in ("libompd.so", "libompd-2.so", "libompd-hooks.so"):
            self.write(".libs/" + library, "", LATER - 10)

    def write(self, name, text, time=LATER):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.utime(path, (time, time))


def page():
    return Reader(conformance.statement())


def covered(tap):
    rows = [row[0] for row in page().rows if row]
    for what, lists in (("OMPD 5.x and the extension", "libompd/abi-5/libompd.abilist"),
                        ("OMPD 2.000", "libompd/abi-2/libompd-2.abilist")):
        names = conformance.read(conformance.TOP, lists).split()
        tap.case(["no row: " + name for name in names if name not in rows] +
                 ([] if len(names) > 40 else ["%d routines" % len(names)]),
                 "a row for each routine of " + what)
    for what, header, pattern in (
            # master is the old name of masked.
            ("OMPT 5.x", "libompd/abi-5/omp-tools-ompt.h",
             r"\bompt_callback_(?!master\b)(\w+) = \d+"),
            ("OMPT of 2016", "runtime-hooks/consumers/ompt-2/ompt.h", r"\bompt_event_(\w+) = \d+"),
            ("the Collector API", "runtime-hooks/consumers/collector/omp_collector_api.h",
             r"\bOMP_EVENT_(?!THR_RESERVED)(\w+) = \d+")):
        names = re.findall(pattern, conformance.read(conformance.TOP, header))
        tap.case(["no row: " + name for name in names if name not in rows] +
                 ([] if len(names) > 20 else ["%d events" % len(names)]),
                 "a row for each event of " + what)
    empty = [row for row in page().rows if "" in row[1:2]]
    tap.case(empty, "each row says something")


def results(tap, directory):
    def row(name="ompd_get_thread_in_parallel"):
        return page().row(name)[1:]

    def run_unit(*results, time=LATER):
        lines = ["%s: testsuite/unit/test5-threads %d - /top/test5-threads.c:c:objects_and_handles: x"
                 % (result, number) for number, result in enumerate(results)]
        directory.write("testsuite/unit/test5-threads.log", "\n".join(lines))
        directory.write("testsuite/unit/test5-threads.trs", "", time)

    routine = "ompd_ext_get_object"
    tap.equal(row(), ["not run", "not run"], "without logs nothing was run")
    run_unit("PASS", "FAIL")
    tap.equal(row(routine), ["1 of 2"], "own cases count for what their code calls")
    tap.equal(row(), ["not run", "not run"], "and for nothing else")
    run_unit("PASS", time=LATER - 20)
    tap.equal(row(routine), ["not run"], "not those of an older library")
    log = "platforms/llvm-api/%s/test_ompd_get_thread_in_parallel.c.%s.log"
    directory.write(log % ("libgomp", "cmd"), "Success.\nFailed, with return code = 1\n")
    directory.write(log % ("libgomp", "cmd2"), "Success.\n")
    directory.write(log % ("19", "cmd"), "nothing\n")
    tap.equal(row(), ["no check", "2 of 3", "not run"], "LLVM's checks, all scripts of a routine")
    directory.write(log % ("19", "cmd"), "Traceback (most recent call last):\n")
    tap.equal(row(), ["0 of 1", "2 of 3", "not run"], "an exception is a failure")
    directory.write(log % ("19", "cmd"), "Success.\n", LATER - 20)
    tap.equal(row(), ["2 of 3", "not run"], "and not those of an older library")
    event = "testsuite/tools/events/gomp/scenes.events-one"
    directory.write(event, "0 0 set name=flush result=1\n1 2 flush x=1\n1 2 flush\n")
    tap.equal(page().row("flush")[1:4], ["never", "2", "not run"], "events that were raised")
    directory.write("platforms/llvm-ompt-14/openmp/runtime/test/ompt/a.c",
                    "// CHECK: {{^}}0: ompt_event_flush:\n")
    for name, result in (("libgomp", "FAIL"), ("libomp", "PASS")):
        directory.write("platforms/llvm-ompt-14/%s/log" % name,
                        "%s: libomp :: ompt/a.c (1 of 1)\n" % result)
    tap.equal(page().row("flush")[4:6], ["0 of 1", "1 of 1"], "LLVM's tests that name it")


def by_itself(tap, directory):
    tap.case(page().faults, "the tags pair")
    directory.write("platforms/tools/log", "ok 1 - <script>alert(1)</script> & `<b>`\n"
                                           "ok 2 - x # SKIP \"<img src=//x>\"\n")
    reader = page()
    tap.case(sorted(reader.tags & {"script", "img", "b", "link", "a", "iframe"}),
             "what a log says is text")
    tap.equal(reader.row("x")[1:], ['skipped: "<img src=//x>"'], "and is shown as it is")
    tap.case([pair for pair in reader.attributes if pair[0] in ("src", "href") or
              pair[0].startswith("on")], "nothing is loaded, nothing runs")
    tap.ok("url(" not in conformance.STYLE and "@import" not in conformance.STYLE and
           "prefers-color-scheme: dark" in conformance.STYLE, "the style, too; light and dark")


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        directory = Directory(path)
        covered(tap)
        results(tap, directory)
        by_itself(tap, directory)
    tap.end()


main()
