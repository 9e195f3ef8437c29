# SPDX-License-Identifier: MIT
"""How a frame's caller is found, by the call frame information of the file that has its code:
.eh_frame, or else .debug_frame. Rules depend on the instruction alone, and are kept."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_bool, c_int, c_size_t

from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.host import interface
from ompd_command.host import elfutils
from ompd_command.host import dwarf_constants as dw
from ompd_command.host.elfutils import Address, Pointer
from ompd_command.host.expressions import Operation

if TYPE_CHECKING:
    from typing import Dict, Iterator, Optional, Tuple, Union
    from openmp_inspect.host.images import Image, Images
    from openmp_inspect.host.machine import Machine
    from ompd_command.host.expressions import Decoded
    Operations = Tuple[Decoded, ...]

_eh_cfi = elfutils.function("dwfl_module_eh_cfi", Pointer, Pointer, Pointer)
_dwarf_cfi = elfutils.function("dwfl_module_dwarf_cfi", Pointer, Pointer, Pointer)
_cfi_of_elf = elfutils.function("dwarf_getcfi_elf", Pointer, Pointer)
_elf_memory = elfutils.function("elf_memory", Pointer, ctypes.c_char_p, c_size_t)
_elf_version = elfutils.function("elf_version", ctypes.c_uint, ctypes.c_uint)
_addrframe = elfutils.function("dwarf_cfi_addrframe", c_int, Pointer, Address, Pointer)
_frame_info = elfutils.function("dwarf_frame_info", c_int, Pointer, Pointer, Pointer, Pointer)
_frame_cfa = elfutils.function("dwarf_frame_cfa", c_int, Pointer, Pointer, Pointer)
_frame_register = elfutils.function("dwarf_frame_register", c_int, Pointer, c_int, Pointer,
                                    Pointer, Pointer)
_free = ctypes.CDLL(None).free
_free.argtypes, _free.restype = [ctypes.c_void_p], None

_MOST_OPERATIONS = 256
# elfutils takes %rax for %rbx among the registers that functions preserve where nothing is said.
_RAX, _RBX = 0, 3
_SIGN = 1 << 63


class Rules(NamedTuple):
    """The CFA is the register `base` with `offset` added; or if `base` is None what operations say.
    `registers`: a number is the distance from the CFA to where the caller's is saved; None: it is
    the same; operations: as they say."""

    base: Optional[int]
    offset: int
    operations: Operations
    registers: Dict[int, Union[int, Operations, None]]
    return_register: int
    is_signal: bool


class UnwindRules:
    """Of the files of a process. READS_DEBUG_FILES: .debug_frame counts, too."""

    def __init__(self, images: Images, machine: Machine, reads_debug_files: bool) -> None:
        self._images = images
        self._sources = (_eh_cfi, _dwarf_cfi)[:1 + reads_debug_files]
        self._numbers = sorted(machine.numbers.values())
        self._is_x86_64 = machine.name == interface.X86_64
        self._tables: Dict[object, Tuple[int, int]] = {}  # Dwarf_CFI * and bias
        self._known: Dict[int, Optional[Rules]] = {}

    def at(self, instruction: int) -> Optional[Rules]:
        """The Rules at an instruction, or None where there is no information."""
        if instruction not in self._known:
            self._known[instruction] = self._read(instruction)
        return self._known[instruction]

    def _read(self, instruction: int) -> Optional[Rules]:
        image = self._images.at(instruction)
        if image is None or not image.handle and image.content is None:
            return None
        for cfi, bias in self._cfi(image):
            frame = Pointer()
            if _addrframe(cfi, instruction - bias, byref(frame)) == 0 and frame.value:
                try:
                    return self._decoded(frame)
                finally:
                    _free(frame)
        return None

    def _cfi(self, image: Image) -> Iterator[Tuple[int, int]]:
        """What .eh_frame has; and .debug_frame, which costs a file of debug information, where that
        says nothing."""
        module = image.handle
        if image.content is not None:
            if image.bias not in self._tables:
                _elf_version(1)
                elf = _elf_memory(image.content, len(image.content))
                self._tables[image.bias] = elf and _cfi_of_elf(elf) or 0, image.bias
            if self._tables[image.bias][0]:
                yield self._tables[image.bias]
            return
        is_bomb = image.file is not None and image.file.is_bomb
        for find in self._sources[:1] if is_bomb else self._sources:
            if (find, module) not in self._tables:
                bias = Address()
                self._tables[find, module] = find(module, byref(bias)) or 0, bias.value
            if self._tables[find, module][0]:
                yield self._tables[find, module]

    def _decoded(self, frame: Pointer) -> Optional[Rules]:
        is_signal = c_bool()
        return_register = _frame_info(frame, None, None, byref(is_signal))
        operations, count = Pointer(), c_size_t()
        if return_register < 0 or _frame_cfa(frame, byref(operations), byref(count)) != 0:
            return None
        cfa = _operations(operations, count.value)
        if not cfa:
            return None
        registers: Dict[int, Union[int, Operations, None]] = {}
        memory = (Operation * 3)()
        for number in self._numbers:
            if _frame_register(frame, number, memory, byref(operations), byref(count)) != 0:
                continue
            if count.value:
                registers[number] = _simple(_operations(operations, count.value))
            elif number == _RBX if self._is_x86_64 and number in (_RAX, _RBX) else \
                    not operations.value:
                registers[number] = None
        return Rules(*_based(cfa), cfa, registers, return_register, is_signal.value)


def _operations(at: Pointer, count: int) -> Operations:
    if not at.value or count > _MOST_OPERATIONS:
        return ()
    found = ctypes.cast(at, ctypes.POINTER(Operation * count)).contents
    return tuple((one.atom, one.number, one.number2) for one in found)


def _based(cfa: Operations) -> Tuple[Optional[int], int]:
    """(register, offset) of a CFA that is one, else (None, 0)."""
    if len(cfa) == 1:
        atom, first, second = cfa[0]
        if dw.OP_BREG0 <= atom <= dw.OP_BREG31:
            return atom - dw.OP_BREG0, _signed(first)
        if atom == dw.OP_BREGX:
            return first, _signed(second)
    return None, 0


def _simple(rule: Operations) -> Union[int, Operations]:
    """The distance from the CFA of what is saved there, else the operations."""
    if rule[0][0] == dw.OP_CALL_FRAME_CFA and len(rule) == 1:
        return 0
    if len(rule) == 2 and rule[0][0] == dw.OP_CALL_FRAME_CFA and rule[1][0] == dw.OP_PLUS_UCONST:
        return _signed(rule[1][1])
    return rule


def _signed(word: int) -> int:
    return word - (1 << 64) if word & _SIGN else word
