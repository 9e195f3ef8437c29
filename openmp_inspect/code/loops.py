# SPDX-License-Identifier: MIT
"""The loops of a function that code is in, as its backward jumps tell them."""

from __future__ import annotations

from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import machine_code
from openmp_inspect.host import processes

if TYPE_CHECKING:
    from typing import Dict, List, Sequence, Set

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
    start = pc - offset
    data = process.read(start, offset + _BEYOND)
    for at, one in machine_code.run(process.machine, data, start):
        code.append(LoopPart(at, data[at - start:at - start + one.length], one))
        if one.flow in ("jump", "branch") and one.target is not None and one.target <= pc <= at:
            some = [each for each in code if each.start >= (one.target or 0)]
            # Behind a return another way begins: the jump leads out of the loop.
            if len(some) <= _MOST_IN_LOOP and all(each.found.flow != "end" for each in some) and \
                    way_round(some, pc):
                loops.append(some)
    return sorted(loops, key=len)


def way_round(loop: Sequence[LoopPart], pc: int) -> Set[int]:
    """Where the instructions of a LOOP begin that may be executed between the one at PC and the
    next time that it is: a part may lead out only."""
    following = {one.start: _following(one) for one in loop}
    before: Dict[int, Set[int]] = {one.start: set() for one in loop}
    for start, ends in following.items():
        for end in ends & before.keys():
            before[end].add(start)
    own = next((one.start for one in loop if one.start <= pc < one.end), None)
    return set() if own is None else _reached(own, following) & _reached(own, before)


def _following(one: LoopPart) -> Set[int]:
    """Where what is executed next may begin."""
    flow, target = one.found.flow, one.found.target
    jumps = {target} if flow in ("jump", "branch") and target is not None else set()
    return jumps if flow in ("jump", "end") else jumps | {one.end}


def _reached(own: int, leads: Dict[int, Set[int]]) -> Set[int]:
    """From one instruction on, that itself only if a way leads back to it."""
    found: Set[int] = set()
    left = [own]
    while left:
        more = leads[left.pop()] & leads.keys() - found
        found |= more
        left += more
    return found
