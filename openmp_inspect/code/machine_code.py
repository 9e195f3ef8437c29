# SPDX-License-Identifier: MIT
"""Instructions of code that is read: how long each is, and where it goes on.

An instruction that is not known is None: then nothing behind it is known either, as on x86 its
length is not. """

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING, NamedTuple
from openmp_inspect.code import aarch64_code, x86_code
from openmp_inspect.host.interface import AARCH64, I386, X32, X86_64

if TYPE_CHECKING:
    from typing import Callable, Dict, Iterator, Optional, Tuple
    Decoded = Optional[Tuple[int, str, Optional[int]]]

LONGEST = x86_code.LONGEST  # instruction, in bytes


class Instruction(NamedTuple):
    """`flow` is "call", "jump", "branch" (a jump under a condition), "end" (it returns, or is a
    trap) or "other"."""

    length: int
    flow: str
    target: Optional[int]  # of a call, jump or branch, if that is in the instruction


_DECODERS: Dict[str, Callable[[bytes, int, int], Decoded]] = {
    X86_64: lambda code, at, address: x86_code.decoded(code, at, address, True),
    X32: lambda code, at, address: x86_code.decoded(code, at, address, True),
    I386: lambda code, at, address: x86_code.decoded(code, at, address, False),
    AARCH64: aarch64_code.decoded,
}


def decoded(machine: str, code: bytes, at: int, address: int) -> Optional[Instruction]:
    """The instruction in CODE from byte AT on, which is at an ADDRESS; None also where CODE ends in
    it."""
    decode = _DECODERS.get(machine)
    found = None if decode is None else decode(code, at, address)
    return None if found is None else Instruction(*found)


def run(machine: str, code: bytes, address: int) -> Iterator[Tuple[int, Instruction]]:
    """Each instruction in CODE, which is at an ADDRESS, with its own address, one behind the other
    up to one that is not known or cut."""
    at = 0
    while at < len(code):
        one = decoded(machine, code, at, address + at)
        if one is None:
            return
        yield address + at, one
        at += one.length
