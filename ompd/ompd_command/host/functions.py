# SPDX-License-Identifier: MIT
"""Functions by debug information, also those that are inlined."""

from __future__ import annotations

from ompd_command.host import dwarf_constants as dw
from ompd_command.host import function_names, source_files
from openmp_inspect.core.cached import fact
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface

if TYPE_CHECKING:
    from typing import Optional
    from ompd_command.host.dwarf import Die
    from ompd_command.host.units import Unit
    from openmp_inspect.host.interface import Line


class Function(interface.Function):
    """Code of a function. As gdb has it `line` and `file` of one that is inlined are those of the
    call, and `address` is where this code of it begins."""

    def __init__(self, unit: Unit, die: Die) -> None:
        self._unit = unit
        self._die = die
        self.is_inlined = die.tag == dw.INLINED_SUBROUTINE
        ranges, bias = die.ranges(), unit.file.bias
        self.start = bias + min((start for start, _ in ranges), default=-bias)
        self.end = bias + max((end for _, end in ranges), default=-bias)
        self._address = bias + ranges[0][0] if ranges else 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and other._die == self._die

    def __hash__(self) -> int:
        return hash(self._die)

    @fact
    def name(self) -> str:  # type: ignore[override]
        return function_names.full_name(self._unit.file, self._die)

    @fact
    def linkage_name(self) -> str:  # type: ignore[override]
        return function_names.linkage_name(self._die) or self.name

    @fact
    def line(self) -> int:  # type: ignore[override]
        return self._die.number(dw.AT_CALL_LINE if self.is_inlined else dw.AT_DECL_LINE) or 0

    @property
    def file(self) -> Optional[source_files.SourceFile]:
        code = dw.AT_CALL_FILE if self.is_inlined else dw.AT_DECL_FILE
        return source_files.of_number(self._unit, self._die.attribute(code)) or \
            source_files.of_unit(self._unit)

    @property
    def address(self) -> int:
        return self._address

    def call(self) -> Line:
        """The Line that has called an inlined function."""
        return interface.Line(self.file if self.line else None, self.line, 0)
