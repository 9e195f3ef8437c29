# SPDX-License-Identifier: MIT
"""Names a programmer knows for functions and objects of the target."""

from __future__ import annotations

import os
import re

from openmp_inspect.core import caches, debug, escaped
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.source import directives, source_file
from openmp_inspect.code import outlined

if TYPE_CHECKING:
    from typing import Dict, Hashable, Iterable, Optional, Tuple
    from openmp_inspect.core.escaped import Text
    from openmp_inspect.host.interface import Frame, Function, Line, Process, SourceFile, Type

_GUARD = "guard variable for "
# What GCC appends to the names of functions it makes out of the programmer's; "[cold]": as a
# decoder of Ada has ".cold".
_OUTLINED = regex(r"(\._omp_(cpy)?fn(\.\d+)?|\.(constprop|isra|part|cold|lto_priv)(\.\d+)?|"
                  r"\[cold\])+( ?\(void\))?$")
# A debugger may put the namespace or class before a symbol that has its own.
_MANGLED = regex(r"^.*::(?=_Z\w+$)")
_CRITICAL = ".gomp_critical_user_"
_LOCKS = ("omp_lock_t", "omp_nest_lock_t")
_MAIN_PROGRAM = "MAIN__"  # gfortran's symbol of it
_PROGRAM = regex(r"\s*program\s+(\w+)\s*(!|\Z)", re.I)

_DEEPEST = 16  # bodies in bodies
_MOST_LINES = 64  # of a body, that may be those of functions that are inlined there
_CLOSURE = "::{lambda("
_OPERATOR = regex(r"\boperator\b")
_LAMBDA = regex(r"(.*operator\(\).*?)( \[clone .*\])?\Z")

_main_programs: Dict[Hashable, str] = caches.of_code()  # by file
# By file and address: the symbols of critical sections.
_sections: Dict[Hashable, Dict[int, str]] = caches.of_code()
_bodies: Dict[Tuple[Hashable, int, str], str] = caches.of_code()  # by program space, address and name
_origins: Dict[Tuple[Hashable, int], CodeOrigin] = caches.of_code()  # by program space and address


def demangle(process: Process, name: str) -> str:
    """NAME as the debugger demangles it; the same name when it is not a mangled one."""
    if not name.startswith("_Z") or not _can_be_asked(name):
        return name
    return process.demangled(name)


def _can_be_asked(name: str) -> bool:
    """Whether a debugger takes a name in all its languages: it may warn of others."""
    return name.isascii() and name.isprintable()


def programmers(process: Process, name: str) -> str:
    """The function in the source that a (possibly outlined) function is a part of."""
    bare = _OUTLINED.sub("", name)
    if outlined.is_of_clang(name):
        bare = outlined.around(name) or ""
        if not bare:
            return outlined.NAMELESS
    bare = re.sub(r"( \[clone [^]]*\])+$", "", bare)
    if bare == _MAIN_PROGRAM:
        return _main_program(process)
    bare = _of_lambda(_without_parameters(demangle(process, _MANGLED.sub("", bare))))
    in_module = _of_module(bare)
    if in_module:
        return in_module
    # gfortran: subprogram::its_symbol, where the symbol says no more than the name.
    inside, _, symbol = bare.rpartition("::")
    if inside and (symbol == "MAIN__" or symbol == inside + "_"):
        return inside
    return bare


def of_function(process: Process, function: Function, depth: int = 0) -> str:
    """The same for a Function. Debug information calls every lambda operator(): where it
    stands is said by the linker's name alone."""
    name = function.name
    if outlined.is_of_clang(name) and outlined.around(name) is None:
        return _of_body(process, function, depth)
    if name.startswith("operator()"):
        symbol, offset = process.symbol_at(function.address)
        found = _LAMBDA.match(demangle(process, symbol or ""))
        if found and not offset:  # else it is inlined
            name = found.group(1)
    return programmers(process, name)


def _of_body(process: Process, function: Function, depth: int) -> str:
    """The name of what is around a body of clang's, which may be in many frames."""
    key = process.code_key, function.address, function.name
    if key in _bodies and function.address:
        return _bodies[key]
    around = outlined.enclosers(process, function) if depth < _DEEPEST else ()
    found = _one_of(process, around, depth) or _unknown(function.file, function.line)
    if depth == 0:  # else it may be too deep to be known
        _bodies[key] = found
    return found


def _of_module(name: str) -> Optional[str]:
    """`bank::la` of what gfortran calls __bank_MOD_la, or None of any other name."""
    found = re.match(r"(?:.*::)?__(\w+)_MOD_(\w+)$", name)
    return None if found is None else "::".join(found.groups())


def _one_of(process: Process, around: Iterable[Function], depth: int) -> Optional[str]:
    """The name of the only function that a body may stand in, or None."""
    found = {of_function(process, other, depth + 1) for other in around}
    return found.pop() if len(found) == 1 else None


def _unknown(file: Optional[SourceFile], line: int) -> str:
    """What stands for the name of the function around a body that begins there, where that
    is not known."""
    words: Tuple[str, ...] = ()
    if file is not None and line:
        words, _ = directives.above(file.path, line, None)
    if file is None or not words:
        return outlined.NAMELESS
    return "<body of %s %s>" % (directives.sentinel(file.name), " ".join(words))


def _of_code(process: Process, name: str, address: int) -> str:
    """The same for code at ADDRESS that has no function, but the linker's NAME."""
    found = programmers(process, name)
    if found != outlined.NAMELESS:
        return found
    begin = function_start(process, address)
    if begin is None:
        return found
    place = process.line_at(begin)
    return _one_of(process, outlined.enclosers_of_code(process, begin), 0) or _unknown(place.file, place.line)


def of_frame(frame: Frame) -> Optional[str]:
    """The same for a frame, or None."""
    name = frame.name
    function = frame.function if name is not None and (
        name.startswith("operator()") or outlined.is_of_clang(name)) else None
    if function is None:
        return _of_code(frame.process, name, frame.instruction) if name else None
    older = frame.older
    called = older.function if older is not None and outlined.is_wrapper(older) else None
    return of_function(frame.process, called or function)  # what the runtime was called with


def _main_program(process: Process) -> str:
    """The name of a Fortran main program, by the debugger or the source."""
    space = process.code_key
    if space not in _main_programs:
        _main_programs[space] = _MAIN_PROGRAM  # as of a debugger that does not know it
        address = process.symbol(_MAIN_PROGRAM)
        name = function_at(process, address).function if address else _inlined_program(process)
        if address and name in (None, _MAIN_PROGRAM):
            name = _program_at(process.line_at(address))
        _main_programs[space] = name or _MAIN_PROGRAM
    return _main_programs[space]


def _inlined_program(process: Process) -> Optional[str]:
    """The name of the main program that gfortran has inlined in its main(), or None."""
    main = innermost(process, process.symbol("main") or 0)
    if main is None or main.file is None or not directives.is_fortran(main.file.path):
        return None
    addresses = sorted(main.file.lines_between(main.start, main.end).values())[:_MOST_LINES]
    return next((found[-2].name for found in map(process.functions_at, addresses) if len(found) > 1), None)


def _program_at(line: Line) -> Optional[str]:
    """The name of the main program that begins on a Line of Fortran, or None."""
    if line.file is None or not directives.is_fortran(line.file.path):
        return None
    text = source_file.lines(line.file.path)[line.line - 1:line.line] if line.line else ()
    found = next(filter(None, map(_PROGRAM.match, text)), None)
    return None if found is None else found.group(1).lower()


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
                body = body[:at].rstrip()
                break
    # A template's return type stands before the name, outside all brackets. What is behind
    # "operator" may have blanks, too.
    depth = 0
    operator = _OPERATOR.search(body)
    for at in range((operator.start() if operator else len(body)) - 1, -1, -1):
        if body[at] in ")>}]":
            depth += 1
        elif body[at] in "(<{[":
            depth -= 1
        elif body[at] == " " and depth <= 0 and \
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


class CodeOrigin(NamedTuple):
    """What code was made from; what is not known is None."""

    function: Optional[str]
    file: Optional[str]
    line: Optional[int]


def function_at(process: Process, address: int) -> CodeOrigin:
    """The CodeOrigin of the function at ADDRESS. For an outlined body the line is that of its
    construct."""
    return _source(process, address, True)


def body_line(process: Process, body: int) -> Optional[int]:
    """The line that an outlined body begins with, or None. GCC 10 gives the first instructions
    of a taskloop's that of another directive, which may be in another function."""
    file, line = _beginning(process, body)
    if outlined.is_of_flang(process.symbol_at(body)[0] or ""):
        return None if file is None else _line_above(process, body, file)
    around = _function_around(process, body)
    if around is not None and line < around.line and file is not None and file == around.file:
        return later_line(process, body)
    return line or None


def _beginning(process: Process, body: int) -> Tuple[Optional[SourceFile], int]:
    """(the file, the line or 0) that a function begins with. Of lines at one address a debugger may
    take the last, which is that of what is inlined there; the function's own is the first. gdb
    drops that where the other is of another file: then it is the first in the source."""
    place, name = process.line_at(body), process.symbol_at(body)[0]
    own = next((function for function in process.functions_at(body)
                if function.linkage_name == name), None)
    if own is None or own.file is None:
        return place.file, place.line
    line = next(filter(None, own.file.lines_at(body)), 0) or \
        (0 if place.file == own.file else _least_line(process, own, own.file))
    return (own.file, line) if line else (place.file, place.line)


def _least_line(process: Process, function: Function, file: SourceFile) -> int:
    """The least line of a function of a FILE, without what is inlined there, or 0."""
    lines = sorted(file.lines_between(function.start, function.end).items())
    return next((line for line, address in lines[:_MOST_LINES] if line and
                 process.functions_at(address)[0].linkage_name == function.linkage_name), 0)


def _line_above(process: Process, body: int, file: SourceFile) -> Optional[int]:
    """The line of the first directive that stands above a line of a body, or None."""
    function = innermost(process, body)
    if function is None:
        return None
    found = (directives.above(file.path, line, None)
             for line in file.lines_between(function.start, function.end) if line)
    return min((opening.line for opening in found if opening.words), default=None)


def later_line(process: Process, body: int) -> Optional[int]:
    """The line of the code behind that of a body's first line, or None."""
    first = process.line_at(body)
    second = process.line_at(first.last + 1) if first.last else None
    if second is None or first.file is None or first.file != second.file:
        return None
    return second.line or None


def _function_around(process: Process, body: int) -> Optional[Function]:
    """The function that an outlined body was made of, or None. Where that is inlined, its line is
    that of the call, of no use here."""
    found = process.functions_at(body)[:3]
    if len(found) < 2:
        return None
    is_inlined = len(found) == 3 and found[2].start <= found[1].start < found[2].end
    return None if is_inlined else found[1]


def innermost(process: Process, address: int) -> Optional[Function]:
    """The innermost function that has code at an ADDRESS, or None. At the first instruction of a
    function that function goes before what is inlined there."""
    found = process.functions_at(address)
    beginning = [function for function in found if function.start == address]
    return beginning[-1] if beginning else found[0] if found else None


def code_at(process: Process, address: int) -> CodeOrigin:
    """The same of an address in the midst of a function."""
    key = process.code_key, address
    if key not in _origins:
        _origins[key] = _source(process, address, False)
    return _origins[key]


def _source(process: Process, address: int, at_start: bool) -> CodeOrigin:
    place = process.line_at(address)
    line = (body_line(process, address) if at_start else place.line) or None
    source = _beginning(process, address)[0] if at_start else place.file
    file = source.name if source is not None else None
    function = innermost(process, address)
    if function is not None:
        return CodeOrigin(of_function(process, function), file, line)
    symbol, offset = process.symbol_at(address)
    if symbol and (offset == 0 or not at_start):
        return CodeOrigin(_of_code(process, symbol, address), file, line)
    return CodeOrigin(None, file, line)


def function_start(process: Process, address: int) -> Optional[int]:
    """Where the function that was compiled with ADDRESS in it begins, or None."""
    symbol, offset = process.symbol_at(address)
    return address - offset if symbol else None


def start_of(frame: Frame) -> Optional[int]:
    """Where the function of a Frame begins, or None."""
    function = frame.function
    return function.address or None if function is not None else \
        function_start(frame.process, frame.instruction)


def source_path(process: Process, address: int) -> Optional[str]:
    """Where the source of the code at ADDRESS is on this machine, or None."""
    file = process.line_at(address).file
    return file.path if file is not None else None


def full_path(process: Optional[Process], file: Optional[str], address: Optional[int]) -> Optional[str]:
    """Where a FILE of the program's is on this machine, absolute: that of the code at ADDRESS,
    or inside the call that returns there. None where that is not known."""
    for pc in () if address is None else (address, address - 1):
        source = process.line_at(pc).file if process is not None and pc >= 0 else None
        if source is not None and source.name == file:
            file = source.path
            break
    return file if file is not None and os.path.isabs(file) else None


def critical(process: Process, address: int) -> Optional[str]:
    """The name in the source of the critical section with this wait id, "" where it has none,
    or None."""
    symbol, offset = process.symbol_at(address)
    if symbol is None:
        symbol, offset = _section_of_lock(process, address), 0
    if symbol and offset == 0 and symbol.startswith(_CRITICAL):
        name = re.sub(r"\.var$", "", symbol[len(_CRITICAL):])  # which clang adds
        return "reduction clause" if name in (".reduction", ".atomic_reduction") else name
    return None


def _section_of_lock(process: Process, lock: int) -> Optional[str]:
    """The symbol of the section whose LOCK this is, by which LLVM's runtime knows it, or None.
    The section's variable leads to the lock by way of the row of a table."""
    space = process.code_key
    if space not in _sections:
        _sections[space] = process.variables_from(_CRITICAL)
    for variable, name in _sections[space].items():
        row = _word(process, variable)
        if row and not row % 8 and _word(process, row) == lock:
            return name
    return None


def _word(process: Process, address: int) -> int:
    """The pointer at ADDRESS, or 0."""
    try:
        return process.unsigned(address, process.pointer_size)
    except HostError:
        debug.ignored()
        return 0


def guarded(text: Optional[Text]) -> Optional[str]:
    """The static variable of C++ that is initialised under the guard of this name, or None."""
    name = escaped.exact(text or "")
    return name[len(_GUARD):] if name.startswith(_GUARD) else None


def static_object_at(process: Process, address: int) -> Optional[str]:
    """An expression for the object at ADDRESS, as `locks[2]` or `grid.lock`, or None, also of one
    on a stack or on the heap (stitched_stack.object_at())."""
    symbol, offset = process.symbol_at(address)
    if symbol is None:
        return None
    name = demangle(process, symbol)
    found = process.variable(name) if _can_be_asked(name) else None
    is_whole = found is not None and found.address == address - offset
    name = _of_module(name) or name
    if found is not None and is_whole:
        return name + member(found.type, offset)
    return name if offset == 0 else "%s+%d" % (name, offset)


def member(kind: Type, offset: int) -> str:
    """The path from an object of this type to the innermost named part at OFFSET."""
    path = ""
    for _ in range(16):
        if offset == 0 and kind.name in _LOCKS:
            return path
        if kind.kind == "array":
            low, high = kind.bounds()
            size = kind.target().size
            if size == 0 or not low <= low + offset // size <= high:
                break
            path += "[%d]" % (low + offset // size)
            offset %= size
            kind = kind.target()
        elif kind.kind == "struct":
            field = next((field for field in kind.fields()
                          if field.offset <= offset < field.offset + field.type.size), None)
            if field is None:
                break
            path += "." + field.name
            offset -= field.offset
            kind = field.type
        else:
            break
    return path + ("+%d" % offset if offset else "")
