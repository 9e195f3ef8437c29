# SPDX-License-Identifier: MIT
"""The program and the libraries of a process or core: where they are loaded, what the dynamic
linker calls them, and their files, which are used only where their build-ids are those that the
process has in memory."""

from __future__ import annotations

import bisect
import mmap
import os
import struct

from openmp_inspect.core import debug, elf, regular_file
from openmp_inspect.core.cached import fact
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.host.elf_file import ElfFile

if TYPE_CHECKING:
    from typing import BinaryIO, Callable, Dict, Iterable, Iterator, List, Optional, Set, Tuple
    from openmp_inspect.core.elf import Header, Segment
    from openmp_inspect.host.elf_file import ElfSymbol
    from openmp_inspect.host.mappings import Mapping, Mappings
    Read = Callable[[int, int], bytes]
    Places = Callable[[str, Mapping], Iterable[str]]
    FindDebugFile = Callable[["Image"], Optional["DebugFile"]]

PAGE = 4096
_DYNAMIC = 2  # type of a segment
_DEBUG = 21  # tag of the dynamic section: the dynamic linker's struct r_debug
_MOST_LINKS = 4096
_MOST_TAGS = 1 << 12
_LONGEST_PATH = 4096
VDSO = "[vdso]"  # what the kernel maps into each process; it is no file
_LARGEST_VDSO = 1 << 16


class DebugFile(NamedTuple):
    """A file that has what another was stripped of."""

    path: str
    stream: BinaryIO
    file: ElfFile


def debug_file(path: str, stream: BinaryIO) -> DebugFile:
    """Of an open file; OSError, or ValueError if that is no ELF file."""
    return DebugFile(path, stream, ElfFile(
        mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)))


def _no_debug_file(_image: Image) -> Optional[DebugFile]:
    return None


class Image:
    """One of them. `path` is what the dynamic linker calls it, of the program its file; `link` is
    the address of its struct link_map, 0 if not known."""

    def __init__(self, mapping: Mapping, header: Header, segments: List[Segment],
                 is_program: bool) -> None:
        loads = [one for one in segments if one.type == elf.LOAD]
        low = min(one.address for one in loads) & -PAGE
        self.path = mapping.path
        self.mapping = mapping
        self.header, self.segments = header, segments
        self.is_program = is_program
        self.bias = mapping.start - low
        self.start = mapping.start
        self.end = self.bias + max(one.address + one.memory for one in loads)
        self.link = 0
        self.handle = 0  # the host's own, if it has one
        self.file: Optional[ElfFile] = None
        self.content: Optional[bytes] = None  # of what is no file
        self.file_path: Optional[str] = None  # on this machine
        self.is_other = False  # the file of this name is another one
        self.find_debug_file: FindDebugFile = _no_debug_file

    @fact
    def debug_file(self) -> Optional[DebugFile]:
        """The separate one; None where there is none on this machine."""
        return self.find_debug_file(self)

    def use_debug_file(self, found: DebugFile) -> None:
        """From now on."""
        self.__dict__["debug_file"] = found
        if self.file is not None:
            self.file.use_symbols_of(found.file)

    def symbols_apart(self) -> Optional[ElfFile]:
        """Those of the debug file."""
        return None if self.debug_file is None else self.debug_file.file

    def symbol(self, name: str) -> Optional[ElfSymbol]:
        """The one that it defines; programs do not know those of the kernel's."""
        return None if self.file is None or self.content is not None else self.file.symbol(name)

    def address_of(self, symbol: ElfSymbol) -> int:
        return symbol.value + self.bias & (1 << 64) - 1


class Images:
    """All of a process, the program first, then in the dynamic linker's order."""

    def __init__(self, mappings: Mappings, read: Read, places: Places,
                 program: Optional[str],
                 find_debug_file: FindDebugFile = _no_debug_file) -> None:
        self._read, self._find_debug_file = read, find_debug_file
        self.all = list(_found(mappings, read, program))
        self._order()
        for image in self.all:
            self._open(image, places)
        self._sorted = sorted(self.all, key=lambda image: image.start)
        self._starts = [image.start for image in self._sorted]

    def at(self, address: int) -> Optional[Image]:
        at = bisect.bisect_right(self._starts, address) - 1
        return self._sorted[at] if at >= 0 and address < self._sorted[at].end else None

    @property
    def program(self) -> Optional[Image]:
        return next((image for image in self.all if image.is_program), None)

    def content(self, mapping: Mapping, address: int, size: int) -> Optional[bytes]:
        """What a file has of SIZE bytes at an ADDRESS of a MAPPING, or None: a core leaves out
        code, and data that nobody writes to. What the program may write is not the file's."""
        image = next((one for one in self.all if one.mapping.path == mapping.path), None)
        if image is None or image.file is None:
            return None
        for segment in image.segments:
            if segment.type == elf.LOAD and segment.writable:
                begin = image.bias + segment.address
                if begin <= address < begin + segment.memory:
                    return None
                size = min(size, begin - address) if address < begin else size
        return image.file.content(mapping.offset + address - mapping.start,
                                  min(size, mapping.end - address)) or None

    def _order(self) -> None:
        by_bias = {image.bias: image for image in self.all if not image.is_program}
        ordered: List[Image] = [image for image in self.all if image.is_program][:1]
        try:
            links = list(self._links()) if ordered else []
        except (HostError, struct.error):
            debug.ignored()
            links = []
        for link, bias, name in links:
            image = by_bias.pop(bias, None) if link != links[0][0] else None
            if image is not None:
                image.link = link
                if image.path != VDSO:
                    image.path = name or image.path
                ordered.append(image)
        if links:
            ordered[0].link = links[0][0]
        self.all = ordered + [image for image in self.all if image not in ordered]

    def _links(self) -> Iterator[Tuple[int, int, str]]:
        """(address, bias, name) of each struct link_map: l_addr, l_name, l_ld, l_next, l_prev."""
        debug_at = self._debug_at()
        link = self._word(debug_at + 8) if debug_at else 0
        seen: Set[int] = set()
        while link and link not in seen and len(seen) < _MOST_LINKS:
            seen.add(link)
            bias, name, _, older = struct.unpack("<4Q", self._read(link, 32))
            yield link, bias, self._text(name)
            link = older

    def _debug_at(self) -> int:
        program = self.all[0] if self.all else None
        for segment in program.segments if program is not None else ():
            if segment.type == _DYNAMIC and program is not None:
                data = self._read(program.bias + segment.address,
                                  min(segment.memory, _MOST_TAGS * 16))
                for tag, value in struct.iter_unpack("<QQ", data[:len(data) // 16 * 16]):
                    if tag == _DEBUG:
                        return int(value)
        return 0

    def _word(self, address: int) -> int:
        return int.from_bytes(self._read(address, 8), "little")

    def _text(self, address: int) -> str:
        size = min(_LONGEST_PATH, PAGE - address % PAGE)
        data = self._read(address, size) if address else b""
        if b"\0" not in data and size < _LONGEST_PATH and data:
            data += self._read(address + size, _LONGEST_PATH - size)
        return os.fsdecode(data.split(b"\0")[0])

    def _open(self, image: Image, places: Places) -> None:
        if image.path == VDSO:
            self._copy(image)
            return
        wanted = self._build_id(image)
        for place in places(image.path, image.mapping):
            try:
                with regular_file.opened(place) as stream:
                    file = ElfFile(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
            except (OSError, ValueError):
                debug.ignored()
                continue
            if wanted is not None and file.build_id != wanted:
                image.is_other = True
                continue
            image.file, image.file_path, image.is_other = file, place, False
            image.find_debug_file = self._find_debug_file
            file.find_debug_file = image.symbols_apart
            return

    def _copy(self, image: Image) -> None:
        try:
            size = min(image.mapping.end - image.start, _LARGEST_VDSO)
            content = self._read(image.start, size)
            image.file, image.content = ElfFile(content), content
        except (HostError, ValueError):
            debug.ignored()

    def _build_id(self, image: Image) -> Optional[str]:
        """The one that the process has in memory, or None."""
        for segment in image.segments:
            if segment.type == elf.NOTE and 0 < segment.memory < PAGE:
                try:
                    data = self._read(image.bias + segment.address, segment.memory)
                except HostError:
                    debug.ignored()
                    continue
                found = elf.build_id(data, image.header)
                if found is not None:
                    return found
        return None


def _found(mappings: Mappings, read: Read, program: Optional[str]) -> Iterator[Image]:
    """An Image of each file that is mapped from its beginning."""
    known: Dict[str, int] = {}
    for mapping in mappings.all:
        if mapping.offset or not mapping.path or mapping.end <= known.get(mapping.path, 0):
            continue
        try:
            header, segments = elf.of_page(read(mapping.start, PAGE))
            if header.wide and any(one.type == elf.LOAD for one in segments):
                image = Image(mapping, header, segments, mapping.path == program)
                known[mapping.path] = image.end
                yield image
        except (HostError, ValueError):
            debug.ignored()
