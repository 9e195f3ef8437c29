# SPDX-License-Identifier: MIT
"""Where a thread is in a program in Python: function, file and line, as its interpreter has them.

What is read is believed if it has the type that it should have. Lines stand in tables of bytes:

    3.9      pairs: instructions on from the last one, lines on
    3.10     pairs: of how many bytes of instructions, lines on, -128 for none
    3.11 on  entries of a byte with its highest bit set, in which are a kind and of how many
             instructions, and bytes without that, of which some kinds have a distance in lines
"""

from __future__ import annotations

import struct

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code.places import Place

if TYPE_CHECKING:
    from typing import Iterator, List, Optional, Tuple
    from openmp_inspect.host.page_cache import PageCache
    from openmp_inspect.stacks.python_layouts import Layout

_TYPE, _SIZE, _BYTES = 8, 16, 32  # in objects: its type; of bytes how many, and they
_STATE = 32  # in a str
_ASCII, _COMPACT = 0x40, 0x20  # in that: what its characters are, and that they follow
_KIND, _WIDTH = 2, 7  # in that: from which bit on, and in which bits, are the bytes of a character
_CODECS = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}
_TAGS = 7  # the lowest bits of a reference, from 3.14 on
_MOST_FRAMES = 4096
_IS_ENTRY = 68  # in a frame of 3.11: whether the interpreter was called for it
_OWNER, _NO_FUNCTION = 70, 3  # in one of 3.12: whose it is, and that this is where it was called
_LONGEST_NAME = 1 << 12  # characters
_LONGEST_TABLE = 1 << 20  # bytes
_NO_LINE = -128
_SHORT, _ONE_LINE, _NO_COLUMNS, _LONG, _NONE = 0, 10, 13, 14, 15  # kinds of entries


def place(memory: PageCache, layout: Layout, state: int) -> Optional[Place]:
    """The Place of the newest function in Python of the thread state at the address STATE, or
    None."""
    try:
        for frame, code in _frames(memory, layout, state):
            if code:
                return _of_frame(memory, layout, frame, code)
    except (HostError, OverflowError, ValueError):
        debug.ignored()
    return None


def executed(memory: PageCache, layout: Layout, state: int) -> List[List[Place]]:
    """For each call of the interpreter's that executes functions in Python, of a thread with this thread
    state, the Places of these; all newest first. None where something is not what it should be."""
    found: List[List[Place]] = [[]]
    try:
        for frame, code in _frames(memory, layout, state):
            place_of = _of_frame(memory, layout, frame, code) if code else None
            if place_of is not None:
                found[-1].append(place_of)
            elif code:
                return []
            # From 3.12 on there is a frame without code where the interpreter was called.
            if layout.minor <= 10 or (memory.unsigned(frame + _IS_ENTRY, 1) if layout.minor == 11 else
                                      not code):
                found.append([])
    except (HostError, OverflowError, ValueError):
        debug.ignored()
        return []
    return found[:-1] if not found[-1] else []


def _frames(memory: PageCache, layout: Layout, state: int) -> Iterator[Tuple[int, int]]:
    """The address of each frame, newest first, and that of its code object, or 0."""
    frame = memory.unsigned(state + layout.frame, 8)
    if layout.frame_behind is not None:
        frame = memory.unsigned(frame + layout.frame_behind, 8)
    for _ in range(_MOST_FRAMES):
        if not frame:
            return
        code = memory.unsigned(frame + layout.code, 8) & ~_TAGS
        has_code = code and _is(memory, code, "PyCode_Type") and not (
            layout.minor == 12 and memory.unsigned(frame + _OWNER, 1) == _NO_FUNCTION)
        yield frame, code if has_code else 0
        frame = memory.unsigned(frame + layout.previous, 8)
    raise HostError("frames without an end")


def _of_frame(memory: PageCache, layout: Layout, frame: int, code: int) -> Optional[Place]:
    name = _text(memory, layout, memory.unsigned(code + layout.name, 8))
    file = _text(memory, layout, memory.unsigned(code + layout.file, 8))
    if name is None or file is None:
        return None
    return Place(memory.process, name, file, _line(memory, layout, frame, code))


def _is(memory: PageCache, address: int, name: str) -> bool:
    """Whether the object at an ADDRESS has the type of this NAME."""
    known = memory.process.symbol(name)
    return known is not None and memory.unsigned(address + _TYPE, 8) == known


def _text(memory: PageCache, layout: Layout, address: int) -> Optional[str]:
    """The str at an ADDRESS, or None."""
    if not address or not _is(memory, address, "PyUnicode_Type"):
        return None
    length, state = memory.unsigned(address + _SIZE, 8), memory.unsigned(address + _STATE, 4)
    width = state >> _KIND & _WIDTH
    if not state & _COMPACT or width not in _CODECS or length > _LONGEST_NAME:
        return None
    at = address + (layout.text if state & _ASCII else layout.wide_text)
    return memory.read(at, length * width).decode(_CODECS[width], "backslashreplace")


def _line(memory: PageCache, layout: Layout, frame: int, code: int) -> Optional[int]:
    """The line that a frame executes, or None."""
    address = memory.unsigned(code + layout.lines, 8)
    if not address or not _is(memory, address, "PyBytes_Type"):
        return None
    size = memory.unsigned(address + _SIZE, 8)
    if size > _LONGEST_TABLE:
        return None
    table = memory.read(address + _BYTES, size)
    first = memory.unsigned(code + layout.first_line, 4)
    if layout.minor >= 11:
        at = memory.unsigned(frame + layout.instruction, 8) - (code + layout.start)
        found = line_of_entries(table, first, at // 2)
    else:
        at, = struct.unpack("<i", memory.read(frame + layout.instruction, 4))
        found = line_of_pairs(table, first, at) if layout.minor == 9 else \
            line_of_ranges(table, first, at * 2)
    return found if found is not None and found > 0 else None


def _pairs(table: bytes) -> Iterator[Tuple[int, int]]:
    """Of an unsigned number and a signed one."""
    return ((pair[0], pair[1]) for pair in struct.iter_unpack("Bb", table[:len(table) & ~1]))


def line_of_pairs(table: bytes, line: int, at: int) -> Optional[int]:
    """The line of the instruction AT so many bytes, by a table of 3.9; LINE is the first one."""
    if at < 0:
        return None
    end = 0
    for distance, lines in _pairs(table):
        end += distance
        if end > at:
            break
        line += lines
    return line


def line_of_ranges(table: bytes, line: int, at: int) -> Optional[int]:
    """The same by one of 3.10; None: it has none."""
    if at < 0:
        return None
    end = 0
    for size, lines in _pairs(table):
        end += size
        line += 0 if lines == _NO_LINE else lines
        if end > at:
            return None if lines == _NO_LINE else line
    return None


def line_of_entries(table: bytes, line: int, at: int) -> Optional[int]:
    """The same by one of 3.11 and later, of the instruction AT so many others."""
    if at < 0:
        return None
    end, start = 0, 0
    while start < len(table):
        kind, size = table[start] >> 3 & 15, (table[start] & 7) + 1
        after = next((place for place in range(start + 1, len(table)) if table[place] & 0x80),
                     len(table))
        if kind in (_NO_COLUMNS, _LONG):
            line += _signed(table[start + 1:after])
        elif _ONE_LINE <= kind < _NO_COLUMNS:
            line += kind - _ONE_LINE
        end, start = end + size, after
        if end > at:
            return None if kind == _NONE else line
    return None


def _signed(data: bytes) -> int:
    """The first number in DATA: of 6 bits of each byte up to one without the seventh; the lowest of
    all says whether it is negative."""
    number = 0
    for place, byte in enumerate(data):
        number |= (byte & 0x3F) << 6 * place
        if not byte & 0x40:
            break
    return -(number >> 1) if number & 1 else number >> 1
