# SPDX-License-Identifier: MIT
"""Registers of the machines whose processes can be read: how the kernel lays them out in its
user_regs_struct, which is also in a core's NT_PRSTATUS, and their numbers in DWARF."""

from __future__ import annotations

import struct

from openmp_inspect.core import elf
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.host import interface

if TYPE_CHECKING:
    from typing import Dict, Optional, Tuple


class Machine(NamedTuple):
    name: str  # as in interface.py
    layout: struct.Struct
    fields: Tuple[str, ...]  # of it
    numbers: Dict[str, int]  # of DWARF, by name
    pc: str
    sp: str
    fp: str  # which a function without unwind information keeps its caller's frame by
    thread_pointer: Optional[str]  # None: it is in registers of its own
    call: str  # the number of a system call
    arguments: Tuple[str, ...]  # of that
    result: str  # of that
    call_code: bytes  # what makes one, where `call` is for other values, too; else none


def _x86_64() -> Machine:
    fields = ("r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp "
              "ss fs_base gs_base ds es fs gs").split()
    order = "rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip".split()
    return Machine(interface.X86_64, struct.Struct("<27Q"), tuple(fields),
                   {name: number for number, name in enumerate(order)}, "rip", "rsp", "rbp",
                   "fs_base", "orig_rax", ("rdi", "rsi", "rdx", "r10"), "rax", b"")


def _aarch64() -> Machine:
    fields = ["x%d" % number for number in range(31)] + ["sp", "pc", "pstate"]
    return Machine(interface.AARCH64, struct.Struct("<34Q"), tuple(fields),
                   {name: number for number, name in enumerate(fields[:32])}, "pc", "sp", "x29",
                   None, "x8", ("x0", "x1", "x2", "x3"), "x0", b"\x01\0\0\xd4")


# By ELF's numbers of them.
_MACHINES = {elf.X86_64: _x86_64, elf.AARCH64: _aarch64}


def of_name(name: str) -> Optional[Machine]:
    """The one that interface.py calls so."""
    return next((one for one in (make() for make in _MACHINES.values()) if one.name == name), None)


def of_number(number: int) -> Optional[Machine]:
    make = _MACHINES.get(number)
    return None if make is None else make()
