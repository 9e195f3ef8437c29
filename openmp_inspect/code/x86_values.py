# SPDX-License-Identifier: MIT
"""What an instruction of x86-64 leaves in a general register, of those that compute addresses. For
instance

    mov    -4(%rbp),%eax      rax = 4 bytes at rbp - 4
    cltq                      rax = the low half of rax, with its sign
    lea    forks(,%rax,8)     rdi = forks + rax * 8
"""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import x86_code
from openmp_inspect.code.expressions import NOTHING, UNKNOWN, Comparison, Effect, Expression, combined, low, \
    register

if TYPE_CHECKING:
    from typing import Callable, Dict, Optional, Tuple
    from openmp_inspect.code.expressions import Value
    from openmp_inspect.code.x86_code import Code, Memory

RESULT = RAX = 0
ARGUMENTS: Tuple[int, ...] = 7, 6, 2, 1, 8, 9
STACK_POINTER = 4
BOOLEAN = 1
NAMES = ("rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
         *("r%d" % number for number in range(8, 16)))
# cmp and test, the latter by the extensions of opcodes that are others, too.
_COMPARISONS = {0x38, 0x39, 0x3A, 0x3B, 0x3C, 0x3D, 0x84, 0x85, 0xA8, 0xA9}
_COMPARISONS_OF = {0x80: 7, 0x81: 7, 0x83: 7, 0xF6: 0, 0xF7: 0}
_LOADS = {0x63, 0x8A, 0x8B, 0x0FB6, 0x0FB7, 0x0FBE, 0x0FBF}  # and of a register to another one
_COMPUTING = {0x03, 0x2B, 0x0FAF}  # with what they read: add, sub, imul
_SECOND_BYTES = range(4, 8)  # without REX of %rax to %rbx
_CONDITIONS = ("o", "no", "<u", ">=u", "=", "!=", "<=u", ">u", "<0", ">=0", "p", "np", "<", ">=", "<=", ">")
_NOP, _LONG_NOP, _CLTQ, _AND_AL, _XOR_AL = 0x90, 0x0F1F, 0x98, 0x24, 0x34
_CONSTANTS = range(0xB8, 0xC0)  # numbers, to a register
_OF_NOPS = frozenset(b"\x2e\x66\xf3")  # prefixes
_FENCES = b"\xf0\x48\x83\x0c\x24\x00", b"\x0f\xae\xf0"  # lock orq $0,(%rsp), mfence


class _Operands:
    """Those of an instruction that ends at the address END, as values."""

    def __init__(self, code: Code, end: int) -> None:
        self.code = code
        self.immediate = code.number
        self.address = 0 if code.memory is None else _address(code.memory, end)

    @property
    def own(self) -> Value:
        """What is in the operand that can only be a register."""
        return register(self.code.register)

    @property
    def other(self) -> Value:
        """What is in the one that may be in memory."""
        return self._other(8 if self.code.rex & x86_code.WIDE else 4)

    @property
    def signed(self) -> Value:
        """The low half of that one, with its sign."""
        return Expression("signed", self._other(4), 4)

    def zero_extended(self, size: int) -> Value:
        number = self.code.other
        return self._other(size) if number is None else \
            UNKNOWN if size == 1 and _may_be_second(number, self.code) else low(register(number), size)

    def compared(self) -> Optional[Comparison]:
        """What cmp compares, and test, with itself or a number: to 0."""
        code, kind = self.code, self.code.opcode & 0xFE
        size = 1 if not code.opcode & 1 else 2 if code.prefixes else \
            8 if code.rex & x86_code.WIDE else 4
        other = self._other(size)
        tested = self.immediate & (1 << 8 * size) - 1
        compared = {0x38: (other, self.own), 0x3A: (self.own, other),
                    0x3C: (register(RAX), self.immediate),
                    0x80: (other, self.immediate), 0x82: (other, self.immediate),
                    0x84: (other, 0), 0xA8: (combined("and", register(RAX), tested), 0),
                    0xF6: (combined("and", other, tested), 0)}.get(kind)
        numbers = (code.other, code.register if kind in (0x38, 0x3A, 0x84) else None)
        if compared is None or kind == 0x84 and other != self.own or size == 1 and any(
                number is not None and _may_be_second(number, code) for number in numbers):
            return None
        return Comparison(*compared, size)

    def _other(self, size: int) -> Value:
        number = self.code.other
        return Expression("load", self.address, size) if number is None else register(number)

    def byte_to_own(self) -> Optional[Effect]:
        return _byte_to(self.code.register, self.code)

    def byte_to_other(self) -> Optional[Effect]:
        return NOTHING if self.code.other is None else _byte_to(self.code.other, self.code)

    def to(self, number: Optional[int], value: Value) -> Effect:
        """A register gets a VALUE, or the low half of it; None: it is memory that does."""
        return NOTHING if number is None else Effect(
            number, value if self.code.rex & x86_code.WIDE else low(value, 4))

    def to_own(self, value: Value) -> Effect:
        return self.to(self.code.register, value)

    def to_other(self, value: Value) -> Effect:
        return self.to(self.code.other, value)


def _address(memory: Memory, end: int) -> Value:
    found: Value = memory.displacement + (end if memory.base == x86_code.RIP else 0)
    if memory.scaled is not None:
        scaled = _product(register(memory.scaled), memory.scale)
        found = _sum(scaled, found) if found else scaled
    if memory.base in (None, x86_code.RIP):
        return found
    base = register(memory.base or 0)
    return _sum(base, found) if found else base


def _sum(one: Value, other: Value) -> Expression:
    return Expression("sum", one, other)


def _product(one: Value, other: Value) -> Expression:
    return Expression("product", one, other)


def _may_be_second(number: int, code: Code) -> bool:
    """Whether the number of a register for a byte means the second one of another: without REX."""
    return not code.rex and number in _SECOND_BYTES


def _byte_to(number: int, code: Code) -> Optional[Effect]:
    return None if _may_be_second(number, code) else Effect(number, UNKNOWN)


def _of_immediate(operands: _Operands) -> Optional[Effect]:
    """add, and, sub and xor, which have one opcode."""
    kind, sign = {0: ("sum", 1), 4: ("and", 1), 5: ("sum", -1), 6: ("xor", 1)}.get(
        operands.code.extension, (None, 0))
    return None if kind is None else \
        operands.to_other(combined(kind, operands.other, sign * operands.immediate))


def _shifted(operands: _Operands, count: int) -> Optional[Effect]:
    return operands.to_other(_product(operands.other, 1 << (count & 63))) \
        if operands.code.extension == 4 else None


def _zero(operands: _Operands) -> Optional[Effect]:
    """xor of a register with itself."""
    return operands.to_own(0) if operands.own == operands.other else None


def _to_register(operands: _Operands) -> Effect:
    """mov $IMMEDIATE,%REGISTER"""
    wide, number = operands.code.rex & x86_code.WIDE, operands.immediate
    return Effect(operands.code.in_opcode, number if wide else number & 0xFFFFFFFF)


def _to_rax(operands: _Operands, sign: int) -> Effect:
    """add and sub"""
    return operands.to(RAX, _sum(register(RAX), sign * operands.immediate))


def _extended(operands: _Operands) -> Optional[Effect]:
    return Effect(RAX, Expression("signed", register(RAX), 4)) \
        if operands.code.rex & x86_code.WIDE else None


_BY_OPCODE: Dict[int, Callable[[_Operands], Optional[Effect]]] = {
    0x01: lambda o: o.to_other(_sum(o.other, o.own)),
    0x03: lambda o: o.to_own(_sum(o.own, o.other)),
    0x05: lambda o: _to_rax(o, 1),
    0x29: lambda o: o.to_other(_sum(o.other, _product(o.own, -1))),
    0x2B: lambda o: o.to_own(_sum(o.own, _product(o.other, -1))),
    0x2D: lambda o: _to_rax(o, -1),
    0x31: _zero,
    0x33: _zero,
    0x63: lambda o: o.to_own(o.signed),
    0x69: lambda o: o.to_own(_product(o.other, o.immediate)),
    0x6B: lambda o: o.to_own(_product(o.other, o.immediate)),
    0x80: _Operands.byte_to_other,
    0x81: _of_immediate,
    0x83: _of_immediate,
    0x88: _Operands.byte_to_other,
    0x8A: _Operands.byte_to_own,
    0x89: lambda o: o.to_other(o.own),
    0x8B: lambda o: o.to_own(o.other),
    0x8D: lambda o: o.to_own(o.address),
    _CLTQ: _extended,
    0xC1: lambda o: _shifted(o, o.immediate),
    0xC7: lambda o: o.to_other(o.immediate),
    0xD1: lambda o: _shifted(o, 1),
    0x0FAF: lambda o: o.to_own(_product(o.own, o.other)),
    # Bytes of %rax, all registers with an immediate, setcc, movzx and movsx.
    _AND_AL: lambda o: Effect(RAX, combined("and", register(RAX), o.immediate | -0x100)),
    _XOR_AL: lambda o: Effect(RAX, combined("xor", register(RAX), o.immediate & 0xFF)),
    **dict.fromkeys((0x04, 0x0C, 0x2C), lambda o: Effect(RAX, UNKNOWN)),
    **dict.fromkeys(_CONSTANTS, _to_register),
    **dict.fromkeys(range(0x0F90, 0x0FA0), _Operands.byte_to_other),
    0x0FB6: lambda o: o.to_own(o.zero_extended(1)),
    0x0FB7: lambda o: o.to_own(o.zero_extended(2)),
    **dict.fromkeys((0x0FBE, 0x0FBF), lambda o: o.to_own(UNKNOWN)),
}


def _read(code: bytes) -> Optional[Code]:
    """The one instruction in CODE, or None where it is none, or cut."""
    one = x86_code.read(code, 0, True)
    return one if one is not None and one.length == len(code) else None


def _is_nop(one: Code) -> bool:
    return _OF_NOPS.issuperset(one.prefixes) and (
        one.opcode == _LONG_NOP or one.opcode == _NOP and not one.rex)


def _is_plain(one: Code) -> bool:
    """Whether it has no prefix but that of operands of two bytes."""
    return one.prefixes in (b"", bytes((x86_code.SMALL_OPERAND,)))


def _is_comparison(one: Code) -> bool:
    return one.opcode in _COMPARISONS or _COMPARISONS_OF.get(one.opcode) == one.extension


def is_nop(code: bytes) -> bool:
    one = _read(code)
    return one is not None and _is_nop(one)


def effect(code: bytes, end: int) -> Optional[Effect]:
    """That of the one instruction in CODE, which ends at the address END, on general registers;
    None where it is not known here."""
    one = _read(code)
    if one is None:
        return None
    if code in _FENCES or _is_nop(one) or _is_plain(one) and _is_comparison(one):
        return NOTHING
    decode = None if one.prefixes else _BY_OPCODE.get(one.opcode)
    return None if decode is None else decode(_Operands(one, end))


def read_from(code: bytes, end: int) -> Optional[Value]:
    """The address from which the one instruction in CODE, which ends at the address END, reads
    memory to compute with it or to compare it, or None."""
    one = _read(code)
    if one is None or one.memory is None or not _is_plain(one):
        return None
    return _address(one.memory, end) if _is_comparison(one) or one.opcode in _LOADS or \
        one.opcode in _COMPUTING else None


def comparison(code: bytes, end: int) -> Optional[Comparison]:
    """What the one instruction in CODE compares, which ends at the address END, or None."""
    one = _read(code)
    return None if one is None or not _is_plain(one) or not _is_comparison(one) else \
        _Operands(one, end).compared()


def condition(code: bytes) -> Optional[str]:
    """On which relation of what was compared the branch in CODE is taken, "u": of numbers without a
    sign; None: another one."""
    one = _read(code)
    is_branch = one is not None and (0x70 <= one.opcode < 0x80 or 0x0F80 <= one.opcode < 0x0F90)
    return None if one is None or not is_branch else _CONDITIONS[one.opcode & 15]


def held_condition(code: bytes) -> Optional[Tuple[int, str]]:
    """(the register that the one instruction in CODE sets to 1, or else to 0, on which relation of what was
    compared), or None."""
    one = _read(code)
    return None if one is None or one.prefixes or one.opcode >> 4 != 0x0F9 or one.other is None or \
        _may_be_second(one.other, one) else (one.other, _CONDITIONS[one.opcode & 15])


def keeps_flags(code: bytes) -> bool:
    """Whether the one instruction in CODE is a load or a nop: those leave flags as they are."""
    one = _read(code)
    return one is not None and (_is_nop(one) or one.opcode in _LOADS)


def size_read(code: bytes) -> int:
    """Bytes that the one instruction in CODE reads, of those which read_from() or only_loads()
    know."""
    one = _read(code)
    if one is None:
        return 0
    if one.opcode in (0x0FB6, 0x0FBE) or one.opcode < 0x100 and one.opcode != 0x63 and \
            not one.opcode & 1:
        return 1
    if one.opcode in (0x0FB7, 0x0FBF) or one.prefixes:
        return 2
    return 8 if one.rex & x86_code.WIDE and one.opcode != 0x63 else 4


def only_loads(code: bytes) -> bool:
    """Whether the one instruction in CODE is a load, a comparison, setcc of a register, a fence or a nop:
    executed again, it leaves the same unless memory has changed."""
    one = _read(code)
    return one is not None and (code in _FENCES or _is_nop(one) or _is_plain(one) and (
        _is_comparison(one) or one.opcode in _LOADS or one.opcode >> 4 == 0x0F9 and one.other is not None))
