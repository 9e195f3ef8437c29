# SPDX-License-Identifier: MIT
"""In which critical sections code is, by the calls around it: what is executed before an address
is followed from the beginning of its function on. For instance

    <+4>   lea  deepest           the section's address
    <+11>  call GOMP_critical_name_start
    <+16>  call pause             in it, though nothing ends it: the compiler knows that pause()
    <+21>  jmp  <+16>             is called for ever
"""

from __future__ import annotations

from openmp_inspect.core import caches, debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import call_site, entry_points, entry_waits
from openmp_inspect.host import processes

if TYPE_CHECKING:
    from typing import Dict, Hashable, List, Optional, Set, Tuple
    Sections = Tuple[Optional[int], ...]  # wait ids, outermost first; 0: not known which

_MOST = 4096  # instructions of a function that are followed
_AT_ONCE = 32
# Of x86, and of aarch64.
_CALL = regex(r"(?:(?:bnd|notrack) )*(call|blr?\b)")
_JUMP = regex(r"(?:(?:bnd|notrack) )*(?:(jmp|b)\b|j\w+|loop|b\.|cbn?z|tbn?z)")
_END = regex(r"(?:bnd |repz? )*(?:ret|br\b|hlt|ud2|udf|brk)")
_TARGET = regex(r".*?(?:\s|,)(0x[0-9a-f]+)(?: <.*)?\Z")

_known: Dict[Tuple[Hashable, int], _Function] = caches.of_code()  # by program space, start


class _Function(NamedTuple):
    """What is on the way to a function's instructions; None where that differs."""

    before: Dict[int, Optional[Sections]]  # by address
    during: Dict[int, Optional[Sections]]  # by the address to which a call returns


def around(address: int, is_called: bool) -> Optional[Set[Optional[int]]]:
    """The wait ids of the sections that the code at ADDRESS is in, None being that of the one
    without a name; those that a call is about which returns to it if IS_CALLED. None where that
    is not known."""
    name, offset = processes.current().symbol_at(address - is_called)
    if name is None or name.endswith(".cold"):
        return None  # whose beginning is elsewhere
    start = address - is_called - offset
    key = processes.current().code_key, start
    if key not in _known:
        try:
            _known[key] = _followed(start, name)
        except HostError:
            debug.ignored()
            _known[key] = _Function({}, {})
    function = _known[key]
    found = function.during.get(address) if is_called else function.before.get(address)
    return None if found is None or 0 in found else set(found)


def _followed(start: int, name: str) -> _Function:
    process = processes.current()
    found = _Function({}, {})
    ways: List[Tuple[int, Optional[Sections]]] = [(start, ())]
    left = _MOST
    while ways:
        address, inside = ways.pop()
        if processes.current().symbol_at(address)[0] != name:
            continue
        code = process.instructions(address, min(_AT_ONCE, left))
        if not code:
            return _Function({}, {})
        for at, length, text in code:
            if at in found.before and found.before[at] in (None, inside):
                break
            if at in found.before:
                inside = None
            found.before[at] = inside
            left -= 1
            behind = at + length
            if _CALL.match(text):
                # A thread in the call that ends a section may have released it.
                after = _after(inside, behind)
                ends = inside and after is not None and len(after) < len(inside)
                found.during[behind] = after if ends else inside
                inside = after
            elif _END.match(text):
                break
            else:
                jump = _JUMP.match(text)
                target = _TARGET.match(text) if jump else None
                if target:
                    ways.append((int(target.group(1), 16), inside))
                if jump and jump.group(1):
                    break
        else:
            ways.append((behind, inside))
        if left <= 0:
            return _Function({}, {})
    return found


def _after(inside: Optional[Sections], end: int) -> Optional[Sections]:
    """INSIDE what code is behind the call that returns to END."""
    function = call_site.called_at(end)
    entry = entry_points.find(function)
    if inside is None or entry is None or entry.construct != "critical":
        return inside
    if entry.part == "end":
        return inside[:-1]
    if entry.object == "unnamed":
        return (*inside, None)
    return (*inside, entry_waits.section_at(function, end))
