# SPDX-License-Identifier: MIT
"""Where functions begin, by .eh_frame_hdr: a table of functions sorted by address, which a stripped
file has, too, and which is mapped."""

from __future__ import annotations

import struct

from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Callable, Optional, Tuple
    Read = Callable[[int, int], bytes]

# How it is encoded by all linkers: distances of 4 bytes, a count of 4 bytes.
_VERSION_AND_ENCODINGS = b"\x01\x1b\x03\x3b"
_HEADER, _ENTRY = struct.Struct("=4siI"), struct.Struct("=ii")
_FUNCTION = struct.Struct("=IIiI")  # of .eh_frame: length, its CIE, beginning, size


def function_start(read: Read, table: int, pc: int) -> Optional[int]:
    """Where the function with the instruction at PC begins, by the TABLE at an address, or None;
    READ returns bytes of memory, and its errors are the caller's, as is struct.error. A function
    that was split begins at each part."""
    encodings, _, count = _unpacked(read, _HEADER, table)
    if encodings != _VERSION_AND_ENCODINGS:
        return None
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if table + _unpacked(read, _ENTRY, table + _HEADER.size + middle * _ENTRY.size)[0] <= pc:
            low = middle + 1
        else:
            high = middle
    if low == 0:
        return None
    start, entry = (table + distance for distance in
                    _unpacked(read, _ENTRY, table + _HEADER.size + (low - 1) * _ENTRY.size))
    _, _, distance, size = _unpacked(read, _FUNCTION, entry)
    return start if entry + 8 + distance == start and pc < start + size else None


def _unpacked(read: Read, layout: struct.Struct, address: int) -> Tuple[Any, ...]:
    return layout.unpack(read(address, layout.size))
