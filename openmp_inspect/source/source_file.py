# SPDX-License-Identifier: MIT
"""Source files as they lie on this machine.

The program that is debugged names them: only regular files of a bounded size are read, and
opening one never waits. Those of /proc, which have no size, are left alone.
"""

from __future__ import annotations

import functools
import os
import stat

from openmp_inspect.core import access, debug
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import BinaryIO, Callable, List, Tuple

_LARGEST = 1 << 24
_LONGEST = 1 << 12  # of a line that a person wrote
# How names of files end that are shown to people.
_SHOWN = frozenset((
    ".c", ".cc", ".cpp", ".cxx", ".c++", ".cu", ".h", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".tcc", ".f",
    ".for", ".ftn", ".fpp", ".f77", ".f90", ".f95", ".f03", ".f08", ".f18", ".inc"))


_roots: List[Callable[[], str]] = []  # one function


def are_below(root: Callable[[], str]) -> None:
    """The program's own files are below what ROOT returns, if that is not "": a process may have
    other ones by their names than this machine."""
    _roots[:] = [root]


def _root(path: str) -> str:
    """What stands before the PATH of a file of the program."""
    return _roots[0]() if _roots and os.path.isabs(path) else ""


def _opened(path: str) -> BinaryIO:
    root = _root(path)
    try:
        if root:
            return open(access.current().file(root + path), "rb")
    except (OSError, ValueError):
        debug.ignored()
    return open(access.current().file(path), "rb")


def status(path: str) -> os.stat_result:
    """What os.stat() says of a file that may be read; else OSError or ValueError."""
    with _opened(path) as stream:
        return _checked(os.fstat(stream.fileno()))


def data(path: str) -> bytes:
    """Its bytes; else OSError or ValueError."""
    # A name may mean something else since it was looked at.
    with _opened(path) as stream:
        _checked(os.fstat(stream.fileno()))
        return stream.read(_LARGEST)


def lines(path: str) -> List[str]:
    """Its lines as text, a very long one as none; no lines where it cannot be read."""
    try:
        found = status(path)
        return _lines(path, found.st_mtime_ns, found.st_size)
    except (OSError, ValueError, MemoryError):
        debug.ignored()
        return []


def shown(path: str) -> Tuple[List[str], float]:
    """(all of its lines, the time of its last change), for what a person may send to others: else OSError
    or ValueError. The program may name any file of this user's, or have made a link to one: what is
    opened is a regular file that has a name of a source file itself."""
    root = _root(path)
    try:
        if root:
            return _shown(root + path)
    except (OSError, ValueError):
        debug.ignored()
    return _shown(access.current().real(path))


def _shown(path: str) -> Tuple[List[str], float]:
    if os.path.splitext(path)[1].lower() not in _SHOWN:
        raise OSError("not a source file")
    with open(access.current().file_beneath(*os.path.split(path)), "rb") as stream:
        changed = _checked(os.fstat(stream.fileno())).st_mtime
        return _split(stream.read(_LARGEST)), changed


@functools.lru_cache(maxsize=16)
def _lines(path: str, _changed: int, _size: int) -> List[str]:
    return [line if len(line) <= _LONGEST else "" for line in _split(data(path))]


def _split(content: bytes) -> List[str]:
    """Lines as compilers count them, of which a form feed ends none."""
    return [line.rstrip("\r") for line in content.decode("utf-8", "replace").split("\n")]


def _checked(found: os.stat_result) -> os.stat_result:
    if not stat.S_ISREG(found.st_mode) or not 0 < found.st_size <= _LARGEST:
        raise OSError("not a source file")
    return found
