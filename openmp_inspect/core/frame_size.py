# SPDX-License-Identifier: MIT
"""How much of the stack a function takes, by its first instructions on x86-64:

    sub  $0x186c28,%rsp             1.6 MB
    lea  -0x186000(%rsp),%r11       the same in steps of a page, each of which is touched
    sub  $0x1000,%rsp
    orq  $0,(%rsp)
    ...
    sub  $0xc38,%rsp

What it takes later, for arrays whose size it computes, is not known.
"""

from __future__ import annotations

import re
import struct

from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Optional

PROLOGUE = 96  # bytes of code that are looked at
_PAGE = 4096
_TAKES = regex(rb"\x48\x81\xec(....)|\x48\x83\xec(.)|\x4c\x8d\x9c\x24(....)", re.DOTALL)


def of_prologue(code: bytes) -> Optional[int]:
    """Bytes of the stack, or None where no such instruction is."""
    size, steps = 0, None
    for found in _TAKES.finditer(code[:PROLOGUE]):
        whole, short, end = found.groups()
        if end is not None and steps is None:
            steps = -struct.unpack("<i", end)[0]
        elif end is None:
            one = struct.unpack("<i", whole)[0] if whole else struct.unpack("b", short)[0]
            size += one if one > 0 and not (steps and one == _PAGE) else 0
    size += max(steps or 0, 0)
    return size or None
