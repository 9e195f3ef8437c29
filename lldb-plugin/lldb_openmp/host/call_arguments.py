# SPDX-License-Identifier: MIT
"""Arguments of a function, read in its first instructions, and its result."""

from __future__ import annotations

import lldb

from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Dict, Optional, Tuple

# By the first part of lldb's triple: those of arguments, and that of the result.
_REGISTERS: Dict[str, Tuple[Tuple[str, ...], str]] = {
    "x86_64": (("rdi", "rsi", "rdx", "rcx", "r8", "r9"), "rax"),
    "aarch64": (tuple("x%d" % number for number in range(8)), "x0"),
}


def argument(frame: Any, number: int) -> Optional[int]:
    """Argument NUMBER, from 0, an integer or pointer, of the function in whose first instructions an
    SBFrame is, or None where that cannot be read."""
    arguments, _ = _of_machine(frame)
    if number < len(arguments):
        return _value(frame, arguments[number])
    return word(frame.GetThread().GetProcess(), frame.GetCFA() + 8 * (number - len(arguments))) \
        if arguments else None


def result(frame: Any) -> Optional[int]:
    """What a function has just returned to an SBFrame, or None."""
    return _value(frame, _of_machine(frame)[1])


def word(process: Any, address: int, size: int = 8) -> Optional[int]:
    """The unsigned integer in the memory of an SBProcess, or None."""
    error = lldb.SBError()
    found = int(process.ReadUnsignedFromMemory(address, size, error))
    return found if error.Success() else None


def _of_machine(frame: Any) -> Tuple[Tuple[str, ...], str]:
    triple = frame.GetThread().GetProcess().GetTarget().GetTriple() or ""
    return _REGISTERS.get(triple.split("-")[0], ((), ""))


def _value(frame: Any, name: str) -> Optional[int]:
    found, error = frame.FindRegister(name), lldb.SBError()
    value = int(found.GetValueAsUnsigned(error)) if found.IsValid() else 0
    return value if found.IsValid() and error.Success() else None
