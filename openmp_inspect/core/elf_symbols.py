# SPDX-License-Identifier: MIT
"""What an ELF file needs of others by its section headers: libraries and symbols, and where it has
their addresses; and whether it has a symbol table and debug information of its own.

The file may be damaged or crafted: what does not fit raises ValueError.
"""

from __future__ import annotations

import struct

from openmp_inspect.core import elf, frame_size
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import BinaryIO, Callable, Container, FrozenSet, Iterator, List, Optional, Tuple

_SYMTAB, _RELA, _DYNAMIC, _REL, _DYNSYM = 2, 4, 6, 9, 11  # types of sections
_FUNCTION = 2  # type of a symbol
_NEEDED = 1  # tag of the dynamic section
_UNDEFINED = 0  # section of a symbol
_MOST_SECTIONS = 4096
_LARGEST = 1 << 24  # bytes of a section


class Body(NamedTuple):
    """A function that a compiler has made of a construct."""

    name: str
    frame: int  # bytes that it takes of the stack


class NeededSymbols(NamedTuple):
    needed: Tuple[str, ...]  # names of libraries
    undefined: FrozenSet[str]  # symbols that it takes from others
    has_symbols: bool  # it was not stripped
    has_lines: bool  # it has debug information
    body: Optional[Body] = None  # of the outlined ones that with the largest frame


class Slots(NamedTuple):
    """Where a library has the addresses of functions of others, once it is loaded."""

    function: str  # one of its own
    value: int  # its address in the file
    offsets: Tuple[int, ...]  # addresses in the file
    size: int  # bytes of each


class _Symbol(NamedTuple):
    name: int
    info: int
    other: int
    section: int
    value: int
    size: int


class Section(NamedTuple):
    name: int
    type: int
    address: int
    offset: int
    size: int
    link: int
    flags: int


def read(stream: BinaryIO) -> NeededSymbols:
    """The NeededSymbols of a binary stream that can seek. ValueError: it is no ELF file, has no
    section headers, or ones that do not fit."""
    header, fields = elf.fields(stream)
    sections = sections_of(stream, header, fields)
    names = _content(stream, sections, fields[12])
    needed: Tuple[str, ...] = ()
    undefined: FrozenSet[str] = frozenset()
    for section in sections:
        if section.type == _DYNAMIC:
            needed = tuple(_needed(stream, header, sections, section))
        elif section.type == _DYNSYM:
            undefined = frozenset(_undefined(stream, header, sections, section))
    titles = {_text(names, section.name) for section in sections}
    return NeededSymbols(needed, undefined, any(section.type == _SYMTAB for section in sections),
                 ".debug_info" in titles or ".zdebug_info" in titles)


def sections_of(stream: BinaryIO, header: elf.Header, fields: Tuple[int, ...]) -> List[Section]:
    """Those of a stream that can seek, by the `fields` of its header; ValueError likewise."""
    table, size, count = fields[5], fields[10], fields[11]
    entry = struct.Struct(header.order + ("IIQQQQIIQQ" if header.wide else "IIIIIIIIII"))
    if size != entry.size or not 0 < count <= _MOST_SECTIONS:
        raise ValueError("%d section headers of %d bytes" % (count, size))
    data = _at(stream, table, size * count)
    return [Section._make((*of[:2], *of[3:7], of[2])) for of in entry.iter_unpack(data)]


def _at(stream: BinaryIO, offset: int, size: int) -> bytes:
    """SIZE bytes at an OFFSET, all of them."""
    if size > _LARGEST or offset >= 1 << 63:
        raise ValueError("a section of %d bytes" % size)
    stream.seek(offset)
    data = stream.read(size)
    if len(data) != size:
        raise ValueError("a section that is cut short")
    return data


def _content(stream: BinaryIO, sections: List[Section], number: int) -> bytes:
    if number >= len(sections):
        raise ValueError("no section %d" % number)
    return _at(stream, sections[number].offset, sections[number].size)


def _text(names: bytes, at: int) -> str:
    end = names.find(b"\0", at)
    return names[at:end].decode("ascii", "replace") if end >= 0 else ""


def _entries(stream: BinaryIO, layout: struct.Struct, section: Section) -> \
        Iterator[Tuple[int, ...]]:
    size = section.size - section.size % layout.size
    return layout.iter_unpack(_at(stream, section.offset, size))


def _symbols(stream: BinaryIO, header: elf.Header, section: Section) -> Iterator[_Symbol]:
    if header.wide:
        return map(_Symbol._make, _entries(stream, struct.Struct(header.order + "IBBHQQ"), section))
    return (_Symbol(name, info, other, where, value, size) for name, value, size, info, other, where
            in _entries(stream, struct.Struct(header.order + "IIIBBH"), section))


def _needed(stream: BinaryIO, header: elf.Header, sections: List[Section],
            section: Section) -> Iterator[str]:
    names = _content(stream, sections, section.link)
    layout = struct.Struct(header.order + ("QQ" if header.wide else "II"))
    for tag, value in _entries(stream, layout, section):
        if tag == _NEEDED:
            yield _text(names, value)


def _undefined(stream: BinaryIO, header: elf.Header, sections: List[Section],
               section: Section) -> Iterator[str]:
    names = _content(stream, sections, section.link)
    for symbol in _symbols(stream, header, section):
        if symbol.section == _UNDEFINED and symbol.name:
            yield _text(names, symbol.name)


def slots(stream: BinaryIO, wanted: Container[str]) -> Optional[Slots]:
    """The Slots of the functions that are WANTED; None: it has none, or no function of its own that
    others could call. ValueError as read()."""
    header, fields = elf.fields(stream)
    sections = sections_of(stream, header, fields)
    table = next((at for at, one in enumerate(sections) if one.type == _DYNSYM), None)
    if table is None:
        return None
    names = _content(stream, sections, sections[table].link)
    symbols = list(_symbols(stream, header, sections[table]))
    own = next((one for one in symbols if one.info & 0xF == _FUNCTION and
                one.section != _UNDEFINED and _text(names, one.name)), None)
    calls = {at for at, one in enumerate(symbols) if one.section == _UNDEFINED and
             _text(names, one.name) in wanted}
    offsets = []
    for section in sections:
        if section.type in (_REL, _RELA) and section.link == table:
            of = struct.Struct(header.order + ("QQ" if header.wide else "II") +
                               ("" if section.type == _REL else "q" if header.wide else "i"))
            offsets += [one[0] for one in _entries(stream, of, section)
                        if one[1] >> (32 if header.wide else 8) in calls]
    if own is None or not offsets:
        return None
    return Slots(_text(names, own.name), own.value, tuple(offsets), 8 if header.wide else 4)


def largest(stream: BinaryIO, is_body: Callable[[str], bool]) -> Optional[Body]:
    """The function with the largest frame of those whose names IS_BODY accepts, or None: there is
    none, the symbols were stripped, or it is of another machine than x86-64. ValueError as
    read()."""
    header, fields = elf.fields(stream)
    if header.machine != elf.X86_64:
        return None
    sections = sections_of(stream, header, fields)
    table = next((one for one in sections if one.type == _SYMTAB), None)
    if table is None:
        return None
    names, found = _content(stream, sections, table.link), None
    if b"omp_" not in names:
        return None
    for symbol in _symbols(stream, header, table):
        if symbol.info & 0xF != _FUNCTION or not 0 < symbol.section < len(sections) or \
                not is_body(_text(names, symbol.name)):
            continue
        section = sections[symbol.section]
        at = section.offset + symbol.value - section.address
        if not 0 <= at < 1 << 63:
            raise ValueError("a function outside of its section")
        stream.seek(at)
        frame = frame_size.of_prologue(stream.read(min(symbol.size, frame_size.PROLOGUE)))
        if frame is not None and (found is None or frame > found.frame):
            found = Body(_text(names, symbol.name), frame)
    return found
