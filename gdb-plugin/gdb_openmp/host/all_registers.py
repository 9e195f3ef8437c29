# SPDX-License-Identifier: MIT
"""What a thread has in all its registers, to compare with another stop."""

from __future__ import annotations

import gdb

from openmp_inspect.core import caches, debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import call_arguments, frames, inferiors

if TYPE_CHECKING:
    from typing import Dict, Hashable, List, Optional
    from gdb_openmp.host.gdb_types import GdbFrame, GdbThread

_GROUPS = ("general", "vector")
_names: Dict[str, List[str]] = caches.of_code()  # by architecture


def of(thread: GdbThread, asleep: bool) -> Optional[Hashable]:
    """As interface.Process.register_values(), of a stopped gdb thread."""
    try:
        with inferiors.selected(thread):
            frame = frames.newest()
            if frame is None:
                return None
            left_out = call_arguments.result_register(frame) if asleep else None
            return tuple(str(frame.read_register(name)) for name in _registers(frame)
                         if name != left_out)
    except gdb.error:
        debug.ignored()
        return None


def _registers(frame: GdbFrame) -> List[str]:
    key = frame.architecture().name()
    if key not in _names:
        _names[key] = [register.name for group in _GROUPS
                       for register in frame.architecture().registers(group)]
    return _names[key]
