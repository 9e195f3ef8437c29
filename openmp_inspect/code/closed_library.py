# SPDX-License-Identifier: MIT
"""Which library code was of that is not there any more, as the hooks have listed them at each dlclose():
`runtime-hooks/loader/closed.h`."""

from __future__ import annotations

from openmp_inspect.core import debug
from openmp_inspect.core.errors import Unreadable
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Optional, Set
    from openmp_inspect.bindings.spaces import Space

_SYMBOL, _COOKIE = "ompd_hooks_objects", b"OMPDOBJ\0"
_HEADER = 16
_LARGEST, _MOST = 1 << 10, 1 << 10  # entry, number of entries


def name_at(here: Space, address: int) -> Optional[Name]:
    """The name of the file whose code was at an ADDRESS where there is none, or None: nobody knows, or
    several were there."""
    process = here.process
    at = process.symbol(_SYMBOL)
    if at is None or process.is_mapped(address) or process.is_readable(address):
        return None
    try:
        found = _names(here, at, address, process.pointer_size)
    except Unreadable:
        debug.ignored()
        return None
    return Name(found.pop().decode("utf-8", "backslashreplace")) if len(found) == 1 else None


def _names(here: Space, at: int, address: int, word: int) -> Set[bytes]:
    memory = here.memory
    size, used = (memory.unsigned(at + place, 4) for place in (8, 12))
    if memory.read(at, len(_COOKIE)) != _COOKIE or not 2 * word < size <= _LARGEST or used > _MOST:
        return set()
    entries = range(at + _HEADER, at + _HEADER + used * size, size)
    bounds = ((one, memory.unsigned(one, word), memory.unsigned(one + word, word)) for one in entries)
    return {memory.read(one + 2 * word, size - 2 * word).partition(b"\0")[0].rpartition(b"/")[2]
            for one, start, end in bounds if 0 < start <= address < end}
