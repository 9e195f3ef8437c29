# SPDX-License-Identifier: MIT
"""Every command and function of the plugin with arguments that stand for its uses, and the
commands among them that only look."""

import re

import gdb

from openmp_inspect.report import command_table
from gdb_openmp.ui import commands

# By the command's name. One without an entry fails the tests: give it some.
_USES = {
    "threads": ("", "-wide", "-json"),
    "parallel": ("", "-json"),
    "tasks": ("", "-all", "-tree", "-all -tree", "-state running", "-region 1", "-json",
              "-graph graph.dot"),
    "locks": ("", "-sums", "-json"),
    "regions": ("", "-by wait", "-json"),
    "history": ("", "-last 5 1", "-json", "-trace trace.json"),
    "icvs": ("", "-all", "1"),
    "env": ("",),
    "status": ("",),
    "devices": ("", "-json"),
    "mappings": ("", "-json", "-device 0 name"),
    "thread": ("", "0", "1.0"),
    "apply": ("bt 1", "all -q -c output 1", "0-2 output 1", "level 1 -s output 1",
              "team ompd locals"),
    "print": ("everywhere", "-all inner", "not_named", "-all $_omp_thread_num()", "1 +"),
    "locals": ("",),
    "bt": ("", "-all", "1"),
    "stacks": ("",),
    "why": ("", "-all", "-json"),
    "report": ("page.html", "-no-source -leave-out command,host page.html"),
    "snapshot": ("snapshot.core",),
    "doctor": ("", "-json"),
    "on": ("",),
    "off": ("",),
    "step": ("", "2"),
    "next": ("",),
    "finish": ("",),
    "catch": ("task", "barrier all", "nonsense", "critical enter if $_omp_thread_num() == 1"),
}
_SELECTS = ("thread",)
_SETS = ("on", "off", "catch")
_RUNS = ("step", "next", "finish")
_ARGUMENTS = {"_omp_var": '"not_named"', "_omp_catch": '"task begin"'}


def commands_without_uses():
    return sorted(set(_every()) ^ set(_USES))


def _every():
    return [*(row.name for row in command_table.of("gdb")), *commands._MODULES]


def _of(names):
    return [("ompd %s %s" % (name, words)).strip() for name in names for words in _USES[name]]


def functions():
    """One expression for each convenience function that gdb knows."""
    known = re.findall(r"\b_omp_\w+", gdb.execute("complete help function _omp_", to_string=True))
    return ["$%s(%s)" % (name, _ARGUMENTS.get(name, "")) for name in sorted(set(known))]


def looks():
    """What changes nothing in gdb or the program."""
    names = [name for name in _every() if name not in _SELECTS + _SETS + _RUNS]
    return _of(names) + ["output " + function for function in functions()]


def selects():
    """What selects a thread."""
    return _of(_SELECTS)


def uses():
    """All, those that let the program run at the end."""
    return looks() + selects() + _of(_SETS) + _of(_RUNS)
