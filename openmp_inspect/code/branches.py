# SPDX-License-Identifier: MIT
"""Where the branches of a function lead. For instance

    <+11>  lea  a, %rax
    <+18>  jmp  <+27>
    <+20>  lea  b, %rax
    <+27>  mov  %rax, %rdi        from here on the way to the call is one of two
"""

from __future__ import annotations

from openmp_inspect.core import caches, debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import machine_code

if TYPE_CHECKING:
    from typing import Dict, FrozenSet, Hashable, Optional, Set, Tuple
    from openmp_inspect.host.interface import Process

_LARGEST = 1 << 16  # bytes of a function
_PIECE = 64  # that are read at once

# By program space, and a function's start.
_known: Dict[Tuple[Hashable, int], Optional[FrozenSet[int]]] = caches.of_code()


def lead_into(process: Process, start: int, end: int) -> bool:
    """Whether a branch leads behind the instruction at START and before END, which are in one
    function; True, too, where its code is not known."""
    name, offset = process.symbol_at(start)
    if name is None:
        return True
    key = process.code_key, start - offset
    if key not in _known:
        _known[key] = _targets(process, start - offset, name)
    targets = _known[key]
    return targets is None or any(start < target < end for target in targets)


def _targets(process: Process, start: int, name: str) -> Optional[FrozenSet[int]]:
    """Those of the branches of the function that begins at START, or None. A few of the function
    behind it may be among them."""
    code = b""
    try:
        while process.symbol_at(start + len(code))[0] == name:
            if len(code) >= _LARGEST:
                return None
            code += process.read(start + len(code), _PIECE)
    except HostError:
        debug.ignored()  # it may be the last one of its page
    found: Set[int] = set()
    end = start
    for at, one in machine_code.run(process.machine, code, start):
        end = at + one.length
        if one.flow in ("jump", "branch") and one.target is not None:
            found.add(one.target)
    is_cut = end + machine_code.LONGEST <= start + len(code) and process.symbol_at(end)[0] == name
    return None if is_cut or not code else frozenset(found)
