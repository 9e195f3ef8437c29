# SPDX-License-Identifier: MIT
"""Where a file's debug information has a name. Names stand in a table of strings, to which DIEs refer
by an offset, or in DWARF 5 by a number in a table of offsets; short ones, and those of some compilers,
stand in the DIEs. All these are searched as bytes, which takes a thousandth of the time of reading
DIEs; what is found by chance is for the caller to tell apart.

    .debug_str          0x10 "depot_lock"
    .debug_str_offsets  0x48 00000010
    .debug_info         DW_TAG_variable, DW_AT_name 00000010, or 3 where 0x3c is the unit's base
"""

from __future__ import annotations

import ctypes
import functools

from ompd_command.host import elfutils
from ompd_command.host.elfutils import Pointer
from openmp_inspect.core.static_typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List, Optional

_LARGEST = 1 << 28  # bytes of DIEs that are searched
_MOST = 1 << 10  # places of a name
_MOST_STRINGS = 64  # that end with it
_MOST_SECTIONS = 1 << 12
_OFFSET = 4  # bytes: all of one in 32-bit DWARF, and the lower half in others
_STRINGS, _OFFSETS, _DIES = ".debug_str", ".debug_str_offsets", ".debug_info"


class _Header(ctypes.Structure):
    """GElf_Shdr"""

    name: int
    _fields_ = [("name", ctypes.c_uint32), ("type", ctypes.c_uint32), ("rest", ctypes.c_uint64 * 7)]


class _Data(ctypes.Structure):
    """Elf_Data"""

    _fields_ = [("start", Pointer), ("type", ctypes.c_int), ("version", ctypes.c_uint),
                ("size", ctypes.c_size_t)]


class _Bytes(NamedTuple):
    start: int  # in our memory
    size: int


class Places(NamedTuple):
    dies: List[int]  # addresses, in our memory, of what refers to the name
    offsets: List[int]  # the same in the table of offsets, from its beginning
    is_string: bool  # whether a table of strings has it


class DebugStrings:
    """Those of a Dwarf *, and of the OTHER one, if there is one, that it shares by dwz."""

    def __init__(self, handle: int, other: Optional[int]) -> None:
        self._own = _sections(handle)
        self._tables = [one[_STRINGS] for one in (self._own, _sections(other) if other else {})
                        if _STRINGS in one]

    def places(self, name: bytes) -> Optional[Places]:
        """Of a NAME; None where there is too much to search."""
        dies = self._own.get(_DIES, _Bytes(0, 0))
        if dies.size > _LARGEST:
            return None
        strings = [at - table.start for table in self._tables
                   for at in _all(table, name + b"\0", _MOST_STRINGS)]
        wanted = [at.to_bytes(8, "little")[:_OFFSET] for at in strings]
        offsets = self._own.get(_OFFSETS, _Bytes(0, 0))
        return Places([at for one in (*wanted, name + b"\0") for at in _all(dies, one, _MOST)],
                      [at - offsets.start for one in wanted for at in _all(offsets, one, _MOST)],
                      bool(strings))


def _all(where: _Bytes, wanted: bytes, most: int) -> Iterator[int]:
    """The addresses at which it has these bytes."""
    at, end = where.start, where.start + where.size
    for _ in range(most):
        found = _memmem()(at, end - at, wanted, len(wanted)) if at < end else None
        if not found:
            break
        yield found
        at = found + 1


@functools.lru_cache(maxsize=None)
def _memmem() -> Any:
    found = ctypes.CDLL(None).memmem
    found.restype = ctypes.c_void_p
    found.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
    return found


def _sections(handle: int) -> Dict[str, _Bytes]:
    """Those that are searched, decompressed as libdw has them."""
    elf, names, section = _getelf(handle), ctypes.c_size_t(), Pointer()
    header, found = _Header(), {}
    _getshdrstrndx(elf, ctypes.byref(names))
    for _ in range(_MOST_SECTIONS):
        section = _nextscn(elf, section)
        if not section:
            break
        _getshdr(section, ctypes.byref(header))
        name = (_strptr(elf, names, header.name) or b"").decode("ascii", "replace")
        name = name.replace(".zdebug", ".debug")
        data = _getdata(section, None) if name in (_STRINGS, _OFFSETS, _DIES) else None
        if data:
            one = _Data.from_address(data)
            found[name] = _Bytes(one.start or 0, one.size if one.start else 0)
    return found


_getelf = elfutils.function("dwarf_getelf", Pointer, Pointer)
_getshdrstrndx = elfutils.function("elf_getshdrstrndx", ctypes.c_int, Pointer, Pointer)
_nextscn = elfutils.function("elf_nextscn", Pointer, Pointer, Pointer)
_getshdr = elfutils.function("gelf_getshdr", Pointer, Pointer, Pointer)
_strptr = elfutils.function("elf_strptr", ctypes.c_char_p, Pointer, ctypes.c_size_t, ctypes.c_size_t)
_getdata = elfutils.function("elf_getdata", Pointer, Pointer, Pointer)
