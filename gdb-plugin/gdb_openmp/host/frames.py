# SPDX-License-Identifier: MIT
"""The one loop over gdb's frames, and its one bound."""

from __future__ import annotations

import gdb

from openmp_inspect.core import counters, debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import gdb_text

if TYPE_CHECKING:
    from typing import Iterator, Optional
    from gdb_openmp.host.gdb_types import GdbFrame

# More than any stack of 8 MiB in a program that stores something in its frames. gdb itself
# ends at a frame that repeats a newer one; this ends what only seems to go on.
MOST = 1 << 17


def outward(frame: Optional[GdbFrame]) -> Iterator[GdbFrame]:
    """Yields FRAME, a gdb.Frame or None, and those that called it. Ends where gdb cannot
    unwind further. The thread of FRAME has to be selected whenever the next one is asked for."""
    for _ in range(MOST):
        if frame is None:
            return
        yield frame
        frame = older(frame)


def older(frame: GdbFrame) -> Optional[GdbFrame]:
    """The gdb.Frame that called FRAME, or None where gdb cannot unwind further, or would do so by
    another file than the target's."""
    counters.add("frames_unwound")
    try:
        return None if gdb_text.is_other(frame.pc()) else frame.older()
    except gdb.error:
        debug.ignored()
        return None


def instruction(frame: GdbFrame) -> int:
    """An address in the instruction that FRAME executes. The pc of one that has called another is
    that of the next instruction, which may be of another line, or even another function. What
    is inlined has not been called, and what a signal has interrupted has called nothing."""
    pc = int(frame.pc())
    newer = frame.newer()
    while newer is not None and newer.type() == gdb.INLINE_FRAME:
        newer = newer.newer()
    is_called = newer is not None and gdb.SIGTRAMP_FRAME not in (frame.type(), newer.type())
    return pc - 1 if is_called and pc else pc  # at 0 a stack ends that lacks a return address


def newest() -> Optional[GdbFrame]:
    """The newest gdb.Frame of the selected thread, or None where its registers cannot be
    read."""
    try:
        return gdb.newest_frame()
    except gdb.error:
        debug.ignored()
        return None
