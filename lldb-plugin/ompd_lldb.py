# SPDX-License-Identifier: MIT
"""Loads the OpenMP commands into lldb: "command script import" this file, also in ~/.lldbinit.

Importing it again changes nothing.
"""

import os
import sys

_directory = os.path.dirname(os.path.realpath(__file__))
_packages = [_directory, os.path.join(os.path.dirname(_directory), "python")]
# First: where PYTHONPATH has an empty entry the current directory is among the others.
sys.path[:] = _packages + [one for one in sys.path if one not in _packages]

from lldb_openmp.ui import catchpoints, commands, stepping, thread_names  # noqa: E402

# lldb finds them here.
Catch, caught, AfterCatch = catchpoints.Catch, catchpoints.caught, catchpoints.AfterCatch
Walk, Points, pointed = stepping.Walk, stepping.Points, stepping.pointed


def __lldb_init_module(debugger, _names):
    commands.install(debugger, sys.modules[__name__])


def thread_name(thread, _names):
    """For ${script.thread:ompd_lldb.thread_name} in lldb's settings thread-format."""
    return thread_names.of(thread)
