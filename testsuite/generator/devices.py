#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""run.py of three programs that map to devices and compute there, of gcc and clang. With arguments, those."""

import os
import sys

os.execv(sys.executable, [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "run.py"),
                          "--devices", *(sys.argv[1:] or ("--seeds", "3-5", "--stops", "1"))])
