# SPDX-License-Identifier: MIT
"""ELF headers: of files, and of a file's first page as a process has it mapped.

Both may be damaged or crafted: what does not fit raises ValueError.
"""

from __future__ import annotations

import io
import os
import re
import struct

from openmp_inspect.core import debug, regular_file
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import BinaryIO, Callable, Iterator, List, Optional, Tuple

EXECUTABLE, SHARED, CORE = 2, 3, 4  # types of files
LOAD, INTERPRETER, NOTE, EH_FRAME_HDR = 1, 3, 4, 0x6474E550  # types of segments
X86_64, AARCH64 = 62, 183  # machines

PRSTATUS, PRPSINFO, AUXV, SIGINFO, FILE, ARM_TLS = 1, 3, 6, 0x53494749, 0x46494C45, 0x401  # types
# of notes of a core, and in the first: offsets of the thread's id and of registers, 64 bits
THREAD_ID, REGISTERS = 32, 112

_LARGEST_ENTRY = 256  # bytes of a segment's entry in the table
_WIDE, _NARROW = 2, 1
_WRITABLE = 2  # among a segment's flags
_BUILD_ID = 3  # type of a note
_PADDING = 3  # notes are aligned to 4 bytes


class Header(NamedTuple):
    wide: bool  # 64-bit
    order: str  # of bytes, as struct has it
    type: int
    machine: int


class Segment(NamedTuple):
    type: int
    offset: int
    size: int
    address: int
    memory: int  # bytes that it takes there
    writable: bool


class Headers(NamedTuple):
    header: Header
    segments: List[Segment]


class Note(NamedTuple):
    owner: bytes
    type: int
    content: bytes


def fields(stream: BinaryIO) -> Tuple[Header, Tuple[int, ...]]:
    """The Header at the beginning of a binary stream, and all fields of struct Ehdr behind
    e_ident; ValueError where it has none."""
    ident = stream.read(16)
    if len(ident) < 16 or ident[:4] != b"\x7fELF" or ident[4] not in (_NARROW, _WIDE) or \
            ident[5] not in (1, 2):
        raise ValueError("not an ELF file")
    wide, order = ident[4] == _WIDE, "<" if ident[5] == 1 else ">"
    layout = struct.Struct(order + ("HHIQQQIHHHHHH" if wide else "HHIIIIIHHHHHH"))
    found = _unpacked(layout, stream.read(layout.size))
    return Header(wide, order, found[0], found[1]), found


def read(stream: BinaryIO) -> Headers:
    """The Headers at the beginning of a binary stream that can seek; ValueError where it has
    none, or ones that do not fit. A table of segments that is cut short has the whole ones."""
    header, found = fields(stream)
    entry = struct.Struct(header.order + ("IIQQQQQQ" if header.wide else "IIIIIIII"))
    table, size, count = found[4], found[8], found[9]
    if not entry.size <= size <= _LARGEST_ENTRY:
        raise ValueError("a program header of %d bytes" % size)
    try:
        stream.seek(table)
    except (OverflowError, ValueError, OSError):
        raise ValueError("a table of program headers at %#x" % table) from None
    data = stream.read(size * count)
    segments = []
    for at in range(0, len(data) - entry.size + 1, size):
        of = entry.unpack_from(data, at)
        flags = of[1 if header.wide else 6]
        segments.append(Segment(of[0], *((of[2], of[5], of[3], of[6]) if header.wide else
                                         (of[1], of[4], of[2], of[5])), bool(flags & _WRITABLE)))
    return Headers(header, segments)


def of_page(page: bytes) -> Headers:
    """The same of a file's first bytes."""
    return read(io.BytesIO(page))


def notes(data: bytes, header: Header) -> Iterator[Note]:
    """Each whole Note in the bytes of a segment."""
    note = struct.Struct(header.order + "III")
    at = 0
    while at + note.size <= len(data):
        owner_size, size, kind = note.unpack_from(data, at)
        owner = at + note.size
        content = owner + (owner_size + _PADDING & ~_PADDING)
        at = content + (size + _PADDING & ~_PADDING)
        if at <= len(data):
            yield Note(data[owner:owner + owner_size].rstrip(b"\0"), kind,
                       data[content:content + size])


def build_id(data: bytes, header: Header) -> Optional[str]:
    """The one that the bytes of a segment of notes have, in hexadecimal, or None."""
    return next((note.content.hex() for note in notes(data, header)
                 if note.type == _BUILD_ID and note.owner == b"GNU" and note.content), None)


def is_static(path: Optional[str],
              opened: Callable[[str], BinaryIO] = regular_file.opened) -> bool:
    """Whether the program at PATH has no dynamic linker that could preload anything, and is
    not one itself. False where that cannot be read, by way of OPENED, or PATH is None."""
    if path is None or re.match(r"ld[-.\d]", os.path.basename(path)):
        return False
    try:
        with opened(path) as stream:
            kinds = [segment.type for segment in read(stream)[1]]
    except (OSError, ValueError):
        debug.ignored()
        return False
    return bool(kinds) and INTERPRETER not in kinds


def _unpacked(layout: struct.Struct, data: bytes) -> Tuple[int, ...]:
    if len(data) != layout.size:
        raise ValueError("an ELF header that is cut short")
    return layout.unpack(data)
