# SPDX-License-Identifier: MIT
"""The line table of a unit, read as gdb reads it.

The rows around an address are decoded, never the whole table. Of rows gdb makes entries: one where
the file or the line changes, and a line of 0, which ends a file's code, where another file begins.
For example, at -O2:

    row                     entry
    0x10  a.c 5             0x10  a.c 5
    0x10  b.h 7             0x10  a.c 0 in place of a.c 5; 0x10  b.h 7
    0x14  b.h 7, view 1     0x14  b.h 7, unless one of the rows of line 7 has a discriminator
    0x18  a.c 0             none
    0x1c  a.c 5             0x1c  b.h 0; 0x1c  a.c 5
"""

from __future__ import annotations

import ctypes

from ompd_command.host import elfutils
from openmp_inspect.core.cached import fact
from openmp_inspect.core.static_typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Dict, Iterator, List, Optional, Tuple
    from ompd_command.host.dwarf import Die

_MOST_ROWS_BACK = 1 << 12
_LONGEST = 1 << 14  # file name


class LineTableRow(NamedTuple):
    address: int
    file: bytes
    line: int
    is_statement: bool
    ends_sequence: bool
    has_discriminator: bool


class Entry(NamedTuple):
    address: int
    file: bytes
    line: int
    is_statement: bool


class LineTable:
    def __init__(self, unit: Die) -> None:
        self._unit = unit
        self._rows: Dict[int, LineTableRow] = {}

    @fact
    def _table(self) -> Tuple[Optional[int], int]:
        """(Dwarf_Lines *, the number of rows)"""
        lines, count = elfutils.Pointer(), ctypes.c_size_t()
        if _getsrclines(ctypes.byref(self._unit), ctypes.byref(lines), ctypes.byref(count)):
            return None, 0
        return lines.value, count.value

    @fact
    def _files(self) -> Tuple[Optional[int], int]:
        """(Dwarf_Files *, the number of files)"""
        files, count = elfutils.Pointer(), ctypes.c_size_t()
        if _getsrcfiles(ctypes.byref(self._unit), ctypes.byref(files), ctypes.byref(count)):
            return None, 0
        return files.value, count.value

    def file(self, number: int) -> Optional[bytes]:
        """The name of a file by its NUMBER in attributes, as rows have it."""
        files, count = self._files
        found: Optional[bytes] = None
        if files is not None and 0 <= number < count:
            found = _filesrc(files, number, None, None)
        return None if found is None else found[:_LONGEST]

    def entry_at(self, pc: int) -> Optional[Tuple[Entry, int]]:
        """(the entry that code at PC belongs to, where the next one begins, 0 if none does)"""
        at = self._first_after(pc) - 1
        if at < 0:
            return None
        entries: List[Entry] = []
        for _, entries in self._made(self._beginning(at)):
            if entries and entries[-1].address > pc:
                break
        following = min((entry.address for entry in entries if entry.address > pc), default=0)
        before = [entry for entry in entries if entry.address <= pc]
        if not before or not before[-1].line:
            return None
        best = before[-1]
        same = [entry for entry in before if entry[:2] == best[:2] and entry.is_statement and
                entry.line]
        return (same[-1] if same else best), following

    def entries_between(self, start: int, end: int) -> List[Entry]:
        """Those with code from START up to END, but for ends."""
        at = max(self._first_after(start) - 1, 0)
        entries: List[Entry] = []
        for row, entries in self._made(self._beginning(at)):
            if row.address >= end:
                break
        return [entry for entry in entries if start <= entry.address < end and entry.line]

    def lines_at(self, file: bytes, address: int) -> List[int]:
        """The lines of a FILE of which rows say that a statement begins at an ADDRESS; gdb drops
        those that another file's come after."""
        found: List[int] = []
        at = self._first_after(address) - 1
        while at >= 0 and self._row(at).address == address:
            row, at = self._row(at), at - 1
            if row.file == file and row.is_statement and not row.ends_sequence:
                found.insert(0, row.line)
        return found

    def addresses_of(self, file: bytes, line: int) -> List[int]:
        """Where statements of a LINE begin."""
        lines, count = self._table
        number = ctypes.c_int()
        found: List[int] = []
        for at in range(count):
            _lineno(_onesrcline(lines, at), ctypes.byref(number))
            if number.value == line and self._row(at).file == file:
                address = self._row(at).address
                found += [entry.address for entry in self.entries_between(address, address + 1)
                          if entry[1:] == (file, line, True)]
        return sorted(set(found))

    def _first_after(self, pc: int) -> int:
        """The number of the first row behind PC."""
        low, high, address = 0, self._table[1], elfutils.Address()
        while low < high:
            middle = (low + high) // 2
            _lineaddr(_onesrcline(self._table[0], middle), ctypes.byref(address))
            if address.value > pc:
                high = middle
            else:
                low = middle + 1
        return low

    def _beginning(self, at: int) -> int:
        """A row up to that of this number that makes an entry, whatever is before it: it begins
        another line at another address."""
        for number in range(at, max(at - _MOST_ROWS_BACK, 0), -1):
            before, row = self._row(number - 1), self._row(number)
            if before.ends_sequence or (row.line and row.line != before.line and
                                        before.address < row.address and not row.ends_sequence):
                return number
        return max(at - _MOST_ROWS_BACK, 0)

    def _made(self, first: int) -> Iterator[Tuple[LineTableRow, List[Entry]]]:
        """Each row from the FIRST one on, with all entries up to that."""
        making = _Entries()
        for at in range(first, self._table[1]):
            making.add(self._row(at))
            yield self._row(at), making.entries

    def _row(self, at: int) -> LineTableRow:
        if at not in self._rows:
            self._rows[at] = _decoded(_onesrcline(self._table[0], at))
        return self._rows[at]


class _Entries:
    """Entries that are made of one row after the other."""

    def __init__(self) -> None:
        self.entries: List[Entry] = []
        self._begin_sequence()

    def _begin_sequence(self) -> None:
        self._file: Optional[bytes] = None
        self._line = 0  # of the last entry
        self._row_line = 0
        self._has_discriminator = False  # a row of this line
        self._address = -1
        self._is_statement_here = False  # a row of this address

    def add(self, row: LineTableRow) -> None:
        if row.line != self._row_line:
            self._row_line, self._has_discriminator = row.line, False
        self._has_discriminator |= row.has_discriminator
        changed = self._file is not None and row.file != self._file
        same_place = row.address == self._address
        is_ignored = not row.ends_sequence and (not row.line or (
            changed and same_place and not row.is_statement and self._is_statement_here))
        if self._file is not None and (row.ends_sequence or (changed and not is_ignored)):
            self._end(row.address)
        if row.ends_sequence:
            self._begin_sequence()
            return
        if not is_ignored and (self._file != row.file or row.line != self._line or
                               not self._has_discriminator):
            self.entries.append(Entry(row.address, row.file, row.line, row.is_statement))
            self._line = row.line
        if not is_ignored:
            self._file = row.file
        self._is_statement_here = row.is_statement or (same_place and self._is_statement_here)
        self._address = row.address

    def _end(self, address: int) -> None:
        """The code of the present file ends."""
        assert self._file is not None
        while self.entries and self.entries[-1][:2] == (address, self._file):
            self.entries.pop()
        self.entries.append(Entry(address, self._file, 0, True))


def _decoded(line: int) -> LineTableRow:
    address, number = elfutils.Address(), ctypes.c_int()
    is_statement, ends, discriminator = ctypes.c_bool(), ctypes.c_bool(), ctypes.c_uint()
    _lineaddr(line, ctypes.byref(address))
    _lineno(line, ctypes.byref(number))
    _linebeginstatement(line, ctypes.byref(is_statement))
    _lineendsequence(line, ctypes.byref(ends))
    _linediscriminator(line, ctypes.byref(discriminator))
    file: Optional[bytes] = _linesrc(line, None, None)
    return LineTableRow(address.value, (file or b"")[:_LONGEST], max(number.value, 0),
                        is_statement.value, ends.value,
                        bool(discriminator.value))


_Line, _Out = elfutils.Pointer, elfutils.Pointer
_getsrclines = elfutils.function("dwarf_getsrclines", ctypes.c_int, elfutils.Pointer, _Out, _Out)
_getsrcfiles = elfutils.function("dwarf_getsrcfiles", ctypes.c_int, elfutils.Pointer, _Out, _Out)
_filesrc = elfutils.function("dwarf_filesrc", ctypes.c_char_p, elfutils.Pointer, ctypes.c_size_t,
                             _Out, _Out)
_onesrcline = elfutils.function("dwarf_onesrcline", elfutils.Pointer, elfutils.Pointer,
                                ctypes.c_size_t)
_lineaddr = elfutils.function("dwarf_lineaddr", ctypes.c_int, _Line, _Out)
_lineno = elfutils.function("dwarf_lineno", ctypes.c_int, _Line, _Out)
_linesrc = elfutils.function("dwarf_linesrc", ctypes.c_char_p, _Line, _Out, _Out)
_linebeginstatement = elfutils.function("dwarf_linebeginstatement", ctypes.c_int, _Line, _Out)
_lineendsequence = elfutils.function("dwarf_lineendsequence", ctypes.c_int, _Line, _Out)
_linediscriminator = elfutils.function("dwarf_linediscriminator", ctypes.c_int, _Line, _Out)
