# SPDX-License-Identifier: MIT
"""Arguments of a function, read at its first instruction, and its result."""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import inferiors

if TYPE_CHECKING:
    from typing import Dict, Tuple
    from gdb_openmp.host.gdb_types import GdbFrame

_REGISTERS: Dict[str, Tuple[str, ...]] = {
    "i386:x86-64": ("rdi", "rsi", "rdx", "rcx", "r8", "r9"),
    "i386:x64-32": ("rdi", "rsi", "rdx", "rcx", "r8", "r9"),
    "aarch64": ("x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"),
    "i386": (),
}


def known(frame: GdbFrame) -> bool:
    """Whether arguments are known on this machine."""
    return frame.architecture().name() in _REGISTERS


def argument(frame: GdbFrame, number: int) -> int:
    """Argument NUMBER, from 0, of an integer or pointer type, without a sign. FRAME is the
    newest and in the first instructions of its function."""
    registers = _REGISTERS[frame.architecture().name()]
    width = int(inferiors.pointer().sizeof)
    mask = (1 << 8 * width) - 1
    if number < len(registers):
        return int(frame.read_register(registers[number])) & mask
    step = 8 if registers else 4
    above = int(frame.older().read_register("sp")) + (number - len(registers)) * step
    return inferiors.read_unsigned(above & mask, width)


def result_register(frame: GdbFrame) -> str:
    """The name of the register in which functions and system calls return a word."""
    return {"i386": "eax", "aarch64": "x0"}.get(frame.architecture().name(), "rax")


def result(frame: GdbFrame) -> int:
    """The word that a function has just returned to FRAME."""
    return int(frame.read_register(result_register(frame)))
