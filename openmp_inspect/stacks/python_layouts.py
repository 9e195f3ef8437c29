# SPDX-License-Identifier: MIT
"""Where CPython has its GIL, its threads and what they execute, in the memory of a 64-bit process.

From 3.13 on _PyRuntime begins with a table of offsets for debuggers: 8 letters, and numbers of 8
bytes, of which the first is the version; which number is what differs by version. Of those before
the offsets are known here. A build with other options may have others: who reads by them believes
nothing that does not fit.
"""

from __future__ import annotations

import os
import struct

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Optional
    from openmp_inspect.host.page_cache import PageCache

# In the GIL, of all these versions: whose it is or was last, whether somebody has it, the condition
# variable of those who wait, the mutex that is locked to change any of it.
GIL_HOLDER, GIL_LOCKED, GIL_CONDITION, GIL_MUTEX = 8, 16, 32, 80
_COOKIE = b"xdebugpy"
_NUMBERS = struct.Struct("<48Q")  # behind it
_FREE_THREADED = 1  # the number that says that there is no GIL
_LARGEST = 1 << 20  # offset that is believed
_NAME = regex(r"(?:lib)?python3\.(\d+)")


class Layout(NamedTuple):
    """Offsets: in _PyRuntime, an interpreter, a thread state, a frame, a code object and a str."""

    minor: int  # version 3.MINOR
    finalizing: int  # not 0 while it ends: then who waits for the GIL may end
    interpreters: int  # the first interpreter
    gil: int  # up to 3.11 in _PyRuntime; later in an interpreter, a pointer to it
    next_interpreter: int
    threads: int  # its first thread state
    next_thread: int
    interpreter: int  # of a thread state
    thread_id: int  # its pthread_t
    kernel_id: int  # 0: it has none
    frame: int  # its newest frame, or what points to that
    frame_behind: Optional[int]  # where that does
    code: int  # of a frame
    instruction: int
    previous: int
    file: int  # of a code object
    name: int
    first_line: int
    lines: int  # a table
    start: int  # of its instructions
    text: int  # of a str of ASCII
    wide_text: int  # of another

    @property
    def has_one_gil(self) -> bool:
        return self.minor <= 11


# In lines of two: down to a thread's frame; of frames, code and str.
_TABLES = {one.minor: one for one in (
    Layout(9, 16, 32, 352, 0, 8, 8, 16, 176, 0, 24, None,
           32, 104, 24, 104, 112, 40, 120, 0, 48, 72),
    Layout(10, 16, 32, 352, 0, 8, 8, 16, 176, 0, 24, None,
           32, 96, 24, 104, 112, 40, 120, 0, 48, 72),
    Layout(11, 24, 40, 360, 0, 16, 8, 16, 152, 160, 56, 8,
           32, 56, 48, 112, 128, 72, 136, 184, 48, 72),
    Layout(12, 24, 40, 384, 0, 72, 8, 16, 136, 144, 56, 0,
           0, 56, 8, 112, 128, 68, 136, 192, 40, 56))}
# Which number of the table for debuggers is which, by the version.
_PLACES = {
    13: Layout(13, 4, 5, 14, 8, 9, 21, 22, 24, 25, 23, None,
               30, 31, 29, 35, 37, 39, 38, 43, 40, 56),
    14: Layout(14, 4, 5, 15, 8, 9, 24, 25, 27, 28, 26, None,
               33, 34, 32, 40, 42, 44, 43, 48, 40, 56)}
# Of these numbers: where an interpreter has a GIL of its own, and what it has there.
_OWN_GIL = {13: (15, 17, 18), 14: (16, 18, 19)}


def of_process(memory: PageCache, runtime: int) -> Optional[Layout]:
    """The Layout of the interpreter whose _PyRuntime is at the address RUNTIME, or None."""
    if memory.process.pointer_size != 8 or memory.process.byte_order != "little":
        return None
    try:
        if memory.read(runtime, len(_COOKIE)) == _COOKIE:
            return _told(memory.read(runtime + len(_COOKIE), _NUMBERS.size))
        return _TABLES.get(_version(memory, runtime))
    except HostError:
        debug.ignored()
        return None


def _told(table: bytes) -> Optional[Layout]:
    """The Layout by the TABLE for debuggers, or None."""
    numbers = (0, *_NUMBERS.unpack(table))  # the first one is called 1
    minor = numbers[1] >> 16 & 0xFF
    places = _PLACES.get(minor)
    if places is None or numbers[1] >> 24 != 3 or numbers[1 + _FREE_THREADED]:
        return None
    own, locked, holder = (numbers[at] for at in _OWN_GIL[minor])
    found = Layout._make((minor, *(at and numbers[at] for at in places[1:-2]), *places[-2:]))
    return found if max(at or 0 for at in found) < _LARGEST and \
        (locked - own, holder - own) == (GIL_LOCKED, GIL_HOLDER) else None


def _version(memory: PageCache, runtime: int) -> int:
    """The minor version of an interpreter without that table, 0 if it is not known. It has a
    variable for that since 3.11; of others the name of their file tells."""
    process = memory.process
    at = process.symbol("Py_Version")
    if at is not None:
        version = memory.unsigned(at, 8)
        return version >> 16 & 0xFF if version >> 24 == 3 else 0
    found = _NAME.match(os.path.basename(process.image_at(runtime) or process.program or ""))
    return int(found.group(1)) if found else 0
