# SPDX-License-Identifier: MIT
"""What glibc printed before it ended a process: a failed assert(), a heap that is damaged, a stack
that is smashed. It keeps a copy, for cores: its __abort_msg points to a number and the text."""

from __future__ import annotations

from openmp_inspect.core import debug
from openmp_inspect.core.errors import Unreadable
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.bindings import spaces

if TYPE_CHECKING:
    from typing import Optional

_SYMBOL = "__abort_msg"
_NUMBER = 4  # bytes before the text: how many there are
_LONGEST = 240  # bytes that are of use


def text() -> Optional[Name]:
    """The text in one line, as the target has it, or None: there is none, or it cannot be read."""
    here = spaces.current()
    at = here.process.symbol(_SYMBOL)
    if at is None:
        return None
    try:
        message = here.memory.unsigned(at, here.process.pointer_size)
        found = here.memory.read_string(message + _NUMBER, _LONGEST) if message else b""
    except Unreadable:
        debug.ignored()
        return None
    said = " ".join(found.decode("utf-8", "backslashreplace").split())
    return Name(said) if said else None
