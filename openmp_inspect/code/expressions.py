# SPDX-License-Identifier: MIT
"""What is in a register, or is compared, as an expression over registers and memory, whatever the
machine; and what an instruction does of it."""

from __future__ import annotations

import operator

from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Callable, Dict, Iterator, Optional, Union
    Value = Union[int, "Expression"]

SIZE = 1 << 64  # of values
OPERATIONS: Dict[str, Callable[[int, int], int]] = {
    "sum": operator.add, "product": operator.mul,
    "and": operator.and_, "xor": operator.xor}
_MOST_PARTS = 32  # of an expression


class Expression(NamedTuple):
    """`kind`: "register" (its number), "kept" (one that has the same value at the call behind), "sum",
    "product", "and" or "xor" (of both), "load" (from an address, as many bytes) or "signed" (as many
    low bytes, with their sign)."""

    kind: str
    first: Value
    second: Value = 0


class Effect(NamedTuple):
    """`register`: the number of the one that gets a VALUE, None if there is none."""

    register: Optional[int]
    value: Value = 0


class Comparison(NamedTuple):
    """Two values of SIZE bytes, as flags tell what the one is beside the other."""

    left: Value
    right: Value
    size: int


NOTHING = Effect(None)
NO_REGISTER = 64  # greater than the number of any
UNKNOWN = Expression("register", NO_REGISTER)  # a value that is not followed


def register(number: int) -> Expression:
    return Expression("register", number)


def combined(kind: str, one: Value, other: Value) -> Value:
    """The Expression of this KIND of both; of two numbers, what it amounts to."""
    return OPERATIONS[kind](one, other) % SIZE if isinstance(one, int) and isinstance(other, int) and \
        kind in OPERATIONS else Expression(kind, one, other)


def low(value: Value, size: int) -> Value:
    """As many low bytes of a VALUE."""
    return combined("and", value, (1 << 8 * size) - 1)


def parts(value: Value) -> Iterator[Value]:
    yield value
    if isinstance(value, Expression) and value.kind not in ("register", "kept"):
        yield from parts(value.first)
        yield from parts(value.second)


def is_large(value: Value) -> bool:
    """Whether an expression is none that a compiler makes; each replacement may double one."""
    return sum(1 for _ in parts(value)) > _MOST_PARTS


def is_known(value: Value) -> bool:
    return not any(part.kind == "register" for part in parts(value)
                   if isinstance(part, Expression))


def replaced(value: Value, number: Value, by: Value) -> Value:
    """An expression that has a value in place of the register with this NUMBER."""
    if not isinstance(value, Expression) or value.kind == "kept":
        return value
    if value.kind == "register":
        return by if value.first == number else value
    return combined(value.kind, replaced(value.first, number, by), replaced(value.second, number, by))
