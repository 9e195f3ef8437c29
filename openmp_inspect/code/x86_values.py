# SPDX-License-Identifier: MIT
"""What an instruction of x86-64 leaves in a general register, of those that compute addresses. For
instance

    mov    -4(%rbp),%eax      rax = 4 bytes at rbp - 4
    cltq                      rax = the low half of rax, with its sign
    lea    forks(,%rax,8)     rdi = forks + rax * 8
"""

from __future__ import annotations

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Callable, Dict, Optional, Sequence, Union
    Value = Union[int, "Expression"]

RAX, RSP = 0, 4
NAMES = ("rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
         *("r%d" % number for number in range(8, 16)))
_WIDE, _REGISTER, _INDEX, _BASE = 8, 4, 2, 1  # bits of a REX prefix
_BYTES_OF_RAX = (0x04, 0x0C, 0x24, 0x2C, 0x34)  # that compute %al with an immediate
_OF_RAX = {0x05: 1, 0x2D: -1}  # opcode: the sign of an immediate that is added
_NOPS = b"\x90", b"\x66\x90", b"\xf3\x90"
# That read memory if they have an operand there, and of two bytes behind 0F.
_READING = (0x02, 0x03, 0x0A, 0x0B, 0x22, 0x23, 0x2A, 0x2B, 0x38, 0x39, 0x3A, 0x3B, 0x63, 0x80, 0x81,
            0x83, 0x84, 0x85, 0x8A, 0x8B, 0xF6, 0xF7)
_READING_LONG = (0xAF, 0xB6, 0xB7, 0xBE, 0xBF)
# Loads and comparisons, of two bytes behind 0F, and with a number by the extension of the opcode.
_LOADING = (0x38, 0x39, 0x3A, 0x3B, 0x63, 0x84, 0x85, 0x8A, 0x8B)
_LOADING_LONG = (0xB6, 0xB7, 0xBE, 0xBF)
_TESTING = {0x80: (7,), 0x81: (7,), 0x83: (7,), 0xF6: (0,), 0xF7: (0,)}
_FENCES = b"\xf0\x48\x83\x0c\x24\x00", b"\x0f\xae\xf0"  # lock orq $0,(%rsp), mfence
_COMPARISONS = (0x38, 0x39, 0x3A, 0x3B, 0x3C, 0x3D, 0x84, 0x85, 0xA8, 0xA9)


class Expression(NamedTuple):
    """`kind`: "register" (its number), "kept" (one that has the same value at the call behind), "sum"
    or "product" (of both), "load" (from an address, as many bytes), "low" (32 bits) or "signed" (the
    same, with their sign)."""

    kind: str
    first: Value
    second: Value = 0


class Effect(NamedTuple):
    """`register`: the number of the one that gets a VALUE, None if there is none."""

    register: Optional[int]
    value: Value = 0


_NOTHING = Effect(None)
UNKNOWN = Expression("register", 16)  # a value that is not followed: that of no register


class _Operands:
    """What follows the opcode of an instruction that ends at the address END, as CODE."""

    def __init__(self, code: bytes, rex: int, end: int) -> None:
        self._code, self._at = code, 1
        self._wide = bool(rex & _WIDE)
        modrm = code[0]
        self.extension = modrm >> 3 & 7  # of some opcodes
        self._register = self.extension + (8 if rex & _REGISTER else 0)
        self._number = (modrm & 7) + (8 if rex & _BASE else 0)
        self.is_memory = modrm < 0xC0
        self.address: Value = self._address(modrm, rex, end) if self.is_memory else 0

    def _address(self, modrm: int, rex: int, end: int) -> Value:
        mode, base = modrm >> 6, modrm & 7
        if mode == 0 and base == 5:
            return end + self.immediate(4)
        found: Value = Expression("register", self._number)
        if base == 4:
            sib = self._code[self._at]
            self._at += 1
            found = Expression("register", (sib & 7) + (8 if rex & _BASE else 0))
            if mode == 0 and sib & 7 == 5:
                mode, found = 2, 0
            index = (sib >> 3 & 7) + (8 if rex & _INDEX else 0)
            if index != RSP:
                found = Expression("sum", found, Expression(
                    "product", Expression("register", index), 1 << (sib >> 6)))
        return found if mode == 0 else Expression("sum", found, self.immediate(mode * mode))

    def immediate(self, size: int) -> int:
        self._at += size
        if self._at > len(self._code):
            raise IndexError
        return int.from_bytes(self._code[self._at - size:self._at], "little", signed=True)

    @property
    def own(self) -> Value:
        """What is in the operand that can only be a register."""
        return Expression("register", self._register)

    @property
    def other(self) -> Value:
        """What is in the one that may be in memory."""
        return Expression("load", self.address, 8 if self._wide else 4) if self.is_memory else \
            Expression("register", self._number)

    @property
    def signed(self) -> Value:
        """The low half of that one, with its sign."""
        return Expression("signed", Expression("load", self.address, 4) if self.is_memory else
                          Expression("register", self._number))

    def byte_to(self, number: int) -> Optional[Effect]:
        """A byte goes to a register; without REX the numbers of some mean the second byte of others."""
        return Effect(number, UNKNOWN) if number < 4 or number > 7 else None

    def byte_to_own(self) -> Optional[Effect]:
        return self.byte_to(self._register)

    def byte_to_other(self) -> Optional[Effect]:
        return _NOTHING if self.is_memory else self.byte_to(self._number)

    def to_own(self, value: Value) -> Effect:
        return Effect(self._register, value if self._wide else Expression("low", value))

    def to_other(self, value: Value) -> Effect:
        if self.is_memory:
            return _NOTHING
        return Effect(self._number, value if self._wide else Expression("low", value))


def _sum(one: Value, other: Value) -> Expression:
    return Expression("sum", one, other)


def _product(one: Value, other: Value) -> Expression:
    return Expression("product", one, other)


def _of_immediate(operands: _Operands, size: int) -> Optional[Effect]:
    """add, sub and cmp, which have one opcode."""
    other, number = operands.other, operands.immediate(size)
    return {0: operands.to_other(_sum(other, number)), 5: operands.to_other(_sum(other, -number)),
            7: _NOTHING}.get(operands.extension)


def _shifted(operands: _Operands, count: int) -> Optional[Effect]:
    return operands.to_other(_product(operands.other, 1 << (count & 63))) \
        if operands.extension == 4 else None


def _zero(operands: _Operands) -> Optional[Effect]:
    """xor of a register with itself."""
    return operands.to_own(0) if operands.own == operands.other else None


_BY_OPCODE: Dict[int, Callable[[_Operands], Optional[Effect]]] = {
    0x01: lambda o: o.to_other(_sum(o.other, o.own)),
    0x03: lambda o: o.to_own(_sum(o.own, o.other)),
    0x29: lambda o: o.to_other(_sum(o.other, _product(o.own, -1))),
    0x2B: lambda o: o.to_own(_sum(o.own, _product(o.other, -1))),
    0x31: _zero,
    0x33: _zero,
    0x63: lambda o: o.to_own(o.signed),
    0x69: lambda o: o.to_own(_product(o.other, o.immediate(4))),
    0x6B: lambda o: o.to_own(_product(o.other, o.immediate(1))),
    0x80: lambda o: _NOTHING if o.extension == 7 else o.byte_to_other(),
    0x81: lambda o: _of_immediate(o, 4),
    0x83: lambda o: _of_immediate(o, 1),
    0x88: lambda o: o.byte_to_other(),
    0x8A: lambda o: o.byte_to_own(),
    0x89: lambda o: o.to_other(o.own),
    0x8B: lambda o: o.to_own(o.other),
    0x8D: lambda o: o.to_own(o.address),
    0xC1: lambda o: _shifted(o, o.immediate(1)),
    0xC7: lambda o: o.to_other(o.immediate(4)),
    0xD1: lambda o: _shifted(o, 1),
    0xF6: lambda o: _NOTHING if o.extension == 0 else None,  # test
    0xF7: lambda o: _NOTHING if o.extension == 0 else None,
}
# Behind 0F: setcc, imul, movzx and movsx.
_BY_LONG_OPCODE: Dict[int, Callable[[_Operands], Optional[Effect]]] = {
    0x90: lambda o: o.byte_to_other(),
    0xAF: lambda o: o.to_own(_product(o.own, o.other)),
    **dict.fromkeys((0xB6, 0xB7, 0xBE, 0xBF), lambda o: o.to_own(UNKNOWN)),
}


def _without_modrm(code: bytes, rex: int) -> Optional[Effect]:
    opcode, rax = code[0], Expression("register", RAX)
    value: Value = int.from_bytes(code[1:], "little", signed=opcode in _OF_RAX)
    if 0xB8 <= opcode <= 0xBF:  # mov $IMMEDIATE,%REGISTER
        return Effect((opcode & 7) + (8 if rex & _BASE else 0), value)
    if opcode in _OF_RAX:  # add and sub
        value = _sum(rax, _product(value, _OF_RAX[opcode]))
        return Effect(RAX, value if rex & _WIDE else Expression("low", value))
    if opcode in _BYTES_OF_RAX:
        return Effect(RAX, UNKNOWN)
    if opcode == 0x98 and rex & _WIDE:  # cltq
        return Effect(RAX, Expression("signed", rax))
    is_nop = code in _NOPS or code.lstrip(b"\x66\x2e")[:2] == b"\x0f\x1f"
    return _NOTHING if opcode in _COMPARISONS or is_nop else None


def effect(code: bytes, end: int) -> Optional[Effect]:
    """That of the one instruction in CODE, which ends at the address END, on general registers;
    None where it is not known here."""
    rex = code[0] if code[:1] and code[0] >> 4 == 4 else 0
    code = code[1:] if rex else code
    decode = _BY_OPCODE.get(code[0] if code else -1)
    if code[:1] == b"\x0f" and code[1:2] != b"\x1f":
        code = code[1:]
        decode = _BY_LONG_OPCODE.get(code[0] >> 4 << 4 if code and code[0] >> 4 == 9 else
                                     code[0] if code else -1)
        if decode is None:
            return None
    try:
        return _without_modrm(code, rex) if decode is None else \
            decode(_Operands(code[1:], rex, end))
    except IndexError:  # it is shorter than it says
        debug.ignored()
        return None


def read_from(code: bytes, end: int) -> Optional[Value]:
    """The address from which the one instruction in CODE, which ends at the address END, reads
    memory to compute with it or to compare it, or None."""
    code = code[1:] if code[:1] == b"\x66" else code
    rex = code[0] if code[:1] and code[0] >> 4 == 4 else 0
    code = code[1:] if rex else code
    known: Sequence[int] = _READING
    if code[:1] == b"\x0f":
        code, known = code[1:], _READING_LONG
    if not code or code[0] not in known:
        return None
    try:
        operands = _Operands(code[1:], rex, end)
    except IndexError:  # it is shorter than it says
        debug.ignored()
        return None
    return operands.address if operands.is_memory else None


def only_loads(code: bytes) -> bool:
    """Whether the one instruction in CODE is a load, a comparison, a sign extension, a fence or a
    nop: executed again, it leaves the same unless memory has changed. setcc, and xor with a number,
    of a register, by which a condition is negated, count as such."""
    if code in _FENCES or code in _NOPS or code.lstrip(b"\x66\x2e")[:2] == b"\x0f\x1f":
        return True
    code = code[1:] if code[:1] == b"\x66" else code
    code = code[1:] if code[:1] and code[0] >> 4 == 4 else code
    if len(code) < 2:
        return code == b"\x98"
    if code[0] == 0x0F:
        return code[1] in _LOADING_LONG or code[1] >> 4 == 9 and code[2:3] >= b"\xc0"
    if code[0] in _TESTING and code[1] >> 3 & 7 in _TESTING[code[0]]:
        return True
    is_xor = code[0] == 0x83 and code[1] >> 3 == 0o36 or code[0] == 0x34
    return is_xor or code[0] in _LOADING or code[0] in (0x3C, 0x3D, 0xA8, 0xA9)
