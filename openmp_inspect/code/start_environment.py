# SPDX-License-Identifier: MIT
"""The environment with which a process was started, as it still lies above its stack: what the
runtime has read, whatever the program has set since then. Of cores, too."""

from __future__ import annotations

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.core.errors import Unreadable
from openmp_inspect.bindings import spaces

if TYPE_CHECKING:
    from typing import Callable, Dict, Optional
    from openmp_inspect.host.page_cache import PageCache

_MOST = 1 << 13  # arguments, and variables
_LONGEST = 256  # bytes of a value that are of use


def variables(is_wanted: Callable[[str], bool]) -> Optional[Dict[str, str]]:
    """{name: value} of those whose name IS_WANTED, or None where the initial stack is not to be
    found."""
    here = spaces.current()
    memory, pointer = here.memory, here.process.pointer_size
    at = here.process.symbol("__libc_stack_end")
    if at is None:
        return None
    try:
        stack = memory.unsigned(at, pointer)
        count = memory.unsigned(stack, pointer)
        if not 0 < count <= _MOST:
            return None
        return _read(memory, pointer, stack + (count + 2) * pointer, is_wanted)
    except Unreadable:
        debug.ignored()
        return None


def _read(memory: PageCache, pointer: int, start: int,
          is_wanted: Callable[[str], bool]) -> Optional[Dict[str, str]]:
    """The same of the vector at START; None if it has no end."""
    found: Dict[str, str] = {}
    for number in range(_MOST):
        address = memory.unsigned(start + number * pointer, pointer)
        if address == 0:
            return found
        word_before, equals, value = memory.read_string(address, _LONGEST).partition(b"=")
        name = word_before.decode("latin-1")
        if equals and is_wanted(name):
            found.setdefault(name, value.decode("utf-8", "surrogateescape"))
    return None
