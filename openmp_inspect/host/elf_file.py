# SPDX-License-Identifier: MIT
"""The symbols of an ELF file, looked up in its bytes: no table is read as a whole unless an address
is asked for. Those of which it was stripped are in its debug file, or in `.gnu_debugdata`. The file
may be damaged or crafted: what does not fit is not there."""

from __future__ import annotations

import array
import bisect
import io
import os
import re
import struct
import sys
import zlib

from openmp_inspect.core import debug, elf, elf_symbols
from openmp_inspect.core.cached import fact
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.host import mini_debug_info

if TYPE_CHECKING:
    from mmap import mmap
    from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple, Union
    from openmp_inspect.core.elf_symbols import Section
    Data = Union[bytes, mmap]

_SYMTAB, _RELA, _NOTES, _NOBITS, _DYNSYM = 2, 4, 7, 8, 11  # types of sections
_OBJECT, _FUNCTION, _TLS, _IFUNC = 1, 2, 6, 10  # types of symbols
_NAMED = (0, _OBJECT, _FUNCTION, _IFUNC)  # those that an address is named by; 0: of assembler
_UNDEFINED, _RESERVED = 0, 0xFF00  # numbers of sections
_MOST_ALIKE = 64  # names that end like the one that is looked for, symbols that nothing is named by
_VALUE = 8  # its offset in a symbol
_AT_ONCE = 1 << 14  # symbols that are read
_NOTHING = elf_symbols.Section(0, 0, 0, 0, 0, 0, 0)
_CHECKSUM, _LONGEST_LINK = 4, 4096  # bytes
_COMPRESSED = 0x800  # among flags of a section, which begins with how it is compressed
_ZSTD = 2
_CLAIM = struct.Struct("IIQ")  # how a compressed one begins: method, padding, size; in the file's order
_OLD_CLAIM = struct.Struct(">4sQ")  # of .zdebug_*: "ZLIB", size
_MOST_CLAIMED, _MOST_PACKED = 1 << 26, 32  # bytes of a section, or so many times what it takes


class ElfSymbol(NamedTuple):
    name: str
    value: int  # an address of the file, or an offset in its thread-local memory
    size: int
    type: int

    @property
    def is_function(self) -> bool:
        return self.type in (_FUNCTION, _IFUNC)

    @property
    def is_thread_local(self) -> bool:
        return self.type == _TLS


class _Named(NamedTuple):
    """A symbol that addresses up to its end are named by, if no other one has a larger key."""

    key: Tuple[int, bool, int, int]
    symbol: ElfSymbol
    end: int


def _best(some: Iterable[_Named]) -> Optional[_Named]:
    known = list(some)
    return max(known, key=lambda one: one.key) if known else None


class DebugLink(NamedTuple):
    """Which debug file a file names."""

    name: str
    checksum: int  # of its content


class ElfFile:
    """Of a 64-bit file's DATA; ValueError if it is none. `find_debug_file` returns the debug file of
    one that was stripped, or None; that has symbols of its own alone."""

    def __init__(self, data: Data) -> None:
        self._data = data
        self.header, self.segments = elf.of_page(data[:1 << 16])
        if not self.header.wide:
            raise ValueError("a file of 32 bits")
        self.find_debug_file: Optional[Callable[[], Optional[ElfFile]]] = None
        self._symbol = struct.Struct(self.header.order + "IBBHQQ")
        self._sections, self._titles = self._read_sections()
        self._tables = [section for kind in (_DYNSYM, _SYMTAB) for section in self._sections
                        if section.type == kind]
        self._slots: Optional[Dict[int, str]] = None
        self._best: Dict[int, Optional[_Named]] = {}  # of the symbols with a value
        self._known: Dict[str, Optional[ElfSymbol]] = {}

    def _read_sections(self) -> Tuple[List[Section], Section]:
        """With that which has their names."""
        stream: Any = io.BytesIO(self._data) if isinstance(self._data, bytes) else self._data
        try:
            stream.seek(0)
            header, fields = elf.fields(stream)
            found = elf_symbols.sections_of(stream, header, fields)
            return found, found[fields[12]] if fields[12] < len(found) else _NOTHING
        except ValueError:
            debug.ignored()
            return [], _NOTHING

    def section(self, *names: str) -> Optional[Section]:
        """The first section with one of these NAMES that the file has the content of."""
        wanted = [os.fsencode(name) + b"\0" for name in names]
        return next((one for one in self._sections if one.type != _NOBITS and any(
            self.content(self._titles.offset + one.name, len(name)) == name for name in wanted)), None)

    def is_zstd(self, *names: str) -> bool:
        """Whether the first section with one of these NAMES is compressed by zstd."""
        found = self.section(*names)
        return found is not None and bool(found.flags & _COMPRESSED) and self.content(
            found.offset, 4) == struct.pack(self.header.order + "I", _ZSTD)

    @property
    def has_debug_information(self) -> bool:
        return self.section(".debug_info", ".zdebug_info") is not None

    @property
    def checksum(self) -> int:
        """Of the whole file, as debug links have it."""
        return zlib.crc32(self._data)

    @property
    def debug_link(self) -> Optional[DebugLink]:
        found = self.section(".gnu_debuglink")
        if found is None or found.size > _LONGEST_LINK:
            return None
        name, _, rest = self._content(found).partition(b"\0")
        return DebugLink(os.fsdecode(name), int.from_bytes(
            rest[-_CHECKSUM:], "little" if self.header.order == "<" else "big"))

    @fact
    def _others(self) -> List[ElfFile]:
        """Those with symbols of which it was stripped."""
        if self.find_debug_file is None or self._has_all:
            return []
        found, packed = self.find_debug_file(), self.section(".gnu_debugdata")
        if found is None and packed is not None and packed.size <= mini_debug_info.LARGEST:
            try:
                found = ElfFile(mini_debug_info.unpacked(self._content(packed)))
            except ValueError:
                debug.ignored()
        return [] if found is None else [found]

    def use_symbols_of(self, other: ElfFile) -> None:
        """From now on; where it was stripped of its own."""
        if not self._has_all:
            self.__dict__["_others"] = [other]
            self._known.clear()

    @property
    def _has_all(self) -> bool:
        return any(one.type == _SYMTAB for one in self._tables)

    def content(self, offset: int, size: int) -> bytes:
        """SIZE bytes of the file, or what there is of them."""
        return self._data[offset:offset + size]

    def _content(self, section: Section) -> bytes:
        return self.content(section.offset, section.size)

    def _names(self, table: Section) -> Section:
        """Where the names of a table are."""
        return self._sections[table.link] if table.link < len(self._sections) else _NOTHING

    @fact
    def is_bomb(self) -> bool:
        """Whether a section claims to become large out of all proportion to what there is of it."""
        return any(self._claimed(one) > max(_MOST_CLAIMED, one.size * _MOST_PACKED)
                   for one in self._sections)

    def _claimed(self, section: Section) -> int:
        """Bytes of it once it is decompressed."""
        head = self.content(section.offset, _CLAIM.size)
        if len(head) < _CLAIM.size:
            return 0
        if section.flags & _COMPRESSED:
            return int(struct.unpack(self.header.order + _CLAIM.format, head)[2])
        magic, size = _OLD_CLAIM.unpack_from(head)
        return int(size) if magic == b"ZLIB" else 0

    @property
    def build_id(self) -> Optional[str]:
        places = [(one.offset, one.size) for one in self.segments if one.type == elf.NOTE]
        # A debug file may have segments that are elsewhere in the other file, or none.
        places += [(one.offset, one.size) for one in self._sections if one.type == _NOTES]
        found = (elf.build_id(self.content(*place), self.header) for place in places)
        return next((one for one in found if one is not None), None)

    def symbol(self, name: str) -> Optional[ElfSymbol]:
        """The one of this NAME that the file defines, one that others see first."""
        if name not in self._known:
            found = (one.symbol(name) for one in self._others)
            self._known[name] = self._own_symbol(name) or next(filter(None, found), None)
        return self._known[name]

    def _own_symbol(self, name: str) -> Optional[ElfSymbol]:
        wanted = name.encode("utf-8", "surrogateescape") + b"\0"
        for table in self._tables:
            names = self._names(table)
            at = self._found(wanted, names, 0)
            for _ in range(_MOST_ALIKE):
                if at < 0:
                    break
                found = self._with_name(table, at, name)
                if found is not None:
                    return found
                at = self._found(wanted, names, at + 1)
        return None

    def _found(self, wanted: bytes, section: Section, at: int) -> int:
        """Where a section has these bytes, from a distance on; negative: nowhere."""
        whole = len(self._data)  # where it is beyond that, and nothing is found: find() takes no more
        return self._data.find(wanted, min(section.offset + at, whole),
                               min(section.offset + section.size, whole)) - section.offset

    def _with_name(self, table: Section, at: int, name: str) -> Optional[ElfSymbol]:
        """The symbol of a table whose name is at that distance in its names."""
        key = struct.pack(self.header.order + "I", at)
        where = self._found(key, table, 0)
        while where >= 0:
            entry = self.content(table.offset + where, self._symbol.size)
            if where % self._symbol.size == 0 and len(entry) == self._symbol.size:
                _, kind, _, section, value, size = self._symbol.unpack(entry)
                if _UNDEFINED < section < _RESERVED:
                    return ElfSymbol(name, value, size, kind & 0xF)
            where = self._found(key, table, where + 1)
        return None

    def has_name(self, part: str) -> bool:
        """Whether some symbol's name has this PART, as that of C++ has the names it is made of."""
        wanted = part.encode("utf-8", "surrogateescape")
        return any(self._found(wanted, self._names(table), 0) >= 0 for table in self._tables) or \
            any(one.has_name(part) for one in self._others)

    def variables_from(self, prefix: str) -> List[ElfSymbol]:
        """Those whose names begin with PREFIX."""
        pattern = re.compile(re.escape(prefix.encode()) + rb"[^\0]*(?=\0)")
        found: Dict[str, ElfSymbol] = {}
        for table in self._tables:
            for match in pattern.finditer(self._content(self._names(table))):
                name = match.group().decode("utf-8", "surrogateescape")
                one = None if name in found else self.symbol(name)
                if one is not None:
                    found[name] = one
        for other in self._others:
            for one in other.variables_from(prefix):
                found.setdefault(one.name, one)
        return list(found.values())

    def at(self, address: int) -> Optional[ElfSymbol]:
        """The one that has an ADDRESS of the file, or begins before it in its section and has no
        size."""
        found = _best(self._before(address))
        return None if found is None or address >= found.end else found.symbol

    def _before(self, address: int) -> Iterator[_Named]:
        """The best of those with the largest address up to this one, of each table that counts."""
        table = next(reversed(self._tables), None)
        if table is not None:
            starts = self._starts
            at = bisect.bisect_right(starts, address) - 1
            for _ in range(_MOST_ALIKE):
                value = starts[at] if at >= 0 else 0
                if not value:
                    break
                if value not in self._best:
                    self._best[value] = _best(self._named_at(table, value))
                found = self._best[value]
                if found is not None:
                    yield found
                    break
                at = bisect.bisect_left(starts, value) - 1
        for other in self._others:
            yield from other._before(address)

    @fact
    def _starts(self) -> array.array[int]:
        """The values of the symbols of the largest table, sorted: no more of them is kept, as there
        may be millions."""
        found, table, size = array.array("Q"), self._tables[-1], self._symbol.size
        for at in range(0, min(table.size, len(self._data)), size * _AT_ONCE):
            data = self.content(table.offset + at, min(size * _AT_ONCE, table.size - at))
            words = array.array("Q", data[:len(data) // size * size])
            found.extend(words[_VALUE // words.itemsize::size // words.itemsize])
        if (self.header.order == "<") != (sys.byteorder == "little"):
            found.byteswap()
        return array.array("Q", sorted(found))

    def _named_at(self, table: Section, value: int) -> Iterator[_Named]:
        """Those of a table with this value that an address may be named by."""
        key = struct.pack(self.header.order + "Q", value)
        at = self._found(key, table, 0)
        while at >= 0:
            entry = self.content(table.offset + at - _VALUE, self._symbol.size)
            if at % self._symbol.size == _VALUE and len(entry) == self._symbol.size:
                name, kind, _, section, _, size = self._symbol.unpack(entry)
                if kind & 0xF in _NAMED and _UNDEFINED < section < _RESERVED and name:
                    text = self._text_at(self._names(table), name)
                    # Of several names that which programs use: global, with few underscores, short.
                    # $x and $d of aarch64 say what is code.
                    if kind or not text.startswith("$"):
                        yield _Named((value, kind >> 4 != 0, len(text.lstrip("_")) - len(text),
                                      -len(text)), ElfSymbol(text, value, size, kind & 0xF),
                                     value + size if size else self._end_of(section))
            at = self._found(key, table, at + 1)

    def _text_at(self, names: Section, at: int) -> str:
        end = self._found(b"\0", names, at)
        return self.content(names.offset + at, end - at).decode("utf-8", "surrogateescape")

    def _end_of(self, section: int) -> int:
        """The address behind it."""
        if section >= len(self._sections):
            return 0
        return self._sections[section].address + self._sections[section].size

    @staticmethod
    def _text(names: bytes, at: int) -> str:
        end = names.find(b"\0", at)
        return names[at:end].decode("utf-8", "surrogateescape") if end >= 0 else ""

    def slot(self, address: int) -> Optional[str]:
        """The name of the symbol whose address the dynamic linker stores at an ADDRESS."""
        if self._slots is None:
            try:
                self._slots = dict(self._read_slots())
            except (struct.error, ValueError):
                debug.ignored()
                self._slots = {}
        return self._slots.get(address)

    def _read_slots(self) -> Iterator[Tuple[int, str]]:
        entry = struct.Struct(self.header.order + "QQq")
        for section in self._sections:
            if section.type != _RELA or section.link >= len(self._sections) or \
                    self._sections[section.link].type != _DYNSYM:
                continue
            table = self._sections[section.link]
            names, symbols, data = (self._content(one)
                                    for one in (self._names(table), table, section))
            for where, info, _ in entry.iter_unpack(
                    data[:len(data) // entry.size * entry.size]):
                at = (info >> 32) * self._symbol.size
                if at and at + self._symbol.size <= len(symbols):
                    name = self._text(names, self._symbol.unpack_from(symbols, at)[0])
                    if name:
                        yield where, name
