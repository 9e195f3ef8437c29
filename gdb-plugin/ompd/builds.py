# SPDX-License-Identifier: MIT
"""Whether the libraries that gdb reads are those of the process or core: by build-ids.

A process or core holds the first page of each file that was mapped, and with it the note
that identifies the file. Nothing here is asked more than once for an image of a process.
"""

import os
import re

import gdb

from ompd import escaped, gdbtext, target, text

_PAGE = 4096
_NT_GNU_BUILD_ID = 3
_PT_NOTE = 4
_REMEDY = 'Set "set sysroot DIR" or "set solib-search-path DIR" to where it is.'


def missing(space, name):
    """The sentence about a library that is not here; NAME is its base name."""
    return _sentence(name, next(iter(_in_memory(space, name)), None))


def differing(space, files):
    """The sentence about the first of these loaded FILES that is another than the one that
    the process or core has; None when there is no such thing."""
    for objfile in gdb.current_progspace().objfiles():
        path = gdbtext.file_name(objfile)
        if objfile.owner is not None or path not in files or not objfile.build_id:
            continue
        name = os.path.basename(path)
        theirs = _in_memory(space, name)
        if theirs and objfile.build_id not in theirs:
            return _sentence(name, theirs[0])
    return None


def _sentence(name, build_id):
    told = "" if build_id is None else " (build-id %s%s)" % (
        build_id[:8], text.sign("\u2026", "..."))
    kind = "core" if target.is_core(gdb.selected_inferior()) else "process"
    return "%s of this %s is not on this machine%s. %s" % (
        escaped.shown(re.sub(r"(\.so\.\d+)[.\d]*$", r"\1", name)), kind, told, _REMEDY)


def _in_memory(space, name):
    """Build-ids of the files mapped under this name, whatever the rest of their version."""
    stem = name.split(".so")[0] + ".so"
    return [found for path, base in _mapped()
            if os.path.basename(path).startswith(stem)
            for found in [of_memory(space, base)] if found is not None]


def _mapped():
    """(path, address) of the beginning of each mapped file. gdb's Python does not know
    them; this reads a table made for people, once."""
    try:
        table = gdbtext.printed("info proc mappings")
    except gdb.error:
        return []
    found = re.findall(r"^\s*(0x[0-9a-f]+)\s+0x[0-9a-f]+\s+0x[0-9a-f]+\s+0x0\s+(?:\S{4}\s+)?"
                       r"(/.*?)\s*$", table, re.M)
    return [(path, int(base, 16)) for base, path in found]


def of_memory(space, base):
    """The build-id of the file that is mapped at this address, or None."""
    try:
        page = space.memory.read(base, _PAGE)
    except gdb.MemoryError:
        return None
    return _of_page(page, space.byte_order)


def _of_page(page, order):
    if page[:4] != b"\x7fELF" or page[4] not in (1, 2):
        return None
    wide = page[4] == 2

    def number(data, at, size):
        return int.from_bytes(data[at:at + size], order)

    word = 8 if wide else 4
    headers = number(page, 32 if wide else 28, word)
    size = number(page, 54 if wide else 42, 2)
    for at in range(number(page, 56 if wide else 44, 2)):
        header = page[headers + at * size:headers + (at + 1) * size]
        if number(header, 0, 4) == _PT_NOTE:
            start = number(header, 8 if wide else 4, word)
            length = number(header, 32 if wide else 16, word)
            found = _of_notes(page[start:start + length], order)
            if found:
                return found
    return None


def _of_notes(notes, order):
    at = 0
    while at + 12 <= len(notes):
        name, size, kind = (int.from_bytes(notes[at + n:at + n + 4], order)
                            for n in (0, 4, 8))
        begin = at + 12 + (name + 3) // 4 * 4
        if kind == _NT_GNU_BUILD_ID and notes[at + 12:at + 16] == b"GNU\0":
            return notes[begin:begin + size].hex() or None
        at = begin + (size + 3) // 4 * 4
    return None
