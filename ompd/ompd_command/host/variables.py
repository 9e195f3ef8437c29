# SPDX-License-Identifier: MIT
"""Variables by debug information: static ones by name, and those of a frame."""

from __future__ import annotations

import os

from ompd_command.host import dwarf_constants as dw
from ompd_command.host import function_names, locations
from ompd_command.host.dwarf_types import Type
from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface

if TYPE_CHECKING:
    from typing import Callable, Iterable, Iterator, List, Optional, Sequence, Tuple
    from ompd_command.host.dwarf import Attribute, Die
    from ompd_command.host.expressions import Operation
    from ompd_command.host.locations import Location, PhysicalFrame
    from ompd_command.host.units import Unit, UnitsOfFile
    from openmp_inspect.host.interface import Variable

    Read = Callable[[int, int], bytes]

_MOST_VARIABLES = 1 << 10  # of a scope
_MOST_DIES = 1 << 20  # outside of functions and types
_NO_CODE = 0  # an address
_ELSEWHERE = dw.AT_CONST_VALUE, dw.AT_EXTERNAL, dw.AT_DECLARATION


class StaticVariables:
    """Those of a file."""

    def __init__(self, units: UnitsOfFile) -> None:
        self._units = units

    def named(self, name: str) -> List[Die]:
        """All of a NAME, with what it is in, external ones first."""
        last = name.rpartition("::")[2]
        units, may_be_elsewhere = self._units.naming(os.fsencode(last))
        # With -flto and dwz the name is that of a DIE of another unit.
        found = list(self._in(units, last)) or list(self._in(
            self._units.all() if may_be_elsewhere else (), last))
        return sorted((die for die in found if function_names.full_name(self._units, die) == name),
                      key=lambda die: not die.flag(dw.AT_EXTERNAL))

    @staticmethod
    def _in(units: Iterable[Unit], name: str) -> Iterator[Die]:
        looked_at = 0
        for unit in units:
            if looked_at > _MOST_DIES:
                break
            yield from unit.variables.get(name, ())
            looked_at += unit.tree.size


def static(units: UnitsOfFile, die: Die, read: Read) -> Optional[Variable]:
    """The variable of a DIE, None if it is at no address of its own."""
    attribute = die.attribute(dw.AT_LOCATION)
    if attribute is None:
        return None
    expression = locations.operations(attribute, _NO_CODE)
    if locations.is_of_frame(attribute, expression):
        return None
    evaluation = locations.Evaluation(units.bias, units.pointer_size, read, None, None)
    kind = Type(units, die.type)
    try:
        address = evaluation.location(attribute, expression).address
        if address is not None and kind.kind == "reference":
            address = evaluation.unsigned(address, units.pointer_size)  # a name of that object
    except HostError:
        debug.ignored()
        return None
    return None if address is None else interface.Variable(
        function_names.full_name(units, die), address, kind)


class FrameVariables:
    """Those of SCOPES, blocks of a FRAME of a FUNCTION, but for static ones."""

    def __init__(self, units: UnitsOfFile, scopes: Sequence[Die], function: Die,
                 frame: PhysicalFrame, read: Read) -> None:
        self._units, self._scopes, self._frame = units, scopes, frame
        self._evaluation = locations.Evaluation(units.bias, units.pointer_size, read, frame,
                                                function.attribute(dw.AT_FRAME_BASE))

    def all(self) -> List[Variable]:
        return [self._variable(die, name) for die, name in self._dies()]

    def word(self, name: str) -> Optional[int]:
        """As interface.Frame.word()."""
        die = next((die for die, known in self._dies() if known == name), None)
        if die is None or not Type(self._units, die.type).is_integer:
            return None
        try:
            return self._place(die).value
        except HostError:
            debug.ignored()
            return None

    def _dies(self) -> Iterator[Tuple[Die, str]]:
        for scope in self._scopes:
            for die, _ in zip(scope.children({dw.VARIABLE, dw.FORMAL_PARAMETER}),
                              range(_MOST_VARIABLES)):
                name = die.name
                if name and not self._is_static(die):
                    yield die, name

    def _is_static(self, die: Die) -> bool:
        attribute = die.attribute(dw.AT_LOCATION)
        if attribute is None:
            return die.tag == dw.VARIABLE and any(map(die.has, _ELSEWHERE))
        return not locations.is_of_frame(attribute, self._operations(attribute))

    def _operations(self, attribute: Attribute) -> List[Operation]:
        return locations.operations(attribute, self._frame.instruction - self._units.bias)

    def _place(self, die: Die) -> Location:
        attribute = die.attribute(dw.AT_LOCATION)
        return locations.NOWHERE if attribute is None else \
            self._evaluation.location(attribute, self._operations(attribute))

    def _variable(self, die: Die, name: str) -> Variable:
        kind = Type(self._units, die.type)
        address, leads_to = None, None
        try:
            address, leads_to = self._place(die)
            if address is not None and kind.kind in ("pointer", "reference"):
                leads_to = self._evaluation.unsigned(
                    address, kind.size if kind.size in (4, 8) else self._units.pointer_size)
        except HostError:
            debug.ignored()
        return interface.Variable(name, None if kind.kind == "reference" else address, kind,
                                  leads_to if kind.kind in ("pointer", "reference") else None)
