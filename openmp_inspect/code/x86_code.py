# SPDX-License-Identifier: MIT
"""Instructions of x86-64 and i386: the one decoder of them.

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
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Optional, Tuple
    Decoded = Optional[Tuple[int, str, Optional[int]]]

LONGEST = 15
WIDE, _REGISTER, _INDEX, _BASE = 8, 4, 2, 1  # bits of a REX prefix
RIP = 16  # the number of the register behind the general ones
_NO_INDEX = 4

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
_OF_ONE_SIZE = {".": 0, "m": 0, "g": 0, "b": 1, "B": 1, "j": 1, "w": 2, "e": 3}  # immediates
_PREFIXES = frozenset(b"\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3")
SMALL_OPERAND, _SMALL_ADDRESS = 0x66, 0x67  # of these
_TRAPS = {0x0B, 0xB9, 0xFF}  # behind 0F: ud2, ud1, ud0
_WITH_BYTE = {0x70, 0x71, 0x72, 0x73, 0xC2, 0xC4, 0xC5, 0xC6}  # of VEX's and EVEX's first map
_VZERO = 0x77  # the one without ModRM
_FLOWS = {0xE8: "call", 0x9A: "call", 0xE9: "jump", 0xEA: "jump", 0xEB: "jump",
          **dict.fromkeys((0xC2, 0xC3, 0xCA, 0xCB, 0xCF, 0xF4), "end"),  # ret, iret, hlt
          **dict.fromkeys((*range(0x70, 0x80), *range(0xE0, 0xE4)), "branch")}
_INDIRECT = {2: "call", 3: "call", 4: "jump", 5: "jump"}  # FF, by the extension of the opcode
_VECTOR = 1 << 16  # the opcode of what VEX or EVEX begins


class _Short(Exception):
    """The code ends in an instruction, or it is none."""


class Memory(NamedTuple):
    """An operand in memory: BASE + SCALED * SCALE + DISPLACEMENT, numbers of registers or None. The
    base RIP is the end of the instruction."""

    base: Optional[int]
    scaled: Optional[int]
    scale: int
    displacement: int


class Code:
    """One instruction as it is encoded, IS_64 as in x86-64. `opcode`: 0x0F00 and more behind 0F;
    `prefixes`: other than REX; `number`: the immediate or distance, with its sign."""

    prefixes = b""
    rex = opcode = number = 0
    flow = "other"
    is_direct = False  # its number is the distance to a target
    _modrm = _sib = -1
    _displacement = 0

    def __init__(self, code: bytes, at: int, is_64: bool) -> None:
        self._code = code
        self._start = self._at = at
        self._is_64 = is_64
        self._decode()

    @property
    def length(self) -> int:
        return self._at - self._start

    @property
    def extension(self) -> int:
        """What ModRM has of some opcodes."""
        return self._modrm >> 3 & 7

    @property
    def register(self) -> int:
        """The operand that can only be a register."""
        return self.extension | (8 if self.rex & _REGISTER else 0)

    @property
    def other(self) -> Optional[int]:
        """The register that another one may be instead of memory, or None."""
        return None if self._modrm < 0xC0 else self._modrm & 7 | (8 if self.rex & _BASE else 0)

    @property
    def in_opcode(self) -> int:
        """The register that the opcode itself has."""
        return self.opcode & 7 | (8 if self.rex & _BASE else 0)

    @property
    def memory(self) -> Optional[Memory]:
        """The operand in memory, of x86-64, or None. Those of VEX and EVEX are not known."""
        if not 0 <= self._modrm < 0xC0 or not self._is_64 or self.opcode == _VECTOR:
            return None
        base: Optional[int] = self._modrm & 7 | (8 if self.rex & _BASE else 0)
        scaled, scale, has_base = None, 1, self._modrm & 0xC7 != 5
        if self._sib >= 0:
            base = self._sib & 7 | (8 if self.rex & _BASE else 0)
            scaled = self._sib >> 3 & 7 | (8 if self.rex & _INDEX else 0)
            scaled, scale = (None, 1) if scaled == _NO_INDEX else (scaled, 1 << (self._sib >> 6))
            has_base = self._modrm > 0x3F or self._sib & 7 != 5
        if not has_base:
            base = RIP if self._sib < 0 else None
        return Memory(base, scaled, scale, self._displacement)

    # How it is read

    def _byte(self) -> int:
        if self._at >= len(self._code):
            raise _Short
        self._at += 1
        return self._code[self._at - 1]

    def _peek(self) -> int:
        return self._code[self._at] if self._at < len(self._code) else 0

    def _signed(self, size: int) -> int:
        self._at += size
        return int.from_bytes(self._code[self._at - size:self._at], "little", signed=True)

    def _decode(self) -> None:
        self._read_prefixes()
        opcode = self.opcode = self._byte()
        if opcode == 0x0F:
            self._read_two_bytes()
        # In 32 bits these are other instructions with memory, which their ModRM says.
        elif opcode in (0x62, 0xC4, 0xC5) and (self._is_64 or self._peek() >> 6 == 3):
            self._read_vector(opcode)
        elif opcode in _NOT_64 and self._is_64 or opcode == 0x8F and self._peek() & 0x38:
            raise _Short  # the latter is XOP
        else:
            self._read_operands(_ONE_BYTE[opcode])
            if opcode in _FLOWS:
                self.flow = _FLOWS[opcode]
            elif opcode == 0xFF:
                self.flow = _INDIRECT.get(self.extension, "other")
        if self._at > len(self._code) or self._at - self._start > LONGEST:
            raise _Short

    def _read_prefixes(self) -> None:
        for value in self._code[self._at:self._at + LONGEST]:
            if value in _PREFIXES:
                self.prefixes += bytes((value,))
                self.rex = 0
            elif self._is_64 and value >> 4 == 4:
                self.rex = value
            else:
                break
            self._at += 1

    def _read_modrm(self) -> None:
        """ModRM, and what is of the address behind it."""
        self._modrm = self._byte()
        mode, base = self._modrm >> 6, self._modrm & 7
        if mode == 3:
            return
        if not self._is_64 and _SMALL_ADDRESS in self.prefixes:
            self._signed(2 if mode == 2 or (mode == 0 and base == 6) else mode)
            return
        if base == 4:
            self._sib = self._byte()
            base = self._sib & 7
        if mode or base == 5:
            self._displacement = self._signed(1 if mode == 1 else 4)

    def _read_two_bytes(self) -> None:
        opcode = self._byte()
        self.opcode = 0x0F00 | opcode
        if opcode in (0x38, 0x3A):
            self.opcode = self.opcode << 8 | self._byte()
            self._read_modrm()
            self.number = self._signed(opcode == 0x3A)
            return
        if opcode == 0x78 and self._code[self._start] in (0x66, 0xF2):
            self._at += 2  # extrq, insertq
        self._read_operands(_TWO_BYTES[opcode])
        self.flow = "end" if opcode in _TRAPS else "branch" if self.is_direct else "other"

    def _read_operands(self, kind: str) -> None:
        """What is behind an opcode whose operands are of this KIND."""
        if kind in "mBZg":
            self._read_modrm()
            if kind == "g" and self._modrm & 0x30 == 0:
                kind = "b" if self.opcode == 0xF6 else "z"
        if kind in _OF_ONE_SIZE:
            size = _OF_ONE_SIZE[kind]
        elif kind in "-p":
            raise _Short
        elif kind == "o":
            size = (4 if self._is_64 else 2) * (1 if _SMALL_ADDRESS in self.prefixes else 2)
        elif kind == "v" and self.rex & WIDE:
            size = 8
        else:
            size = 2 if SMALL_OPERAND in self.prefixes and not self.rex & WIDE else 4
            if kind == "J" and size == 2 and self._is_64:
                raise _Short  # of which processors differ
            size += 2 * (kind == "f")
        if size:
            self.number = self._signed(size)
            self.is_direct = kind in "jJ"

    def _read_vector(self, opcode: int) -> None:
        """What is behind VEX and EVEX."""
        kind = 1
        if opcode != 0xC5:
            kind = self._byte() & (0x1F if opcode == 0xC4 else 7)
        self._at += 2 if opcode == 0x62 else 1
        inner = self._byte()
        if kind not in ((1, 2, 3, 5, 6) if opcode == 0x62 else (1, 2, 3)):
            raise _Short
        self.opcode = _VECTOR
        if kind == 1 and inner == _VZERO and opcode != 0x62:
            return
        self._read_modrm()
        self.number = self._signed(kind == 3 or (kind == 1 and inner in _WITH_BYTE))


def read(code: bytes, at: int, is_64: bool) -> Optional[Code]:
    """The instruction in CODE from byte AT on, or None."""
    try:
        return Code(code, at, is_64)
    except _Short:
        debug.ignored()
        return None


def decoded(code: bytes, at: int, address: int, is_64: bool) -> Decoded:
    """(length, flow, target) of the same, which is at an ADDRESS, or None."""
    one = read(code, at, is_64)
    if one is None:
        return None
    target = address + one.length + one.number & (1 << (64 if is_64 else 32)) - 1 \
        if one.is_direct else None
    return one.length, one.flow, target
