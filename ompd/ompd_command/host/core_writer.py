# SPDX-License-Identifier: MIT
"""A stop as a file: an ELF core with the registers, the pages of memory that were copied, the names of
what is mapped, and a note of ours with what the kernel said of the process, which others skip.

    PT_NOTE   NT_PRPSINFO  NT_AUXV  NT_FILE  "OMPD" facts  (NT_PRSTATUS  NT_FPREGSET) of each thread
    PT_LOAD   pages 5-6, 90, ... as they were; of other data of files the place alone
"""

from __future__ import annotations

import bisect
import os
import struct

from openmp_inspect.core import elf
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.host import kernel_facts
from openmp_inspect.host.page_cache import PAGE

if TYPE_CHECKING:
    from typing import Dict, Iterator, List, Optional, Tuple
    from openmp_inspect.host.machine import Machine
    from openmp_inspect.host.mappings import Mapping, Mappings

_EHDR = struct.Struct("<16sHHIQQQIHHHHHH")
_PHDR = struct.Struct("<IIQQQQQQ")
_SHDR = struct.Struct("<IIQQQQIIQQ")
_IDENT = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
_EXTENDED = 0xFFFF  # segments; so many and more are counted in a section's header
_READ, _WRITE = 4, 2
_FPREGSET = 2
_CURRENT = 12  # offset in elf_prstatus of the signal
_NAME, _ARGUMENTS = 16, 80  # bytes of NT_PRPSINFO


class ThreadState(NamedTuple):
    number: int  # as the process has it
    registers: Dict[str, int]
    vectors: Optional[bytes]


class Stopped(NamedTuple):
    """What is written."""

    machine: Machine
    elf_machine: int
    pid: int
    name: str  # of the program
    arguments: bytes
    threads: List[ThreadState]
    signal: bytes  # the siginfo_t of the one that ends the first of these; else none
    auxv: bytes
    mappings: Mappings
    pieces: List[Tuple[int, bytes]]  # address, content
    facts: bytes  # of kernel_facts.py


def written(stopped: Stopped) -> bytes:
    """The core's bytes."""
    notes = b"".join(_notes(stopped))
    absent = list(_absent(stopped))
    count = 1 + len(stopped.pieces) + len(absent)
    has_section = count >= _EXTENDED
    at = _EHDR.size + _PHDR.size * count + _SHDR.size * has_section
    table = [_PHDR.pack(elf.NOTE, _READ, at, 0, 0, len(notes), 0, 4)]
    offset = -(-(at + len(notes)) // PAGE) * PAGE
    padding = offset - at - len(notes)
    for address, content in stopped.pieces:
        mapping = stopped.mappings.at(address)
        flags = _READ | _WRITE * (mapping is None or mapping.is_writable)
        table.append(_PHDR.pack(elf.LOAD, flags, offset, address, 0, len(content), len(content),
                                PAGE))
        offset += len(content)
    table += [_PHDR.pack(elf.LOAD, _READ | _WRITE, offset, start, 0, 0, end - start, PAGE)
              for start, end in absent]
    header = _EHDR.pack(_IDENT, elf.CORE, stopped.elf_machine, 1, 0, _EHDR.size,
                        _EHDR.size + _PHDR.size * count if has_section else 0, 0, _EHDR.size,
                        _PHDR.size, min(count, _EXTENDED), _SHDR.size * has_section, has_section, 0)
    section = _SHDR.pack(0, 0, 0, 0, 0, 0, 0, count, 0, 0) if has_section else b""
    return b"".join((header, *table, section, notes, b"\0" * padding,
                     *(content for _, content in stopped.pieces)))


def _absent(stopped: Stopped) -> Iterator[Tuple[int, int]]:
    """What was not copied of data that files have, too, which is not what they have."""
    starts = [address for address, _ in stopped.pieces]
    for mapping in stopped.mappings.files:
        start = mapping.start if mapping.is_writable else mapping.end
        at = max(bisect.bisect_right(starts, start) - 1, 0)
        while start < mapping.end:
            address, content = stopped.pieces[at] if at < len(starts) else (mapping.end, b"")
            if start < min(address, mapping.end):
                yield start, min(address, mapping.end)
            start, at = max(start, address + len(content)), at + 1


def _note(owner: bytes, kind: int, content: bytes) -> bytes:
    name = owner + b"\0"
    return struct.pack("<III", len(name), len(content), kind) + name.ljust(-(-len(name) // 4) * 4,
                                                                            b"\0") + \
        content.ljust(-(-len(content) // 4) * 4, b"\0")


def _notes(stopped: Stopped) -> List[bytes]:
    process = struct.pack("<4bxxxxQIIiiii", 0, ord("S"), 0, 0, 0, 0, 0, stopped.pid, 0, stopped.pid,
                          stopped.pid) + \
        os.fsencode(stopped.name)[:_NAME - 1].ljust(_NAME, b"\0") + \
        stopped.arguments[:_ARGUMENTS - 1].ljust(_ARGUMENTS, b"\0")
    found: List[bytes] = []
    for thread in stopped.threads:
        found.append(_note(b"CORE", elf.PRSTATUS, _status(
            stopped.machine, thread, b"" if found else stopped.signal)))
        if len(found) == 1:
            found += [_note(b"CORE", elf.SIGINFO, stopped.signal)] * bool(stopped.signal)
            found += [_note(b"CORE", elf.PRPSINFO, process),
                      _note(b"CORE", elf.AUXV, stopped.auxv),
                      _note(b"CORE", elf.FILE, _files(stopped.mappings.files)),
                      _note(kernel_facts.OWNER, kernel_facts.NOTE, stopped.facts)]
        if thread.vectors is not None:
            found.append(_note(b"CORE", _FPREGSET, thread.vectors))
        if stopped.machine.thread_pointer is None:
            found.append(_note(b"LINUX", elf.ARM_TLS, struct.pack(
                "<Q", thread.registers.get("thread_pointer", 0))))
    return found


def _status(machine: Machine, thread: ThreadState, signal: bytes) -> bytes:
    head = bytearray(elf.REGISTERS)
    head[_CURRENT:_CURRENT + 2] = signal[:2].ljust(2, b"\0")  # its number
    struct.pack_into("<i", head, elf.THREAD_ID, thread.number)
    return bytes(head) + machine.layout.pack(*(thread.registers[name] for name in machine.fields)) + \
        struct.pack("<ii", thread.vectors is not None, 0)


def _files(files: List[Mapping]) -> bytes:
    return struct.pack("<QQ", len(files), PAGE) + b"".join(
        struct.pack("<QQQ", one.start, one.end, one.offset // PAGE) for one in files) + b"".join(
            os.fsencode(one.path) + b"\0" for one in files)
