# SPDX-License-Identifier: MIT
"""What an instruction of aarch64 leaves in a general register, of those that compute addresses. For
instance

    adrp   x0, 0x411000
    ldrsw  x1, [sp, 12]         x1 = 4 bytes at sp + 12, with their sign
    ldr    w0, [x0, x1, lsl 2]  x0 = 4 bytes at 0x411000 + x1 * 4

Instructions are told apart by rows: a mask, the bits of a word in it, and what decodes such a word.
"""

from __future__ import annotations

from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code.expressions import NOTHING, UNKNOWN, Comparison, Effect, Expression, combined, \
    low, register

if TYPE_CHECKING:
    from typing import Callable, Optional, Tuple
    from openmp_inspect.code.expressions import Value
    Decode = Callable[["_Word"], Optional[Effect]]

RESULT = 0
ARGUMENTS = tuple(range(8))
STACK_POINTER = _ZERO = 31  # of the same number is the register that is always 0: the instruction tells
_LINK, _VENEER = 30, 17
BOOLEAN = 8
NAMES = (*("x%d" % number for number in range(31)), "sp")
_CONDITIONS = ("=", "!=", ">=u", "<u", "<0", ">=0", "o", "no", ">u", "<=u", ">=", "<", ">", "<=", None, None)
_NOP = 0xD503201F
_HINT, _FENCE = (0xFFFFF01F, 0xD503201F), (0xFFFFF09F, 0xD503309F)  # yield and kin; dsb, dmb, isb
_ADD_IMMEDIATE, _ADD_SHIFTED, _ADD_EXTENDED = 0x11000000, 0x0B000000, 0x0B200000  # also sub
_ORR = 1  # of the operations and, orr, eor, ands
_ADDS = (0x3F000000, 0x31000000), (0x3F000000, 0x2B000000)  # and subs
_ANDS = (0x7F800000, 0x72000000), (0x7F000000, 0x6A000000)  # and bics
_ALSO_SET_FLAGS = (0x3FE00000, 0x3A000000), (0x3FE00000, 0x3A400000)  # adcs, sbcs; ccmp, ccmn
_CSET = (0x3FFF0FE0, 0x1A9F07E0), (0x3FFF0FE0, 0x1A9F03E0)  # and csetm
_ORDERED = (  # loads: ldar, ldapr, ldaxr, ldxr
    (0x3FFFFC00, 0x08DFFC00), (0x3FFFFC00, 0x38BFC000), (0x3FFFFC00, 0x085FFC00), (0x3FFFFC00, 0x085F7C00))


class _Word:
    """An instruction that is in a WORD and ends at an address."""

    def __init__(self, word: int, end: int) -> None:
        self.word = word
        self.at = end - 4

    def bits(self, first: int, count: int) -> int:
        return self.word >> first & (1 << count) - 1

    def signed(self, first: int, count: int) -> int:
        found = self.bits(first, count)
        return found - (found >> count - 1 << count)

    def is_one(self, *rows: Tuple[int, int]) -> bool:
        return any(self.word & mask == bits for mask, bits in rows)

    @property
    def size(self) -> int:
        """Bytes of registers."""
        return 8 if self.word >> 31 else 4

    def register(self, first: int) -> Value:
        """What is in the one whose number begins at that bit, which cannot be the stack pointer."""
        number = self.bits(first, 5)
        return 0 if number == _ZERO else register(number)

    @property
    def base(self) -> Value:
        """What is in the second register, or the stack pointer."""
        return register(self.bits(5, 5))

    def to(self, value: Value, may_be_sp: bool = False) -> Effect:
        """The first register gets a VALUE, or the low half of it."""
        number = self.bits(0, 5)
        if number == _ZERO and not may_be_sp:
            return NOTHING
        return Effect(number, value if self.size == 8 or value == UNKNOWN else low(value, 4))

    @property
    def shifted(self) -> Value:
        """The third register, shifted."""
        kind, count = self.bits(22, 2), self.bits(10, 6)
        return UNKNOWN if kind and count else _times(self.register(16), count)

    @property
    def extended(self) -> Value:
        """The third register, extended and shifted."""
        return _times(_extended(self.register(16), self.bits(13, 3), self.size), self.bits(10, 3))

    @property
    def bitmask(self) -> Optional[int]:
        """The immediate of logical instructions: ones, turned to the right, in elements that are alike."""
        turned, ones = self.bits(16, 6), self.bits(10, 6)
        length = (self.bits(22, 1) << 6 | ~ones & 0x3F).bit_length() - 1
        size, most = 1 << max(length, 0), 8 * self.size
        ones, turned = ones & size - 1, turned & size - 1
        if length < 1 or size > most or ones == size - 1:
            return None
        element = (1 << ones + 1) - 1
        element = (element >> turned | element << size - turned) & (1 << size) - 1
        return sum(element << at for at in range(0, most, size))

    @property
    def added(self) -> Tuple[Value, Value]:
        """The operands of add and sub."""
        kind = self.word & 0x1F200000
        if kind == _ADD_SHIFTED:
            return self.register(5), self.shifted
        return self.base, self.extended if kind == _ADD_EXTENDED else \
            self.bits(10, 12) << 12 * self.bits(22, 1)

    @property
    def distance(self) -> int:
        """That of adr and adrp."""
        return self.signed(5, 19) << 2 | self.bits(29, 2)


class _Load(NamedTuple):
    address: Value
    size: int
    is_signed: bool


def _times(value: Value, shift: int) -> Value:
    return combined("product", value, 1 << shift) if shift else value


def _extended(value: Value, option: int, size: int) -> Value:
    """The low bytes of a VALUE in a register of that SIZE; OPTION: uxtb, uxth, uxtw, uxtx, sxtb, sxth,
    sxtw or sxtx."""
    count = 1 << (option & 3)
    if count >= size:
        return value
    return Expression("signed", value, count) if option & 4 else low(value, count)


# Loads and stores of one register: the address.


def _by_number(one: _Word) -> Value:
    distance = one.bits(10, 12) << one.bits(30, 2)
    return combined("sum", one.base, distance) if distance else one.base


def _by_register(one: _Word) -> Value:
    value = _extended(one.register(16), one.bits(13, 3), 8)
    return combined("sum", one.base, _times(value, one.bits(12, 1) * one.bits(30, 2)))


_ADDRESSES: Tuple[Tuple[int, int, Callable[[_Word], Value]], ...] = (
    (0x3F000000, 0x39000000, _by_number),
    (0x3F200C00, 0x38000000, lambda one: combined("sum", one.base, one.signed(12, 9))),  # ldur, stur
    (0x3F200C00, 0x38200800, _by_register),
)


def _accessed(one: _Word) -> Optional[Value]:
    return next((find(one) for mask, bits, find in _ADDRESSES if one.word & mask == bits), None)


def _load(one: _Word) -> Optional[_Load]:
    size, kind = one.bits(30, 2), one.bits(22, 2)
    if one.is_one((0x3F000000, 0x18000000)) and size < 3:  # of a constant beside the code
        return _Load(one.at + 4 * one.signed(5, 19), 8 if size == 1 else 4, size == 2)
    if one.is_one(*_ORDERED):
        return _Load(one.base, 1 << size, False)
    address = _accessed(one)
    if address is None or not kind or kind > 1 and size + kind > 4:  # a store, a prefetch
        return None
    return _Load(address, 1 << size, kind > 1)


def _loaded(one: _Word, load: _Load) -> Effect:
    number, value = one.bits(0, 5), Expression("load", load.address, load.size)
    if load.is_signed:
        value = Expression("signed", value, load.size)
        if load.size < 4 and one.bits(22, 1):  # to a register of 4 bytes
            value = Expression("and", value, 0xFFFFFFFF)
    return NOTHING if number == _ZERO else Effect(number, value)


# Others that leave something in a register.


def _sum(one: _Word) -> Effect:
    left, right = one.added
    if one.bits(30, 1):
        right = -right if isinstance(right, int) else combined("product", right, -1)
    return one.to(combined("sum", left, right),
                  not one.bits(29, 1) and one.word & 0x1F200000 != _ADD_SHIFTED)


def _logical(one: _Word, right: Optional[Value], may_be_sp: bool) -> Effect:
    kind, left = one.bits(29, 2), one.register(5)
    value: Value = UNKNOWN
    if right is not None and kind != _ORR:
        value = combined("xor" if kind == 2 else "and", left, right)
    elif right is not None and left == 0:
        value = right  # mov
    return one.to(value, may_be_sp and kind != 3)


def _logical_register(one: _Word) -> Effect:
    return _logical(one, None if one.bits(21, 1) else one.shifted, False)


def _moved(one: _Word) -> Optional[Effect]:
    """movn, movz, movk"""
    kind, shift = one.bits(29, 2), 16 * one.bits(21, 2)
    number = one.bits(5, 16) << shift
    if kind == 3:
        kept = combined("and", one.register(0), ~(0xFFFF << shift) % (1 << 64))
        return one.to(combined("sum", kept, number))
    return None if kind == 1 else one.to(number if kind else ~number % (1 << 64))


def _field(one: _Word) -> Effect:
    """lsl, uxtb, uxth, sxtb, sxth, sxtw and kin: low bits, moved to the left."""
    kind, turned, width = one.bits(29, 2), one.bits(16, 6), one.bits(10, 6) + 1
    if kind == 1 or 0 < turned < width or turned > 8 * one.size or not kind and width not in (8, 16, 32):
        return one.to(UNKNOWN)
    value = combined("and", one.register(5), (1 << width) - 1) if kind else \
        Expression("signed", one.register(5), width // 8)
    return one.to(_times(value, 8 * one.size - turned if turned else 0))


def _product(one: _Word) -> Effect:
    """madd and msub, and those of two halves."""
    left, right, more = one.register(5), one.register(16), one.register(10)
    if one.bits(21, 3):
        option = 2 if one.bits(23, 1) else 6
        left, right = _extended(left, option, 8), _extended(right, option, 8)
    product = combined("product", left, right)
    if one.bits(15, 1):
        product = combined("product", product, -1)
    return one.to(combined("sum", more, product) if more else product)


def _hint(one: _Word) -> Effect:
    """Those that sign or check an address change it."""
    number = one.bits(5, 7)
    return Effect(_LINK, UNKNOWN) if number == 7 or 24 <= number < 32 else \
        Effect(_VENEER, UNKNOWN) if 8 <= number < 16 else NOTHING


def _pushed(one: _Word) -> Effect:
    """A store that has the stack grow before."""
    distance = one.signed(15, 7) * one.size if one.is_one((0x3A000000, 0x28000000)) else one.signed(12, 9)
    return Effect(STACK_POINTER, combined("sum", register(STACK_POINTER), distance))


def _nothing(_one: _Word) -> Effect:
    return NOTHING


def _unknown(one: _Word) -> Effect:
    return one.to(UNKNOWN)


_EFFECTS: Tuple[Tuple[int, int, Decode], ...] = (
    (0x9F000000, 0x10000000, lambda one: Effect(one.bits(0, 5), one.at + one.distance)),  # adr
    (0x9F000000, 0x90000000, lambda one: Effect(one.bits(0, 5), (one.at & -4096) + (one.distance << 12))),
    (0x1F800000, _ADD_IMMEDIATE, _sum),
    (0x1F200000, _ADD_SHIFTED, _sum),
    (0x1FE00000, _ADD_EXTENDED, _sum),
    (0x1F800000, 0x12000000, lambda one: _logical(one, one.bitmask, True)),
    (0x1F000000, 0x0A000000, _logical_register),
    (0x1F800000, 0x12800000, _moved),
    (0x1F800000, 0x13000000, _field),
    (0x7FE00000, 0x1B000000, _product),
    (0xFF600000, 0x9B200000, _product),  # of halves
    (0x1FE0FC00, 0x1A000000, _unknown),  # adc, sbc
    (0x3FE00000, 0x3A400000, _nothing),  # ccmp, ccmn
    (0x3FE00000, 0x1A800000, _unknown),  # csel and kin
    (0x3FE00000, 0x1AC00000, _unknown),  # of one register or two
    (*_HINT, _hint),
    (*_FENCE, _nothing),
    (0x3FFFFC00, 0x089FFC00, _nothing),  # stlr
    (0x7FC00000, 0x29000000, _nothing),  # stp
    (0x7FC003E0, 0x298003E0, _pushed),
    (0xBFE00FE0, 0xB8000FE0, _pushed),  # str
)


def _read(code: bytes, end: int = 0) -> _Word:
    return _Word(int.from_bytes(code, "little") if len(code) == 4 else 0, end)


def effect(code: bytes, end: int) -> Optional[Effect]:
    """That of the one instruction in CODE, which ends at the address END, on general registers;
    None where it is not known here."""
    one = _read(code, end)
    load = _load(one)
    if load is not None:
        return _loaded(one, load)
    if _accessed(one) is not None:
        return NOTHING
    return next((decode(one) for mask, bits, decode in _EFFECTS if one.word & mask == bits), None)


def read_from(code: bytes, end: int) -> Optional[Value]:
    """The address from which the one instruction in CODE, which ends at the address END, loads, or
    None."""
    load = _load(_read(code, end))
    return None if load is None else load.address


def size_read(code: bytes) -> int:
    """Bytes that the one instruction in CODE loads."""
    load = _load(_read(code))
    return 0 if load is None else load.size


def comparison(code: bytes, end: int) -> Optional[Comparison]:
    """What the one instruction in CODE compares: cmp, and cmn with a number, also if they leave the
    difference in a register; cbz and tbz and their opposites, which branch as well."""
    one = _read(code, end)
    if one.is_one((0x7E000000, 0x34000000)):
        return Comparison(one.register(0), 0, one.size)
    if one.is_one((0x7E000000, 0x36000000)):
        bit = 1 << one.bits(19, 5) + 32 * one.bits(31, 1)
        return Comparison(combined("and", one.register(0), bit), 0, one.size)
    if not one.is_one(*_ADDS):
        return None
    left, right = one.added
    if one.bits(30, 1):
        return Comparison(left, right, one.size)
    return Comparison(left, -right, one.size) if isinstance(right, int) and right else None


def condition(code: bytes) -> Optional[str]:
    """On which relation of what was compared the branch in CODE is taken, "u": of numbers without a
    sign; None: another one."""
    one = _read(code)
    if one.is_one((0xFF000010, 0x54000000)):
        return _CONDITIONS[one.bits(0, 4)]
    return ("=", "!=")[one.bits(24, 1)] if one.is_one((0x7C000000, 0x34000000)) else None


def held_condition(code: bytes) -> Optional[Tuple[int, str]]:
    """(the register that the one instruction in CODE, a cset, sets to 1, or else to 0, on which relation of
    what was compared), or None."""
    one = _read(code)
    number, relation = one.bits(0, 5), _CONDITIONS[one.bits(12, 4) ^ 1]
    return None if relation is None or number == _ZERO or not one.is_one(_CSET[0]) else (number, relation)


def keeps_flags(code: bytes) -> bool:
    return effect(code, 0) is not None and not _read(code).is_one(*_ADDS, *_ANDS, *_ALSO_SET_FLAGS)


def only_loads(code: bytes) -> bool:
    """Whether the one instruction in CODE is a load, a comparison, cset, a fence or a nop: executed
    again, it leaves the same unless memory has changed."""
    one = _read(code)
    is_comparison = one.is_one(*_ADDS, *_ANDS) and one.bits(0, 5) == _ZERO
    is_idle = one.is_one(_HINT, _FENCE) and effect(code, 0) == NOTHING
    return is_comparison or is_idle or one.is_one(*_CSET) or _load(one) is not None


def is_nop(code: bytes) -> bool:
    return _read(code).word == _NOP
