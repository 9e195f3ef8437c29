# SPDX-License-Identifier: MIT
"""Source files as they lie on this machine.

The program that is debugged names them: only regular files of a bounded size are read, and
opening one never waits.
"""

import functools
import os
import stat

_LARGEST = 1 << 24


def status(path):
    """What os.stat() says of a file that may be read; else OSError or ValueError."""
    return _checked(os.stat(path))


def data(path):
    """Its bytes; else OSError or ValueError."""
    # A name may mean something else since it was looked at.
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    with open(file, "rb") as stream:
        _checked(os.fstat(file))
        return stream.read(_LARGEST)


def lines(path):
    """Its lines as text; none where it cannot be read."""
    try:
        found = status(path)
        return _lines(path, found.st_mtime_ns, found.st_size)
    except (OSError, ValueError, MemoryError):
        return []


@functools.lru_cache(maxsize=16)
def _lines(path, _changed, _size):
    return data(path).decode("utf-8", "replace").splitlines()


def _checked(found):
    if not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST:
        raise OSError("not a source file")
    return found
