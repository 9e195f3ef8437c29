# SPDX-License-Identifier: MIT
"""Files that are mapped into a process or core, whether others share memory with it, and code of
these files that has no symbol: it is named as its file and the offset that addr2line takes, like
libfoo.so.1+0x1234.
"""

from __future__ import annotations

import bisect
import os
import re
import struct

import gdb

from openmp_inspect.core import caches, debug, elf, unwind_table
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from gdb_openmp.host import gdb_text, inferiors

if TYPE_CHECKING:
    from typing import Dict, List, Optional, Tuple, Union
    from gdb_openmp.host.gdb_types import GdbInferior
    Key = Tuple[int, int, int]

_PAGE = 4096


class MappedFile(NamedTuple):
    start: int
    end: int
    offset: int
    path: str


class Module(NamedTuple):
    path: str
    bias: int  # what is added to the file's addresses
    functions: Optional[int]  # where .eh_frame_hdr is
    data: List[Tuple[int, int]]  # where it has variables, and of how many bytes

_mapped: Dict[Key, List[MappedFile]] = caches.of_code()  # by inferior, process and connection
_modules: Dict[Tuple[Key, int], Optional[Module]] = caches.of_code()  # by these and a page


def mappings() -> List[MappedFile]:
    """The MappedFiles of the selected inferior, by rising address. gdb's Python does not
    know them; this reads a table made for people, once."""
    key = _key()
    if key not in _mapped:
        try:
            table = gdb_text.printed("info proc mappings")
        except gdb.error:
            debug.ignored()
            table = ""
        found = re.findall(r"^\s*(0x[0-9a-f]+)\s+(0x[0-9a-f]+)\s+0x[0-9a-f]+\s+(0x[0-9a-f]+)\s+"
                           r"(?:\S{4}\s+)?(/.*?)\s*$", table, re.M)
        _mapped[key] = sorted(MappedFile(int(start, 16), int(end, 16), int(offset, 16), path)
                              for start, end, offset, path in found)
    return _mapped[key]


def is_private(inferior: GdbInferior, address: int) -> Optional[bool]:
    """Whether no other process has the memory at ADDRESS of the selected INFERIOR, None where
    that is not known. Processes share what they have mapped of a file that is no module, for which
    the kernel takes one where a program names none (/dev/zero)."""
    if inferiors.is_live_here(inferior):
        return _is_private(inferior.pid, address)
    if not mappings():
        return None
    return mapped_at(address) is None or _at(address) is not None


def _is_private(process: int, address: int) -> Optional[bool]:
    try:
        with open("/proc/%d/maps" % process, "rb") as stream:
            for line in stream:
                bounds, permissions = line.split(None, 2)[:2]
                low, high = (int(bound, 16) for bound in bounds.split(b"-"))
                if low <= address < high:
                    return permissions.endswith(b"p")
    except (OSError, ValueError):
        debug.ignored()
    return None


def _key() -> Key:
    inferior = gdb.selected_inferior()
    return inferior.num, inferior.pid, inferiors.connection_number(inferior)


def named(pc: int) -> str:
    """"FILE+0xOFFSET" of the code at PC, or its bare address where no file is mapped."""
    module = _at(pc)
    return "%#x" % pc if module is None else "%s+%#x" % (
        os.path.basename(name_of(module)), pc - module.bias)


def name_of(file: Union[MappedFile, Module]) -> str:
    """Its path, also of one that was deleted or replaced."""
    return re.sub(r" \(deleted\)\Z", "", file.path)


def is_mapped(pc: int) -> bool:
    """Whether the code at PC is a file's."""
    return _at(pc) is not None


def data(pc: int) -> List[Tuple[int, int]]:
    """(address, size) of the variables of the module with the code at PC."""
    module = _at(pc)
    return [] if module is None else module.data


def function_start(pc: int) -> Optional[int]:
    """Where the function with the instruction at PC begins, by its file's .eh_frame_hdr, or
    None. A function that was split begins at each part."""
    module = _at(pc)
    if module is None or module.functions is None:
        return None
    try:
        return unwind_table.function_start(inferiors.read, module.functions, pc)
    except (gdb.error, struct.error, OverflowError):
        debug.ignored()
        return None


def _at(pc: int) -> Optional[Module]:
    """The Module with the code at PC, or None."""
    key = _key(), pc >> 12
    if key not in _modules:
        _modules[key] = _module(pc)
    return _modules[key]


def mapped_at(address: int) -> Optional[MappedFile]:
    """What is mapped of a file at ADDRESS, or None."""
    at = _index(address)
    return None if at is None else mappings()[at]


def _index(address: int) -> Optional[int]:
    found = mappings()
    at = bisect.bisect_right(found, (address, 1 << 64)) - 1
    return at if at >= 0 and address < found[at].end else None


def first_page(pc: int) -> Optional[MappedFile]:
    """Where the beginning of the file with the code at PC is mapped, or None."""
    found, at = mappings(), _index(pc)
    if at is None:
        return None
    path = found[at].path
    while at >= 0 and found[at].path == path and found[at].offset:
        at -= 1
    return found[at] if at >= 0 and found[at].path == path else None


def _module(pc: int) -> Optional[Module]:
    page = first_page(pc)
    if page is None:
        return None
    path, base = page.path, page.start
    try:
        _, segments = elf.of_page(inferiors.read(base, _PAGE))
    except (gdb.error, ValueError):
        debug.ignored()
        return None
    first = [segment.address for segment in segments
             if segment.type == elf.LOAD and segment.offset == 0]
    if not first:
        return None
    bias = base - (first[0] & -_PAGE)
    return Module(path, bias, next((bias + segment.address for segment in segments
                                    if segment.type == elf.EH_FRAME_HDR), None),
                  [(bias + segment.address, segment.memory) for segment in segments
                   if segment.type == elf.LOAD and segment.writable])
