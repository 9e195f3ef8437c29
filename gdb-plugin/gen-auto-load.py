# SPDX-License-Identifier: MIT
"""Writes the script that gdb loads with a library: gen-auto-load.py PLUGIN SCRIPT.

Both are paths as they will be once installed. The script finds the plugin by its own
place, so that a tree may be moved as a whole.
"""

import os
import sys

TEXT = '''# SPDX-License-Identifier: MIT
"""Loads the OpenMP commands when gdb loads the library that this file is named after."""

import os
import runpy
import sys

_here = os.path.dirname(os.path.realpath(sys._getframe().f_code.co_filename))
_loader = os.path.normpath(os.path.join(_here, %r, "ompd-gdb.py"))
if os.path.isfile(_loader):
    runpy.run_path(_loader)
'''

plugin, script = map(os.path.abspath, sys.argv[1:])
sys.stdout.write(TEXT % os.path.relpath(plugin, os.path.dirname(script)))
