# SPDX-License-Identifier: MIT
"""Whether a body that begins is that of the task which a call has made, maybe on another thread."""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Callable, Optional
    from openmp_inspect.code.entry_point_table import Entry
    _Argument = Callable[[int], Optional[int]]  # an argument by its number, from 0

_BLOCK = 4096  # bytes that are compared of a task's argument block
_DETACH = 1 << 13  # GOMP_task: the first word of the block is made later


def condition(entry: Entry, of_call: _Argument,
              read: Callable[[int, int], bytes]) -> Callable[[_Argument], bool]:
    """A condition at the first instruction of a body, given the arguments there, for a call of ENTRY
    with the arguments OF_CALL: is this its task? LLVM's runtime hands the task's descriptor on.
    libgomp copies its argument block: one with the same content is as good, and any where that
    cannot be compared. READ: bytes of an address and size; HostError."""
    if entry.construct != "task" or entry.runs != "later":
        return lambda _of_body: True
    if entry.in_task and isinstance(entry.body, int):
        task = of_call(entry.body)
        return lambda of_body: of_body(1) == task
    data, copy, size, flags = (of_call(number) or 0 for number in (1, 2, 3, 6))
    first = 8 if flags & _DETACH else 0
    size = min(size, _BLOCK) - first
    if copy or size <= 0:
        return lambda _of_body: True  # a block with constructors is not copied byte by byte
    block = read(data + first, size)
    return lambda of_body: read((of_body(0) or 0) + first, size) == block
