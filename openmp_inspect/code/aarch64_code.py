# SPDX-License-Identifier: MIT
"""Instructions of aarch64, as machine_code.py has them."""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Optional, Tuple
    Decoded = Optional[Tuple[int, str, Optional[int]]]

_SIZE = 4
# (mask, value, flow, lowest bit of the distance, its bits; none of the distance in bits)
_DIRECT = (
    (0xFC000000, 0x14000000, "jump", 0, 26),  # b
    (0xFC000000, 0x94000000, "call", 0, 26),  # bl
    (0xFF000000, 0x54000000, "branch", 5, 19),  # b.cond
    (0x7E000000, 0x34000000, "branch", 5, 19),  # cbz, cbnz
    (0x7E000000, 0x36000000, "branch", 5, 14),  # tbz, tbnz
)
_OTHERS = (
    (0xFEE00000, 0xD6000000, "jump"),  # br, braa
    (0xFEE00000, 0xD6200000, "call"),  # blr, blraa
    (0xFE000000, 0xD6000000, "end"),  # ret, retaa, eret
    (0xFFE0001F, 0xD4200000, "end"),  # brk
    (0xFFE0001F, 0xD4400000, "end"),  # hlt
    (0xFFFF0000, 0x00000000, "end"),  # udf
    (0x7E000000, 0x74000000, ""),  # cb<cond>, which nothing makes yet
)


def decoded(code: bytes, at: int, address: int) -> Decoded:
    """(length, flow, target) of the instruction in CODE from byte AT on, or None."""
    word = int.from_bytes(code[at:at + _SIZE], "little")
    if at + _SIZE > len(code):
        return None
    for mask, value, flow, low, bits in _DIRECT:
        if word & mask == value:
            distance = (word >> low) & (1 << bits) - 1
            distance -= (distance >> bits - 1) << bits
            return _SIZE, flow, (address + distance * _SIZE) & (1 << 64) - 1
    flow = next((flow for mask, value, flow in _OTHERS if word & mask == value), "other")
    return (_SIZE, flow, None) if flow else None
