# SPDX-License-Identifier: MIT
"""What a thread has in registers and on its stack, to compare with what it had before.

A loop that waits for a flag has the same values again and again; in one that computes at least
an index differs from round to round, wherever it is interrupted:

    while (!ready) ;                              a handful of states
    for (i = 0; i < n; i++) s += a[i];            ever other ones
"""

from __future__ import annotations

import gdb

from gdb_openmp.core import caches, debug
from gdb_openmp.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import frames

if TYPE_CHECKING:
    from typing import Dict, List, Optional
    from gdb_openmp.core.static_typing import GdbFrame, GdbThread

_GROUPS = ("general", "vector")
_RED_ZONE = 128  # bytes below the stack pointer that functions without calls use
_MOST_STACK = 1 << 16
_PAGE = 4096
_names: Dict[str, List[str]] = caches.of_code()  # by architecture


def of(thread: GdbThread) -> Optional[int]:
    """A number that is another one, but for chance, where a value is; None where it cannot be
    read. Selects the stopped gdb thread."""
    try:
        thread.switch()
        frame = frames.newest()
        if frame is None:
            return None
        values = [str(frame.read_register(name)) for name in _registers(frame)]
        return hash((tuple(values), _stack(int(frame.read_register("sp")))))
    except gdb.error:
        debug.ignored()
        return None


def _registers(frame: GdbFrame) -> List[str]:
    key = frame.architecture().name()
    if key not in _names:
        _names[key] = [register.name for group in _GROUPS
                       for register in frame.architecture().registers(group)]
    return _names[key]


def _stack(pointer: int) -> bytes:
    """From the stack pointer to as far as there is memory."""
    inferior, data = gdb.selected_inferior(), b""
    at, end = pointer - _RED_ZONE, pointer + _MOST_STACK
    try:
        while at < end:
            size = min(_PAGE - at % _PAGE, end - at)
            data += bytes(inferior.read_memory(at, size))
            at += size
    except gdb.error:
        debug.ignored()  # the stack ends here
    return data
