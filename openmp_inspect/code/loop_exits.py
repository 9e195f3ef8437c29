# SPDX-License-Identifier: MIT
"""What ends a loop that a thread is in: by what its branches are decided, and whether anything can, as
here where a flag was read before

    <+0>   test  %ebx,%ebx
    <+2>   je    <+0>
"""

from __future__ import annotations

import operator

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import call_argument, expressions, loops, values
from openmp_inspect.code.expressions import SIZE, Effect, Expression
from openmp_inspect.code.loops import LoopPart

if TYPE_CHECKING:
    from typing import Container, List, Optional
    from openmp_inspect.code.expressions import Comparison, Value
    from openmp_inspect.host.interface import Frame, Process

HOLDS = {"=": operator.eq, "!=": operator.ne, "<=": operator.le, ">=": operator.ge,
         "<": operator.lt, ">": operator.gt}
OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", "<=": ">", ">": "<=",
            "<u": ">=u", ">=u": "<u", "<=u": ">u", ">u": "<=u"}


def innermost(frame: Frame) -> List[LoopPart]:
    """The loop around a frame's instruction; none where that is not known."""
    return next(iter(loops.around(frame.process, frame.instruction)), [])


def run_up_to(loop: List[LoopPart], at: int) -> List[LoopPart]:
    """The instructions of a LOOP that are executed one after the other up to the one with this
    index, whichever way the thread has come."""
    targets = {one.found.target for one in loop}
    first = at
    while first and loop[first].start not in targets and \
            loop[first - 1].end == loop[first].start and loop[first - 1].found.flow != "jump":
        first -= 1
    return loop[first:at + 1]


def effect(process: Process, one: LoopPart) -> Optional[Effect]:
    """That of an instruction of a loop; None where it is not known."""
    if one.found.flow in ("jump", "branch", "call"):
        return expressions.NOTHING
    return values.of_process(process).effect(one.code, one.end)


def needs(value: Value, registers: Container[int]) -> bool:
    """Whether an expression has one of these REGISTERS."""
    return any(isinstance(part, Expression) and part.kind == "register" and
               part.first in registers for part in expressions.parts(value))


class Decision(NamedTuple):
    """By what a branch is decided, and the instructions before that."""

    relation: str  # on which it is taken
    compared: Comparison
    before: List[LoopPart]


def decision(process: Process, run: List[LoopPart]) -> Optional[Decision]:
    """That of the branch at the end of a RUN of instructions, or None. A condition that is in a register
    in between, as `setl %al; test %al,%al; jne` has it, is the one."""
    executor, branch = values.of_process(process), run.pop()
    relation, compared = executor.condition(branch.code), executor.comparison(branch.code, branch.end)
    while relation in OPPOSITE:
        while compared is None and run:
            one = run.pop()
            if one.found.flow != "other":
                return None  # a branch may compare by itself, for itself alone
            compared = executor.comparison(one.code, one.end)
            if not executor.keeps_flags(one.code):
                break
        if compared is None:
            return None
        held = _held(process, compared, run) if relation in ("=", "!=") else None
        if held is None:
            return Decision(relation, compared, run)
        relation, compared = held if relation == "!=" else OPPOSITE.get(held), None
    return None


def _held(process: Process, compared: Comparison, run: List[LoopPart]) -> Optional[str]:
    """The relation on which what is COMPARED to 0 behind a RUN of instructions is not 0, where one of these
    has set a register by that: then the RUN ends there. None of others."""
    executor, value = values.of_process(process), compared.left
    upper = SIZE - (1 << 8 * executor.BOOLEAN) if executor.BOOLEAN < 8 else 0  # which may be anything
    for at in range(len(run) - 1, -1, -1) if compared.right == 0 else ():
        register, relation = executor.held_condition(run[at].code) or (None, "")
        if register is not None and needs(value, (register,)):
            zeros = [_is_zero(expressions.replaced(value, register, more + one), compared.size)
                     for more in (0, upper) for one in (0, 1)]
            found = relation if zeros == [True, False] * 2 else \
                OPPOSITE.get(relation) if zeros == [False, True] * 2 else None
            if found is not None:
                del run[at:]
            return found
        done = effect(process, run[at])
        if done is None or run[at].found.flow == "call" or expressions.is_large(value):
            return None
        if done.register is not None:
            value = expressions.replaced(value, done.register, done.value)
    return None


def _is_zero(value: Value, size: int) -> Optional[bool]:
    return value % (1 << 8 * size) == 0 if isinstance(value, int) else None


def is_endless(frame: Frame) -> bool:
    """Whether the innermost loop around a thread's instruction, which is in its newest FRAME, reads no
    memory, changes and calls nothing, and is not left with what registers have."""
    try:
        loop = innermost(frame)
        starts = {one.start for one in loop}
        ways = ((at, end) for at, one in enumerate(loop) for end in loops.following(one) - starts)
        return frame.instruction in starts and all(_does_nothing(frame.process, one) for one in loop) and \
            not any(_is_left(loop, at, end, frame) for at, end in ways)
    except (HostError, OverflowError):
        debug.ignored()
        return False


def _does_nothing(process: Process, one: LoopPart) -> bool:
    executor = values.of_process(process)
    return one.found.flow in ("jump", "branch") or one.found.flow == "other" and \
        executor.only_loads(one.code) and executor.read_from(one.code, one.end) is None and \
        executor.effect(one.code, one.end) == expressions.NOTHING


def _is_left(loop: List[LoopPart], at: int, end: int, frame: Frame) -> bool:
    """Whether the branch with the index AT in a LOOP that does nothing goes on at END, or that is not
    known."""
    found = decision(frame.process, run_up_to(loop, at))
    if found is None:
        return True
    relation = found.relation if loop[at].found.target == end else OPPOSITE[found.relation]
    left, right = (number(one, found.compared.size, relation, frame) for one in found.compared[:2])
    return bool(HOLDS[relation.rstrip("u")](left, right))


def number(value: Value, size: int, relation: str, frame: Frame) -> int:
    """The low SIZE bytes of a VALUE, with their sign unless the RELATION is of numbers without."""
    return int.from_bytes((call_argument.evaluated(value, frame) % SIZE).to_bytes(
        8, "little")[:size], "little", signed=not relation.endswith("u"))
