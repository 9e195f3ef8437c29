# SPDX-License-Identifier: MIT
"""The loops of a function that code is in, as its backward jumps tell them."""

from __future__ import annotations

from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import machine_code
from openmp_inspect.host import processes

if TYPE_CHECKING:
    from typing import List

_MOST = 1 << 14  # bytes of a function up to the instruction
_BEYOND = 256  # bytes behind it, in which a loop ends
_MOST_IN_LOOP = 64  # instructions


class LoopPart(NamedTuple):
    """An instruction."""

    start: int
    code: bytes
    found: machine_code.Instruction

    @property
    def end(self) -> int:
        return self.start + len(self.code)


def around(pc: int) -> List[List[LoopPart]]:
    """The instructions of each loop around one, innermost first; none where the function is not
    known, or they are large. HostError where the code cannot be read."""
    process = processes.current()
    _, offset = process.symbol_at(pc)
    code: List[LoopPart] = []
    loops: List[List[LoopPart]] = []
    if offset > _MOST:
        return loops
    at = pc - offset
    data = process.read(at, offset + _BEYOND)
    while at < pc + _BEYOND - machine_code.LONGEST:
        begin = at - (pc - offset)
        one = machine_code.decoded(process.machine, data, begin, at)
        if one is None:
            break
        code.append(LoopPart(at, data[begin:begin + one.length], one))
        if one.flow in ("jump", "branch") and one.target is not None and one.target <= pc <= at:
            some = [each for each in code if each.start >= (one.target or 0)]
            # Behind a return another way begins: the jump leads out of the loop.
            if len(some) <= _MOST_IN_LOOP and all(each.found.flow != "end" for each in some):
                loops.append(some)
        at += one.length
    return sorted(loops, key=len)
