# SPDX-License-Identifier: MIT
"""What was printed before a process was aborted. glibc, of a failed assert(), a heap that is damaged,
a stack that is smashed, keeps a copy for cores: its __abort_msg points to a number and the text.
LLVM's runtime keeps none: the text stays where glibc has formatted it, on the stack."""

from __future__ import annotations

from openmp_inspect.core import debug
from openmp_inspect.core.errors import Unreadable
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Optional
    from openmp_inspect.bindings.spaces import Space

_SYMBOL = "__abort_msg"
_NUMBER = 4  # bytes before the text: how many there are
_LONGEST = 240  # bytes that are of use
_BELOW = 1 << 15  # bytes of a stack: glibc takes 8 KiB for a stream that has no buffer
_PIECE = 1 << 9  # what is above one that cannot be read is searched
_FATAL = regex(
    rb"(?:OMP: |omptarget )((?:Error #|fatal error )\d+: [ -~]+\n(?:OMP: System error [ -~]+\n)?)")


def text(here: Space) -> Optional[Name]:
    """The text in one line, as the target has it, or None: there is none, or it cannot be read."""
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


def of_llvm(here: Space, end: int) -> Optional[Name]:
    """The same of LLVM's runtime or libomptarget, which has aborted from where the stack pointer was END:
    nothing that it does after it has printed an error reaches as deep. None: there are several, or none."""
    found = b""
    try:
        for at in range(end, end - _BELOW, -_PIECE):
            found = here.memory.read(at - _PIECE, _PIECE) + found
    except Unreadable:
        debug.ignored()
    said = set(_FATAL.findall(found))
    if len(said) != 1:
        return None
    return Name(" ".join(said.pop().decode().replace("OMP: ", "").split())[:_LONGEST])
