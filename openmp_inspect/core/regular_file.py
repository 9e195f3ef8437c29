# SPDX-License-Identifier: MIT
"""Opens files that something untrusted names: only regular ones, and without waiting."""

from __future__ import annotations

import io
import os
import stat


def opened(path: str) -> io.BufferedReader:
    """A regular file of any size, open for reading; else OSError or ValueError."""
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    stream = open(file, "rb")  # pylint: disable=consider-using-with
    if not stat.S_ISREG(os.fstat(file).st_mode):
        stream.close()
        raise OSError("not a regular file")
    return stream
