# SPDX-License-Identifier: MIT
"""What a compiler tells LLVM's runtime of a call, in the ident_t that is its first argument:

    int32   reserved
    int32   flags           what is called for, where several constructs make the same call
    int32   reserved
    int32   size of the text
    char *  ";file;function;line;column;;", with debug information
"""

from __future__ import annotations

import os
import struct

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import call_site

if TYPE_CHECKING:
    from typing import Optional
    from openmp_inspect.host.interface import Process

_OF_KMPC, _REDUCTION = 0x02, 0x10
_EXPLICIT, _IMPLICIT, _SECTIONS, _SINGLE, _WORKSHARE = 0x20, 0x40, 0xC0, 0x140, 0x1C0
_KINDS = {_EXPLICIT: "barrier", _IMPLICIT: "implicit", _SECTIONS: "sections",
          _SINGLE: "single", _WORKSHARE: "workshare"}
_MOST_TEXT = 4096


class BarrierCall(NamedTuple):
    """Of a call of a barrier: the name of the construct that it is or ends, "implicit" for any
    other one that ends with a barrier, "reduction" for one that ends with that, and where its
    directive is; the file without directories."""

    construct: str
    file: str
    line: int


def barrier_before(process: Process, end: int, line: Optional[int]) -> Optional[BarrierCall]:
    """That of the call which returns to END, as the code before it seems to load it: LINE is what
    debug information has for the call, and must agree; None: it is that of a reduction. None if it
    cannot be decoded."""
    def accepts(address: int) -> bool:
        found = barrier_at(process, address)
        return found is not None and (
            found.construct == "reduction" if line is None else found.line == line)

    address = call_site.checked_argument_at(process, end, accepts)
    return None if address is None else barrier_at(process, address)


def barrier_at(process: Process, ident: int) -> Optional[BarrierCall]:
    """That which an ident_t at an address in the program describes, or None if there is none of a
    barrier."""
    order = "<" if process.byte_order == "little" else ">"
    pointer = "Q" if process.pointer_size == 8 else "I"
    shape = struct.Struct(order + "iiii" + pointer)
    try:
        _, flags, _, size, text = shape.unpack(process.read(ident, shape.size))
        kind = "reduction" if flags & _REDUCTION else _KINDS.get(flags & (_EXPLICIT | _WORKSHARE))
        if kind is None or not flags & _OF_KMPC or not 0 < size <= _MOST_TEXT:
            return None
        return _placed(kind, process.read(text, size))
    except (HostError, struct.error):
        debug.ignored()
        return None


def _placed(kind: str, text: bytes) -> Optional[BarrierCall]:
    parts = text.decode("utf-8", "replace").split(";")
    if len(parts) != 7 or parts[0] or not parts[3].isdecimal() or int(parts[3]) == 0:
        return None
    return BarrierCall(kind, os.path.basename(parts[1]), int(parts[3]))
