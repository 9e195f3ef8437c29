# SPDX-License-Identifier: MIT
"""Instructions of x86-64 and i386, as machine_code.py has them.

    prefixes  REX | VEX | EVEX  opcode  ModRM  SIB  displacement  immediate

What follows an opcode is in tables of its map, a letter for each opcode, sixteen in a row:

    .   nothing                 m   ModRM                   -   no instruction
    b   an immediate byte       B   ModRM and a byte        w   two bytes
    z   four bytes, or two      Z   ModRM and four or two   e   three bytes
    v   as z, eight with REX.W  o   an address              f   an address of code, far
    j   a distance of a byte    J   one of four or two      p   a prefix
    g   ModRM, and an immediate with some
"""

from __future__ import annotations

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Optional, Tuple
    Decoded = Optional[Tuple[int, str, Optional[int]]]

LONGEST = 15

_ONE_BYTE = (  # those that x86-64 lacks, in _NOT_64
    "mmmmbz..mmmmbz.p"
    "mmmmbz..mmmmbz.."
    "mmmmbzp.mmmmbzp."
    "mmmmbzp.mmmmbzp."
    "................"
    "................"
    "..mmppppzZbB...."
    "jjjjjjjjjjjjjjjj"
    "BZBBmmmmmmmmmmmm"
    "..........f....."
    "oooo....bz......"
    "bbbbbbbbvvvvvvvv"
    "BBw.mmBZe.w..b.."
    "mmmmbb-.mmmmmmmm"
    "jjjjbbbbJJfj...."
    "p.pp..gg......mm")
_NOT_64 = {0x06, 0x07, 0x0E, 0x16, 0x17, 0x1E, 0x1F, 0x27, 0x2F, 0x37, 0x3F, 0x60, 0x61, 0x82, 0x9A,
           0xCE, 0xD4, 0xD5, 0xEA}
_TWO_BYTES = (  # behind 0F
    "mmmm-.....-.-m.B"
    "mmmmmmmmmmmmmmmm"
    "mmmm----mmmmmmmm"
    "......-.--------"
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm"
    "BBBBmmm.mm--mmmm"
    "JJJJJJJJJJJJJJJJ"
    "mmmmmmmmmmmmmmmm"
    "...mBm--...mBmmm"
    "mmmmmmmmmmBmmmmm"
    "mmBmBBBm........"
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm")
_PREFIXES = frozenset(b"\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3")
_TRAPS = {0x0B, 0xB9, 0xFF}  # behind 0F: ud2, ud1, ud0
_WITH_BYTE = {0x70, 0x71, 0x72, 0x73, 0xC2, 0xC4, 0xC5, 0xC6}  # of VEX's and EVEX's first map
_VZERO = 0x77  # the one without ModRM
_ENDS = {0xC2, 0xC3, 0xCA, 0xCB, 0xCF, 0xF4}  # ret, iret, hlt


class _Short(Exception):
    """The code ends in an instruction, or it is none."""


class _Reader:
    """What is read of one instruction."""

    def __init__(self, code: bytes, at: int, is_64: bool) -> None:
        self.code = code
        self.start = self.at = at
        self.is_64 = is_64
        self.has_small_operand = self.has_small_address = False
        self.rex = 0

    def byte(self) -> int:
        if self.at >= len(self.code):
            raise _Short
        self.at += 1
        return self.code[self.at - 1]

    def peek(self) -> int:
        return self.code[self.at] if self.at < len(self.code) else 0

    def skip(self, count: int) -> None:
        self.at += count

    @property
    def operand(self) -> int:
        """The size of most immediates."""
        return 2 if self.has_small_operand and not self.rex & 8 else 4

    def prefixes(self) -> None:
        while self.at - self.start < LONGEST:
            value = self.peek()
            if value in _PREFIXES:
                self.has_small_operand |= value == 0x66
                self.has_small_address |= value == 0x67
                self.rex = 0
            elif self.is_64 and value >> 4 == 4:
                self.rex = value
            else:
                break
            self.skip(1)

    def modrm(self) -> int:
        """ModRM, with what is read of the address behind it."""
        found = self.byte()
        mode, base = found >> 6, found & 7
        if mode == 3:
            return found
        if self.has_small_address and not self.is_64:
            self.skip(2 if mode == 2 or (mode == 0 and base == 6) else mode)
            return found
        if base == 4:
            base = self.byte() & 7
        self.skip(4 if mode == 2 or (mode == 0 and base == 5) else mode)
        return found

    def distance(self, size: int) -> int:
        self.skip(size)
        return int.from_bytes(self.code[self.at - size:self.at], "little", signed=True)


def decoded(code: bytes, at: int, address: int, is_64: bool) -> Decoded:
    """(length, flow, target) of the instruction in CODE from byte AT on, or None."""
    reader = _Reader(code, at, is_64)
    try:
        flow, distance = _decoded(reader)
    except _Short:
        debug.ignored()
        return None
    length = reader.at - at
    if reader.at > len(code) or length > LONGEST:
        return None
    target = None if distance is None else \
        address + length + distance & (1 << (64 if is_64 else 32)) - 1
    return length, flow, target


def _decoded(reader: _Reader) -> Tuple[str, Optional[int]]:
    """(flow, distance to the target)"""
    reader.prefixes()
    opcode = reader.byte()
    if opcode == 0x0F:
        return _of_two_bytes(reader)
    # In 32 bits these are other instructions with memory, which their ModRM says.
    if opcode in (0x62, 0xC4, 0xC5) and (reader.is_64 or reader.peek() >> 6 == 3):
        _vector(reader, opcode)
        return "other", None
    if opcode in _NOT_64 and reader.is_64:
        raise _Short
    if opcode == 0x8F and reader.peek() & 0x38:
        raise _Short  # XOP
    distance, modrm = _operands(reader, opcode, _ONE_BYTE[opcode])
    if opcode in _ENDS:
        return "end", None
    if opcode == 0xFF:
        return {2: "call", 3: "call", 4: "jump", 5: "jump"}.get(modrm >> 3 & 7, "other"), None
    if opcode in (0xE8, 0x9A):
        return "call", distance
    if opcode in (0xE9, 0xEA, 0xEB):
        return "jump", distance
    return "other" if distance is None else "branch", distance


def _of_two_bytes(reader: _Reader) -> Tuple[str, Optional[int]]:
    opcode = reader.byte()
    if opcode in (0x38, 0x3A):
        reader.byte()
        reader.modrm()
        reader.skip(opcode == 0x3A)
        return "other", None
    if opcode == 0x78 and reader.code[reader.start] in (0x66, 0xF2):
        reader.skip(2)  # extrq, insertq
    distance, _ = _operands(reader, opcode, _TWO_BYTES[opcode])
    if opcode in _TRAPS:
        return "end", None
    return "other" if distance is None else "branch", distance


def _operands(reader: _Reader, opcode: int, kind: str) -> Tuple[Optional[int], int]:
    """(the distance of a jump, ModRM or 0) behind an OPCODE whose operands are of this KIND."""
    modrm = reader.modrm() if kind in "mBZg" else 0
    if kind in ("-", "p"):
        raise _Short
    if kind == "j":
        return reader.distance(1), modrm
    if kind == "J":
        if reader.has_small_operand and reader.is_64 and not reader.rex & 8:
            raise _Short  # of which processors differ
        return reader.distance(reader.operand), modrm
    if kind == "g" and modrm & 0x30 == 0:
        kind = "b" if opcode == 0xF6 else "z"
    if kind == "v" and reader.rex & 8:
        reader.skip(8)
    elif kind == "o":
        reader.skip((4 if reader.is_64 else 2) * (1 if reader.has_small_address else 2))
    else:
        reader.skip({"b": 1, "B": 1, "w": 2, "e": 3, "z": reader.operand, "Z": reader.operand,
                     "v": reader.operand, "f": reader.operand + 2}.get(kind, 0))
    return None, modrm


def _vector(reader: _Reader, opcode: int) -> None:
    """What VEX and EVEX begin."""
    kind = 1
    if opcode != 0xC5:
        kind = reader.byte() & (0x1F if opcode == 0xC4 else 7)
    reader.skip({0xC5: 1, 0xC4: 1, 0x62: 2}[opcode])
    inner = reader.byte()
    if kind not in ((1, 2, 3, 5, 6) if opcode == 0x62 else (1, 2, 3)):
        raise _Short
    if kind == 1 and inner == _VZERO and opcode != 0x62:
        return
    reader.modrm()
    reader.skip(kind == 3 or (kind == 1 and inner in _WITH_BYTE))
