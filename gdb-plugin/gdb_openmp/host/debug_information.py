# SPDX-License-Identifier: MIT
"""What gdb has of the debug information, as openmp_inspect/host/interface.py has it."""

from __future__ import annotations

import re

import gdb

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface
from gdb_openmp.host import gdb_text, inferiors

if TYPE_CHECKING:
    from typing import Any, Collection, Dict, Iterator, List, Optional, Set, Tuple
    from openmp_inspect.host.interface import Field, Line, Variable
    from gdb_openmp.host.gdb_types import GdbBlock, GdbFrame, GdbSymbol, GdbSymtab, GdbType, \
        GdbValue

_DEEPEST = 32  # blocks within each other
_KINDS = {gdb.TYPE_CODE_ARRAY: "array", gdb.TYPE_CODE_STRUCT: "struct",
          gdb.TYPE_CODE_PTR: "pointer", gdb.TYPE_CODE_REF: "reference"}
ARRAYS = (gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_STRING)
_INTEGERS = {gdb.TYPE_CODE_INT, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL}
_WORD = (1 << 64) - 1
_RANGE = re.compile(r"Range (0x[0-9a-f]+)-(0x[0-9a-f]+):")
_REGISTER = re.compile(r"\$(\w+)")


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
        lines = [entry.line for entry in line_entries(self.symtab) if entry.pc == address]
        return [line for line in lines if address in self.addresses_of(line)]

    def lines_between(self, start: int, end: int) -> Dict[int, int]:
        return {entry.line: entry.pc for entry in line_entries(self.symtab)
                if start <= entry.pc < end}

    @property
    def image(self) -> Optional[str]:
        return gdb_text.image_file(self.symtab.objfile)


def line_entries(symtab: GdbSymtab) -> List[Any]:
    """What a file has in gdb's table of lines. Where it has none gdb crashes as soon as one asks
    for the first of them."""
    table = symtab.linetable()
    try:
        table.has_line(1)
    except RuntimeError:
        debug.ignored()
        return []
    return list(table)


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


def address_of(value: GdbValue) -> Optional[int]:
    """The address of a gdb.Value, or None of one that is not in memory. gdb copies an array that is
    not into memory that it has the program allocate, where it is asked for its address; it does not
    where the array is to be read as a string."""
    is_array = value.type.strip_typedefs().code in ARRAYS
    try:
        address = value.lazy_string().address if is_array else value.address
    except (gdb.error, gdb.MemoryError, UnicodeDecodeError):
        debug.ignored()
        return None
    return None if address is None else int(address)


def variable(name: str) -> Optional[Variable]:
    found = gdb_text.symbol(name)
    if found is None or not found.is_variable or found.needs_frame:
        return None
    try:
        value = found.value()
        address = address_of(value)
        return None if address is None else interface.Variable(name, address, Type(value.type))
    except (gdb.error, UnicodeDecodeError):
        debug.ignored()  # gdb decodes all members of a structure at once
        return None


def _symbols(frame: GdbFrame) -> Iterator[GdbSymbol]:
    """Those of the variables of a gdb.Frame whose thread is selected, but for static ones."""
    try:
        block = frame.block()
    except RuntimeError:
        debug.ignored()
        return
    while block is not None and not block.is_global and not block.is_static:
        for symbol in block:
            if (symbol.is_variable or symbol.is_argument) and (
                    symbol.needs_frame or symbol.addr_class == gdb.SYMBOL_LOC_OPTIMIZED_OUT):
                yield symbol
        if block.function is not None:
            break
        block = block.superblock


def variables_of(frame: GdbFrame) -> List[Variable]:
    """As interface.Frame.variables(), of a gdb.Frame whose thread is selected."""
    return [_variable(symbol, frame) for symbol in _symbols(frame)]


def _variable(symbol: GdbSymbol, frame: GdbFrame) -> Variable:
    name, kind, address, leads_to = gdb_text.symbol_name(symbol), Type(symbol.type), None, None
    try:
        value = symbol.value(frame)
        if not value.is_optimized_out:
            kind = Type(value.type)
            is_reference = kind.kind == "reference"
            if is_reference or kind.kind == "pointer":
                leads_to = int(value.referenced_value().address if is_reference else value)
            address = None if is_reference else address_of(value)
    except (gdb.error, UnicodeDecodeError):
        debug.ignored()
    return interface.Variable(name, address, kind, leads_to)


def word(frame: GdbFrame, name: str, pc: int, kept: Optional[Collection[str]]) -> Optional[int]:
    """As interface.Frame.word(), of a gdb.Frame whose thread is selected and which executes the
    instruction at PC. KEPT: the registers that count, None: all."""
    symbol = next((one for one in _symbols(frame) if gdb_text.symbol_name(one) == name), None)
    try:
        value = None if symbol is None else symbol.value(frame)
        if value is None or value.is_optimized_out or \
                value.type.strip_typedefs().code not in _INTEGERS or value.address is not None:
            return None
        if kept is not None:
            frame.select()
            needed = _registers_of(gdb_text.printed("info address " + name), pc)
            if needed is None or not needed <= set(kept):
                return None
        return int(value) & _WORD
    except (gdb.error, UnicodeDecodeError):
        debug.ignored()
        return None


def _registers_of(location: str, pc: int) -> Optional[Set[str]]:
    """The registers that a variable's location needs at PC, as "info address" describes it, or
    None:

        Symbol "i" is multi-location:
          Range 0x12a8-0x12ad: a variable in $rbx
          Range 0x12b1-0x12b2: a complex DWARF expression:
             0: DW_OP_breg3 -1 [$rbx]
    """
    parts = _RANGE.split(location)
    text = next((parts[at + 2] for at in range(1, len(parts) - 2, 3)
                 if int(parts[at], 16) <= pc < int(parts[at + 1], 16)), "") \
        if len(parts) > 1 else location
    found = set(_REGISTER.findall(text))
    return found or None
