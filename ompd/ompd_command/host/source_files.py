# SPDX-License-Identifier: MIT
"""Files of the source, by the debug information of a unit."""

from __future__ import annotations

import os

from openmp_inspect.core.cached import fact
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface

if TYPE_CHECKING:
    from typing import Dict, List, Optional
    from ompd_command.host.dwarf import Attribute
    from ompd_command.host.units import Unit


class SourceFile(interface.SourceFile):
    """A file by the name that the line table of a Unit has for it."""

    def __init__(self, unit: Unit, name: bytes) -> None:
        self._unit = unit
        self._name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SourceFile) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    @fact
    def name(self) -> str:  # type: ignore[override]
        """In DWARF 5 line tables have the program's own file with its directory."""
        given = os.fsdecode(self._name)
        unit = self._unit
        return unit.name if _joined(unit, unit.name) == _joined(unit, given) else given

    @fact
    def path(self) -> str:  # type: ignore[override]
        return os.path.normpath(_joined(self._unit, self.name))

    def producer(self) -> str:
        return self._unit.producer

    def addresses_of(self, line: int) -> List[int]:
        bias = self._unit.file.bias
        return [bias + address for address in self._unit.lines.addresses_of(self._name, line)]

    def lines_at(self, address: int) -> List[int]:
        return self._unit.lines.lines_at(self._name, *self._unbiased(address))

    def lines_between(self, start: int, end: int) -> Dict[int, int]:
        bias = self._unit.file.bias
        return {entry.line: bias + entry.address for entry in self._unit.lines.entries_between(
            *self._unbiased(start, end)) if entry.file == self._name}

    def _unbiased(self, *addresses: int) -> List[int]:
        return [address - self._unit.file.bias for address in addresses]

    @property
    def image(self) -> Optional[str]:
        path: str = self._unit.file.module.path
        return path


def _joined(unit: Unit, name: str) -> str:
    return os.path.join(unit.directory, name)


def of_unit(unit: Unit) -> SourceFile:
    """The one that it was compiled from, which is the first of its line table."""
    own = SourceFile(unit, os.fsencode(unit.name))
    first = [SourceFile(unit, name) for name in map(unit.lines.file, (0, 1)) if name]
    return next((file for file in first if file.path == own.path), own)


def of_number(unit: Unit, number: Optional[Attribute]) -> Optional[SourceFile]:
    """The one that an attribute with the NUMBER of a file means, which may be of another unit."""
    owner = None if number is None else unit.file.unit_of(number.cu)
    value = None if number is None else number.number()
    name = None if owner is None or not value else owner.lines.file(value)
    return None if owner is None or name is None else SourceFile(owner, name)
