# SPDX-License-Identifier: MIT
"""Functions that compilers make of the bodies of constructs, and whose those of clang are.

GCC names them after the function around: main._omp_fn.0. So do newer clangs:
main.omp_outlined. Older ones number them, .omp_outlined..3, and nothing in the debug
information tells where they belong. But the call that opens the construct has the line of its
directive, right before the body: whose code that line is also compiled into is the function
around. Where several are, as with instances of a template, the one whose code there takes the
address of the body is.
"""

from __future__ import annotations

import re

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface

if TYPE_CHECKING:
    from typing import Dict, List, Optional, Tuple
    from openmp_inspect.host.interface import Frame, Function, Process, SourceFile

# Without debug information a debugger may take the linker's names for Ada's: omp_outlined[]
_OF_CLANG = regex(r"\.omp_(outlined|task_entry)(_debug__)?(?!\w)|"
                  r"^omp_(outlined|task_entry)(\.|\[|$)|^__omp_offloading_|\.\.omp_par\b")
# By the device and number of the source file, the function around and the line.
_TARGET = regex(r"^__omp_offloading_[0-9a-f]+_[0-9a-f]+_(\w+)_l\d+(_|\W|$)")
_OF_GCC = regex(r"\._omp_fn\b|_omp_fn\.\d")
_NESTED = regex(r"\._omp_(cpy)?fn\b")
_SUFFIX = regex(r"(\.omp_outlined(_debug__)?|\.\.omp_par|\._debug__|\.\.?\d+)+$")
_DEBUG = regex(r"_debug__(\.\d+)*(\(.*)?$")  # parameters may be added in C++
_OTHERS = (".omp.", ".omp_combiner.")  # what clang makes for reductions, and the like
NAMELESS = "<body of an OpenMP construct>"
_FARTHEST = 5  # lines from the directive to the body's first statement
_CALL = 512  # bytes of code from the beginning of a line, which open a construct


def is_body(name: str) -> bool:
    """Whether GCC or clang made the function with that name of a construct's body."""
    return is_of_clang(name) or is_of_gcc(name)


def is_of_gcc(name: str) -> bool:
    """Whether GCC made the function with that name of a body."""
    return "omp_" in name and bool(_OF_GCC.search(name))


def is_nested(name: str) -> bool:
    """Whether the debug information has the function with that name inside the one around:
    bodies of GCC, and what copies the variables of a task."""
    return "omp_" in name and bool(_NESTED.search(name))


def is_of_clang(name: str) -> bool:
    """Whether clang made the function with that name of a body."""
    return "omp_" in name and bool(_OF_CLANG.search(name))


def is_of_flang(name: str) -> bool:
    """The same of flang, whose code of a body begins with lines of anything around it."""
    return "..omp_par" in name


def is_continued(function: Function) -> bool:
    """Whether a function's variables continue in those of the one around."""
    return any(is_nested(name or "") or is_of_clang(name or "")
               for name in (function.name, function.linkage_name))


def is_task(name: Optional[str]) -> bool:
    """Whether it is what LLVM's runtime calls for an explicit task."""
    return "omp_task_entry" in (name or "")


def is_target(name: Optional[str]) -> bool:
    """Whether it is what clang made of the body of a target construct."""
    return bool(_TARGET.match(name or "")) and "omp_outlined" not in (name or "")


def is_own(argument: str) -> bool:
    """Whether an argument of a body with this name is none of the programmer's."""
    return argument.startswith(".") or argument == "__context"


def is_programmers(variable: str) -> bool:
    """Whether a variable of that name may be one of the source: compilers name with a dot, or
    so, what they need themselves, as the bounds of arrays."""
    return "." not in variable and variable not in ("__closure", "__context") and \
        not variable.startswith("__vla_expr")


def is_inner(name: str) -> bool:
    """Whether a body of clang's is one to which another one hands its arguments on."""
    return bool(_DEBUG.search(name))


def is_wrapper(frame: Frame) -> bool:
    """Whether a FRAME only hands its arguments on to the body itself: with debug information
    clang makes two functions of one, and a task's body has one of the runtime's type."""
    name = frame.name
    if not name or not is_of_clang(name) or _DEBUG.search(name):
        return False
    newer = frame.newer
    called = newer.name if newer is not None and newer.kind in (
        interface.NORMAL, interface.INLINED) else None
    if not called or not is_of_clang(called):
        return False
    return bool(_DEBUG.search(called)) or is_task(name) and not is_task(called)


def body_at(process: Process, address: int) -> str:
    """The name of the body of clang's that begins at an address, or nothing."""
    function = _function_at(process, address)
    return function.name if function is not None and is_of_clang(function.name) and \
        function.address == address else ""


def holding(process: Process, pc: int) -> Optional[int]:
    """Where the body of clang's begins that has code at PC, if that is of no function which was
    inlined into it, or None. The inner half of a body may be."""
    inner, outer = _function_at(process, pc), _function_at(process, pc, outermost=True)
    if inner is None or outer is None or \
            not all(is_of_clang(one.name) for one in (inner, outer)):
        return None
    return outer.address


def opening_code(process: Process, address: int) -> bytes:
    """The code from ADDRESS on, as it lies there, which may open a construct."""
    return _code(process, address, _CALL)


def around(name: str) -> Optional[str]:
    """What the name itself says of the function around, or None."""
    target = _TARGET.match(name)
    if target:
        return target.group(1)
    found = _SUFFIX.sub("", re.sub(r"(\.omp_\w+[.\w]*)\(.*$", r"\1", name))
    return found if found and not is_of_clang(found) else None


def enclosers(process: Process, function: Function) -> List[Function]:
    """Functions that the body's construct may stand in; one of them, as far as
    is known, where there is one. FUNCTION is the body."""
    return [other for other, _ in _places_around(process, function)]


def code_around(process: Process, function: Function) -> Optional[int]:
    """Where the function around a body of clang's has the code of the directive. None: that is
    not known, or the function makes no body of its own."""
    found = _places_around(process, function) if is_of_clang(function.name) else []
    return found[0][1] if len(found) == 1 else None


def _places_around(process: Process, function: Function) -> List[Tuple[Function, int]]:
    if function.file is None:
        return []
    return _enclosers(process, function.file, function.line, function.address, function)


def enclosers_of_code(process: Process, address: int) -> List[Function]:
    """The same of a body that begins at ADDRESS and that has lines, but no function: a debugger may
    read none that has the linker's name only."""
    place = process.line_at(address)
    if place.file is None:
        return []
    return [other for other, _ in _enclosers(process, place.file, place.line, address, None)]


def _enclosers(process: Process, file: SourceFile, directive: int, address: int,
               function: Optional[Function]) -> List[Tuple[Function, int]]:
    for line in range(directive, max(directive - _FARTHEST, 0), -1):
        found: Dict[str, List[Tuple[Function, int]]] = {}
        for pc in file.addresses_of(line):
            other = _function_at(process, pc)
            if other is not None and other != function and \
                    not other.name.startswith(_OTHERS) and \
                    not (".omp_" in other.name and other.line >= line):
                found.setdefault(other.name, []).append((other, pc))
        if found:
            taking = [places[0] for places in found.values() if len(found) > 1 and
                      any(_takes(process, pc, address) for _, pc in places)]
            return taking or [places[0] for places in found.values()]
    return []


def _function_at(process: Process, pc: int, outermost: bool = False) -> Optional[Function]:
    """The innermost function at PC, inlined or not, or the OUTERMOST, or None."""
    found = process.functions_at(pc)
    return None if not found else found[-1] if outermost else found[0]


def _takes(process: Process, pc: int, address: int) -> bool:
    """Whether the code that begins at PC has this address in it, whole or as a distance."""
    code = _code(process, pc, _CALL)
    for at in range(len(code) - 3):
        word = int.from_bytes(code[at:at + 4], "little", signed=True)
        if address in (word, pc + at + 4 + word):
            return True
    return False


def _code(process: Process, pc: int, most: int) -> bytes:
    """So many bytes of code from PC on, or to the end of the function; none if unreadable."""
    around = process.functions_at(pc)
    try:
        return process.read(pc, min(most, around[-1].end - pc) if around else most)
    except HostError:
        debug.ignored()
        return b""
