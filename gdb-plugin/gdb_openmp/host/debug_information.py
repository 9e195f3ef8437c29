# SPDX-License-Identifier: MIT
"""What gdb has of the debug information, as openmp_inspect/host/interface.py has it."""

from __future__ import annotations

import gdb

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface
from gdb_openmp.host import gdb_text, inferiors

if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Tuple
    from openmp_inspect.host.interface import Field, Line, Variable
    from gdb_openmp.host.gdb_types import GdbBlock, GdbFrame, GdbSymbol, GdbSymtab, GdbType

_DEEPEST = 32  # blocks within each other
_KINDS = {gdb.TYPE_CODE_ARRAY: "array", gdb.TYPE_CODE_STRUCT: "struct",
          gdb.TYPE_CODE_PTR: "pointer", gdb.TYPE_CODE_REF: "reference"}


class SourceFile(interface.SourceFile):
    """Over a gdb.Symtab."""

    def __init__(self, symtab: GdbSymtab) -> None:
        self.symtab = symtab
        self.name = gdb_text.file_name(symtab)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SourceFile) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def path(self) -> str:  # type: ignore[override]
        return gdb_text.full_name(self.symtab)

    def producer(self) -> str:
        return gdb_text.producer(self.symtab)

    def addresses_of(self, line: int) -> List[int]:
        return [entry.pc for entry in self.symtab.linetable().line(line) or ()]

    def lines_at(self, address: int) -> List[int]:
        return [entry.line for entry in self.symtab.linetable() if entry.pc == address]

    def lines_between(self, start: int, end: int) -> Dict[int, int]:
        return {entry.line: entry.pc for entry in self.symtab.linetable() if start <= entry.pc < end}

    @property
    def image(self) -> Optional[str]:
        return gdb_text.image_file(self.symtab.objfile)


def file_of(symtab: Optional[GdbSymtab]) -> Optional[SourceFile]:
    return None if symtab is None else SourceFile(symtab)


def line_of(sal: Any) -> Line:
    """The interface.Line of a gdb.Symtab_and_line."""
    return interface.Line(file_of(sal.symtab), sal.line, sal.last or 0)


class Function(interface.Function):
    """Over a gdb.Symbol, with a gdb.Block that has code of it."""

    def __init__(self, symbol: GdbSymbol, block: Optional[GdbBlock] = None) -> None:
        self.symbol = symbol
        self.name = gdb_text.symbol_name(symbol)
        self.line = symbol.line
        self.start, self.end = (0, 0) if block is None else (block.start, block.end)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and other.symbol == self.symbol

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def linkage_name(self) -> str:  # type: ignore[override]
        return gdb_text.linkage_name(self.symbol)

    @property
    def file(self) -> Optional[SourceFile]:
        return file_of(self.symbol.symtab)

    @property
    def address(self) -> int:
        try:
            address = self.symbol.value().address
        except (gdb.error, TypeError):
            debug.ignored()
            return 0
        return 0 if address is None else int(address)


def functions_at(pc: int) -> List[interface.Function]:
    found: List[interface.Function] = []
    block = None if gdb_text.is_other(pc) else inferiors.block_at(pc)
    for _ in range(_DEEPEST):
        if block is None:
            break
        if block.function is not None:
            found.append(Function(block.function, block))
        block = block.superblock
    return found


class Type(interface.Type):
    """Over a gdb.Type."""

    def __init__(self, kind: GdbType) -> None:
        self.given = kind
        self._resolved = kind.strip_typedefs()
        self.kind = _KINDS.get(self._resolved.code, "other")
        self.size = int(self._resolved.sizeof)

    @property
    def name(self) -> str:  # type: ignore[override]
        """In words of C; in C++ gdb leaves "struct" out."""
        name: str = gdb_text.exact(str, self.given)
        known = self.given.code != gdb.TYPE_CODE_STRUCT or name.startswith(("struct ", "class "))
        return name if known else "struct " + name

    def fields(self) -> List[Field]:
        found = []
        for field in self._resolved.fields():
            start = getattr(field, "bitpos", None)
            if start is not None and field.name and not field.is_base_class:
                found.append(interface.Field(field.name, start // 8, Type(field.type)))
        return found

    def target(self) -> Type:
        return Type(self._resolved.target().unqualified())

    def bounds(self) -> Tuple[int, int]:
        low, high = self._resolved.range()
        return int(low), int(high)


def variable(name: str) -> Optional[Variable]:
    found = gdb_text.symbol(name)
    if found is None or not found.is_variable or found.needs_frame:
        return None
    try:
        value = found.value()
        return None if value.address is None else \
            interface.Variable(name, int(value.address), Type(value.type))
    except (gdb.error, UnicodeDecodeError):
        debug.ignored()  # gdb decodes all members of a structure at once
        return None


def variables_of(frame: GdbFrame) -> List[Variable]:
    """As interface.Frame.variables(), of a gdb.Frame whose thread is selected."""
    found: List[Variable] = []
    try:
        block = frame.block()
    except RuntimeError:
        debug.ignored()
        return found
    while block is not None and not block.is_global and not block.is_static:
        for symbol in block:
            if (symbol.is_variable or symbol.is_argument) and symbol.needs_frame:
                found += _variable(symbol, frame)
        if block.function is not None:
            break
        block = block.superblock
    return found


def _variable(symbol: GdbSymbol, frame: GdbFrame) -> List[Variable]:
    try:
        value = symbol.value(frame)
        if value.is_optimized_out:
            return []
        kind, leads_to = Type(value.type), None
        is_reference = kind.kind == "reference"
        if is_reference or kind.kind == "pointer":
            leads_to = int(value.referenced_value().address if is_reference else value)
        address = None if is_reference or value.address is None else int(value.address)
        return [interface.Variable(gdb_text.symbol_name(symbol), address, kind, leads_to)]
    except (gdb.error, UnicodeDecodeError):
        debug.ignored()
        return []
