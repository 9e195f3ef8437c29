# SPDX-License-Identifier: MIT
"""Names of functions and static variables as gdb has them: of C the name, of C++ with what it is in
and its parameters, of Fortran with its module or the procedure around it."""

from __future__ import annotations

from openmp_inspect.host import demangling
from ompd_command.host import type_names
from ompd_command.host import dwarf_constants as dw
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Optional
    from ompd_command.host.dwarf import Die
    from ompd_command.host.units import UnitsOfFile


def linkage_name(die: Die) -> Optional[str]:
    """The linker's name by the debug information, or None."""
    return die.string(dw.AT_LINKAGE_NAME) or die.string(dw.AT_MIPS_LINKAGE_NAME)


def full_name(units: UnitsOfFile, die: Die) -> str:
    """Of a function or variable, "" if it has none."""
    unit, own = units.unit_of(die.cu), die.name or linkage_name(die) or ""
    if unit is None or not own:
        return own
    if unit.is_fortran:
        return type_names.prefix(units, die) + own
    linked = linkage_name(die)
    if linked is not None:
        return demangling.without_result(demangling.demangled(linked))
    if not unit.is_cplusplus:
        return own
    if die.tag != dw.SUBPROGRAM:
        return type_names.prefix(units, die) + own
    # gdb has no words of C++ for a name that cannot be one.
    is_name = "." not in own and not own.startswith("<")
    return type_names.prefix(units, die) + own + type_names.parameters(units, die, is_name)
