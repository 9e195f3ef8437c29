# SPDX-License-Identifier: MIT
"""Variables of functions and of the outlined bodies in them, by the debug information and the
directives.

GCC and clang make a function of each body, and describe in it the variables that it names; some
of them as a copy, some as a reference or a bare address of what the function around it has.
"""

from __future__ import annotations

import gdb

from openmp_inspect.core import debug, escaped, text
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.source import clauses, directives
from openmp_inspect.code import outlined
from gdb_openmp.host import gdb_text, process
from gdb_openmp.host.debug_information import ARRAYS, Function, address_of

if TYPE_CHECKING:
    from typing import Any, Dict, Iterable, List, Optional, Sequence, Set
    from gdb_openmp.host.gdb_types import GdbFrame, GdbSymbol, GdbValue

_MOST_BLOCKS = 64
_GONE = "<optimized out>"
_NOTHING = regex(r"0x0|(?:[{},\s]|[\w$]+ = |%s)*" % _GONE)


class FunctionScope:
    """The variables of one function: those of its blocks around a point in it. `inner` has
    the names that were declared in blocks within it, `copied_in` threadprivate variables of which
    clang hands the primary thread's copies to it."""

    def __init__(self, function: Optional[GdbSymbol]) -> None:
        self.function = function
        self.symbols: Dict[str, GdbSymbol] = {}
        self.inner: Set[str] = set()
        self.copied_in: Dict[str, GdbSymbol] = {}

    @property
    def is_outlined(self) -> bool:
        return self.function is not None and outlined.is_continued(Function(self.function))


class Meaning(NamedTuple):
    """Of a name among Levels."""

    depth: Optional[int]  # of the FunctionScope that has it
    spelling: str


def is_described_inside(function: GdbSymbol) -> bool:
    """Whether the debug information has a body inside the function around, as GCC's."""
    return outlined.is_nested(gdb_text.symbol_name(function))


def levels(frame: GdbFrame) -> List[FunctionScope]:
    """The FunctionScopes from a frame's function outwards; more than one if it is an outlined
    body."""
    try:
        block = frame.block()
    except RuntimeError:
        debug.ignored()
        return []  # no debug information
    result: List[FunctionScope] = []
    level = FunctionScope(None)
    for _ in range(_MOST_BLOCKS):
        if block is None or block.is_static or block.is_global:
            break
        for symbol in block:
            name = gdb_text.symbol_name(symbol)
            if not _is_programmers(symbol):
                continue
            thread_local = _copied_in(symbol, block.function)
            if thread_local is not None:
                level.copied_in[name] = thread_local
                continue
            first = level.symbols.setdefault(name, symbol)
            if first is symbol:
                if block.function is None:
                    level.inner.add(name)
            elif first.is_argument and not symbol.is_argument:
                level.symbols[name] = symbol  # clang's copy of what it gets a reference to
        above = block.superblock
        if block.function is not None:
            level.function = block.function
            result.append(level)
            if not level.is_outlined:
                break
            code = outlined.code_around(process.current(), Function(block.function))
            if code is not None:
                # clang's copies have the lines of the variables that the directive names.
                level.inner = {name for name in level.inner
                               if level.symbols[name].line >= block.function.line}
                above = gdb.block_for_pc(code)
            level = FunctionScope(None)
        block = above
    return result


def _is_programmers(symbol: GdbSymbol) -> bool:
    """Whether a symbol is a variable in the source. clang calls the bound of an array "vla", which
    has no line."""
    name = gdb_text.symbol_name(symbol)
    if not outlined.is_programmers(name) or \
            name == "vla" and symbol.is_argument and not symbol.line:
        return False
    return bool(symbol.is_variable or symbol.is_argument or symbol.is_constant and
                symbol.type.strip_typedefs().code != gdb.TYPE_CODE_ENUM)


def _copied_in(symbol: GdbSymbol, body: Optional[GdbSymbol]) -> Optional[GdbSymbol]:
    """The threadprivate variable of which clang hands the primary thread's copy to the BODY of a
    region with copyin, if SYMBOL is that argument: the directive says so, or the argument is
    declared where the variable is."""
    if body is None or not symbol.is_argument or symbol.type.code != gdb.TYPE_CODE_REF:
        return None
    name = gdb_text.symbol_name(symbol)
    found = gdb_text.symbol(name)
    if found is None or found.addr_class != gdb.SYMBOL_LOC_COMPUTED:
        return None
    source = directive(body)
    is_same = source.classes.get(name) == clauses.THREADPRIVATE if source is not None else \
        found.line == symbol.line and \
        gdb_text.file_name(found.symtab) == gdb_text.file_name(symbol.symtab)
    return found if is_same else None


def own_variables(found: List[FunctionScope]) -> List[GdbSymbol]:
    """The variables of the innermost of some levels()."""
    return [symbol for symbol in found[0].symbols.values() if symbol.is_variable] if found else []


def lines(frame: GdbFrame, indent: str) -> List[str]:
    """The variables of a gdb.Frame's own function, as gdb writes them. Its thread is selected."""
    return ["%s%s = %s" % (indent, text.style("variable", escaped.shown(
        gdb_text.symbol_name(symbol))), written(symbol, frame))
            for symbol in own_variables(levels(frame))]


def written(symbol: GdbSymbol, frame: GdbFrame, around: Iterable[FunctionScope] = ()) -> str:
    """A value as "info locals" writes it."""
    try:
        return text_of(read(symbol, frame, around))
    except gdb.error as error:
        return "<error: %s>" % error


def text_of(value: GdbValue) -> str:
    """The same of a value. gdb writes what is gone element by element, and an array without bounds
    as an address, 0x0."""
    found = str(gdb_text.exact(value.format_string, deref_refs=True))
    return _GONE if value.is_optimized_out and _NOTHING.fullmatch(found) else found


def directive(function: GdbSymbol) -> Optional[clauses.Clauses]:
    """The clauses.Clauses of an outlined function, or None. The first line of optimised
    code may be one behind it."""
    start = gdb_text.line_at(int(function.value().address))
    if not start.symtab or not start.line:
        return None
    return clauses.read(gdb_text.full_name(start.symtab), start.line)


def where(name: str, found: Sequence[FunctionScope], frame: GdbFrame) -> Meaning:
    """The Meaning of a variable's name among Levels, in a frame."""
    name = _spelled(name, found, frame)
    for depth, level in enumerate(found):
        symbol = level.symbols.get(name)
        if symbol is not None and not bare_array(symbol, found[depth + 1:]):
            return Meaning(depth, name)
    return Meaning(None, name)


def is_fortran(frame: GdbFrame) -> bool:
    """Whether names in a frame have no case."""
    return _is_of_fortran(gdb_text.line_of(frame))


def _is_of_fortran(thing: Any) -> bool:
    """Whether the file of a symbol or line is one of Fortran."""
    symtab = thing.symtab
    return symtab is not None and directives.is_fortran(gdb_text.file_name(symtab))


def bare_array(symbol: GdbSymbol, around: Iterable[FunctionScope]) -> bool:
    """Whether a body has only the bare address of an array whose bounds are known in one of
    the FunctionScopes around it."""
    for level in around:
        other = level.symbols.get(gdb_text.symbol_name(symbol))
        if other is not None:
            kind = other.type.strip_typedefs()
            if kind.code == gdb.TYPE_CODE_REF:
                kind = kind.target().strip_typedefs()
            return kind.code in ARRAYS and _has_no_bounds(symbol)
    return False


def _has_no_bounds(symbol: GdbSymbol) -> bool:
    """Whether a variable is a pointer or reference, or an array of C without bounds. gdb 10 dies
    of writing the type of an array of Fortran that has its bounds in variables."""
    kind = symbol.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_REF:
        return kind.target().strip_typedefs().code not in ARRAYS
    if kind.code == gdb.TYPE_CODE_PTR:
        return True
    return kind.code in ARRAYS and not _is_of_fortran(symbol) and \
        "[]" in gdb_text.exact(str, kind)


def _spelled(name: str, found: Iterable[FunctionScope], frame: GdbFrame) -> str:
    if is_fortran(frame):
        for level in found:
            for known in level.symbols:
                if known.lower() == name.lower():
                    return known
    return name


def read(symbol: GdbSymbol, frame: GdbFrame, around: Iterable[FunctionScope] = ()) -> GdbValue:
    """A symbol's value in a frame of the selected thread, which gets selected: gdb takes
    the bounds of an array from there. AROUND: as for is_handed()."""
    frame.select()
    value = symbol.value(frame)
    return value.referenced_value() if is_handed(symbol, around) else value


def is_handed(symbol: GdbSymbol, around: Iterable[FunctionScope] = ()) -> bool:
    """Whether a symbol is a reference, and the variable is none: so clang hands to a body what
    it has in common. AROUND: the FunctionScopes around; without them it is known in C only."""
    if symbol.type.code != gdb.TYPE_CODE_REF or symbol.symtab is None or _is_of_fortran(symbol):
        return False
    name = gdb_text.symbol_name(symbol)
    other = next((level.symbols[name] for level in around if name in level.symbols), None)
    return gdb_text.file_name(symbol.symtab).endswith(".c") or \
        other is not None and other.type.code != gdb.TYPE_CODE_REF


def is_copy_lost(name: str, level: FunctionScope, around: Iterable[FunctionScope] = ()) -> bool:
    """Whether a body has a copy of its own of a variable, by its directive, and is described with
    a reference to the one around alone, as optimised bodies of clang's are. AROUND: as for
    is_handed()."""
    source = directive(level.function)
    return source is not None and source.is_copied(name) and \
        is_handed(level.symbols[name], around)


def with_bounds(symbol: GdbSymbol, frame: GdbFrame, other: GdbValue) -> Optional[GdbValue]:
    """Of a bare_array() the array that a body has, with the bounds of that around, the OTHER one; None
    where either is not known. FRAME is the body's; its thread is selected."""
    value = read(symbol, frame)
    if value.is_optimized_out or other.is_optimized_out:
        return None
    is_pointer = value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR
    address = int(value) if is_pointer else address_of(value)
    return None if address is None else \
        gdb.Value(address).cast(other.type.pointer()).dereference()
