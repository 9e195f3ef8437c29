# SPDX-License-Identifier: MIT
"""Debugging information entries (DIEs) of libdw.

They point into what libdw has of a module, and are valid until the Dwfl ends. Names that they have
are decoded as os.fsdecode() does. What is damaged is as what is missing; each walk is bounded.
"""

from __future__ import annotations

import ctypes
import os

from ompd_command.host import dwarf_constants as dw
from ompd_command.host import elfutils
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Container, Iterator, List, Optional, Tuple

_MOST_CHILDREN = 1 << 19
_MOST_RANGES = 1 << 14
_MOST_ORIGINS = 16
_LONGEST = 1 << 14  # name


class Attribute(ctypes.Structure):
    """Dwarf_Attribute."""

    code: int
    form: int
    valp: Optional[int]
    cu: int
    _fields_ = [("code", ctypes.c_uint), ("form", ctypes.c_uint), ("valp", elfutils.Pointer),
                ("cu", elfutils.Pointer)]

    def number(self) -> Optional[int]:
        found = elfutils.Address()
        return None if _formudata(ctypes.byref(self), ctypes.byref(found)) else int(found.value)

    def signed(self) -> Optional[int]:
        found = ctypes.c_int64()
        return None if _formsdata(ctypes.byref(self), ctypes.byref(found)) else int(found.value)

    def address(self) -> Optional[int]:
        found = elfutils.Address()
        return None if _formaddr(ctypes.byref(self), ctypes.byref(found)) else int(found.value)

    def string(self) -> Optional[str]:
        found = _formstring(ctypes.byref(self))
        return None if found is None else os.fsdecode(found[:_LONGEST])


class Die(ctypes.Structure):
    """Dwarf_Die."""

    addr: Optional[int]  # the same for equal ones
    cu: int
    _fields_ = [("addr", elfutils.Pointer), ("cu", elfutils.Pointer), ("abbrev", elfutils.Pointer),
                ("padding", ctypes.c_long)]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Die) and other.addr == self.addr

    def __hash__(self) -> int:
        return hash(self.addr)

    @property
    def tag(self) -> int:
        return int(_tag(ctypes.byref(self)))

    def own(self, code: int) -> Optional[Attribute]:
        """Its attribute of this CODE."""
        found = Attribute()
        return found if _attr(ctypes.byref(self), code, ctypes.byref(found)) else None

    def attribute(self, code: int) -> Optional[Attribute]:
        """The same, or that of the DIE of which it is an instance or a definition."""
        found = Attribute()
        return found if _attr_integrate(ctypes.byref(self), code, ctypes.byref(found)) else None

    def has(self, code: int) -> bool:
        return self.attribute(code) is not None

    def string(self, code: int) -> Optional[str]:
        found = self.attribute(code)
        return None if found is None else found.string()

    def number(self, code: int) -> Optional[int]:
        found = self.attribute(code)
        return None if found is None else found.number()

    def flag(self, code: int) -> bool:
        found, value = self.attribute(code), ctypes.c_bool()
        return found is not None and not _formflag(ctypes.byref(found), ctypes.byref(value)) and \
            value.value

    def reference(self, code: int) -> Optional[Die]:
        """The DIE that its own attribute refers to."""
        return _referred(self.own(code))

    def integrated_reference(self, code: int) -> Optional[Die]:
        return _referred(self.attribute(code))

    @property
    def name(self) -> Optional[str]:
        return self.string(dw.AT_NAME)

    @property
    def type(self) -> Optional[Die]:
        """That of its attribute; None is also C's void."""
        return self.integrated_reference(dw.AT_TYPE)

    def origin(self) -> Die:
        """The abstract DIE of which it is an instance, or itself."""
        found = self
        for _ in range(_MOST_ORIGINS):
            further = found.reference(dw.AT_ABSTRACT_ORIGIN)
            if further is None:
                break
            found = further
        return found

    def specification(self) -> Optional[Die]:
        """The declaration that it, or that of which it is an instance, completes."""
        return self.integrated_reference(dw.AT_SPECIFICATION)

    def children_in_place(self) -> Iterator[Tuple[Die, int]]:
        """(child, its tag): always the same object, which is then the next one."""
        at = Die()
        place = ctypes.byref(at)
        if _child(ctypes.byref(self), place):
            return
        for _ in range(_MOST_CHILDREN):
            yield at, _tag(place)
            if _siblingof(place, place):
                break

    def children(self, tags: Container[int]) -> Iterator[Die]:
        """Those with one of TAGS."""
        return (Die.from_buffer_copy(at) for at, tag in self.children_in_place() if tag in tags)

    def ranges(self) -> List[Tuple[int, int]]:
        """[(start, end)] of its code, by the file's addresses."""
        base, start, end = elfutils.Address(), elfutils.Address(), elfutils.Address()
        places = [ctypes.byref(one) for one in (base, start, end)]
        found: List[Tuple[int, int]] = []
        offset = _ranges(ctypes.byref(self), 0, *places)
        while offset > 0 and len(found) < _MOST_RANGES:
            if start.value < end.value:
                found.append((start.value, end.value))
            offset = _ranges(ctypes.byref(self), offset, *places)
        return found

    def has_code_at(self, pc: int) -> bool:
        """The same as any(start <= pc < end for start, end in self.ranges())."""
        return bool(_haspc(ctypes.byref(self), pc) == 1)


def unit_of(cu: int) -> Optional[Die]:
    """The DIE of the unit that a Die or an Attribute is in, by its `cu`."""
    found = Die()
    return found if _cu_die(cu, ctypes.byref(found), *[None] * 6) else None


def _referred(attribute: Optional[Attribute]) -> Optional[Die]:
    found = Die()
    return found if attribute is not None and \
        _formref_die(ctypes.byref(attribute), ctypes.byref(found)) else None


# The functions of libdw.

_Die, _Attribute = elfutils.Pointer, elfutils.Pointer
_Out = elfutils.Pointer
_tag = elfutils.function("dwarf_tag", ctypes.c_int, _Die)
_child = elfutils.function("dwarf_child", ctypes.c_int, _Die, _Out)
_siblingof = elfutils.function("dwarf_siblingof", ctypes.c_int, _Die, _Out)
_attr = elfutils.function("dwarf_attr", elfutils.Pointer, _Die, ctypes.c_uint, _Out)
_attr_integrate = elfutils.function("dwarf_attr_integrate", elfutils.Pointer, _Die, ctypes.c_uint,
                                   _Out)
_cu_die = elfutils.function("dwarf_cu_die", elfutils.Pointer, elfutils.Pointer, *[_Out] * 7)
_ranges = elfutils.function("dwarf_ranges", ctypes.c_ssize_t, _Die, ctypes.c_ssize_t, _Out, _Out,
                           _Out)
_haspc = elfutils.function("dwarf_haspc", ctypes.c_int, _Die, elfutils.Address)
_formudata = elfutils.function("dwarf_formudata", ctypes.c_int, _Attribute, _Out)
_formsdata = elfutils.function("dwarf_formsdata", ctypes.c_int, _Attribute, _Out)
_formaddr = elfutils.function("dwarf_formaddr", ctypes.c_int, _Attribute, _Out)
_formflag = elfutils.function("dwarf_formflag", ctypes.c_int, _Attribute, _Out)
_formstring = elfutils.function("dwarf_formstring", ctypes.c_char_p, _Attribute)
_formref_die = elfutils.function("dwarf_formref_die", elfutils.Pointer, _Attribute, _Out)
