#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files of libompd that call each other in a circle, by the symbols of their objects: none but those of
KNOWN, each with what it is about. What calls go upwards by is a parameter, or a table of the upper one."""

import glob
import os
import re
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
from tap import Tap, skip_all  # noqa: E402  pylint: disable=wrong-import-position

OBJECTS = os.path.join(os.environ.get("top_builddir", "."), "libompd/*/.libs/libompd_core_la-*.o")
KNOWN = (
    ("libgomp has a task by its team and a team by a task", {
        "gomp-ancestors", "gomp-aside", "gomp-depend", "gomp-members", "gomp-runner", "gomp-task",
        "gomp-task-locate", "gomp-task-queue", "gomp-task-ref", "gomp-task-walk", "gomp-team",
        "gomp-threads"}),
    ("LLVM's runtime likewise", {"kmp-task", "kmp-team"}),
    ("a recorded thread leads to its region and that to its members", {
        "recorded-gomp", "recorded-pairs", "recorded-teams", "recorded-thread"}),
    ("what is stuck is part of a graph, and follows from one", {"graph", "stuck"}),
)


def symbols(path):
    """(names that an object defines, names that it needs)"""
    listed = subprocess.run(["nm", "-P", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = [line.split()[:2] for line in listed.splitlines()]
    return {name for name, kind in rows if kind in "TDBRVWC"}, {name for name, kind in rows if kind == "U"}


def circles(calls):
    """Sets of more than one file, each of which leads to all others: CALLS is {file: files}."""
    reached = {}
    for file in calls:
        found, left = set(), [file]
        while left:
            for other in calls[left.pop()] - found:
                found.add(other)
                left.append(other)
        reached[file] = found
    return {frozenset(other for other in reached[file] if file in reached[other])
            for file in calls if file in reached[file]}


def main():
    objects = {re.sub(r".*_la-|\.o$", "", path): symbols(path) for path in glob.glob(OBJECTS)}
    if not objects:
        skip_all("libompd is not built here")
    owners = {name: file for file, (defined, _) in objects.items() for name in defined}
    calls = {file: {owners[name] for name in needed if name in owners} - {file}
             for file, (_, needed) in objects.items()}
    tap = Tap()
    tap.equal(circles({"a": {"b"}, "b": {"c"}, "c": {"b"}}), {frozenset("bc")}, "a circle is found")
    found = circles(calls)
    tap.case([sorted(one) for one in found if one not in [known for _, known in KNOWN]],
             "%d files of libompd" % len(objects))
    tap.case([why for why, known in KNOWN if frozenset(known) not in found], "no circle has gone")
    tap.end()


if __name__ == "__main__":
    main()
