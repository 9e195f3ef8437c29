# SPDX-License-Identifier: MIT
"""Entries of the linkage table, which have no symbol: each jumps to an address that the dynamic
linker stores in a slot.

    endbr64; bnd jmp *DISTANCE(%rip)        x86-64, also without the first one, or "bnd"
    adrp x16, PAGE; ldr x17, [x16, OFFSET]  aarch64
"""

from __future__ import annotations

import re

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Callable, Optional, Tuple

_ENTRY = 16  # bytes, aligned as well; one of .plt.got has 8
_X86_64 = re.compile(rb"(?:\xf3\x0f\x1e\xfa)?(?:\xf2)?\xff\x25(....)", re.DOTALL)


def slot_of(read: Callable[[int, int], bytes],
            address: int) -> Tuple[int, Optional[int]]:
    """(start, address of the slot) of the entry with this ADDRESS, or (_, None) if there is
    none."""
    for size in (_ENTRY, 8):
        start = address & -size
        try:
            code = read(start, _ENTRY)
        except HostError:
            debug.ignored()
            continue
        found = _X86_64.match(code)
        if found:
            return start, start + found.end() + int.from_bytes(found.group(1), "little",
                                                               signed=True)
        page, load = (int.from_bytes(code[at:at + 4], "little") for at in (0, 4))
        if page & 0x9F00001F == 0x90000010 and load & 0xFFC003FF == 0xF9400211:
            high = page >> 5 & 0x7FFFF
            pages = (high - (high >> 18 << 19) << 2) + (page >> 29 & 3)
            return start, (start & -4096) + pages * 4096 + (load >> 10 & 0xFFF) * 8
    return address, None
