# SPDX-License-Identifier: MIT
"""The loops of a function that code is in, as its backward jumps tell them."""

from __future__ import annotations

from openmp_inspect.core import caches
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import call_argument, call_site, machine_code, values

if TYPE_CHECKING:
    from typing import Dict, Hashable, List, Optional, Sequence, Set, Tuple
    from openmp_inspect.host.interface import Frame, Process

_MOST = 1 << 14  # bytes of a function up to the instruction
_BEYOND = 256  # bytes behind it, in which a loop ends
_MOST_IN_LOOP = 64  # instructions
_MOST_NESTED = 32

_known: Dict[Tuple[Hashable, int], List[List[LoopPart]]] = caches.of_code()  # by program space and address


class LoopPart(NamedTuple):
    """An instruction."""

    start: int
    code: bytes
    found: machine_code.Instruction

    @property
    def end(self) -> int:
        return self.start + len(self.code)


def around(process: Process, pc: int) -> List[List[LoopPart]]:
    """The instructions of each loop around one, innermost first; none where the function or
    machine is not known, or they are large. HostError where the code cannot be read."""
    key = process.code_key, pc
    if key not in _known:
        _known[key] = _found(process, pc)
    return _known[key]


def _found(process: Process, pc: int) -> List[List[LoopPart]]:
    _, offset = process.symbol_at(pc)
    if offset > _MOST or values.of_machine(process.machine) is None:
        return []
    start = pc - offset
    data = process.read(start, offset + _BEYOND)
    code = [LoopPart(at, data[at - start:at - start + one.length], one)
            for at, one in machine_code.run(process.machine, data, start)]
    at = next((one.start for one in code if one.start <= pc < one.end), None)
    found = [] if at is None else _loops(at, start, _ways(process, code, start))
    return [[one for one in code if one.start in loop] for loop in found]


def _ways(process: Process, code: Sequence[LoopPart], entry: int) -> Dict[int, Set[int]]:
    """{instruction: those that may be executed next} of a function with this ENTRY. Padding, to which
    nothing leads, leads nowhere."""
    ways = {one.start: following(one) for one in code}
    is_nop = values.of_process(process).is_nop
    nops = [one.start for one in code if is_nop(one.code)]
    reached = {entry}.union(*(ways[one] for one in ways.keys() - set(nops)))
    for one in nops:
        if one in reached:
            reached |= ways[one]
        else:
            ways[one] = set()
    return ways


def _loops(at: int, entry: int, following: Dict[int, Set[int]]) -> List[Set[int]]:
    """Where the instructions begin of each loop around the one AT, innermost first, in a function with
    this ENTRY; FOLLOWING each instruction are those. A loop has one head, which is the only way into
    it that is seen, and may be anywhere in it: compilers jump to the test at its end. One from which a
    jump leads to the head of the loop around it is a part of that one."""
    before: Dict[int, Set[int]] = {one: set() for one in following}
    for one, ends in following.items():
        for end in ends & before.keys():
            before[end].add(one)
    loops: List[Set[int]] = []
    outer, around = set(following), {entry}  # AROUND: the heads so far
    for _ in range(_MOST_NESTED):
        loop = _reached(at, following, outer) & _reached(at, before, outer)
        heads = {one for one in loop if one in around or before[one] - loop}
        if not loop or len(heads) > 1:
            break
        if len(loop) <= _MOST_IN_LOOP and not (loops and any(
                following[one] & around - loop for one in loop)):
            loops.insert(0, loop)
        if not heads:
            break
        outer, around = loop - heads, heads
    return loops


def _reached(at: int, following: Dict[int, Set[int]], among: Set[int]) -> Set[int]:
    """The instructions that come after the one AT, which they may be themselves, with those AMONG
    which it is in between."""
    found: Set[int] = set()
    left = following[at] & among
    while left:
        found |= left
        left = {end for one in left for end in following[one] & among} - found
    return found if at in among else set()


def following(one: LoopPart) -> Set[int]:
    """Where what is executed next may begin."""
    flow, target = one.found.flow, one.found.target
    jumps = {target} if flow in ("jump", "branch") and target is not None else set()
    return jumps if flow in ("jump", "end") else jumps | {one.end}


def argument(loop: Sequence[LoopPart], at: int, frame: Frame) -> Optional[int]:
    """The first argument of the call with this index in a LOOP that a FRAME is in, as the frame has
    it now; None where it is not known."""
    targets = {one.found.target for one in loop}
    static = call_site.argument_at(frame.process, loop[at].end, True, lambda start: any(
        start < one.start <= loop[at].start and one.start in targets for one in loop))
    if static:
        return static
    run = [loop[at].start]
    for before in reversed(loop[:at]):
        if before.found.flow != "other" or before.end != run[0] or run[0] in targets:
            break
        run.insert(0, before.start)
    value = call_argument.before(frame.process, run)
    return None if value is None else call_argument.evaluated(value, frame)
