# SPDX-License-Identifier: MIT
"""What a thread has in registers, on its stack and in the variables of the code that it runs, to
compare with what it had before.

A loop that waits for a flag has the same values again and again; in one that computes at least
an index differs from round to round, wherever it is interrupted:

    while (!ready) ;                              a handful of states
    for (i = 0; i < n; i++) s += a[i];            ever other ones
"""

from __future__ import annotations

import itertools

import gdb

from openmp_inspect.core import caches, debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import call_arguments, frames, inferiors, modules, thread_ids

if TYPE_CHECKING:
    from typing import Dict, List, Optional
    from gdb_openmp.host.gdb_types import GdbFrame, GdbThread

_GROUPS = ("general", "vector")
_RED_ZONE = 128  # bytes below the stack pointer that functions without calls use
_MOST_STACK = 1 << 16
_MOST_DATA = 1 << 22  # bytes of a module's
_CALLERS = 4  # frames whose modules have the variables
_PAGE = 4096
_names: Dict[str, List[str]] = caches.of_code()  # by architecture


def of(thread: GdbThread, asleep: bool = False) -> Optional[int]:
    """A number that is another one, but for chance, where a value is; None where it cannot be
    read. Selects the stopped gdb thread. Of one that is ASLEEP neither variables count, which
    others may change, nor the result of its system call: a stop ends some, and restarts others."""
    try:
        thread.switch()
        frame = frames.newest()
        if frame is None:
            return None
        left_out = call_arguments.result_register(frame) if asleep else None
        values = [str(frame.read_register(name)) for name in _registers(frame)
                  if name != left_out]
        sp = int(frame.read_register("sp"))
        # Above its stack is what glibc keeps of a thread, and the kernel the processor.
        size, above = _MOST_STACK, (thread_ids.pthread(thread) or 0) - sp
        stack = _stack(sp - _RED_ZONE, _RED_ZONE + (min(size, above) if above > 0 else size))
        return hash((tuple(values), stack, None if asleep else _data(frame)))
    except gdb.error:
        debug.ignored()
        return None


def _registers(frame: GdbFrame) -> List[str]:
    key = frame.architecture().name()
    if key not in _names:
        _names[key] = [register.name for group in _GROUPS
                       for register in frame.architecture().registers(group)]
    return _names[key]


def _data(frame: GdbFrame) -> bytes:
    """The variables of the modules that the newest frames run code of."""
    found: Dict[int, int] = {}
    for one in itertools.islice(frames.outward(frame), _CALLERS):
        found.update(modules.data(one.pc()))
    return b"".join(inferiors.read(start, min(size, _MOST_DATA)) for start, size in found.items())


def _stack(at: int, size: int) -> bytes:
    """From an address on as far as the stack goes."""
    data, end = b"", at + size
    try:
        while at < end:
            size = min(_PAGE - at % _PAGE, end - at)
            data += inferiors.read(at, size)
            at += size
    except gdb.error:
        debug.ignored()  # the stack ends here
    return data
