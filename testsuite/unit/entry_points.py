#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of entry points against the functions that there are, and what C makes of it.

Every function of functions.def and every GOMP_* function that the libgomp of this machine
exports has a row, whether it needs one or not: who adds one decides.
"""

import glob
import os
import re
import shlex
import subprocess
import sys

sys.path.insert(1, os.environ["top_srcdir"])
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
from tap import Tap  # noqa: E402  pylint: disable=wrong-import-position

SOURCE = os.environ["top_srcdir"]
PACKAGE = os.path.join(SOURCE, "openmp_inspect")
COMPILER = shlex.split(os.environ.get("CC", "gcc"))
NOT_OF_COMPILED_CODE = re.compile(r"GOMP_(PLUGIN_|\d)")
tap = Tap()


def table(path):
    """The names of the module that gen-entry-points.py makes of a .def."""
    text = subprocess.run([sys.executable, os.path.join(PACKAGE, "gen-entry-points.py"), path],
                          stdout=subprocess.PIPE, check=True).stdout
    names = {}
    exec(text, names)  # pylint: disable=exec-used
    return names


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], stdout=subprocess.PIPE,
                           universal_newlines=True, check=True).stdout.splitlines()
    return {line.split()[2].partition("@")[0] for line in lines if line.split()[1] in "TWi"}


def listed():
    """The functions of functions.def, by the names that programs link with."""
    with open(os.path.join(SOURCE, "runtime-hooks/functions.def"), encoding="utf-8") as stream:
        text = stream.read()
    return set(re.findall(r"^(?:HOOKED|CALLED)\(\w+, [^,]+, (\w+),", text, re.M)) | \
        set(re.findall(r"^HOOKED_AS\([^,]+, \w+, (\w+),", text, re.M))


def refused(row):
    """Whether the generator ends with an error for this row."""
    command = [sys.executable, os.path.join(PACKAGE, "gen-entry-points.py"), "/dev/stdin"]
    return subprocess.run(command, input=row.encode(), stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode != 0


def expanded():
    """The names of all entries, as C expands the table."""
    program = """
#define ENTRY(name, construct, part, runs, wait, object, catch, line) #name,
#define PLAIN(name) #name,
#define FAMILY(prefix, line)
#define INTERNAL(name, runs)
#define SIGN(runtime, name)
static const char *const names[] = {
#include "runtime-hooks/entry-points.def"
};"""
    text = subprocess.run([*COMPILER, "-E", "-P", "-I", SOURCE, "-"], input=program, check=True,
                          stdout=subprocess.PIPE, universal_newlines=True).stdout
    return re.findall(r'"(\w+)"', text)


module = table(os.path.join(SOURCE, "runtime-hooks/entry-points.def"))
entries = module["ENTRIES"]
tap.case(listed() - set(entries), "every function of functions.def has a row")
libgomp = subprocess.run([*COMPILER, "-print-file-name=libgomp.so"], stdout=subprocess.PIPE,
                         universal_newlines=True, check=True).stdout.strip()
if os.path.isabs(libgomp):
    tap.case({name for name in exported(libgomp) if name.startswith("GOMP_") and
            not NOT_OF_COMPILED_CODE.match(name)} - set(entries),
           "every GOMP_* function of this libgomp has one")
    tap.case({name for name, entry in entries.items() if name.startswith("omp_") and entry.wait}
           - exported(libgomp), "and every function that waits exists")
tap.case([name for name in entries if not name.startswith(tuple(module["FAMILIES"]))],
       "every row is one of a family")
tap.case([name for name in module["SIGNS"].values() if name != "ompd_hooks_root" and
        not name.startswith(tuple(module["FAMILIES"]))], "runtimes are known by entry points")
tap.case([entry for entry in entries.values() if entry.runs in (
    "here", "within", "later", "after") and (entry.body is None or not entry.construct)],
       "what runs a body has a construct")
tap.case([entry for entry in entries.values() if entry.catch not in (None, "lock") and
        not entry.part], "what can be caught is a part of something")
for library in sorted(set(map(os.path.realpath, glob.glob("/usr/lib/llvm-*/lib/libomp.so.5")))):
    known = exported(library)
    taken = {name for name in entries if name.startswith("__kmpc_") and name in known}
    tap.case({name for name in known if re.match(
        r"__kmpc_(fork|omp_task|taskloop|critical|barrier|single|ordered|(end_)?serialized)",
        name)} - taken - {"__kmpc_barrier_master", "__kmpc_barrier_master_nowait",
                          "__kmpc_omp_task_alloc"},
           library + ": its constructs have rows")
tap.case(set(expanded()) ^ set(entries), "C sees the same rows")
tap.case([row for row in ("ENTRY(GOMP_a, , , , , , )", "ENTRY(GOMP_a, , MIDDLE, , , , , OWN)",
                        "ENTRY(GOMP_a, , , SOON(1), , , , OWN)", "ENTRY(GOMP_a, , , , , , , MINE)",
                        "PLAIN(GOMP_a)\nPLAIN(GOMP_a)") if not refused(row)],
       "a row that is not understood is refused")
tap.end()
