# SPDX-License-Identifier: MIT
"""The arguments and the environment with which a process was started, as they still lie above its stack:
what the runtime has read, whatever the program has set since then. Of cores, too."""

from __future__ import annotations

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.core.errors import Unreadable

if TYPE_CHECKING:
    from typing import Callable, Dict, List, Optional, Tuple
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.host.page_cache import PageCache

_MOST = 1 << 13  # arguments, and variables
_LONGEST = 256  # bytes of a value that are of use
_MOST_SHOWN = 64  # arguments


def variables(here: Space, is_wanted: Callable[[str], bool]) -> Optional[Dict[str, str]]:
    """{name: value} of those whose name IS_WANTED, or None where the initial stack is not to be
    found."""
    try:
        stack, count = _start(here)
        pointer = here.process.pointer_size
        return _read(here.memory, pointer, stack + (count + 2) * pointer, is_wanted) if count else None
    except Unreadable:
        debug.ignored()
        return None


def arguments(here: Space) -> List[str]:
    """The first ones, the program among them; none where they are not known."""
    try:
        stack, count = _start(here)
        pointers = [here.memory.unsigned(stack + (number + 1) * here.process.pointer_size,
                                         here.process.pointer_size)
                    for number in range(min(count, _MOST_SHOWN))]
        found = [here.memory.read_string(one, _LONGEST).decode("utf-8", "surrogateescape")
                 for one in pointers]
        return found + ["..."] * (count > _MOST_SHOWN) if any(found) else []
    except Unreadable:
        debug.ignored()
        return []


def _start(here: Space) -> Tuple[int, int]:
    """(where the initial stack has the number of arguments, that); (0, 0) where it is not known."""
    at = here.process.symbol("__libc_stack_end")
    if at is None:
        return 0, 0
    stack = here.memory.unsigned(at, here.process.pointer_size)
    count = here.memory.unsigned(stack, here.process.pointer_size)
    return (stack, count) if 0 < count <= _MOST else (0, 0)


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
