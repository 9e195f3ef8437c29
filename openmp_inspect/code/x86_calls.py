# SPDX-License-Identifier: MIT
"""Calls of x86-64 and i386, read backwards from where they return to: where they go, and which constants
seem to be their arguments, as in

    lea  key(%rip),%rax
    mov  %rax,%rdi
    call omp_set_lock

Where instructions begin is not known there. In what follows CODE ends at END, behind the call or jump.
"""

from __future__ import annotations

import re

from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Iterator, Match, Optional, Set, Tuple
    from openmp_inspect.host.interface import Process

_LARGEST = 1 << 16  # bytes of a function
# By the register of an argument, %rdi, %rsi, and %rdx as the third of LLVM's: what it is copied from.
_COPY = regex(rb"([\x48\x4c])\x89([\xc0-\xff])")
_OF_ARGUMENTS = {7, 6, 2}
_PRESERVED = {3, 5, 12, 13, 14, 15}  # %rbx, %rbp, %r12 to %r15
_LEA = regex(rb"([\x48\x4c])\x8d([\x05\x0d\x15\x1d\x25\x2d\x35\x3d])(....)", re.DOTALL)


def target_of_32(_process: Process, code: bytes, end: int, jumped: bool) -> Optional[int]:
    """The address to which a call goes, or None when there is none; of i386 and x32."""
    return end + _distance(code) if code[-5] == 0xE8 and not jumped else None


def target(process: Process, code: bytes, end: int, jumped: bool) -> Optional[int]:
    """The same of x86-64; JUMPED: of a jump."""
    if code[-6:-4] == (b"\xff\x25" if jumped else b"\xff\x15"):  # by way of a word: -fno-plt
        return process.unsigned(end + _distance(code), 8)
    return end + _distance(code) if code[-5] == (0xE9 if jumped else 0xE8) else None


def _length(code: bytes) -> int:
    """Of the call or jump at the end."""
    return 6 if code[-6:-4] in (b"\xff\x15", b"\xff\x25") else 5


def _register(found: Match[bytes]) -> int:
    """The one that `lea DISTANCE(%rip)` sets, or that a copy is of."""
    return (found.group(1)[0] & 4) << 1 | found.group(2)[0] >> 3 & 7


def _copied(code: bytes) -> Set[int]:
    """The registers that CODE copies to those of arguments."""
    return {_register(copy) for copy in _COPY.finditer(code)
            if copy.group(2)[0] & 7 in _OF_ARGUMENTS}


def checked(_process: Process, code: bytes, end: int) -> Iterator[int]:
    """What seems to be loaded for one of the first arguments, the nearest first."""
    start, code = end - len(code), code[:-_length(code)]
    for at in range(len(code) - 5, -1, -1):
        after = code[at:]
        if after[:1] == b"\xe8" or after[:2] == b"\xff\x15":
            return  # what was loaded before another call is gone
        lea = _LEA.match(after)
        if lea is not None and _register(lea) in _OF_ARGUMENTS | _copied(after[7:]):
            yield start + at + 7 + _distance(lea.group(3))
        elif after[:1] in (b"\xbf", b"\xba"):  # mov $ADDRESS,%edi or, third of LLVM's, %edx
            yield int.from_bytes(after[1:5], "little")


def kept(process: Process, code: bytes, end: int) -> Iterator[int]:
    """What the function around END loads, anywhere, into the registers that a call leaves alone and that
    are copied to those of its arguments: the loads of a loop's calls stand before it."""
    copied = _copied(code[:-_length(code)].rpartition(b"\xe8")[2]) & _PRESERVED  # behind another call
    name, offset = process.symbol_at(end - 1) if copied else (None, 0)
    if name is None or offset > _LARGEST:
        return
    start = end - 1 - offset
    for lea in _LEA.finditer(process.read(start, end - start)):
        if _register(lea) in copied:
            yield start + lea.end() + _distance(lea.group(3))


def argument(_process: Process, code: bytes, end: int, _is_static: bool,
             _at_once: bool) -> Optional[Tuple[int, int]]:
    """(the constant in the first argument's register, where the instructions begin that set it), by those
    right before the call; or None."""
    length = _length(code)
    code, end = code[:-length], end - length
    if code[-7:-4] == b"\x48\x8d\x3d":  # lea DISTANCE(%rip),%rdi
        return end + _distance(code), end - 7
    if code[-5:-4] == b"\xbf":  # mov $ADDRESS,%edi
        return int.from_bytes(code[-4:], "little"), end - 5
    if code[-3:] == b"\x48\x89\xc7":  # mov %rax,%rdi, after
        code, end = code[:-3], end - 3
        if code[-7:-4] == b"\x48\x8d\x05":  # lea DISTANCE(%rip),%rax
            return end + _distance(code), end - 7
    return None


def _distance(code: bytes) -> int:
    return int.from_bytes(code[-4:], "little", signed=True)
