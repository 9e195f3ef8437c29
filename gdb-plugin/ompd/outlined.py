# SPDX-License-Identifier: MIT
"""Functions that clang makes of the bodies of constructs, and whose they are.

Newer clangs name them after the function around: main.omp_outlined. Older ones number them,
.omp_outlined..3, and nothing in the debug information tells where they belong. But the call
that opens the construct has the line of its directive, right before the body: whose code that
line is also compiled into is the function around. Where several are, as with instances of a
template, the one whose code there takes the address of the body is.
"""

import re

import gdb

from ompd import directives, gdbtext

# Without debug information gdb takes the linker's names for Ada's: omp_outlined[]
_BODY = re.compile(r"\.omp_(outlined|task_entry)(_debug__)?(?!\w)|"
                   r"^omp_(outlined|task_entry)(\.|\[|$)")
_SUFFIX = re.compile(r"(\.omp_outlined(_debug__)?|\._debug__|\.\.?\d+)+$")
_DEBUG = re.compile(r"_debug__(\.\d+)*(\(.*)?$")  # gdb adds parameters in C++
NAMELESS = "<body of an OpenMP construct>"
_FARTHEST = 5  # lines from the directive to the body's first statement
_CALL = 512  # bytes of code from the beginning of a line, which open a construct
_DEEPEST = 32


def is_body(name):
    """Whether a function with that name was made so."""
    return "omp_" in name and bool(_BODY.search(name))


def is_own(argument):
    """Whether an argument of a body with this name is none of the programmer's."""
    return argument.startswith(".") or argument == "__context"


def is_wrapper(frame):
    """Whether a FRAME only hands its arguments on to the body itself: with debug information
    clang makes two functions of one, and a task's body has one of the runtime's type."""
    name = gdbtext.frame_name(frame)
    if not name or not is_body(name) or _DEBUG.search(name):
        return False
    newer = frame.newer()
    called = gdbtext.frame_name(newer) if newer is not None and newer.type() in (
        gdb.NORMAL_FRAME, gdb.INLINE_FRAME) else None
    if not called or not is_body(called):
        return False
    return bool(_DEBUG.search(called)) or "task_entry" in name and "task_entry" not in called


def behind(address):
    """Where the body begins that the function at ADDRESS only hands its arguments on to, or
    ADDRESS itself."""
    function = _function_at(address)
    name = None if function is None else gdbtext.symbol_name(function)
    if name is None or not is_body(name) or _DEBUG.search(name):
        return address
    code = _code(address, _CALL)
    for at in range(len(code) - 4):
        if code[at] == 0xE8:  # call, on x86
            target = address + at + 5 + int.from_bytes(code[at + 1:at + 5], "little", signed=True)
            called = _function_at(target)
            name = "" if called is None else gdbtext.symbol_name(called)
            if _DEBUG.search(name) and is_body(name) and \
                    start(called) == target:
                return target
    return address


def around(name):
    """What the name itself says of the function around, or None."""
    found = _SUFFIX.sub("", re.sub(r"(\.omp_\w+[.\w]*)\(.*$", r"\1", name))
    return found if found and not is_body(found) else None


def enclosers(function):
    """gdb.Symbols of functions that the body's construct may stand in; one of them, as far as
    is known, where there is one. FUNCTION is the body's symbol."""
    if function.symtab is None:
        return []
    return _enclosers(function.symtab, function.line, start(function), function)


def enclosers_of_code(address):
    """The same of a body that begins at ADDRESS and that gdb has lines of, but no symbol: gdb 10
    reads no function that has the linker's name only."""
    sal = gdb.find_pc_line(address)
    return [] if sal.symtab is None else _enclosers(sal.symtab, sal.line, address, None)


def _enclosers(symtab, directive, address, function):
    table = symtab.linetable()
    for line in range(directive, max(directive - _FARTHEST, 0), -1):
        found = {}
        for entry in table.line(line) or ():
            other = _function_at(entry.pc)
            if other is not None and other != function and \
                    not (".omp_" in gdbtext.symbol_name(other) and other.line >= line):
                found.setdefault(gdbtext.symbol_name(other), []).append((other, entry.pc))
        if found:
            taking = [places[0][0] for places in found.values() if len(found) > 1 and
                      any(_takes(pc, address) for _, pc in places)]
            return taking or [places[0][0] for places in found.values()]
    return []


def start(function):
    """The address of a gdb.Symbol's code, 0 where gdb does not tell."""
    try:
        address = function.value().address
    except (gdb.error, TypeError):
        return 0
    return 0 if address is None else int(address)


def unknown(symtab, line):
    """What stands for the name of the function around a body that begins there, where that
    is not known."""
    words = ()
    if symtab is not None and line:
        words, _ = directives.above(gdbtext.full_name(symtab), line, None)
    if not words:
        return NAMELESS
    return "<body of %s %s>" % (directives.sentinel(gdbtext.file_name(symtab)), " ".join(words))


def _function_at(pc):
    """The symbol of the innermost function at PC, inlined or not, or None."""
    try:
        block = gdb.block_for_pc(pc)
    except RuntimeError:
        return None
    for _ in range(_DEEPEST):
        if block is None or block.function is not None:
            return None if block is None else block.function
        block = block.superblock
    return None


def _takes(pc, address):
    """Whether the code that begins at PC has this address in it, whole or as a distance."""
    code = _code(pc, _CALL)
    for at in range(len(code) - 3):
        word = int.from_bytes(code[at:at + 4], "little", signed=True)
        if address in (word, pc + at + 4 + word):
            return True
    return False


def _code(pc, most):
    """So many bytes of code from PC on, or to the end of the function; none if unreadable."""
    try:
        block = gdb.block_for_pc(pc)
        for _ in range(_DEEPEST):
            above = None if block is None else block.superblock
            if above is None or above.is_static or above.is_global:
                break
            block = above
        size = most if block is None else min(most, block.end - pc)
        return bytes(gdb.selected_inferior().read_memory(pc, size))
    except (gdb.error, RuntimeError, OverflowError):
        return b""
