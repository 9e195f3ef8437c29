# SPDX-License-Identifier: MIT
"""What is mapped into a process, by /proc/PID/maps or the notes of its core."""

from __future__ import annotations

import bisect
import os
import re
import struct

from openmp_inspect.core import access
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Iterator, List, Optional
    from openmp_inspect.core.elf import Header

_MOST = 1 << 17  # mappings; the kernel grants a process 65530
_LINE = re.compile(rb"^([0-9a-f]+)-([0-9a-f]+) .([w-])[x-]([ps]) ([0-9a-f]+) \S+ +\d+ *([^\n]*)$",
                   re.MULTILINE)
_DELETED = " (deleted)"


class Mapping(NamedTuple):
    start: int
    end: int
    offset: int  # in its file
    path: str  # "" of what is no file; also of one that was deleted since
    is_private: Optional[bool]  # no other process has its memory; None: not known
    is_writable: bool = True  # or not known


class Mappings:
    """Those of a process, sorted by address."""

    def __init__(self, found: List[Mapping]) -> None:
        self.all = sorted(found[:_MOST])
        self._starts = [one.start for one in self.all]

    @property
    def files(self) -> List[Mapping]:
        """Those of files."""
        return [one for one in self.all if one.path.startswith("/")]

    def at(self, address: int) -> Optional[Mapping]:
        at = bisect.bisect_right(self._starts, address) - 1
        return self.all[at] if at >= 0 and address < self.all[at].end else None


def of_process(pid: int) -> Mappings:
    """Those of a live process; OSError where the kernel does not say."""
    text = access.current().text("/proc/%d/maps" % pid)
    return Mappings([Mapping(int(start, 16), int(end, 16), int(offset, 16), _named(os.fsdecode(path)),
                             private == b"p", writable == b"w")
                     for start, end, writable, private, offset, path in _LINE.findall(text)])


def _named(path: str) -> str:
    return path[:-len(_DELETED)] if path.endswith(_DELETED) else path


def of_note(content: bytes, header: Header) -> Iterator[Mapping]:
    """Mappings of files by a core's NT_FILE: a count and the size of a page, then as many times
    start, end and offset in pages, then their names. Memory that processes share is among them: the
    kernel takes a file for that where a program names none."""
    word = "Q" if header.wide else "I"
    head, entry = struct.Struct(header.order + word * 2), struct.Struct(header.order + word * 3)
    if len(content) < head.size:
        return
    count, page = head.unpack_from(content)
    if count > _MOST or head.size + count * entry.size > len(content):
        return
    names = content[head.size + count * entry.size:].split(b"\0")
    for at in range(min(count, len(names))):
        start, end, offset = entry.unpack_from(content, head.size + at * entry.size)
        yield Mapping(start, end, offset * page, _named(os.fsdecode(names[at])), False)
