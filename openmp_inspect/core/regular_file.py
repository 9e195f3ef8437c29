# SPDX-License-Identifier: MIT
"""Opens files that something untrusted names: only regular ones, and without waiting."""

from __future__ import annotations

import io

from openmp_inspect.core import access


def opened(path: str) -> io.BufferedReader:
    """A regular file of any size, open for reading; else OSError or ValueError."""
    return open(access.current().file(path), "rb")


def opened_beneath(directory: str, name: str) -> io.BufferedReader:
    """The same of the one of this NAME, and no link, in a DIRECTORY that is none either."""
    return open(access.current().file_beneath(directory, name), "rb")
