#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which tests catch which faults: faults.txt has some hundred of one line, spread over the product.

Each is made by itself in a copy of the product, and tests are run with that. A fault in C needs a
copy of the tree that is built once and kept in DIR; for one in Python a copy of the stage is enough.
Printed is a row for each fault with the tests that it fails, and at last how many were caught. Tests
have to pass without a fault, else their failing means nothing.

    make mutants MUTANTS='report/ why_text' MUTANT_TESTS='testsuite/gdb/why.py'

--only takes words of the faults' paths or lines, --tests what runs."""

import argparse
import os
import re
import shutil
import subprocess
import sys
from typing import Dict, Iterator, List, NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.environ["top_srcdir"]
# Fast ones that look at most of what is said of a program.
USUAL = ["testsuite/unit/without_debugger.py", "testsuite/unit/checks.py",
         "testsuite/unit/sources.py", "testsuite/gdb/waits.rows"]
TOO_LONG = 600  # seconds for a test; a fault that makes one hang is caught


class Fault(NamedTuple):
    path: str
    line: str
    changed: str

    def apply(self, path: str) -> None:
        """Changes the line in a file, a copy of the one that the fault is for."""
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
        if text.count(self.line) != 1:
            sys.exit("%s has %d lines: %s" % (self.path, text.count(self.line), self.line))
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text.replace(self.line, self.changed))


def faults(words: List[str]) -> Iterator[Fault]:
    """Those of the table, or of these words only."""
    folder = ""
    with open(os.path.join(HERE, "faults.txt"), encoding="utf-8") as stream:
        for row in stream.read().splitlines():
            if row.endswith("/"):
                folder = row
            elif not row.startswith("#"):
                name, _, line = row.partition(": ")
                fault = Fault(folder + name, *(re.sub("«(.*?)\\|(.*?)»", side, line)
                                               for side in (r"\1", r"\2")))
                if not words or any(word in folder + row for word in words):
                    yield fault


def staged(stage: str, path: str) -> str:
    """The file of a stage that was installed from a file of the tree."""
    wanted = path.partition("/")[2] if not path.startswith("openmp_inspect/") else path
    found = [os.path.join(folder, os.path.basename(path)) for folder, _, files in os.walk(stage)
             if os.path.basename(path) in files]
    return next(one for one in found if one.endswith("/" + wanted))


class Copy:
    """A built copy of the product, in which there is one fault at a time."""

    def __init__(self, folder: str):
        self._folder, self._tree = folder, os.path.join(folder, "tree")

    def _environment(self, fault: Fault) -> Dict[str, str]:
        """That of tests with the fault."""
        environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
        if fault.path.endswith(".py"):
            stage = os.path.join(self._folder, "stage")
            shutil.rmtree(stage, ignore_errors=True)
            shutil.copytree(os.environ["stage"], stage, symlinks=True,
                            ignore=shutil.ignore_patterns("__pycache__"))
            if fault.line:
                fault.apply(staged(stage, fault.path))
            return dict(environment, stage=stage)
        if not os.path.exists(self._tree):
            shutil.copytree(TOP, self._tree, symlinks=True,
                            ignore=shutil.ignore_patterns("build", ".git"))
            subprocess.run(["./bootstrap", "build"], cwd=self._tree, check=True)
        shutil.copy(os.path.join(TOP, fault.path), os.path.join(self._tree, fault.path))
        fault.apply(os.path.join(self._tree, fault.path))
        build = os.path.join(self._tree, "build")
        subprocess.run(["make", "-s", "-C", build, "stage"], check=True, stdout=subprocess.DEVNULL)
        return dict(environment, stage=os.path.join(build, "stage"), top_builddir=build)

    def restore(self, fault: Fault) -> None:
        """Undoes it in the copy of the tree; that of the stage is made anew each time."""
        if not fault.path.endswith(".py"):
            shutil.copy(os.path.join(TOP, fault.path), os.path.join(self._tree, fault.path))

    def failing(self, fault: Fault, tests: List[str]) -> List[str]:
        """Those of the TESTS that fail with it."""
        environment = self._environment(fault)
        try:
            return [test for test in tests if not passes(test, environment)]
        finally:
            self.restore(fault)


def passes(test: str, environment: Dict[str, str]) -> bool:
    """Runs a test: a script, or a program that is built for it."""
    path = os.path.join(TOP, test)
    command = {".py": [sys.executable, path], ".sh": ["sh", path],
               ".rows": [sys.executable, os.path.join(TOP, "testsuite/gdb/transcripts.py"), path]}.get(
        os.path.splitext(test)[1], [os.path.join(environment["top_builddir"], test)])
    if command == [os.path.join(environment["top_builddir"], test)]:
        subprocess.run(["make", "-s", "-C", environment["top_builddir"], test], check=True)
    try:
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TOO_LONG,
                              check=False, cwd=environment["top_builddir"])
    except subprocess.TimeoutExpired:
        return False
    return not done.returncode and not re.search(rb"^not ok (?!.*# TODO)", done.stdout, re.M)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--tests", nargs="*", default=[])
    given = parser.parse_args()
    os.makedirs(given.folder, exist_ok=True)
    copy, caught, tried = Copy(os.path.abspath(given.folder)), 0, 0
    tests = given.tests or USUAL
    broken = copy.failing(Fault("none.py", "", ""), tests)
    if broken:
        sys.exit("without a fault there fail: " + " ".join(broken))
    for fault in faults(given.only):
        found = copy.failing(fault, tests)
        tried, caught = tried + 1, caught + bool(found)
        print("%-44s %s" % ("/".join(fault.path.split("/")[-2:]),
                            " ".join(os.path.basename(test) for test in found) or "-"), flush=True)
    print("%d of %d mutants are caught" % (caught, tried))


main()
