# SPDX-License-Identifier: MIT
"""Memory of a process as it is at one moment, copied while the process stands still: pages that are
known to be needed, and the used part of each stack.

    rehearsal: the command runs while the process does   wanted: pages 5, 6, 90
    stop: 5-6, 90 and stacks are copied                   read(6): the copy's
    the process runs on, the command is answered          read(7): missed; the process's own
"""

from __future__ import annotations

import bisect

from openmp_inspect.core import debug
from openmp_inspect.core.errors import Unreadable
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import page_cache

if TYPE_CHECKING:
    from typing import Callable, Iterable, List, Optional, Set, Tuple

    Read = Callable[[int, int], bytes]

PAGE = page_cache.PAGE

MOST_PAGES = 1 << 16  # that are wanted: 256 MiB
_LONG, _MARGIN = 16, 4  # pages of a list that libompd goes through, and that it may read ahead
_RED_ZONE = 256  # bytes below the stack pointer that functions use
_MOST_STACK = 1 << 20  # bytes of one
_MOST_STACKS = 1 << 26  # of all


def stack_pages(pointers: List[int], end_of: Callable[[int], Optional[int]]) -> Set[int]:
    """The numbers of the pages between stack POINTERS and where END_OF says that what is mapped
    there ends, as far as is reasonable."""
    most = min(_MOST_STACK, max(_MOST_STACKS // max(len(pointers), 1), PAGE))
    found: Set[int] = set()
    for pointer in pointers:
        end = min(end_of(pointer) or pointer + PAGE, pointer + most)
        found.update(range((pointer - _RED_ZONE) // PAGE, (end - 1) // PAGE + 1))
    return found


def pieces_of(areas: Iterable[Tuple[int, int]], read: Read) -> List[Tuple[int, bytes]]:
    """(address, content) of the pages of these runs of numbers, as READ has them now; those that are
    none are left out."""
    found: List[Tuple[int, bytes]] = []
    for start, end in areas:
        _copy(read, start * PAGE, end * PAGE, found)
    return found


def _copy(read: Read, start: int, end: int, found: List[Tuple[int, bytes]]) -> None:
    try:
        piece = read(start, end - start)
    except Unreadable:
        debug.ignored()
        if end - start > PAGE:  # one of them is not there
            middle = (start + end) // 2 // PAGE * PAGE
            _copy(read, start, middle, found)
            _copy(read, middle, end, found)
        return
    found.append((start, piece))


class CopiedMemory:
    """PIECES as pieces_of() returns them."""

    def __init__(self, pieces: List[Tuple[int, bytes]]) -> None:
        self._starts = [start for start, _ in pieces]
        self._pieces = [piece for _, piece in pieces]

    def read(self, address: int, size: int) -> Optional[bytes]:
        """SIZE bytes at ADDRESS; None unless all of them have been copied."""
        data = b""
        while True:
            at = bisect.bisect_right(self._starts, address + len(data)) - 1
            inside = address + len(data) - self._starts[at] if at >= 0 else 0
            piece = self._pieces[at][inside:inside + size - len(data)] if at >= 0 else b""
            data += piece
            if len(data) == size or not piece:
                return data if len(data) == size else None

    def pieces(self, hidden: range) -> List[Tuple[int, bytes]]:
        """(address, content) of each, with zeros at the addresses that are HIDDEN."""
        found = []
        for start, piece in zip(self._starts, self._pieces):
            low, high = max(start, hidden.start), min(start + len(piece), hidden.stop)
            found.append((start, piece if low >= high else b"".join(
                (piece[:low - start], b"\0" * (high - low), piece[high - start:]))))
        return found


def pages(address: int, size: int) -> range:
    """The numbers of those that have these bytes."""
    return range(address // PAGE, (address + max(size, 1) - 1) // PAGE + 1)


def around(address: int) -> range:
    """The numbers of the page that has it and of the one below."""
    return range(max(address // PAGE - 1, 0), address // PAGE + 1)


def runs(numbers: List[int]) -> Iterable[Tuple[int, int]]:
    """[3, 4, 5, 9] as (3, 6), (9, 10)."""
    start = previous = None
    for number in numbers:
        if start is None or previous is None or number != previous + 1:
            if start is not None and previous is not None:
                yield start, previous + 1
            start = number
        previous = number
    if start is not None and previous is not None:
        yield start, previous + 1


def with_margins(found: Iterable[Tuple[int, int]]) -> Iterable[Tuple[int, int]]:
    """The same runs, long ones with a few pages around them."""
    for start, end in found:
        margin = _MARGIN if end - start >= _LONG else 0
        yield max(start - margin, 0), end + margin
