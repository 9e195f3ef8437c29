# SPDX-License-Identifier: MIT
"""Whether a file's debug information has a name at all: its table of strings is searched, which
takes a thousandth of the time of all its DIEs."""

from __future__ import annotations

import ctypes
import functools

from ompd_command.host import elfutils
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Optional, Tuple

_LARGEST = 1 << 32
_SHORTEST = 4  # shorter names are in the DIEs themselves


@functools.lru_cache(maxsize=None)
def _memmem() -> Any:
    found = ctypes.CDLL(None).memmem
    found.restype = ctypes.c_void_p
    found.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
    return found


class DebugStrings:
    """Those of a Dwarf *."""

    def __init__(self, handle: int) -> None:
        self._tables = [table for table in map(_table, (handle, _getalt(handle))) if table]

    def may_have(self, name: bytes) -> bool:
        """False: no DIE has this NAME."""
        if not self._tables or len(name) < _SHORTEST:
            return True
        return any(_memmem()(start, size, name + b"\0", len(name) + 1)
                   for start, size in self._tables)


def _table(handle: Optional[int]) -> Optional[Tuple[int, int]]:
    """(address, size) of the strings here, or None. libdw does not say the size, but has no string
    behind the end."""
    start = _getstring(handle, 0, None) if handle else None
    if not start:
        return None
    low, high = 0, _LARGEST
    while low + 1 < high:
        middle = (low + high) // 2
        if _getstring(handle, middle, None):
            low = middle
        else:
            high = middle
    return start, high


_getstring = elfutils.function("dwarf_getstring", elfutils.Pointer, elfutils.Pointer,
                               elfutils.Address, elfutils.Pointer)
_getalt = elfutils.function("dwarf_getalt", elfutils.Pointer, elfutils.Pointer)
