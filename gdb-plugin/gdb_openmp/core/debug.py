# SPDX-License-Identifier: MIT
"""What `set debug ompd on` prints."""

from __future__ import annotations

import sys
import traceback

enabled = False


def ignored() -> None:
    """Called in an except clause that goes on with a default: prints the exception with its
    traceback to sys.stderr, which gdb makes its own, while debugging is on. Characters that a
    terminal might obey are escaped: the target may have chosen them."""
    if enabled:
        sys.stderr.write("[ompd] ignored: " + "".join(
            sign if sign.isprintable() or sign == "\n" else ascii(sign)[1:-1]
            for sign in traceback.format_exc()))
