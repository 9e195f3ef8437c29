# SPDX-License-Identifier: MIT
"""A cache of a process's pages, beneath everything that reads for an OMPD library.

It holds what was read until somebody says that the target may have changed (drop()).
Failures are not remembered.
"""

from __future__ import annotations

from openmp_inspect.core import counters, debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.core.errors import Unreadable

if TYPE_CHECKING:
    from typing import Dict
    from openmp_inspect.host.interface import Process

PAGE = 4096
# No OMPD library needs more in one read; a larger size comes from nonsense in the target.
LARGEST_READ = 1 << 24
_MOST = 1 << 14  # pages: lists of more are hardly read twice


class PageCache:
    def __init__(self, process: Process) -> None:
        self.process = process
        self._pages: Dict[int, bytes] = {}

    def drop(self) -> None:
        self._pages.clear()

    def read(self, address: int, size: int) -> bytes:
        """SIZE bytes at ADDRESS, or Unreadable."""
        if size < 0 or size > LARGEST_READ or address < 0 or address + size > 1 << 64:
            raise Unreadable("no such range")
        if size == 0:
            return b""
        if len(self._pages) > _MOST:
            self._pages.clear()
        first, offset = divmod(address, PAGE)
        try:
            if offset + size <= PAGE:
                return (self._pages.get(first) or self._fetched(first))[offset:offset + size]
            last = (address + size - 1) // PAGE
            self._fetch(first, last)
        except Unreadable:
            debug.ignored()
            # A page of a core may be there in part.
            return self._access(address, size)
        data = b"".join(self._pages[n] for n in range(first, last + 1))
        return data[offset:offset + size]

    def unsigned(self, address: int, size: int) -> int:
        """The number in SIZE bytes, likewise."""
        return int.from_bytes(self.read(address, size), self.process.byte_order)

    def read_string(self, address: int, longest: int) -> bytes:
        """The bytes at ADDRESS up to a NUL, at most LONGEST. Reads by pieces that end where
        pages do, so as not to ask for a page that is not there."""
        data = b""
        while len(data) < longest:
            at = address + len(data)
            piece = self.read(at, min(64 - at % 64, longest - len(data)))
            end = piece.find(b"\0")
            if end >= 0:
                return data + piece[:end]
            data += piece
        return data

    def _fetched(self, number: int) -> bytes:
        """A page, read with the one below, which is likely to be asked for next: a stack grows
        down from what its thread keeps. What was copied has that if it was needed."""
        below = number - 1
        if number > 0 and below not in self._pages and not self.process.is_copied:
            try:
                data = self._access(below * PAGE, 2 * PAGE)
                self._pages[below] = data[:PAGE]
                self._pages[number] = data[PAGE:]
                return self._pages[number]
            except Unreadable:
                debug.ignored()
        page = self._pages[number] = self._access(number * PAGE, PAGE)
        return page

    def _fetch(self, first: int, last: int) -> None:
        """Reads the missing ones of these pages, neighbours together."""
        start = None
        for number in range(first, last + 2):
            missing = number <= last and number not in self._pages
            if missing and start is None:
                start = number
            elif not missing and start is not None:
                data = self._access(start * PAGE, (number - start) * PAGE)
                for n in range(start, number):
                    at = (n - start) * PAGE
                    self._pages[n] = data[at:at + PAGE]
                start = None

    def _access(self, address: int, size: int) -> bytes:
        counters.add("target_accesses")
        return self.process.read(address, size)
