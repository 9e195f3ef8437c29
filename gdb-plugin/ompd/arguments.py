# SPDX-License-Identifier: MIT
"""Arguments of a function, read at its first instruction, and where it will return to."""

import gdb

from ompd import target

_REGISTERS = {
    "i386:x86-64": ("rdi", "rsi", "rdx", "rcx", "r8", "r9"),
    "i386:x64-32": ("rdi", "rsi", "rdx", "rcx", "r8", "r9"),
    "aarch64": ("x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"),
    "i386": (),
}


def known(frame):
    """Whether arguments can be told on this machine."""
    return frame.architecture().name() in _REGISTERS


def argument(frame, number):
    """Argument NUMBER, from 0, of an integer or pointer type, without a sign. FRAME is the
    newest and at the first instruction of its function."""
    machine = frame.architecture().name()
    registers = _REGISTERS[machine]
    width = gdb.lookup_type("void").pointer().sizeof
    if number < len(registers):
        return int(frame.read_register(registers[number])) & ((1 << 8 * width) - 1)
    slot = number - len(registers) + (machine != "aarch64")  # above the return address
    step = 8 if machine == "i386:x64-32" else width
    data = gdb.selected_inferior().read_memory(
        (int(frame.read_register("sp")) + slot * step) & ((1 << 8 * width) - 1), width)
    return int.from_bytes(bytes(data), target.byte_order())
