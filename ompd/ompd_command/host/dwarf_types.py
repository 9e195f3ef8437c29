# SPDX-License-Identifier: MIT
"""Types by debug information, as openmp_inspect/host/interface.py has them."""

from __future__ import annotations

from ompd_command.host import dwarf_constants as dw
from ompd_command.host import type_names
from openmp_inspect.core.cached import fact
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface

if TYPE_CHECKING:
    from typing import List, Optional, Tuple
    from ompd_command.host.dwarf import Die
    from ompd_command.host.units import UnitsOfFile
    from openmp_inspect.host.interface import Field

_MOST_ALIASES = 32
_DEEPEST = 16  # arrays of arrays
_MOST_FIELDS = 1 << 12
_LARGEST = 1 << 47  # object
_ALIASES = {dw.TYPEDEF, *dw.QUALIFIERS}
_POINTERS = {dw.POINTER_TYPE, dw.REFERENCE_TYPE, dw.RVALUE_REFERENCE_TYPE}
_KINDS = {dw.ARRAY_TYPE: "array", dw.POINTER_TYPE: "pointer", dw.REFERENCE_TYPE: "reference",
          **{tag: "struct" for tag in dw.STRUCTURES}}


class Type(interface.Type):
    """That of a DIE; None is void. Of an array of several dimensions the outer ones may be
    left out, as `skipped` says."""

    def __init__(self, units: UnitsOfFile, die: Optional[Die], skipped: int = 0) -> None:
        self._units = units
        self._die = die
        self._resolved = _resolved(die)
        self._skipped = skipped
        self.kind = "other" if self._resolved is None else _KINDS.get(self._resolved.tag, "other")

    @fact
    def name(self) -> str:  # type: ignore[override]
        """In words of C; in C++ as gdb's, with "struct" before one."""
        found = type_names.name(self._units, self._die, self._skipped)
        is_tagged = self.kind != "struct" or self._die is None or self._die.tag == dw.TYPEDEF or \
            found.startswith(("struct ", "class ", "const ", "volatile "))
        return found if is_tagged else "struct " + found

    @fact
    def size(self) -> int:  # type: ignore[override]
        return _size(self._units, self._resolved, self._skipped, _DEEPEST)

    @property
    def is_integer(self) -> bool:
        die = self._resolved
        return die is not None and (die.tag == dw.ENUMERATION_TYPE or
                                    die.number(dw.AT_ENCODING) in dw.INTEGERS)

    def fields(self) -> List[Field]:
        found: List[Field] = []
        resolved = self._resolved
        if resolved is None or self.kind != "struct":
            return found
        for die, _ in zip(resolved.children({dw.MEMBER}), range(_MOST_FIELDS)):
            offset, name = _offset(die), die.name
            if offset is not None and name:
                found.append(interface.Field(name, offset, Type(self._units, die.type)))
        return found

    def target(self) -> Type:
        return self._target

    @fact
    def _target(self) -> Type:
        if self._resolved is None or self.kind == "other" or self.kind == "struct":
            return Type(self._units, None)
        if self.kind == "array" and self._skipped + 1 < len(type_names.lengths(self._resolved)):
            return Type(self._units, self._resolved, self._skipped + 1)
        return Type(self._units, _unqualified(self._resolved.type))

    def bounds(self) -> Tuple[int, int]:
        return self._bounds

    @fact
    def _bounds(self) -> Tuple[int, int]:
        if self._resolved is None or self.kind != "array":
            return 0, -1
        known = list(type_names.bounds(self._resolved))[self._skipped:]
        low, high = known[0] if known else (0, None)
        return low, low - 1 if high is None else high


def _resolved(die: Optional[Die]) -> Optional[Die]:
    """What an alias stands for."""
    for _ in range(_MOST_ALIASES):
        if die is None or die.tag not in _ALIASES:
            return die
        die = die.type
    return None


def _unqualified(die: Optional[Die]) -> Optional[Die]:
    for _ in range(_MOST_ALIASES):
        if die is None or die.tag not in dw.QUALIFIERS:
            break
        die = die.type
    return die


def _size(units: UnitsOfFile, die: Optional[Die], skipped: int, depth: int) -> int:
    """In bytes; as gdb has it, 1 of void and functions."""
    if die is None or die.tag == dw.SUBROUTINE_TYPE:
        return 1
    own = die.number(dw.AT_BYTE_SIZE)
    if own is not None and not skipped:
        return own if own <= _LARGEST else 0
    if die.tag in _POINTERS:
        return units.pointer_size
    if die.tag != dw.ARRAY_TYPE or depth <= 0:
        return 0
    found = _size(units, _resolved(die.type), 0, depth - 1)
    for length in type_names.lengths(die)[skipped:]:
        found *= length or 0
    return found if found <= _LARGEST else 0


def _offset(member: Die) -> Optional[int]:
    """Of a MEMBER in bytes, or None of a static one."""
    if member.own(dw.AT_EXTERNAL) is not None or member.own(dw.AT_DECLARATION) is not None:
        return None
    bits = member.number(dw.AT_DATA_BIT_OFFSET)
    return bits // 8 if bits is not None else member.number(dw.AT_DATA_MEMBER_LOCATION) or 0
