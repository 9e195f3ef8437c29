# SPDX-License-Identifier: MIT
"""The first argument of a call as an expression over what the caller's frame still has while it is
inside of a later call: registers that callees preserve, as the call found them, and memory. For
instance

    mov    16(%rbp),%rax
    add    $8,%rax
    mov    %rax,%rdi
    call   omp_set_lock        8 + (8 bytes at rbp + 16)

Whether they have had the same values then is not known: what such an expression says of a moment
before is inferred.
"""

from __future__ import annotations

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import branches, machine_code, values
from openmp_inspect.code.expressions import OPERATIONS, SIZE, UNKNOWN, Expression, is_known, is_large, \
    parts, register, replaced

if TYPE_CHECKING:
    from typing import Collection, List, Optional, Sequence, Set
    from openmp_inspect.code.expressions import Value
    from openmp_inspect.host.interface import Frame, Process

_LARGEST = 1 << 16  # bytes of a function


def of_call(process: Process, end: int) -> Optional[Value]:
    """The first argument of the call that returns to END, or None where it is not known."""
    name, offset = process.symbol_at(end - 1)
    start = end - 1 - offset
    run: List[int] = []
    if name is None or offset > _LARGEST:
        return None
    try:
        for at, one in machine_code.run(process.machine, process.read(start, end - start), start):
            run.append(at)
            if one.flow != "other" and at + one.length != end:
                run.clear()
    except HostError:
        debug.ignored()
    while len(run) > 1 and branches.lead_into(process, run[0], end):
        run.pop(0)
    return before(process, run)


def before(process: Process, instructions: Sequence[int]) -> Optional[Value]:
    """The first argument of a call, or None where it is not known. INSTRUCTIONS: the addresses of
    those that are executed one after the other up to the call, which is the last one."""
    if len(instructions) < 2:
        return None
    try:
        executor, preserved = values.of_process(process), values.preserved(process)
        code = process.read(instructions[0], instructions[-1] - instructions[0])
    except (HostError, OverflowError):
        debug.ignored()
        return None
    value: Value = register(executor.ARGUMENTS[0])
    written: Set[int] = set()  # behind
    for at, end in zip(instructions[-2::-1], instructions[:0:-1]):
        done = executor.effect(code[at - instructions[0]:end - instructions[0]], end)
        if is_known(value) or done is None:
            break
        kept = preserved - written
        if done.register is not None:
            value = _before(value, done.register, done.value, kept)
            written.add(done.register)
        value = _with_kept(value, preserved - written)
        if is_large(value):
            return None
    return value if is_known(value) else None


def _before(value: Value, number: int, set_to: Value, kept: Collection[int]) -> Value:
    """A VALUE in terms of what registers have before one is SET_TO something; KEPT: those that are
    the same behind, up to the call."""
    value = replaced(value, number, set_to)
    if number in kept and isinstance(set_to, Expression) and set_to.kind == "register" and \
            set_to != UNKNOWN:
        return replaced(value, set_to.first, Expression("kept", number))  # its copy
    return value


def _with_kept(value: Value, kept: Collection[int]) -> Value:
    """A VALUE in which the registers that are the same at the call are "kept"."""
    for part in list(parts(value)):
        if isinstance(part, Expression) and part.kind == "register" and part.first in kept:
            value = replaced(value, part.first, Expression("kept", part.first))
    return value


def evaluated(value: Value, frame: Frame) -> int:
    """What an expression amounts to in a frame now; HostError where that cannot be read."""
    if not isinstance(value, Expression):
        return value % SIZE
    if value.kind in ("register", "kept"):
        return frame.register(values.of_process(frame.process).NAMES[evaluated(value.first, frame)])
    one = evaluated(value.first, frame)
    other = evaluated(value.second, frame)
    if value.kind == "load":
        return frame.process.unsigned(one, other)
    if value.kind == "signed":
        sign = 1 << 8 * other - 1
        return ((one & 2 * sign - 1 ^ sign) - sign) % SIZE
    return OPERATIONS[value.kind](one, other) % SIZE
