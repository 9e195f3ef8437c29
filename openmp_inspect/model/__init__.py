# SPDX-License-Identifier: MIT
"""An OpenMP program at one stop, as Python objects. No gdb."""
