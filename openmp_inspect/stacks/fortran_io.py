# SPDX-License-Identifier: MIT
"""The units of Fortran's I/O that a thread is inside of, by what code of gfortran hands to the
library: on the stack of the function with the statement is

    flags, unit             two numbers of 4 bytes
    name of the file        a pointer to what the compiler was given
    line                    4 bytes, of the statement

It is believed where the name and the line are those of the frame.
"""

from __future__ import annotations

import itertools
import os
import struct

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.source import directives

if TYPE_CHECKING:
    from typing import List, Optional
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.host.interface import Thread
    from openmp_inspect.code.places import Place
    from openmp_inspect.stacks.thread_stack import StackFrame
    from openmp_inspect.stacks.user_frames import Walker

_COMMON = struct.Struct("=iiQi")
_STEP = 8  # its alignment
_MOST_FRAMES = 64
_MOST_BYTES = 1 << 14  # of one frame
_LAST_BYTES = 1 << 11  # of the outermost one; arguments and environment are beyond
_LONGEST_PATH = 4096


class Statement(NamedTuple):
    unit: int
    place: Place


def statements(walker: Walker, thread: Thread) -> List[Statement]:
    """Those that a stopped thread is inside of, innermost first."""
    found: List[Statement] = []
    if walker.process.pointer_size != 8:
        return found
    frame = None
    try:
        for older in itertools.islice(walker.stack(thread), _MOST_FRAMES):
            if frame is not None:
                found += _statement(walker, frame, older.sp - frame.sp)
            frame = older
        # The outermost one that is asked for, as of the main program: where it ends is not known.
        found += [] if frame is None else _statement(walker, frame, _LAST_BYTES)
    except HostError:
        debug.ignored()
    return found


def _statement(walker: Walker, frame: StackFrame, size: int) -> List[Statement]:
    """That which a frame of SIZE bytes is inside of."""
    if not frame.is_user or size <= 0:
        return []
    place = walker.place_of(frame)
    unit = _unit(walker.space, frame, size, place) if directives.is_fortran(place.file) else None
    return [] if unit is None else [Statement(unit, place)]


def _unit(here: Space, frame: StackFrame, size: int, place: Place) -> Optional[int]:
    """The unit of the statement at the PLACE of a frame of SIZE bytes, or None."""
    process = frame.process
    size = min(size, _MOST_BYTES)
    memory = process.read(frame.sp, size)
    for at in range(0, size - _COMMON.size + 1, _STEP):
        _, unit, name, line = _COMMON.unpack_from(memory, at)
        if line == place.line and name and place.file and _is_name(
                here, name, os.path.basename(place.file.raw)):
            return int(unit)
    return None


def _is_name(here: Space, address: int, file: str) -> bool:
    """Whether a path that ends with the name of a FILE is at an ADDRESS."""
    try:
        path = here.memory.read_string(address, _LONGEST_PATH)
    except HostError:
        debug.ignored()
        return False
    return os.path.basename(path) == file.encode("utf-8", "surrogateescape")
