#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which tests catch which faults: faults.txt has some hundred of one line, spread over the product.

Each is made by itself in a copy of the product in DIR, and tests are run with that: for a fault in C in
one of the tree and of what is built, where its library is made anew, for one in Python in one of the
stage. Tests are scripts, and programs that load the library: what has it inside does not change.
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
from typing import Iterator, List, NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))
TOP, BUILD = os.environ["top_srcdir"], os.environ["top_builddir"]
# Fast ones that look at most of what is said of a program.
USUAL = ["testsuite/unit/without_debugger.py", "testsuite/unit/checks.py",
         "testsuite/unit/sources.py", "testsuite/gdb/waits.py"]
TOO_LONG = 600  # seconds for a test; a fault that makes one hang is caught


class Fault(NamedTuple):
    path: str
    line: str
    changed: str

    def applied(self, text: str) -> str:
        """A file's TEXT with the fault; ValueError where the line is not there once."""
        if text.count(self.line) != 1:
            raise ValueError("%s has %d lines: %s" % (self.path, text.count(self.line), self.line))
        return text.replace(self.line, self.changed)

    def apply(self, path: str) -> None:
        """Changes the line in a file, a copy of the one that the fault is for."""
        with open(path, encoding="utf-8") as stream:
            text = self.applied(stream.read())
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)


def faults(words: List[str]) -> Iterator[Fault]:
    """Those of the table, or of these words only."""
    folder = ""
    with open(os.path.join(HERE, "faults.txt"), encoding="utf-8") as stream:
        for row in stream.read().splitlines():
            if row.endswith("/"):
                folder = row
            elif not row.startswith("#"):
                name, _, line = row.partition(": ")
                fault = Fault(folder + name, *(re.sub("«(.*?)→(.*?)»", side, line)
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
    """A copy of the product, in which there is one fault at a time."""

    def __init__(self, folder: str):
        self._folder = folder
        self._tree, self._build = (os.path.join(folder, name) for name in ("tree", "build"))
        for old in self._tree, self._build:
            shutil.rmtree(old, ignore_errors=True)

    def _with_python(self, fault: Fault) -> str:
        """The stage with a fault, if that has a line."""
        stage = os.path.join(self._folder, "stage")
        shutil.rmtree(stage, ignore_errors=True)
        shutil.copytree(os.environ["stage"], stage, symlinks=True,
                        ignore=shutil.ignore_patterns("__pycache__", "code.*"))
        if fault.line:
            fault.apply(staged(stage, fault.path))
        return stage

    def _with_c(self, fault: Fault) -> str:
        """The stage with a fault."""
        if not os.path.exists(self._tree):
            shutil.copytree(TOP, self._tree, symlinks=True,
                            ignore=shutil.ignore_patterns("build", ".git"))
            shutil.copytree(BUILD, self._build, symlinks=True,
                            ignore=shutil.ignore_patterns(os.path.basename(self._folder)))
        path = os.path.join(self._tree, fault.path)
        fault.apply(path)
        # The Makefile names the tree that it was configured for.
        names = dict.fromkeys(("srcdir", "top_srcdir", "VPATH", "abs_top_srcdir"), self._tree)
        names.update(dict.fromkeys(("abs_top_builddir", "abs_builddir"), self._build))
        subprocess.run(["make", "-s", "-C", self._build, "-o", "Makefile", "-o", "config.status", "stage",
                        *map("=".join, names.items())], check=True, stdout=subprocess.DEVNULL)
        shutil.copy(os.path.join(TOP, fault.path), path)  # and so it is made anew next time
        return os.path.join(self._build, "stage")

    def failing(self, fault: Fault, tests: List[str]) -> List[str]:
        """Those of the TESTS that fail with it."""
        stage = self._with_python(fault) if fault.path.endswith(".py") else self._with_c(fault)
        return [test for test in tests if not passes(test, stage)]


def passes(test: str, stage: str) -> bool:
    """Runs a test with this STAGE."""
    path = os.path.join(TOP, test)
    command = {".py": [sys.executable, path], ".sh": ["sh", path]}.get(
        os.path.splitext(test)[1], [os.path.join(BUILD, test)])
    try:
        done = subprocess.run(command, env=dict(os.environ, stage=stage, PYTHONDONTWRITEBYTECODE="1"),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd=BUILD,
                              stderr=subprocess.STDOUT, timeout=TOO_LONG, check=False)
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


if __name__ == "__main__":
    main()
