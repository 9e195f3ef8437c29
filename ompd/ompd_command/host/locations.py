# SPDX-License-Identifier: MIT
"""Where a variable is: expressions of DWARF, evaluated in a frame of a thread.

What is in pieces, or known only as the caller had it, is without an address. The stack and the
number of operations are bounded; addresses wrap as those of 64 bits.
"""

from __future__ import annotations

import ctypes
import sys

from ompd_command.host import dwarf, elfutils
from ompd_command.host import dwarf_constants as dw
from ompd_command.host.expressions import StackMachine, Operation, Unknown
from openmp_inspect.core.static_typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Callable, List, Optional, Protocol, Sequence
    from ompd_command.host.dwarf import Attribute

    class PhysicalFrame(Protocol):
        """A frame of the unwinder."""

        instruction: int  # an address in the instruction that it executes

        def dwarf_register(self, number: int) -> int:
            """By DWARF's number; HostError where it is not known."""

        def cfa(self) -> int:
            """The canonical frame address, likewise."""

_MOST_OPERATIONS = 1 << 10

# Those that make a location one of a frame.
_OF_FRAME = {*range(dw.OP_REG0, dw.OP_BREG31 + 1), dw.OP_REGX, dw.OP_FBREG, dw.OP_BREGX,
             dw.OP_CALL_FRAME_CFA, dw.OP_ENTRY_VALUE, dw.OP_GNU_ENTRY_VALUE}
_PIECES = {dw.OP_PIECE, dw.OP_BIT_PIECE}
_INDEXED = {dw.OP_ADDRX, dw.OP_GNU_ADDR_INDEX}
_WITHOUT_ADDRESS = {dw.OP_IMPLICIT_VALUE, dw.OP_IMPLICIT_POINTER, dw.OP_GNU_IMPLICIT_POINTER}


class Location(NamedTuple):
    """Of an object: its address in memory, or else its value if that is known."""

    address: Optional[int]
    value: Optional[int]


NOWHERE = Location(None, None)


def operations(attribute: Attribute, pc: int) -> List[Operation]:
    """The expression of a location at PC, by the file's addresses; empty where there is none."""
    found, count = ctypes.POINTER(Operation)(), ctypes.c_size_t()
    number = _getlocation_addr(ctypes.byref(attribute), pc, ctypes.byref(found),
                               ctypes.byref(count), 1)
    if number != 1 or not found:
        return []
    return [found[at] for at in range(min(count.value, _MOST_OPERATIONS))]


def is_of_frame(attribute: Attribute, expression: Sequence[Operation]) -> bool:
    """Whether a location depends on a frame, so that the object is no static one."""
    return attribute.form not in dw.EXPRESSIONS or \
        any(one.atom in _OF_FRAME for one in expression)


class Evaluation:
    """In a FRAME, None for static objects. FRAME_BASE is the attribute of the frame's function."""

    def __init__(self, bias: int, pointer_size: int, read: Callable[[int, int], bytes],
                 frame: Optional[PhysicalFrame], frame_base: Optional[Attribute]) -> None:
        self._bias = bias
        self._pointer_size = pointer_size
        self._read = read
        self._frame = frame
        self._frame_base = frame_base

    def location(self, attribute: Attribute, expression: Sequence[Operation]) -> Location:
        """Of an EXPRESSION that operations() has found; HostError where it is not known."""
        atoms = [one.atom for one in expression]
        if not atoms:
            raise Unknown("the object is nowhere")
        if atoms[0] in _PIECES or any(one in _PIECES and following in _PIECES
                                      for one, following in zip(atoms, atoms[1:])):
            raise Unknown("parts of the object are nowhere")
        if any(atom in _PIECES or atom in _WITHOUT_ADDRESS for atom in atoms):
            return NOWHERE
        if len(atoms) == 1 and (dw.OP_REG0 <= atoms[0] <= dw.OP_REG31 or atoms[0] == dw.OP_REGX):
            number = expression[0].number if atoms[0] == dw.OP_REGX else atoms[0] - dw.OP_REG0
            return Location(None, self._register(number))
        is_value = dw.OP_STACK_VALUE in atoms
        end = atoms.index(dw.OP_STACK_VALUE) if is_value else len(atoms)
        found = self._machine(attribute, expression).value(
            (one.atom, one.number, one.number2) for one in expression[:end])
        return Location(None, found) if is_value else Location(found, None)

    def unsigned(self, address: int, size: int) -> int:
        return int.from_bytes(self._read(address, size), sys.byteorder)

    def _register(self, number: int) -> int:
        if self._frame is None:
            raise Unknown("a register without a frame")
        return self._frame.dwarf_register(number)

    def _machine(self, attribute: Attribute, expression: Sequence[Operation]) -> StackMachine:
        indexed = iter([one for one in expression if one.atom in _INDEXED])
        return StackMachine(self._register, self.unsigned, {
            dw.OP_ADDR: lambda address, _: address + self._bias,
            dw.OP_ADDRX: lambda *_: self._indexed_address(attribute, next(indexed)),
            dw.OP_GNU_ADDR_INDEX: lambda *_: self._indexed_address(attribute, next(indexed)),
            dw.OP_FBREG: lambda offset, _: self.base() + offset,
            dw.OP_CALL_FRAME_CFA: lambda *_: self._frame_address()})

    def base(self) -> int:
        """What the function's variables are found from."""
        if self._frame is None or self._frame_base is None:
            raise Unknown("no frame base")
        expression = operations(self._frame_base, self._frame.instruction - self._bias)
        if any(one.atom == dw.OP_FBREG for one in expression):
            raise Unknown("a frame base that needs itself")
        inner = Evaluation(self._bias, self._pointer_size, self._read, self._frame, None)
        found = inner.location(self._frame_base, expression)
        value = found.address if found.address is not None else found.value
        if value is None:
            raise Unknown("no frame base")
        return value

    def _indexed_address(self, attribute: Attribute, one: Operation) -> int:
        found = dwarf.Attribute()
        address = None if _getlocation_attr(ctypes.byref(attribute), ctypes.byref(one),
                                            ctypes.byref(found)) else found.address()
        if address is None:
            raise Unknown("no such address")
        return address + self._bias

    def _frame_address(self) -> int:
        if self._frame is None:
            raise Unknown("no frame")
        return self._frame.cfa()


_getlocation_addr = elfutils.function(
    "dwarf_getlocation_addr", ctypes.c_int, elfutils.Pointer, elfutils.Address, elfutils.Pointer,
    elfutils.Pointer, ctypes.c_size_t)
_getlocation_attr = elfutils.function(
    "dwarf_getlocation_attr", ctypes.c_int, *[elfutils.Pointer] * 3)
