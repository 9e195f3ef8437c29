# SPDX-License-Identifier: MIT
"""Events that threads have reported at breakpoints of catchpoints.py, so that each counts once."""

from __future__ import annotations

import gdb

from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from gdb_openmp.ui import frame_walk

if TYPE_CHECKING:
    from typing import Dict, Optional, Tuple
    from gdb_openmp.host.gdb_types import GdbFrame


class _Event(NamedTuple):
    call: Tuple[int, int]  # where the function returns to, and the stack pointer there
    who: object  # has reported it
    pc: int


class Events:
    """The last one that each thread has reported."""

    def __init__(self) -> None:
        self._last: Dict[int, _Event] = {}  # by the number of a thread

    def clear(self) -> None:
        self._last.clear()

    def reported_at(self, frame: GdbFrame, caller: GdbFrame, who: object) -> Optional[int]:
        """Where the event that WHO meets in FRAME was reported before, or None. The function was
        entered by a jump from another one, as omp_set_lock() is from that for Fortran and the
        runtime's from that of the hooks, or has two names, as some loops of libgomp have."""
        number = gdb.selected_thread().global_num
        event = _Event((caller.pc(), frame_walk.stack_pointer(caller)), who, frame.pc())
        last = self._last.get(number)
        if last is None or last.call != event.call or last == event:
            self._last[number] = event
            return None
        if last.pc != event.pc:
            del self._last[number]
        return last.pc
