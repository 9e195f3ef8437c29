#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files of libompd, and of the hooks, that call each other in a circle, by the symbols of their objects:
none but those of KNOWN, each with what it is about. What calls go upwards by is a parameter, or a table of
the upper one; or one of DOORS, by which a program comes to the hooks before they were started."""

import glob
import os
import re
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
from tap import Tap, skip_all  # noqa: E402  pylint: disable=wrong-import-position

BUILD = os.environ.get("top_builddir", ".")
OBJECTS = (("libompd", "libompd/*/.libs/libompd_core_la-*.o"),
           ("the hooks", "runtime-hooks/*/.libs/libompd_hooks_la-*.o"),
           ("the hooks", "runtime-hooks/*/*/.libs/libompd_hooks_la-*.o"))
DOORS = {"hooks_resolve": "the first call of a wrapper starts everything",
         "hooks_in_use": "so does the first lookup of a runtime",
         "hooks_forked": "a child of fork begins anew, perhaps before anything was started"}
KNOWN = (
    ("libgomp has a task by its team and a team by a task", {
        "gomp-ancestors", "gomp-aside", "gomp-depend", "gomp-members", "gomp-runner", "gomp-task",
        "gomp-task-locate", "gomp-task-queue", "gomp-task-ref", "gomp-task-walk", "gomp-team",
        "gomp-threads"}),
    ("LLVM's runtime likewise", {"kmp-task", "kmp-team"}),
    ("a recorded thread leads to its region and that to its members", {
        "recorded-gomp", "recorded-pairs", "recorded-teams", "recorded-thread"}),
    ("what is stuck is part of a graph, and follows from one", {"graph", "stuck"}),
    ("a thread that ends leaves its region and its tasks, a region has its threads registered, and a task ends "
     "where its event was fulfilled", {"detach", "regions", "tasks", "threads"}),
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
    built = {part: [path for one, pattern in OBJECTS if one == part
                    for path in glob.glob(os.path.join(BUILD, pattern))] for part, _ in OBJECTS}
    if not all(built.values()):
        skip_all("they are not built here")
    tap = Tap()
    tap.equal(circles({"a": {"b"}, "b": {"c"}, "c": {"b"}}), {frozenset("bc")}, "a circle is found")
    found = set()
    for part, paths in built.items():
        objects = {path: symbols(path) for path in paths}
        owners = {name: path for path, (defined, _) in objects.items() for name in defined - set(DOORS)}
        calls = {path: {owners[name] for name in needed if name in owners} - {path}
                 for path, (_, needed) in objects.items()}
        own = {frozenset(re.sub(r".*_la-|\.o$", "", path) for path in one) for one in circles(calls)}
        tap.case([sorted(one) for one in own if one not in [known for _, known in KNOWN]],
                 "%d files of %s" % (len(objects), part))
        found |= own
    tap.case([why for why, known in KNOWN if frozenset(known) not in found], "no circle has gone")
    tap.end()


if __name__ == "__main__":
    main()
