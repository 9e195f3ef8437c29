# SPDX-License-Identifier: MIT
"""The environment with which a process was started, as it still lies above its stack: what the
runtime has read, whatever the program has set since then. Of cores, too."""

from __future__ import annotations

import struct

import gdb

from gdb_openmp.core import debug
from gdb_openmp.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import symbols

if TYPE_CHECKING:
    from typing import Container, Dict, Optional
    from gdb_openmp.core.static_typing import ByteOrder
    from gdb_openmp.host.page_cache import PageCache

_MOST = 1 << 13  # arguments, and variables
_LONGEST = 256  # bytes of a value that are of use


def variables(memory: PageCache, byte_order: ByteOrder, pointer: int,
              names: Container[str]) -> Optional[Dict[str, str]]:
    """{name: value} of those of NAMES that are set, or None where the initial stack is not to
    be found. MEMORY: of the selected inferior; POINTER: its size in bytes."""
    at = symbols.address("__libc_stack_end")
    if at is None:
        return None
    word = struct.Struct((">" if byte_order == "big" else "<") + ("Q" if pointer == 8 else "I"))
    try:
        stack = word.unpack(memory.read(at, pointer))[0]
        count = word.unpack(memory.read(stack, pointer))[0]
        if not 0 < count <= _MOST:
            return None
        return _read(memory, word, stack + (count + 2) * pointer, names)
    except gdb.MemoryError:
        debug.ignored()
        return None


def _read(memory: PageCache, word: struct.Struct, start: int,
          names: Container[str]) -> Optional[Dict[str, str]]:
    """The same of the vector at START; None if it has no end."""
    found: Dict[str, str] = {}
    for number in range(_MOST):
        address = word.unpack(memory.read(start + number * word.size, word.size))[0]
        if address == 0:
            return found
        word_before, equals, value = memory.read_string(address, _LONGEST).partition(b"=")
        name = word_before.decode("latin-1")
        if equals and name in names:
            found.setdefault(name, value.decode("utf-8", "surrogateescape"))
    return None
