# SPDX-License-Identifier: MIT
"""Source text: directives, clauses, and the lines that belong to them. No gdb."""
