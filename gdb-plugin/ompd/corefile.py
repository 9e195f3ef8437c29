# SPDX-License-Identifier: MIT
"""Threads of a core by the notes in its file.

gdb lists more than these: libthread_db adds what stands in the memory of the process, such
as the parent's threads in a child that was just forked.
"""

import re
import struct

import gdb

from ompd import gdbtext, sourcefile

_MOST_NOTES = 1 << 26  # bytes, for ten thousand threads
_LARGEST_SEGMENT = 256  # bytes of a segment's entry in the table
_NOTE = 4  # type of a segment
_PRSTATUS = 1  # type of a note
_CORE, _X86_64 = 4, 62
# Where the kernel's struct elf_prstatus has the thread's id, by the width of addresses, and
# for x86-64 some registers.
_ID = {1: 24, 2: 32}
_PC, _SP, _SIZE = 240, 264, 336
_CALL = 232  # the number of a system call
_ARGUMENTS = (224, 216, 208, 168)

_MOST_CALLS = 1 << 16  # a larger number of a system call says that there is none

_last = None  # (inferior, connection, {lwp: ...}); of one core at a time


def threads(inferior, connection):
    """{kernel id: (pc, sp, number of the system call it is in or None, its arguments), or None
    where the registers are laid out otherwise} of the selected inferior, a core. None when the
    file cannot be read."""
    global _last  # pylint: disable=global-statement
    key = inferior.num, connection.num
    if _last is None or _last[:2] != key:
        try:
            with sourcefile.opened(_path()) as stream:
                found = dict(_statuses(stream))
        except (OSError, ValueError, OverflowError, struct.error, gdb.error):
            found = None
        _last = key + (found or None,)
    return _last[2]


def _path():
    """gdb's Python does not tell; this reads text made for people, once for a core."""
    text = gdbtext.printed("info files")
    found = re.search(r"^Local core dump file:\n\s*[`'\u2018](.+)['\u2019], file type", text, re.M)
    if found is None:
        raise ValueError("no core")
    return found.group(1)


def _statuses(stream):
    """(kernel id, registers or None) of each thread."""
    ident = stream.read(16)
    if len(ident) < 16 or ident[:4] != b"\x7fELF" or ident[4] not in _ID or ident[5] not in (1, 2):
        raise ValueError("no core")
    wide, order = ident[4] == 2, "<" if ident[5] == 1 else ">"
    header = struct.Struct(order + ("HHIQQQIHHHHHH" if wide else "HHIIIIIHHHHHH"))
    fields = header.unpack(stream.read(header.size))
    kind, machine, table, size, count = fields[0], fields[1], fields[4], fields[8], fields[9]
    segment = struct.Struct(order + ("IIQQQQQQ" if wide else "IIIIIIII"))
    if kind != _CORE or not segment.size <= size <= _LARGEST_SEGMENT:
        raise ValueError("no core")
    stream.seek(table)
    data = stream.read(size * count)
    for at in range(0, len(data) - segment.size + 1, size):
        fields = segment.unpack_from(data, at)
        if fields[0] == _NOTE:
            offset, length = (fields[2], fields[5]) if wide else (fields[1], fields[4])
            stream.seek(offset)
            notes = stream.read(min(length, _MOST_NOTES))
            yield from _threads_of(notes, order, ident[4], machine)
            return  # a core has one


def _threads_of(notes, order, width, machine):
    note, number, word = (struct.Struct(order + kind) for kind in ("III", "i", "Q"))
    at = 0
    while at + note.size <= len(notes):
        name_size, size, kind = note.unpack_from(notes, at)
        name = at + note.size
        content = name + (name_size + 3 & ~3)
        at = content + (size + 3 & ~3)
        if kind != _PRSTATUS or notes[name:name + 5] != b"CORE\0" or at > len(notes) or \
                size < _ID[width] + number.size:
            continue
        registers = None
        if machine == _X86_64 and width == 2 and size == _SIZE:
            pc, sp, call, *arguments = (word.unpack_from(notes, content + field)[0]
                                        for field in (_PC, _SP, _CALL) + _ARGUMENTS)
            registers = pc, sp, call if call < _MOST_CALLS else None, tuple(arguments)
        yield number.unpack_from(notes, content + _ID[width])[0], registers
