# SPDX-License-Identifier: MIT
"""Memory of a live process, and of a core, which leaves out what stands in files."""

from __future__ import annotations

import bisect
import os

from openmp_inspect.core.errors import Unreadable
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Callable, List, Optional
    from openmp_inspect.core.elf import Segment

_MOST = 1 << 28  # bytes in one read


def _checked(address: int, size: int) -> None:
    if not 0 <= address < 1 << 63 or not 0 <= size <= _MOST:
        raise Unreadable("no memory at %#x" % address)


class OfProcess:
    """By /proc/PID/mem, which needs the same rights as ptrace, and no stop; FILE: who has them has
    opened it."""

    def __init__(self, pid: int, file: Optional[int] = None) -> None:
        self._file = os.open("/proc/%d/mem" % pid, os.O_RDONLY | os.O_CLOEXEC) if file is None else \
            file

    def read(self, address: int, size: int) -> bytes:
        _checked(address, size)
        try:
            data = os.pread(self._file, size, address)
        except OSError as error:
            raise Unreadable("no memory at %#x: %s" % (address, error.strerror)) from None
        if len(data) != size:
            raise Unreadable("no memory at %#x" % (address + len(data)))
        return data

    def close(self) -> None:
        os.close(self._file)


class OfCore:
    """Of the segments of a core in an open FILE; what these do not have is asked of `files`, which
    returns None for what it does not know."""

    def __init__(self, file: int, size: int, segments: List[Segment]) -> None:
        self._file, self._size = file, size
        self._segments = sorted(segments, key=lambda one: one.address)
        self._starts = [one.address for one in self._segments]
        self.files: Optional[Callable[[int, int], Optional[bytes]]] = None

    def read(self, address: int, size: int) -> bytes:
        _checked(address, size)
        data = b""
        while len(data) < size:
            data += self._piece(address + len(data), size - len(data))
        return data

    def _piece(self, address: int, size: int) -> bytes:
        """From one segment, up to SIZE bytes, at least one."""
        at = bisect.bisect_right(self._starts, address) - 1
        segment = self._segments[at] if at >= 0 else None
        if segment is not None and address < segment.address + segment.memory:
            size = min(size, segment.address + segment.memory - address)
            inside = address - segment.address
            if inside < segment.size:
                offset = segment.offset + inside
                size = min(size, segment.size - inside)
                data = os.pread(self._file, size, offset) if offset < self._size else b""
                if len(data) == size:
                    return data
                raise Unreadable("the core is cut short at %#x" % address)
        found = self.files(address, size) if self.files is not None else None
        if not found:
            raise Unreadable("no memory at %#x" % address)
        return found

    def close(self) -> None:
        os.close(self._file)
