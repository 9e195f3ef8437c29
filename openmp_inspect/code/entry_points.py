# SPDX-License-Identifier: MIT
"""The runtime's functions that compiled code and programs call, by their names.

What is known of each is in runtime-hooks/entry-points.def, of which `make` writes
entry_point_table.py; an Entry has its columns.
"""

from __future__ import annotations

from openmp_inspect.core import caches
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import call_site, outlined
from openmp_inspect.code.entry_point_table import ENTRIES, FAMILIES, INTERNAL

if TYPE_CHECKING:
    from typing import Container, Dict, Hashable, Iterable, Optional, Tuple
    from openmp_inspect.host.interface import Process
    from openmp_inspect.code.entry_point_table import Entry

_REGIONS = ("parallel", "teams")
_TASKS = ("task", "taskloop")
_ALLOCATES = "__kmpc_omp_task_alloc"  # of a taskloop, too
# The hooks' wrappers have a symbol of their own, and functions that the compiler has split or
# that have a version a suffix.
_VARIANT = regex(r"(?:ompd_hooks_)?(\w+)")
_NAME = regex(r"(?:ompd_hooks_)?((?:%s)\w+)" % "|".join(FAMILIES))

_openings: Dict[Hashable, Dict[int, Entry]] = caches.of_code()  # by what is loaded, and address


def find(function: Optional[str]) -> Optional[Entry]:
    """The Entry of a function's name, as a frame or a call has it, or None."""
    found = _VARIANT.match(function or "")
    return ENTRIES.get(found.group(1)) if found else None


def name_of(function: Optional[str]) -> Optional[str]:
    """The name of an entry point, maybe one that the table does not have, as frames have it."""
    found = _NAME.match(function or "")
    return found.group(1) if found else None


def has_own_line(function: Optional[str]) -> bool:
    """Whether a frame inside a call of this entry point has the line of the call."""
    entry = find(function)
    if entry is not None:
        return entry.own_line
    return any(own for prefix, own in FAMILIES.items() if (function or "").startswith(prefix))


def is_region(function: Optional[str]) -> bool:
    """Whether a function, of the runtime's own ones too, begins or ends regions, or executes
    their bodies."""
    entry = find(function)
    if entry is not None:
        return (entry.construct or "").startswith(_REGIONS)
    return internal(function) == "region"


def internal(function: Optional[str]) -> Optional[str]:
    """What bodies a function calls that is no entry point: "region", "task", or None."""
    found = _VARIANT.match(function or "")
    return INTERNAL.get(found.group()) if found else None


def makes_task(function: Optional[str]) -> bool:
    """Whether a function is called for explicit tasks."""
    entry = find(function)
    return entry is not None and entry.body is not None and entry.construct in _TASKS


def creates_task(function: Optional[str]) -> bool:
    """Whether a thread that this function has not put to sleep creates an explicit task there.
    Calls for taskloops wait for their tasks as well."""
    entry = find(function)
    return function == _ALLOCATES or \
        entry is not None and entry.construct == "task" and entry.part == "whole"


def caught(kind: str, parts: Container[Optional[str]]) -> Tuple[str, ...]:
    """The names of functions, calls of which are events of this kind, if they are one of these
    PARTS of a construct. libgomp's come first: LLVM's runtime has these, too."""
    return tuple(name for name, entry in ENTRIES.items()
                 if entry.catch == kind and entry.part in parts)


def openings(process: Process) -> Dict[int, Entry]:
    """Address -> Entry, of those called with a body that a program has."""
    space = process.code_key
    if space not in _openings:
        found = _openings[space] = {}
        for name, entry in ENTRIES.items():
            address = process.symbol(name) if entry.body is not None else None
            if address:
                found.setdefault(address, entry)
    return _openings[space]


def directive_of_call(names_called: Iterable[str]) -> Optional[str]:
    """The directive that functions of the runtime are called for, or None."""
    for name in names_called:
        entry = find(name)
        # The runtime enters GOMP_parallel_end by a jump.
        if entry is not None and (entry.body is not None or is_region(name)):
            return entry.construct
    return None


def body_of_call(process: Process, end: int, jumped: bool = False) -> Optional[int]:
    """The address of the body with which the call (or with JUMPED the jump) before END enters the
    runtime, as far as its code can be decoded, or None."""
    entry = find(call_site.called_at(process, end, jumped))
    if entry is None or not isinstance(entry.body, int) or entry.in_task:
        return None
    return call_site.checked_argument_at(process, end, lambda at: _is_body(process, at))


def _is_body(process: Process, address: int) -> bool:
    """Whether a compiler made the function at ADDRESS of a construct."""
    symbol, offset = process.symbol_at(address)
    return offset == 0 and symbol is not None and outlined.is_body(symbol)
