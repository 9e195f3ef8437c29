# SPDX-License-Identifier: MIT
"""Threads of a core by the notes in its file, and the memory that it has left out.

gdb lists more than these: libthread_db adds what stands in the memory of the process, such
as the parent's threads in a child that was just forked.
"""

from __future__ import annotations

import bisect
import re
import struct

import gdb

from openmp_inspect.core import debug, elf, regular_file
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.host import machine
from openmp_inspect.host.kernel_facts import KernelFacts, OfNotes
from gdb_openmp.host import gdb_text

if TYPE_CHECKING:
    from typing import BinaryIO, Dict, Iterator, List, Optional, Tuple
    from openmp_inspect.core.elf import Header, Note
    from openmp_inspect.host.machine import Machine
    from gdb_openmp.host.gdb_types import GdbInferior
    from gdb_openmp.host.inferiors import Connection
    Statuses = Dict[int, Optional["ThreadRegisters"]]  # by kernel id

_MOST_NOTES = 1 << 26  # bytes, for ten thousand threads
# Where the kernel's struct elf_prstatus has the thread's id, narrow and wide.
_ID = {False: 24, True: elf.THREAD_ID}


class ThreadRegisters(NamedTuple):
    """Of one thread, by their names."""

    machine: Machine
    values: Dict[str, int]


class _Core(NamedTuple):
    statuses: Statuses
    left_out: List[Tuple[int, int, bool]]  # (start, end, whether it is writable), sorted
    facts: KernelFacts


_NONE = _Core({}, [], KernelFacts())
# Of one core at a time: the numbers of its inferior and connection, and what its file has.
_last: Optional[Tuple[int, int, _Core]] = None


def threads(inferior: GdbInferior, connection: Connection) -> Optional[Statuses]:
    """{kernel id: ThreadRegisters, or None of a machine that machine.py does not have} of the selected
    inferior, a core. None when the file cannot be read."""
    return _core(inferior, connection).statuses or None


def left_out(inferior: GdbInferior, connection: Connection, address: int,
             size: int) -> Optional[bool]:
    """Whether what the core has left out of these bytes is writable, None if it has them; likewise.
    gdb has zeros for it, unless a file has it."""
    found = _core(inferior, connection).left_out
    at = bisect.bisect_right(found, (address + size - 1, 1 << 64)) - 1
    return found[at][2] if at >= 0 and address < found[at][1] else None


def facts(inferior: GdbInferior, connection: Connection) -> KernelFacts:
    """Of a snapshot; likewise."""
    return _core(inferior, connection).facts


def _core(inferior: GdbInferior, connection: Connection) -> _Core:
    global _last  # pylint: disable=global-statement
    key = inferior.num, connection.num
    if _last is None or _last[:2] != key:
        found = _NONE
        try:
            with regular_file.opened(path() or "") as stream:
                found = _read(stream)
        except (OSError, ValueError, OverflowError, struct.error, gdb.error):
            debug.ignored()
        _last = (*key, found)
    return _last[2]


def path() -> Optional[str]:
    """The core's file, or None. gdb's Python does not have it; this reads text made for people."""
    text = gdb_text.printed("info files")
    found = re.search(r"^Local core dump file:\n\s*[`'\u2018](.+)['\u2019], file type", text, re.M)
    return None if found is None else found.group(1)


def _read(stream: BinaryIO) -> _Core:
    header, segments = elf.read(stream)
    if header.type != elf.CORE:
        raise ValueError("no core")
    statuses: Statuses = {}
    facts_of = KernelFacts()
    for segment in segments:
        if segment.type == elf.NOTE and not statuses:  # a core has one
            stream.seek(segment.offset)
            notes = list(elf.notes(stream.read(min(segment.size, _MOST_NOTES)), header))
            statuses = dict(_threads_of(notes, header))
            if header.wide:
                facts_of = OfNotes(notes)
    return _Core(statuses, sorted((one.address + one.size, one.address + one.memory, one.writable)
                                  for one in segments
                                  if one.type == elf.LOAD and one.size < one.memory), facts_of)


def _threads_of(notes: List[Note], header: Header) -> Iterator[Tuple[int, Optional[ThreadRegisters]]]:
    number = struct.Struct(header.order + "i")
    known = machine.of_number(header.machine) if header.wide else None
    for note in notes:
        if note.type != elf.PRSTATUS or note.owner != b"CORE" or \
                len(note.content) < _ID[header.wide] + number.size:
            continue
        registers = None
        if known is not None and len(note.content) >= elf.REGISTERS + known.layout.size:
            registers = ThreadRegisters(known, dict(zip(
                known.fields, known.layout.unpack_from(note.content, elf.REGISTERS))))
        yield number.unpack_from(note.content, _ID[header.wide])[0], registers
