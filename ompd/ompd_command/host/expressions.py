# SPDX-License-Identifier: MIT
"""DWARF expressions: those of call frame information, and what they have in common with locations.

The stack and the number of operations are bounded; numbers wrap as those of 64 bits.
"""

from __future__ import annotations

import ctypes

from ompd_command.host import dwarf_constants as dw
from ompd_command.host.elfutils import Address
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Callable, Dict, Iterable, List, Sequence, Tuple
    Decoded = Tuple[int, int, int]  # an operation: code, and two operands
    Push = Callable[[int, int], int]  # of the operands, what is pushed
    Register = Callable[[int], int]
    Read = Callable[[int, int], int]  # of an address and a size, the number there

BITS = (1 << 64) - 1
_DEEPEST = 64
_WORD = 8


class Operation(ctypes.Structure):
    """Dwarf_Op"""

    atom: int
    number: int
    number2: int
    offset: int
    _fields_ = [("atom", ctypes.c_uint8), ("number", Address),
                ("number2", Address), ("offset", Address)]


class Unknown(HostError):
    """An expression cannot be evaluated here."""


def _signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word


# Of the two topmost values, the upper one second.
_BINARY: Dict[int, Callable[[int, int], int]] = {
    dw.OP_AND: lambda a, b: a & b, dw.OP_MINUS: lambda a, b: a - b, dw.OP_MUL: lambda a, b: a * b,
    0x21: lambda a, b: a | b, dw.OP_PLUS: lambda a, b: a + b,
    dw.OP_SHL: lambda a, b: a << min(b, 64), 0x25: lambda a, b: a >> min(b, 64),
    0x27: lambda a, b: a ^ b, 0x29: lambda a, b: a == b, 0x2E: lambda a, b: a != b,
    0x2A: lambda a, b: _signed(a) >= _signed(b), 0x2B: lambda a, b: _signed(a) > _signed(b),
    0x2C: lambda a, b: _signed(a) <= _signed(b), 0x2D: lambda a, b: _signed(a) < _signed(b)}


class StackMachine:
    """A stack of values. REGISTER and READ raise HostError for what is not known; LEAVES are
    operations that push something which only the asker knows."""

    def __init__(self, register: Register, read: Read, leaves: Dict[int, Push]) -> None:
        self._register, self._read, self._leaves = register, read, leaves
        self._stack: List[int] = []

    def value(self, operations: Iterable[Decoded], before: Sequence[int] = ()) -> int:
        """What OPERATIONS leave on top of the stack that has BEFORE on it."""
        self._stack = list(before)
        for atom, first, second in operations:
            self._execute(atom, first, second)
        return self._pop()

    def _pop(self) -> int:
        if not self._stack:
            raise Unknown("an expression without a value")
        return self._stack.pop()

    def _execute(self, atom: int, first: int, second: int) -> None:
        stack = self._stack
        if atom in self._leaves:
            stack.append(self._leaves[atom](first, second) & BITS)
        elif dw.OP_LIT0 <= atom <= dw.OP_LIT31:
            stack.append(atom - dw.OP_LIT0)
        elif dw.OP_BREG0 <= atom <= dw.OP_BREG31:
            stack.append(self._register(atom - dw.OP_BREG0) + first & BITS)
        elif atom == dw.OP_BREGX:
            stack.append(self._register(first) + second & BITS)
        elif dw.OP_CONST1U <= atom <= dw.OP_CONSTS:
            stack.append(first & BITS)
        elif atom in _BINARY:
            upper, lower = self._pop(), self._pop()
            stack.append(_BINARY[atom](lower, upper) & BITS)
        elif atom == dw.OP_PLUS_UCONST:
            stack.append(self._pop() + first & BITS)
        elif atom in (dw.OP_DEREF, dw.OP_DEREF_SIZE):
            size = first if atom == dw.OP_DEREF_SIZE else _WORD
            if not 0 < size <= 8:
                raise Unknown("a number of %d bytes" % size)
            stack.append(self._read(self._pop(), size))
        elif atom == dw.OP_DUP:
            stack += [self._pop()] * 2
        elif atom == dw.OP_DROP:
            self._pop()
        elif atom == dw.OP_SWAP:
            upper, lower = self._pop(), self._pop()
            stack += [upper, lower]
        elif atom not in (dw.OP_STACK_VALUE, dw.OP_NOP):
            raise Unknown("operation %#x of an expression" % atom)
        if len(stack) > _DEEPEST:
            raise Unknown("an expression that is too deep")


def of_rule(operations: Sequence[Decoded], cfa: int, register: Register, read: Read) -> int:
    """The caller's register, by the OPERATIONS that say where it is; the CFA is on the stack
    before."""
    atom, first, _ = operations[0]
    if len(operations) == 1 and dw.OP_REG0 <= atom <= dw.OP_REG31:
        return register(atom - dw.OP_REG0)
    if len(operations) == 1 and atom == dw.OP_REGX:
        return register(first)
    machine = StackMachine(register, read, {dw.OP_CALL_FRAME_CFA: lambda *_: cfa})
    found = machine.value(operations, [cfa])
    return found if operations[-1][0] == dw.OP_STACK_VALUE else read(found, _WORD)
