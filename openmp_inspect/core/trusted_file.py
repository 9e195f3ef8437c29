# SPDX-License-Identifier: MIT
"""A shared library that nobody but root and this user can have put where it lies, opened
once: what was checked is what is loaded."""

from __future__ import annotations

import ctypes
import os
import stat

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Optional

_OPEN = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_WRITABLE = stat.S_IWGRP | stat.S_IWOTH
_GONE = -1  # no descriptor
_RUNS = ", and its code would run in the debugger"


class Refused(Exception):
    """The text says why, as the end of a sentence that begins with the path."""


def resolved(path: str) -> str:
    """What PATH leads to, without symbolic links; PATH itself where one goes meanwhile."""
    try:
        return os.path.realpath(path)
    except OSError:
        debug.ignored()
        return path


class TrustedFile:
    """The file at a path, held open. `identity` is equal for the same file by another name."""

    def __init__(self, path: str) -> None:
        """Refused unless PATH, which has no NUL, leads to a regular file, and it and every
        directory above it belong to root or to this user, and others may not change them."""
        self._file = _GONE
        try:
            # Resolving fails, too, where a link goes meanwhile.
            self._file = _walk(os.path.realpath(path))
            found = os.fstat(self._file)
        except OSError as error:
            self.close()
            raise Refused("cannot be opened: %s" % error.strerror) from None
        self.identity = found.st_dev, found.st_ino

    def load(self) -> ctypes.CDLL:
        """A ctypes.CDLL; OSError if it is no library. The dynamic linker knows a library by
        the name it was opened by as well, so the descriptor stays open from then on."""
        loaded = ctypes.CDLL("/proc/self/fd/%d" % self._file)
        self._file = _GONE
        return loaded

    def close(self) -> None:
        """Unless it was loaded."""
        if self._file != _GONE:
            os.close(self._file)
            self._file = _GONE


def _walk(real: str) -> int:
    """A descriptor of the file at an absolute path without symbolic links: one that was put
    there since it was resolved is refused. OSError where it cannot be opened."""
    here, path = os.open("/", _OPEN | os.O_DIRECTORY), ""
    try:
        parts = real.split("/")[1:]
        for name in parts[:-1]:
            _check(os.fstat(here), path or "/")
            here, path = _step(here, name, os.O_DIRECTORY), path + "/" + name
        _check(os.fstat(here), path or "/")
        here = _step(here, parts[-1], 0)
        found = os.fstat(here)
        if not stat.S_ISREG(found.st_mode):
            raise Refused("is no regular file")
        _check(found, None)
    except (OSError, Refused):
        os.close(here)
        raise
    return here


def _step(directory: int, name: str, flags: int) -> int:
    below = os.open(name, _OPEN | flags, dir_fd=directory)
    os.close(directory)
    return below


def _check(found: os.stat_result, path: Optional[str]) -> None:
    """FOUND is of the directory PATH, or of the file itself."""
    what = "" if path is None else "is in %s, which " % path
    if found.st_uid not in (0, os.geteuid()):
        raise Refused(what + "belongs to another user" + _RUNS)
    # In a sticky directory others can neither replace nor rename what is not theirs.
    if found.st_mode & _WRITABLE and not (path and found.st_mode & stat.S_ISVTX):
        raise Refused(what + "may be written by others" + _RUNS)
