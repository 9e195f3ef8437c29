# SPDX-License-Identifier: MIT
"""Loads the OpenMP commands into gdb: source this file, or name it in ~/.gdbinit.

Sourcing it again changes nothing.
"""

import os
import sys

# Not __file__: in a script that another script sources, that is the other one's. gdb 10 leaves
# the "~" of "source ~/..." in it.
_directory = os.path.dirname(os.path.realpath(os.path.expanduser(
    sys._getframe().f_code.co_filename)))
_packages = [_directory, os.path.join(os.path.dirname(_directory), "python")]
# First: where PYTHONPATH has an empty entry the current directory is among the others.
sys.path[:] = _packages + [one for one in sys.path if one not in _packages]

import gdb_openmp.ui.commands  # noqa: E402

gdb_openmp.ui.commands.install()
