# SPDX-License-Identifier: MIT
"""Where a variable is at an instruction, by the words of "image lookup -v":

    Variable: id = {0x3ce}, name = "i", type = "int", location = DW_OP_breg3 RBX-1, ...

before which newer ones than lldb 14 have the range of code: "[0x12a8, 0x12ad) -> ".

lldb's own values are those for the pc of a frame, which in one that has called another is that of
the next instruction, where the variable may have another value already.
"""

from __future__ import annotations

import re

import lldb

from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Optional

_VARIABLE = r'Variable: [^\n]*?\bname = "%s", [^\n]*?\blocation = ' \
    r"(?:\[0x[0-9a-f]+, 0x[0-9a-f]+\) -> )?([^\n]*?)(?:, decl = |$)"
_PLACE = re.compile(r"DW_OP_reg\d+ (\w+)$|"
                    r"DW_OP_breg\d+ (\w+)([+-]\d+)(?:, DW_OP_constu (\w+), DW_OP_and)?"
                    r", DW_OP_stack_value$")
_WORD = (1 << 64) - 1


class Place(NamedTuple):
    """A register with something added, of which these bits count."""

    register: str
    added: int
    mask: int


def at(target: Any, address: int, name: str, is_innermost: bool) -> Optional[Place]:
    """That of the innermost variable of this NAME, None if it is elsewhere. IS_INNERMOST: what is
    asked about is inlined into nothing, or nothing into it; else there may be only one of that
    NAME."""
    result = lldb.SBCommandReturnObject()
    target.GetDebugger().GetCommandInterpreter().HandleCommand(
        "image lookup -v -a %#x" % address, result)
    described = re.findall(_VARIABLE % re.escape(name), result.GetOutput() or "", re.MULTILINE)
    found = _PLACE.match(described[0]) if described and (is_innermost or len(described) == 1) else None
    if found is None:
        return None
    return Place((found.group(1) or found.group(2)).lower(), int(found.group(3) or 0),
                 int(found.group(4) or "0xffffffffffffffff", 0) & _WORD)
