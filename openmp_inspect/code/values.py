# SPDX-License-Identifier: MIT
"""What instructions leave in registers, read and compare: of each machine by one that executes its
code, x86_values.py or aarch64_values.py."""

from __future__ import annotations

from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import aarch64_values, x86_values
from openmp_inspect.host import kept_registers
from openmp_inspect.host.interface import AARCH64, X86_64

if TYPE_CHECKING:
    from typing import Dict, FrozenSet, Optional, Protocol, Tuple
    from openmp_inspect.host.interface import Process
    from openmp_inspect.code.expressions import Comparison, Effect, Value

    class Executor(Protocol):
        """Each question is about the one instruction in a piece of code, which ends at an address."""

        # The names of registers by their numbers; the number of the one with a function's result,
        # those with its arguments, and the stack pointer; bytes of a register that has a condition.
        NAMES: Tuple[str, ...]
        RESULT: int
        ARGUMENTS: Tuple[int, ...]
        STACK_POINTER: int
        BOOLEAN: int

        def effect(self, code: bytes, end: int) -> Optional[Effect]:
            """That on general registers; None where it is not known here."""

        def read_from(self, code: bytes, end: int) -> Optional[Value]:
            """The address from which it reads memory to compute with it or to compare it, or None."""

        def size_read(self, code: bytes) -> int:
            """Bytes that it reads there."""

        def comparison(self, code: bytes, end: int) -> Optional[Comparison]:
            """What it compares, also to branch by it itself, or None."""

        def condition(self, code: bytes) -> Optional[str]:
            """On which relation of what was compared this branch is taken, "u": of numbers without a
            sign; None: another one."""

        def held_condition(self, code: bytes) -> Optional[Tuple[int, str]]:
            """(the register that it sets to 1, or else to 0, on which relation of what was compared), or
            None."""

        def keeps_flags(self, code: bytes) -> bool:
            """Whether it is known to leave flags as they are."""

        def only_loads(self, code: bytes) -> bool:
            """Whether it is a load, a comparison, a condition, a fence or a nop: executed again, it leaves
            the same unless memory has changed."""

        def is_nop(self, code: bytes) -> bool: ...


_EXECUTORS: Dict[str, Executor] = {X86_64: x86_values, AARCH64: aarch64_values}


def of_machine(machine: str) -> Optional[Executor]:
    return _EXECUTORS.get(machine)


def of_process(process: Process) -> Executor:
    """That of the machine of a process; HostError where there is none."""
    found = of_machine(process.machine)
    if found is None:
        raise HostError("instructions of %s are not executed" % process.machine)
    return found


def preserved(process: Process) -> FrozenSet[int]:
    """The registers that functions preserve, the stack pointer among them."""
    names, one = kept_registers.PRESERVED[process.machine], of_process(process)
    return frozenset(number for number, name in enumerate(one.NAMES)
                     if name in names or number == one.STACK_POINTER)


def changed(process: Process) -> FrozenSet[int]:
    """Those that a call may change."""
    return frozenset(range(len(of_process(process).NAMES))) - preserved(process)
