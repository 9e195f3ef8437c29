# SPDX-License-Identifier: MIT
"""Loads the OpenMP commands into lldb: "command script import" this file, also in ~/.lldbinit.

Importing it again changes nothing.
"""

import glob
import importlib
import os
import sys

import lldb

if not hasattr(lldb, "SBDebugger"):
    # Debian 12's lldb 14 looks for its own Python module where there is none; it is beside the program. What
    # it would have imported as it started are names that each command asks for.
    sys.path += glob.glob("%s/lib/python3.%d/*-packages" % (
        os.path.dirname(os.path.dirname(os.path.realpath("/proc/self/exe"))), sys.version_info[1]))
    del sys.modules["lldb"]
    import lldb
    _interpreter = importlib.import_module("lldb.embedded_interpreter")
    vars(sys.modules["__main__"]).update(
        {name: getattr(_interpreter, name) for name in ("run_one_line", "run_python_interpreter")}, lldb=lldb)

_directory = os.path.dirname(os.path.realpath(__file__))
_packages = [_directory, os.path.join(os.path.dirname(_directory), "python")]
# First: where PYTHONPATH has an empty entry the current directory is among the others.
sys.path[:] = _packages + [one for one in sys.path if one not in _packages]

from lldb_openmp.ui import catchpoints, commands, stepping, thread_names  # noqa: E402

# lldb finds them here.
Catch, caught, AfterCatch = catchpoints.Catch, catchpoints.caught, catchpoints.AfterCatch
Walk, Points, pointed = stepping.Walk, stepping.Points, stepping.pointed


def __lldb_init_module(debugger, names):
    names.setdefault("lldb", lldb)
    commands.install(debugger, sys.modules[__name__])


def thread_name(thread, _names):
    """For ${script.thread:ompd_lldb.thread_name} in lldb's settings thread-format."""
    return thread_names.of(thread)
