# SPDX-License-Identifier: MIT
"""Opens files that something untrusted names: only regular ones, and without waiting."""

from __future__ import annotations

import io
import os
import stat

from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Optional


def opened(path: str, directory: Optional[int] = None) -> io.BufferedReader:
    """A regular file of any size, open for reading; else OSError or ValueError. With an open
    DIRECTORY the PATH is one name in it, and no link."""
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY |
                   (0 if directory is None else os.O_NOFOLLOW), dir_fd=directory)
    stream = open(file, "rb")  # pylint: disable=consider-using-with
    if not stat.S_ISREG(os.fstat(file).st_mode):
        stream.close()
        raise OSError("not a regular file")
    return stream
