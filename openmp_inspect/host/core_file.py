# SPDX-License-Identifier: MIT
"""A core: its memory, its threads with their registers, the signal that has ended it, and the files
that were mapped. It may be damaged or crafted; ValueError where it is no core that can be read."""

from __future__ import annotations

import os
import struct

from openmp_inspect.core import elf
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import fatal_signal, kernel_facts, machine, mappings, memory
from openmp_inspect.host.images import VDSO
from openmp_inspect.host.mappings import Mapping, Mappings

if TYPE_CHECKING:
    from typing import BinaryIO, Dict, Iterator, List, Optional
    from openmp_inspect.core.elf import Note
    from openmp_inspect.host.fatal_signal import SignalInfo
    from openmp_inspect.host.machine import Machine

_MOST_NOTES = 1 << 26  # bytes, for ten thousand threads
_TIMES = 48  # offset in elf_prstatus
_TIMEVALS = struct.Struct("<4q")  # pr_utime, pr_stime
_MOST_TIME = 1 << 40  # seconds that are believed
_ENTRY, _VDSO = 9, 33  # in the auxiliary vector: AT_ENTRY, AT_SYSINFO_EHDR
_PROCESS = 24  # in elf_prpsinfo


class CoreFile:
    """An open core, a STREAM, which is closed. `threads` are in the file's order: the one that the
    signal was for is first."""

    def __init__(self, path: str, stream: BinaryIO) -> None:
        self.path = path
        self.threads: List[int] = []
        self.registers: Dict[int, Dict[str, int]] = {}
        self.signal: Optional[SignalInfo] = None
        # That threads had a processor. What the kernel writes of a first thread is the process's.
        self.seconds: Dict[int, float] = {}
        self.process_seconds: Optional[float] = None
        self.pid = 0
        self.entry = self.vdso = 0  # addresses, of the program and of what the kernel maps
        files: List[Mapping] = []
        with stream:
            self.header, segments = elf.read(stream)
            found = machine.of_number(self.header.machine)
            if self.header.type != elf.CORE or not self.header.wide:
                raise ValueError("no core of a 64-bit program")
            if found is None:
                raise ValueError("a core of a machine that ompd does not know")
            self.machine: Machine = found
            size = os.fstat(stream.fileno()).st_size
            notes = list(self._notes(stream, segments, size))
            self.facts = kernel_facts.OfNotes(notes)
            for note in notes:
                if note.type == elf.FILE and note.owner == b"CORE":
                    files += mappings.of_note(note.content, self.header)
                else:
                    self._take(note)
            loads = [one for one in segments if one.type == elf.LOAD]
            self.process_seconds = self.seconds.pop(self.pid, None)
            self.memory = memory.OfCore(os.dup(stream.fileno()), size, loads)
            self.size = size
            self.whole = max([size, *(one.offset + one.size for one in segments)])  # bytes it had
        self.mappings = Mappings(files + self._without_files(files, loads))

    def _notes(self, stream: BinaryIO, segments: List[elf.Segment], size: int) -> Iterator[Note]:
        """Those that a file of this SIZE has."""
        for segment in segments:
            if segment.type == elf.NOTE and segment.offset < size:
                stream.seek(segment.offset)
                yield from elf.notes(stream.read(min(segment.size, _MOST_NOTES)), self.header)
                return  # a core has one

    def _without_files(self, files: List[Mapping], loads: List[elf.Segment]) -> List[Mapping]:
        known = Mappings(files)  # a snapshot has pages of them
        return [Mapping(one.address, one.address + one.memory, 0,
                        VDSO if one.address == self.vdso else "", bool(files) or None)
                for one in loads if known.at(one.address) is None]

    def _take_times(self, thread: int, content: bytes) -> None:
        """Debuggers that make cores leave them 0."""
        user, of_user, system, of_system = _TIMEVALS.unpack_from(content, _TIMES)
        found = user + system + (of_user + of_system) / 1e6
        if 0 < found < _MOST_TIME:
            self.seconds[thread] = found

    def _take(self, note: Note) -> None:
        content = note.content
        if note.type == elf.PRSTATUS and note.owner == b"CORE":
            layout = self.machine.layout
            if len(content) < elf.REGISTERS + layout.size:
                return
            thread = int.from_bytes(content[elf.THREAD_ID:elf.THREAD_ID + 4], "little")
            if thread not in self.registers:
                self.threads.append(thread)
            self.registers[thread] = dict(zip(self.machine.fields,
                                              layout.unpack_from(content, elf.REGISTERS)))
            self._take_times(thread, content)
        elif note.type == elf.ARM_TLS and self.threads and len(content) >= 8:
            self.registers[self.threads[-1]]["thread_pointer"] = \
                int.from_bytes(content[:8], "little")
        elif note.type == elf.PRPSINFO and len(content) >= _PROCESS + 4:
            self.pid = int.from_bytes(content[_PROCESS:_PROCESS + 4], "little")
        elif note.type == elf.SIGINFO and self.signal is None:
            self.signal = fatal_signal.of_bytes(content)
        elif note.type == elf.AUXV:
            for tag, value in struct.iter_unpack("<QQ", content[:len(content) // 16 * 16]):
                if tag == _ENTRY:
                    self.entry = value
                elif tag == _VDSO:
                    self.vdso = value
