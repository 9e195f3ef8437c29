#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What STABILITY.md promises, against stable.txt: what the libraries export, the extension's
constants and the fields of its structures, the keys of JSON's schema, and exit statuses. With
--write also what is new is listed; what is gone is never taken from the list but by hand. And the
version, which configure.ac says, in the files of packagers."""

import json
import os
import re
import struct
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
STAGE, TOP = os.environ["stage"], os.environ["top_srcdir"]
sys.path.insert(1, os.path.join(STAGE, "share/ompd/python"))
from tap import Tap  # noqa: E402  pylint: disable=wrong-import-position
from openmp_inspect.bindings import abi5  # noqa: E402  pylint: disable=wrong-import-position
from openmp_inspect.core import build  # noqa: E402  pylint: disable=wrong-import-position
from ompd_command import arguments, look, merge, reports, watchdog_options  # noqa: E402  pylint: disable=wrong-import-position

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stable.txt")


def exports():
    for name in ("libompd.so", "libompd-2.so"):
        table = subprocess.run(["nm", "-D", "--defined-only", "%s/lib/%s" % (STAGE, name)],
                               stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout
        for line in table.splitlines():
            yield "export %s %s" % (name, line.split()[-1])


def extension():
    """Constants by value, and fields by offset and size."""
    for table, values in sorted(vars(abi5).items()):
        if table.isupper() and isinstance(values, dict) and table != "STRUCTURES":
            for name, value in values.items():
                yield "constant %s %s %d" % (table.lower(), name, value)
    for name, (layout, fields) in abi5.STRUCTURES.items():
        offset = 0
        for field, code in zip(fields, layout[1:]):
            size = struct.calcsize("=" + code)
            yield "field %s.%s %d %d" % (name, field, offset, size)
            offset += size


def keys(schema, path=""):
    """Of an object and what is in it: each key's path, type, and whether it is required."""
    for name, value in schema.get("properties", {}).items():
        kinds = value.get("type", "any")
        yield "json %s%s %s%s" % (path, name, kinds if isinstance(kinds, str) else "|".join(kinds),
                                  " required" if name in schema.get("required", ()) else "")
        yield from keys(value, path + name + ".")
    if "items" in schema:
        yield from keys(schema["items"], path[:-1] + "[].")


def statuses():
    for word, value in (
            ("possible", reports._POSSIBLE + 1), ("likely", reports._POSSIBLE + 2),
            ("certain", reports._POSSIBLE + 3), ("usage", arguments.USAGE),
            ("nothing to merge", merge.NO_REPORT), ("incomplete", merge.INCOMPLETE),
            ("no such process or core", look.NO_INPUT),
            ("not permitted", look.NOT_PERMITTED), ("not readable", look.NOT_READABLE),
            ("ended by the watchdog", watchdog_options.ENDED),
            ("interrupted", int(first("ompd/ompd", r"os\._exit\((\d+)\)")))):
        yield "status ompd %d %s" % (value, word)
    for word, words in (("wrong option", ["--bogus"]), ("cannot be run", ["/nonexistent"])):
        done = subprocess.run([STAGE + "/bin/ompd-run"] + words, stderr=subprocess.DEVNULL, check=False)
        yield "status ompd-run %d %s" % (done.returncode, word)


def found():
    with open(os.path.join(STAGE, "share/ompd/ompd-why.json"), encoding="utf-8") as stream:
        schema = json.load(stream)
    yield "json schema = %s" % schema["properties"]["schema"]["const"]
    yield from exports()
    yield from extension()
    yield from keys(schema)
    yield from statuses()


def first(path, pattern):
    with open(os.path.join(TOP, path), encoding="utf-8") as stream:
        match = re.search(pattern, stream.read(), re.M)
    return match.group(1) if match else None


def printed(program):
    return subprocess.run([STAGE + "/bin/" + program, "--version"], stdout=subprocess.PIPE,
                          universal_newlines=True, check=False).stdout.strip()


def versions(tap):
    version = first("configure.ac", r"^AC_INIT\(\[.*?\], \[(.*?)\]")
    tap.equal(build.VERSION, version, "the version of the Python packages is configure.ac's")
    tap.equal(first("debian/changelog", r"\((.*)-\d+\)"), version, "debian/changelog's")
    tap.equal(first("NEWS", r"^(\d[\d.]*) "), version, "the first of NEWS")
    for program in ("ompd", "ompd-run"):
        tap.equal(printed(program), "%s %s" % (program, version), "%s --version" % program)


def check():
    now = list(dict.fromkeys(found()))
    with open(LIST, encoding="utf-8") as stream:
        listed = [line.rstrip("\n") for line in stream if not line.startswith("#")]
    if sys.argv[1:] == ["--write"]:
        with open(LIST, "a", encoding="utf-8") as stream:
            stream.writelines(line + "\n" for line in now if line not in listed)
        return
    tap = Tap()
    for kind in ("export", "constant", "field", "json", "status"):
        these = [line for line in now if line.startswith(kind + " ")]
        tap.ok(these, "there is a %s" % kind)
        tap.case([line for line in listed if line.startswith(kind + " ") and line not in these],
                 "no %s is gone that was promised" % kind)
        tap.case([line for line in these if line not in listed], "each %s is listed" % kind)
    versions(tap)
    tap.end()


check()
