# SPDX-License-Identifier: MIT
"""Loads the OpenMP commands into gdb: source this file, or name it in ~/.gdbinit.

Sourcing it again changes nothing.
"""

import os
import re
import sys

import gdb

# Not __file__: in a script that another script sources, that is the other one's. gdb 10 leaves
# the "~" of "source ~/..." in it.
_directory = os.path.dirname(os.path.realpath(os.path.expanduser(
    sys._getframe().f_code.co_filename)))
_packages = [_directory, os.path.join(os.path.dirname(_directory), "python")]
# First: where PYTHONPATH has an empty entry the current directory is among the others.
sys.path[:] = _packages + [one for one in sys.path if one not in _packages]

# With 9.1 the programs of check-release are explained; all tests run from 10.1 on.
_version = re.search(r"(\d+)\.(\d+)", gdb.VERSION)
if sys.version_info < (3, 8) or _version and tuple(map(int, _version.groups())) < (9, 1):
    gdb.write("The commands for OpenMP need gdb 10.1 or later, with Python 3.8 or later; this is gdb %s, "
              "with Python %d.%d.\n" % ((gdb.VERSION,) + sys.version_info[:2]), gdb.STDERR)
else:
    import gdb_openmp.ui.commands
    gdb_openmp.ui.commands.install()
