# SPDX-License-Identifier: MIT
"""The loops of a function that code is in, as its backward jumps tell them."""

from __future__ import annotations

from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import call_argument, call_site, machine_code
from openmp_inspect.host import processes

if TYPE_CHECKING:
    from typing import Dict, List, Optional, Sequence, Set
    from openmp_inspect.host.interface import Frame

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
    if offset > _MOST:
        return []
    start = pc - offset
    data = process.read(start, offset + _BEYOND)
    code = [LoopPart(at, data[at - start:at - start + one.length], one)
            for at, one in machine_code.run(process.machine, data, start)]
    following = {one.start: _following(one) for one in code}
    before: Dict[int, Set[int]] = {one.start: set() for one in code}
    for at, ends in following.items():
        for end in ends & before.keys():
            before[end].add(at)
    loops = [_loop(at, target, start, before) for at, ends in following.items()
             for target in ends if target <= at]
    return sorted(([one for one in code if one.start in loop] for loop in loops
                   if any(one.start in loop and one.start <= pc < one.end for one in code)), key=len)


def _loop(last: int, head: int, entry: int, before: Dict[int, Set[int]]) -> Set[int]:
    """Where the instructions begin of the loop that goes round by the jump LAST to its HEAD: those from
    which there is a way to that jump, but by its head. None if there is a way into it beside its head,
    from the ENTRY of the function, so that the jump is none of a loop, or if they are many."""
    found, left = {last}, [last] * (last != head)
    while left:
        more = before[left.pop()] - found
        found |= more
        left += more - {head}
        if len(found) > _MOST_IN_LOOP:
            return set()
    return found if head in found and entry not in found - {head} else set()


def _following(one: LoopPart) -> Set[int]:
    """Where what is executed next may begin."""
    flow, target = one.found.flow, one.found.target
    jumps = {target} if flow in ("jump", "branch") and target is not None else set()
    return jumps if flow in ("jump", "end") else jumps | {one.end}


def argument(loop: Sequence[LoopPart], at: int, frame: Frame) -> Optional[int]:
    """The first argument of the call with this index in a LOOP that a FRAME is in, as the frame has
    it now; None where it is not known."""
    targets = {one.found.target for one in loop}
    static = call_site.argument_at(loop[at].end, True, lambda start: any(
        start < one.start <= loop[at].start and one.start in targets for one in loop))
    if static:
        return static
    run = [loop[at].start]
    for before in reversed(loop[:at]):
        if before.found.flow != "other" or before.end != run[0] or run[0] in targets:
            break
        run.insert(0, before.start)
    value = call_argument.before(run)
    return None if value is None else call_argument.evaluated(value, frame)
