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
from openmp_inspect.code import branches, machine_code, x86_values
from openmp_inspect.code.x86_values import Expression
from openmp_inspect.host import processes
from openmp_inspect.host.interface import X86_64

if TYPE_CHECKING:
    from typing import Iterator, List, Optional, Sequence, Set
    from openmp_inspect.code.x86_values import Value
    from openmp_inspect.host.interface import Frame

_FIRST = 7  # the register of a first argument: %rdi
_PRESERVED = (3, 4, 5, 12, 13, 14, 15)  # %rbx, %rsp, %rbp, %r12 to %r15
_MOST_PARTS = 32  # of an expression
_SIZE = 1 << 64
_LARGEST = 1 << 16  # bytes of a function


def of_call(end: int) -> Optional[Value]:
    """The first argument of the call that returns to END, or None where it is not known."""
    process = processes.current()
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
    while len(run) > 1 and branches.lead_into(run[0], end):
        run.pop(0)
    return before(run)


def before(instructions: Sequence[int]) -> Optional[Value]:
    """The first argument of a call, or None where it is not known. INSTRUCTIONS: the addresses of
    those that are executed one after the other up to the call, which is the last one."""
    if processes.current().machine != X86_64 or len(instructions) < 2:
        return None
    try:
        code = processes.current().read(instructions[0], instructions[-1] - instructions[0])
    except (HostError, OverflowError):
        debug.ignored()
        return None
    value: Value = Expression("register", _FIRST)
    written: Set[int] = set()  # behind
    for at, end in zip(instructions[-2::-1], instructions[:0:-1]):
        done = x86_values.effect(code[at - instructions[0]:end - instructions[0]], end)
        if is_known(value) or done is None:
            break
        if done.register is not None:
            value = _before(value, done.register, done.value, written)
            written.add(done.register)
        value = _with_kept(value, written)
        if is_large(value):
            return None
    return value if is_known(value) else None


def _before(value: Value, register: int, set_to: Value, written: Set[int]) -> Value:
    """A VALUE in terms of what registers have before one is SET_TO something; WRITTEN: those that
    get others behind."""
    value = replaced(value, register, set_to)
    if register in _PRESERVED and register not in written and isinstance(set_to, Expression) and \
            set_to.kind == "register" and isinstance(set_to.first, int):
        return replaced(value, set_to.first, Expression("kept", register))  # its copy
    return value


def _with_kept(value: Value, written: Set[int]) -> Value:
    """A VALUE in which the registers that are the same at the call are "kept"."""
    for part in list(parts(value)):
        if isinstance(part, Expression) and part.kind == "register" and \
                part.first in _PRESERVED and part.first not in written:
            value = replaced(value, part.first, Expression("kept", part.first))
    return value


def is_large(value: Value) -> bool:
    """Whether an expression is none that a compiler makes; each replacement may double one."""
    return sum(1 for _ in parts(value)) > _MOST_PARTS


def parts(value: Value) -> Iterator[Value]:
    yield value
    if isinstance(value, Expression) and value.kind not in ("register", "kept"):
        yield from parts(value.first)
        yield from parts(value.second)


def is_known(value: Value) -> bool:
    return not any(part.kind == "register" for part in parts(value)
                   if isinstance(part, Expression))


def replaced(value: Value, register: Value, by: Value) -> Value:
    """An expression that has a value in place of a register."""
    if not isinstance(value, Expression) or value.kind == "kept":
        return value
    if value.kind == "register":
        return by if value.first == register else value
    return Expression(value.kind, replaced(value.first, register, by),
                      replaced(value.second, register, by))


def evaluated(value: Value, frame: Frame) -> int:
    """What an expression amounts to in a frame now; HostError where that cannot be read."""
    if not isinstance(value, Expression):
        return value % _SIZE
    if value.kind in ("register", "kept"):
        return frame.register(x86_values.NAMES[evaluated(value.first, frame)])
    one = evaluated(value.first, frame)
    other = evaluated(value.second, frame)
    if value.kind == "load":
        return processes.current().unsigned(one, other)
    if value.kind == "sum":
        return (one + other) % _SIZE
    if value.kind == "product":
        return one * other % _SIZE
    low = one & 0xFFFFFFFF
    return low if value.kind == "low" or low < 1 << 31 else low + _SIZE - (1 << 32)
