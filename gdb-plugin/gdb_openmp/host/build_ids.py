# SPDX-License-Identifier: MIT
"""Whether the libraries that gdb reads are those of the process or core: by build-ids.

A process or core holds the first page of each file that was mapped, and with it the note
that identifies the file. Nothing here is asked more than once for an image of a process.
"""

from __future__ import annotations

import os
import re

import gdb

from gdb_openmp.core import debug, elf
from gdb_openmp.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import escaped, gdb_text, inferiors, modules, text

if TYPE_CHECKING:
    from typing import Container, List, Optional, Protocol
    from gdb_openmp.host.page_cache import PageCache

    class Space(Protocol):
        """As address_space.Space."""

        memory: PageCache

_PAGE = 4096
_NT_GNU_BUILD_ID = 3
_REMEDY = 'Set "set sysroot DIR" or "set solib-search-path DIR" to where it is.'


def missing(space: Space, name: str) -> str:
    """The sentence about a library that is not here; NAME is its base name."""
    return _sentence(name, next(iter(_in_memory(space, name)), None))


def differing(space: Space, files: Container[Optional[str]]) -> Optional[str]:
    """The sentence about the first of these loaded FILES that is another than the one that
    the process or core has; None when there is no such thing."""
    for objfile in gdb.current_progspace().objfiles():
        path = gdb_text.image_file(objfile)
        if objfile.owner is not None or path is None or path not in files or \
                not objfile.build_id:
            continue
        name = os.path.basename(path)
        theirs = _in_memory(space, name)
        if theirs and objfile.build_id not in theirs:
            return _sentence(name, theirs[0])
    return None


def _sentence(name: str, build_id: Optional[str]) -> str:
    told = "" if build_id is None else " (build-id %s%s)" % (
        build_id[:8], text.sign("\u2026", "..."))
    kind = "core" if inferiors.is_core(gdb.selected_inferior()) else "process"
    return "%s of this %s is not on this machine%s. %s" % (
        escaped.shown(re.sub(r"(\.so\.\d+)[.\d]*$", r"\1", name)), kind, told, _REMEDY)


def _in_memory(space: Space, name: str) -> List[str]:
    """Build-ids of the files mapped under this name, whatever the rest of their version."""
    stem = name.split(".so")[0] + ".so"
    return [found for mapping in modules.mappings()
            if mapping.offset == 0 and os.path.basename(mapping.path).startswith(stem)
            for found in [of_memory(space, mapping.start)] if found is not None]


def of_memory(space: Space, base: int) -> Optional[str]:
    """The build-id of the file that is mapped at this address, or None."""
    try:
        page = space.memory.read(base, _PAGE)
        header, segments = elf.of_page(page)
    except (gdb.MemoryError, ValueError):
        debug.ignored()
        return None
    for segment in segments:
        if segment.type == elf.NOTE:
            for note in elf.notes(page[segment.offset:segment.offset + segment.size], header):
                if note.type == _NT_GNU_BUILD_ID and note.owner == b"GNU" and note.content:
                    return note.content.hex()
    return None
