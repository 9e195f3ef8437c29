# SPDX-License-Identifier: MIT
"""What a thread has in registers, on its stack and in the variables of the code that it runs, to
compare with what it had before.

A loop that waits for a flag has the same values again and again; in one that computes at least
an index differs from round to round, wherever it is interrupted:

    while (!ready) ;                              a handful of states
    for (i = 0; i < n; i++) s += a[i];            always new ones
"""

from __future__ import annotations

import itertools

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Dict, Optional, Sequence
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from openmp_inspect.host.interface import Process, Thread
    from openmp_inspect.stacks.thread_stack import StackFrame

_RED_ZONE = 128  # bytes below the stack pointer that functions without calls use
_MOST_STACK = 1 << 16
_MOST_DATA = 1 << 22  # bytes of a file's
_CALLERS = 4  # frames whose files have the variables
_PAGE = 4096


class Values(NamedTuple):
    """Numbers that are others, but for chance, where a value is."""

    own: int  # of registers and stack
    common: int  # of variables that other threads have, too


def of(stacks: StitchedStacks, thread: Thread, asleep: bool = False) -> Optional[Values]:
    """None where they cannot be read. Of one that is ASLEEP neither variables count, which others may
    change, nor what a stop leaves in registers of its system call: it ends some, and restarts others."""
    process = stacks.process
    try:
        frames = list(itertools.islice(stacks.walker.stack(thread), _CALLERS))
        values = process.register_values(thread, asleep)
        if values is None or not frames:
            return None
        # Above its stack is what glibc keeps of a thread, and the kernel the processor.
        sp = frames[0].sp
        above = (process.pthread(thread) or 0) - sp
        stack = _stack(process, sp - _RED_ZONE,
                       _RED_ZONE + (min(_MOST_STACK, above) if above > 0 else _MOST_STACK))
        return Values(hash((values, stack)), 0 if asleep else hash(_data(process, frames)))
    except HostError:
        debug.ignored()
        return None


def _data(process: Process, frames: Sequence[StackFrame]) -> bytes:
    """The variables of the files that these run code of."""
    found: Dict[int, int] = {}
    for frame in frames:
        found.update(process.writable_data(frame.pc))
    return b"".join(process.read(start, min(size, _MOST_DATA)) for start, size in found.items())


def _stack(process: Process, at: int, size: int) -> bytes:
    """From an address on as far as the stack goes."""
    data, end = b"", at + size
    try:
        while at < end:
            size = min(_PAGE - at % _PAGE, end - at)
            data += process.read(at, size)
            at += size
    except HostError:
        debug.ignored()  # the stack ends here
    return data
