# SPDX-License-Identifier: MIT
"""Source files as they lie on this machine.

The program that is debugged names them: only regular files of a bounded size are read, and
opening one never waits. Those of /proc, which have no size, are left alone.
"""

import functools
import os
import stat

_LARGEST = 1 << 24
_LONGEST = 1 << 12  # of a line that a person wrote


def status(path):
    """What os.stat() says of a file that may be read; else OSError or ValueError."""
    return _checked(os.stat(path))


def data(path):
    """Its bytes; else OSError or ValueError."""
    # A name may mean something else since it was looked at.
    with opened(path) as stream:
        _checked(os.fstat(stream.fileno()))
        return stream.read(_LARGEST)


def opened(path):
    """A regular file of any size, open for reading; else OSError or ValueError."""
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    stream = open(file, "rb")  # pylint: disable=consider-using-with
    if not stat.S_ISREG(os.fstat(file).st_mode):
        stream.close()
        raise OSError("not a regular file")
    return stream


def lines(path):
    """Its lines as text, a very long one as none; no lines where it cannot be read."""
    try:
        found = status(path)
        return _lines(path, found.st_mtime_ns, found.st_size)
    except (OSError, ValueError, MemoryError):
        return []


@functools.lru_cache(maxsize=16)
def _lines(path, _changed, _size):
    return [line if len(line) <= _LONGEST else ""
            for line in data(path).decode("utf-8", "replace").splitlines()]


def _checked(found):
    if not stat.S_ISREG(found.st_mode) or not 0 < found.st_size <= _LARGEST:
        raise OSError("not a source file")
    return found
