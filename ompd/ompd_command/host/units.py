# SPDX-License-Identifier: MIT
"""Compilation units of a loaded file, by addresses of code.

`.debug_aranges` leads to them where a compiler has written it; the others are found by their
ranges.
"""

from __future__ import annotations

import bisect
import ctypes
import os

from ompd_command.host import dwarf, dwfl
from ompd_command.host import dwarf_constants as dw
from ompd_command.host import elfutils
from ompd_command.host.debug_strings import DebugStrings
from ompd_command.host.die_tree import DieTree
from ompd_command.host.line_table import LineTable
from ompd_command.host.scopes import Scopes
from openmp_inspect.core import escaped
from openmp_inspect.core.cached import fact
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple
    from ompd_command.host.dwarf import Die
    Ordered = Tuple[List[int], List["Unit"]]  # keys, which are sorted, and what has them

_MOST_UNITS = 1 << 17
_UNREAD = "Lines and variables of %s are not known: its debug information is %s, which this libdw %s " \
    "does not read."
_SHARED = "Names in %s are not known: the file that it shares with others, by dwz, is not on this machine."
_SPLIT = "Variables of %s are not known: they are in .dwo or .dwp files, which are not read."


def _ordered(units: Iterable[Unit], key: Callable[[Unit], Optional[int]]) -> Ordered:
    known = sorted(((key(unit) or 0, number, unit) for number, unit in enumerate(units)))
    return [one[0] for one in known], [one[2] for one in known]


def _last(units: Ordered, key: int) -> Optional[Unit]:
    """The last one whose key is not above this one."""
    at = bisect.bisect_right(units[0], key) - 1
    return units[1][at] if at >= 0 else None


class Unit:
    """A compilation unit."""

    def __init__(self, file: UnitsOfFile, die: Die) -> None:
        self.file = file
        self.die = die

    @fact
    def name(self) -> str:
        return self.die.string(dw.AT_NAME) or ""

    @fact
    def directory(self) -> str:
        """Where it was compiled, or ""."""
        return self.die.string(dw.AT_COMP_DIR) or ""

    @fact
    def producer(self) -> str:
        return self.die.string(dw.AT_PRODUCER) or ""

    @fact
    def _language(self) -> int:
        return self.die.number(dw.AT_LANGUAGE) or 0

    @property
    def is_skeleton(self) -> bool:
        """Whether it has lines alone, and all else is in a .dwo file."""
        return self.die.tag == dw.SKELETON_UNIT or self.die.has(dw.AT_GNU_DWO_NAME)

    @property
    def is_cplusplus(self) -> bool:
        return self._language in dw.C_PLUS_PLUS

    @property
    def is_fortran(self) -> bool:
        return self._language in dw.FORTRAN

    @fact
    def variables(self) -> Dict[str, List[Die]]:
        """Static ones with a location, by their names."""
        found: Dict[str, List[Die]] = {}
        for die in self.scopes.declared.variables:
            name = die.name
            if name and die.own(dw.AT_LOCATION) is not None:
                found.setdefault(name, []).append(die)
        return found

    @fact
    def lines(self) -> LineTable:
        return LineTable(self.die)

    @fact
    def tree(self) -> DieTree:
        return DieTree(self.die)

    @fact
    def scopes(self) -> Scopes:
        return Scopes(self.tree)


class UnitsOfFile:
    """Those of a Module. `bias` is what the target's addresses are above those of the file."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self._units: Dict[int, Unit] = {}
        self._met: List[Unit] = []  # by code that was asked for

    @fact
    def _opened(self) -> Tuple[Optional[int], int]:
        """(Dwarf *, or None; bias)"""
        return dwfl.dwarf_of(self.module.handle)

    @fact
    def _strings(self) -> Optional[DebugStrings]:
        """None if it has no debug information."""
        handle = self._opened[0]
        return None if handle is None else DebugStrings(handle, dwfl.shared_of(handle))

    def naming(self, name: bytes) -> Tuple[List[Unit], bool]:
        """(compilation units that have this NAME, whether others may refer to one that has it). Of
        a file with much debug information only those of code that has been asked for."""
        places = None if self._strings is None else self._strings.places(name)
        if places is None:
            return self._met, False
        found = [_last(self._by_place, at) for at in places.dies] + \
            [_last(self._by_offsets, at) for at in places.offsets]
        return list({id(unit): unit for unit in found if unit is not None}.values()), \
            places.is_string

    @fact
    def _by_place(self) -> Ordered:
        """By where in our memory they begin."""
        return _ordered(self.all(), lambda unit: unit.die.addr)

    @fact
    def _by_offsets(self) -> Ordered:
        """By their bases in the table of offsets of strings."""
        return _ordered(self.all(), lambda unit: unit.die.number(dw.AT_STR_OFFSETS_BASE))

    @property
    def bias(self) -> int:
        return self._opened[1]

    @fact
    def pointer_size(self) -> int:
        first, size = next(self.all(), None), ctypes.c_uint8()
        if first is None:
            return ctypes.sizeof(elfutils.Pointer)
        _diecu(ctypes.byref(first.die), ctypes.byref(dwarf.Die()), ctypes.byref(size), None)
        return size.value if size.value in (4, 8) else ctypes.sizeof(elfutils.Pointer)

    @property
    def unread(self) -> str:
        """A sentence about what libdw does not read of it, so far as that was asked for, or ""."""
        name = escaped.shown(os.path.basename(self.module.path))
        handle = self._opened[0]
        for file in (self.module.file, self.module.symbols_apart()):
            if handle is None and file is not None and file.has_debug_information:
                return _UNREAD % (name, "compressed by zstd" if file.is_zstd(".debug_info") else
                                  "of a form", elfutils.version())
            if handle is not None and file is not None and file.section(".gnu_debugaltlink") and \
                    not dwfl.shared_of(handle):
                return _SHARED % name
        return _SPLIT % name if any(unit.is_skeleton for unit in self._units.values()) else ""

    def unit_of(self, cu: int) -> Optional[Unit]:
        """The one that a Die or an Attribute is in, by its `cu`."""
        if cu not in self._units:
            die = dwarf.unit_of(cu)
            if die is None:
                return None
            self._units[cu] = Unit(self, die)
        return self._units[cu]

    def at(self, address: int) -> Optional[Unit]:
        """The one with code at an ADDRESS of the target."""
        if self._opened[0] is None:
            return None
        found = _addrdie(self.module.handle, address, ctypes.byref(elfutils.Address()))
        unit = self.unit_of(dwarf.Die.from_address(found).cu) if found else None
        # In a gap it would be the one before that.
        if unit is None or not unit.die.has_code_at(address - self.bias):
            at = bisect.bisect_right(self._ranges, (address - self.bias, 1 << 64)) - 1
            if at < 0 or self._ranges[at][1] <= address - self.bias:
                return None
            unit = self.unit_of(self._ranges[at][2])
        if unit is not None and unit not in self._met:
            self._met.append(unit)
        return unit

    def all(self) -> Iterator[Unit]:
        """Compilation units, in the order of the file."""
        handle, cu = self._opened[0], elfutils.Pointer()
        for _ in range(_MOST_UNITS if handle is not None else 0):
            if _get_units(handle, cu, ctypes.byref(cu), *[None] * 4) or not cu.value:
                break
            unit = self.unit_of(cu.value)
            if unit is not None and unit.die.tag in (dw.COMPILE_UNIT, dw.SKELETON_UNIT):
                yield unit

    @fact
    def _ranges(self) -> List[Tuple[int, int, int]]:
        """[(start, end, `cu`)] of all code, sorted."""
        return sorted((start, end, unit.die.cu) for unit in self.all()
                      for start, end in unit.die.ranges())


_addrdie = elfutils.function("dwfl_module_addrdie", elfutils.Pointer, elfutils.Pointer,
                             elfutils.Address, elfutils.Pointer)
_get_units = elfutils.function("dwarf_get_units", ctypes.c_int, *[elfutils.Pointer] * 7)
_diecu = elfutils.function("dwarf_diecu", elfutils.Pointer, *[elfutils.Pointer] * 4)
