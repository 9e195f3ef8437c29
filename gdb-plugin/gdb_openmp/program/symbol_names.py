# SPDX-License-Identifier: MIT
"""Names a programmer knows for functions and objects of the target."""

from __future__ import annotations

import os
import re

import gdb

from openmp_inspect.core import caches, debug
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.source import directives
from gdb_openmp.host import frames, gdb_text, inferiors, symbols
from gdb_openmp.program import outlined

if TYPE_CHECKING:
    from typing import Callable, Dict, Iterable, List, Optional, Tuple
    from gdb_openmp.host.gdb_types import GdbBlock, GdbFrame, GdbSymbol, GdbSymtab, GdbType

_GUARD = "guard variable for "
# What GCC appends to the names of functions it makes out of the programmer's; "[cold]": as gdb's
# decoder of Ada has ".cold".
_OUTLINED = regex(r"(\._omp_(cp)?fn(\.\d+)?|\.(constprop|isra|part|cold|lto_priv)(\.\d+)?|"
                  r"\[cold\])+( ?\(void\))?$")
# gdb 10 puts the namespace or class before a symbol that has its own.
_MANGLED = regex(r"^.*::(?=_Z\w+$)")
_CRITICAL = ".gomp_critical_user_"

_DEEPEST = 16  # bodies in bodies
_CLOSURE = "::{lambda("

_demangled: Dict[str, str] = {}
_main_programs: Dict[Optional[str], str] = caches.of_code()  # by file
# By file and address: the symbols of critical sections.
_sections: Dict[Optional[str], Dict[int, str]] = caches.of_code()
_on_stacks: List[Callable[[int], Optional[str]]] = []  # one function


def demangle(name: str) -> str:
    """NAME as gdb demangles it; the same name when it is not a mangled one."""
    if not name.startswith("_Z") or not _can_be_asked(name):
        return name
    if name not in _demangled:
        try:
            text = gdb_text.printed("demangle -l c++ -- " + name).rstrip("\n")
        except gdb.error:
            debug.ignored()
            text = name
        _demangled[name] = text
    return _demangled[name]


def _can_be_asked(name: str) -> bool:
    """Whether gdb takes a name in all its languages: it warns of others, or cannot encode
    them."""
    return name.isascii() and name.isprintable()


def programmers(name: str) -> str:
    """The function in the source that a (possibly outlined) function is a part of."""
    bare = _OUTLINED.sub("", name)
    if outlined.is_of_clang(name):
        bare = outlined.around(name) or ""
        if not bare:
            return outlined.NAMELESS
    bare = re.sub(r"( \[clone [^]]*\])+$", "", bare)
    if bare == "MAIN__" and bare != name:
        return _main_program()
    bare = _of_lambda(_without_parameters(demangle(_MANGLED.sub("", bare))))
    module = re.match(r"(?:.*::)?__(\w+)_MOD_(\w+)$", bare)
    if module:
        return module.group(1) + "::" + module.group(2)
    # gfortran: subprogram::its_symbol, where the symbol says no more than the name.
    inside, _, symbol = bare.rpartition("::")
    if inside and (symbol == "MAIN__" or symbol == inside + "_"):
        return inside
    return bare


def of_symbol(function: GdbSymbol, depth: int = 0) -> str:
    """The same for a gdb.Symbol. Debug information calls every lambda operator(): where it
    stands is said by the linker's name alone."""
    name = gdb_text.symbol_name(function)
    if outlined.is_of_clang(name) and outlined.around(name) is None:
        around = outlined.enclosers(function) if depth < _DEEPEST else ()
        return _one_of(around, depth) or _unknown(function.symtab, function.line)
    if name.startswith("operator()"):
        found = re.match(r"(.*operator\(\).*?)( \[clone .*\])? in section ",
                         gdb_text.printed("info symbol %#x" % outlined.start(function)))
        if found and " + " not in found.group(1):  # else it is inlined
            name = found.group(1)
    return programmers(name)


def _one_of(around: Iterable[GdbSymbol], depth: int) -> Optional[str]:
    """The name of the only function that a body may stand in, or None."""
    found = {of_symbol(other, depth + 1) for other in around}
    return found.pop() if len(found) == 1 else None


def _unknown(symtab: Optional[GdbSymtab], line: int) -> str:
    """What stands for the name of the function around a body that begins there, where that
    is not known."""
    words: Tuple[str, ...] = ()
    if symtab is not None and line:
        words, _ = directives.above(gdb_text.full_name(symtab), line, None)
    if not words:
        return outlined.NAMELESS
    return "<body of %s %s>" % (directives.sentinel(gdb_text.file_name(symtab)), " ".join(words))


def _of_code(name: str, address: int) -> str:
    """The same for code at ADDRESS that gdb has no symbol for but the linker's NAME."""
    found = programmers(name)
    if found != outlined.NAMELESS:
        return found
    begin = function_start(address)
    if begin is None:
        return found
    sal = gdb_text.line_at(begin)
    return _one_of(outlined.enclosers_of_code(begin), 0) or \
        _unknown(sal.symtab, sal.line)


def of_frame(frame: GdbFrame) -> Optional[str]:
    """The same for a frame, or None."""
    name = gdb_text.frame_name(frame)
    function = gdb_text.function_of(frame) if name is not None and (
        name.startswith("operator()") or outlined.is_of_clang(name)) else None
    if function is None:
        return _of_code(name, frames.instruction(frame)) if name else None
    older = frames.older(frame)
    called = gdb_text.function_of(older) if older is not None and outlined.is_wrapper(older) \
        else None
    return of_symbol(called or function)  # what the runtime was called with


def _main_program() -> str:
    """The name of a Fortran main program."""
    space = inferiors.program()
    if space not in _main_programs:
        address = symbols.address("MAIN__")
        name = function_at(address).function if address else None
        _main_programs[space] = name or "MAIN__"
    return _main_programs[space]


def _without_parameters(name: str) -> str:
    """C++: the qualified name alone, without return type and parameters."""
    if "(" not in name:
        return name
    body = re.sub(r"\)( const| volatile| &&?)*$", ")", name)
    if body.endswith("operator()") or not body.endswith(")"):
        return name
    depth = 0
    for at in range(len(body) - 1, -1, -1):
        if body[at] == ")":
            depth += 1
        elif body[at] == "(":
            depth -= 1
            if depth == 0:
                body = body[:at]
                break
    # A template's return type stands before the name, outside all brackets.
    depth = 0
    for at in range(len(body) - 1, -1, -1):
        if body[at] in ")>}]":
            depth += 1
        elif body[at] in "(<{[":
            depth -= 1
        elif body[at] == " " and depth <= 0 and "operator" not in body[:at].split()[-1:] and \
                not body.startswith(("const::", "volatile::", "&"), at + 1):
            return body[at + 1:]
    return body


def _of_lambda(name: str) -> str:
    """C++: a lambda by its number in the function that it stands in, whose parameters are
    left out too."""
    around, closure, rest = re.sub(r"\}::operator\(\)(<.*>)?$", "}", name).rpartition(_CLOSURE)
    if not closure or not re.search(r"#\d+\}$", rest) or rest.count("(") + 1 != rest.count(")"):
        return name
    return _of_lambda(_without_parameters(around)) + closure + rest


class Source(NamedTuple):
    """What code was made from; what is not known is None."""

    function: Optional[str]
    file: Optional[str]
    line: Optional[int]


def function_at(address: int) -> Source:
    """The Source of the function at ADDRESS. For an outlined body the line is that of its
    construct."""
    return _source(address, True)


def body_line(body: int) -> Optional[int]:
    """The line that an outlined body begins with, or None. GCC 10 gives the first instructions
    of a taskloop's that of another directive, which may be in another function."""
    symtab, line = _beginning(body)
    if outlined.is_of_flang(symbols.at(body)[0] or ""):
        return None if symtab is None else _line_above(body, symtab)
    around = _function_around(body)
    if around is not None and line < around.line and \
            gdb_text.same_file(symtab, around.symtab):
        return later_line(body)
    return line or None


def _beginning(body: int) -> Tuple[Optional[GdbSymtab], int]:
    """(the symtab, the line or 0) that a function begins with. Of lines at one address gdb takes
    the last, which is that of what is inlined there; the function's own is the first."""
    sal, name = gdb_text.line_at(body), symbols.at(body)[0]
    block, is_inlined = inferiors.block_at(body), False
    while block is not None:
        function = block.function
        if function is not None and gdb_text.linkage_name(function) == name:
            break
        is_inlined = is_inlined or function is not None
        block = block.superblock
    if is_inlined and block is not None:
        symtab = block.function.symtab
        for entry in symtab.linetable():
            if entry.pc == body and entry.line:
                return symtab, entry.line
    return sal.symtab, sal.line


def _line_above(body: int, symtab: GdbSymtab) -> Optional[int]:
    """The line of the first directive that stands above a line of a body, or None."""
    block, path = symbols.function_block(body), gdb_text.full_name(symtab)
    if block is None or path is None:
        return None
    found = (directives.above(path, line, None) for line in symbols.lines(block, symtab) if line)
    return min((opening.line for opening in found if opening.words), default=None)


def later_line(body: int) -> Optional[int]:
    """The line of the code behind that of a body's first line, or None."""
    first = gdb_text.line_at(body)
    second = gdb_text.line_at(first.last + 1) if first.last else None
    if second is None or not gdb_text.same_file(first.symtab, second.symtab):
        return None
    return second.line or None


def _function_around(body: int) -> Optional[GdbSymbol]:
    """The function that an outlined body was made of, or None. Where that is inlined, its line is
    that of the call, of no use here."""
    block = inferiors.block_at(body)
    blocks: List[GdbBlock] = []
    while block is not None and len(blocks) < 3:
        if block.function is not None:
            blocks.append(block)
        block = block.superblock
    if len(blocks) < 2:
        return None
    is_inlined = len(blocks) == 3 and blocks[2].start <= blocks[1].start < blocks[2].end
    return None if is_inlined else blocks[1].function


def code_at(address: int) -> Source:
    """The same of an address in the midst of a function."""
    return _source(address, False)


def _source(address: int, at_start: bool) -> Source:
    sal = gdb_text.line_at(address)
    line = (body_line(address) if at_start else sal.line) or None
    symtab = _beginning(address)[0] if at_start else sal.symtab
    file = gdb_text.file_name(symtab) if symtab else None
    block = symbols.function_block(address)
    if block is not None:
        return Source(of_symbol(block.function), file, line)
    symbol, offset = symbols.at(address)
    if symbol and (offset == 0 or not at_start):
        return Source(_of_code(symbol, address), file, line)
    return Source(None, file, line)


def function_start(address: int) -> Optional[int]:
    """Where the function that was compiled with ADDRESS in it begins, or None."""
    symbol, offset = symbols.at(address)
    return address - offset if symbol else None


def start_of(frame: GdbFrame) -> Optional[int]:
    """Where the function of a gdb.Frame begins, or None."""
    try:
        function = frame.function()
        return int(function.value().address) if function is not None else \
            function_start(frames.instruction(frame))
    except (gdb.error, RuntimeError):
        debug.ignored()
        return None


def source_path(address: int) -> Optional[str]:
    """Where the source of the code at ADDRESS is on this machine, or None."""
    symtab = gdb_text.line_at(address).symtab
    return gdb_text.full_name(symtab) if symtab else None


def full_path(file: Optional[str], address: Optional[int]) -> Optional[str]:
    """Where a FILE of the program's is on this machine, absolute: that of the code at ADDRESS,
    or inside the call that returns there. None where that is not known."""
    for pc in () if address is None else (address, address - 1):
        symtab = gdb_text.line_at(pc).symtab if pc >= 0 else None
        if symtab is not None and gdb_text.file_name(symtab) == file:
            file = gdb_text.full_name(symtab)
            break
    return file if file is not None and os.path.isabs(file) else None


def critical(address: int) -> Optional[str]:
    """The name in the source of the critical section with this wait id, "" where it has none,
    or None."""
    symbol, offset = symbols.at(address)
    if symbol is None:
        symbol, offset = _section_of_lock(address), 0
    if symbol and offset == 0 and symbol.startswith(_CRITICAL):
        name = re.sub(r"\.var$", "", symbol[len(_CRITICAL):])  # which clang adds
        return "reduction clause" if name in (".reduction", ".atomic_reduction") else name
    return None


def _section_of_lock(lock: int) -> Optional[str]:
    """The symbol of the section whose LOCK this is, by which LLVM's runtime knows it, or None.
    The section's variable leads to the lock by way of the row of a table."""
    space = inferiors.program()
    if space not in _sections:
        _sections[space] = symbols.variables_from(_CRITICAL)
    for variable, name in _sections[space].items():
        row = _word(variable)
        if row and not row % 8 and _word(row) == lock:
            return name
    return None


def _word(address: int) -> int:
    """The pointer at ADDRESS, or 0."""
    try:
        kind = inferiors.pointer().pointer()
        return int(gdb.Value(address).cast(kind).dereference())
    except gdb.error:
        debug.ignored()
        return 0


def object_at(address: int) -> Optional[str]:
    """An expression for the object at ADDRESS, as `locks[2]` or `grid.lock`, or None. Of
    one on a stack, that is what on_stacks() was given."""
    return static_object_at(address) or next(
        (name for find in _on_stacks for name in (find(address),) if name), None)


def guarded(name: Optional[str]) -> Optional[str]:
    """The static variable of C++ that is initialised under the guard of this NAME, or None."""
    return name[len(_GUARD):] if name and name.startswith(_GUARD) else None


def on_stacks(find: Callable[[int], Optional[str]]) -> None:
    """FIND, of a later package, names what is on stacks likewise."""
    _on_stacks[:] = [find]


def static_object_at(address: int) -> Optional[str]:
    """The same of an object that is on no stack."""
    symbol, offset = symbols.at(address)
    if symbol is None:
        return None
    name = demangle(symbol)
    found = None
    if _can_be_asked(name):
        found = gdb_text.symbol(name)
    if found is not None and found.is_variable and not found.needs_frame:
        try:
            value = found.value()
            if value.address is not None and int(value.address) == address - offset:
                return name + member(value.type, offset)
        except (gdb.error, UnicodeDecodeError):
            debug.ignored()  # gdb decodes all members of a structure at once
    return name if offset == 0 else "%s+%d" % (name, offset)


def member(kind: GdbType, offset: int) -> str:
    """The path from an object of this type to the innermost named part at OFFSET."""
    path = ""
    for _ in range(16):
        if offset == 0 and _is_lock(kind):
            return path
        kind = kind.strip_typedefs()
        if kind.code == gdb.TYPE_CODE_ARRAY:
            low, high = kind.range()
            size = kind.target().sizeof
            if size == 0 or not low <= low + offset // size <= high:
                break
            path += "[%d]" % (low + offset // size)
            offset %= size
            kind = kind.target()
        elif kind.code == gdb.TYPE_CODE_STRUCT:
            for field in kind.fields():
                start = getattr(field, "bitpos", None)
                if start is not None and field.name and not field.is_base_class and \
                        start // 8 <= offset < start // 8 + field.type.sizeof:
                    path += "." + field.name
                    offset -= start // 8
                    kind = field.type
                    break
            else:
                break
        else:
            break
    return path + ("+%d" % offset if offset else "")


def _is_lock(kind: GdbType) -> bool:
    return gdb_text.exact(str, kind) in ("omp_lock_t", "omp_nest_lock_t")
