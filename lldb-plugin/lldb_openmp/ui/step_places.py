# SPDX-License-Identifier: MIT
"""Where a thread stands among the bodies of constructs, for stepping: what its body returns to, and
who goes on after a region. Call all of it in sessions.in_use()."""

from __future__ import annotations

from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.source import directives
from openmp_inspect.code import entry_points, machine_code, outlined, symbol_names
from openmp_inspect.host import interface, processes
from openmp_inspect.stacks import labels, segments, stitched_stack

if TYPE_CHECKING:
    from typing import Dict, FrozenSet, List, Optional, Tuple
    from openmp_inspect.code.entry_point_table import Entry
    from openmp_inspect.stacks.segments import Gap
    from openmp_inspect.stacks.thread_stack import StackFrame
    from lldb_openmp.host.frames import Thread

_MOST_LINES = 1 << 10  # of a body


class Resumption(NamedTuple):
    """Where a thread goes on, by the kernel's id of it."""

    lwp: int
    pc: int
    sp: int


class Body(NamedTuple):
    """The body of a construct that a thread is in. `pc`, `sp`: where it returns to. `goes_on`: where
    the user's frame whose construct it is goes on then, as (pc, sp), None if that is on no or
    another stack, or if the thread runs a task while it is at another construct; `is_last`: no
    user's frame is further out. `own`: the newest frame is the body's."""

    start: int
    words: str
    pc: int
    sp: int
    goes_on: Optional[Tuple[int, int]]
    is_last: bool
    own: bool


def user_level(thread: Thread) -> Optional[int]:
    """The level of the newest frame of the user's code, or None."""
    return next((frame.level for frame in stitched_stack.current().walker.stack(thread)
                 if frame.is_user), None)


def innermost(thread: Thread, level: int = 0) -> Optional[Body]:
    """The innermost body that a thread is in from the frame of this LEVEL outward, or None."""
    stack = stitched_stack.current().stack(thread)
    gap = next((part for part in stack.parts if isinstance(part, segments.Gap) and
                part.body is not None and part.level > level), None)
    if gap is None or gap.body is None:
        return None
    caller, is_own = None, True
    for frame in stitched_stack.current().walker.stack(thread):
        is_own = is_own and (frame.kind == interface.INLINED or frame.level >= gap.level - 1)
        if frame.level >= gap.level and not outlined.is_wrapper(frame.frame):
            caller = frame
            break
    if caller is None:
        return None
    return Body(outlined.behind(gap.body),
                labels.of_body("task" if gap.kind == "task" else "parallel", gap.body), caller.pc,
                caller.sp, _goes_on(gap, caller), gap.bottom, is_own)


def _goes_on(gap: Gap, caller: StackFrame) -> Optional[Tuple[int, int]]:
    """As Body has it, of a GAP whose body is called by the frame CALLER."""
    if caller.is_user:
        return caller.pc, caller.sp
    is_of_call = entry_points.makes_task(gap.entry) if gap.kind == "task" else \
        entry_points.is_region(gap.entry)
    return (gap.call, gap.older) if gap.call is not None and is_of_call else None


def successor(thread: Thread) -> Optional[Resumption]:
    """Where the thread that has encountered the region of a worker goes on behind it, or None."""
    stacks = stitched_stack.current()
    known = stacks.known(thread)
    region = None if known is None else known.region
    primary = None if region is None else stacks.primary(region)
    if region is None or primary is None or primary == thread:
        return None
    stack = stacks.stack(primary)
    gap = stack.matched.region_gaps.get(region.key)
    return None if gap is None or gap.call is None else \
        Resumption(primary.lwp, gap.call, gap.older)


def openings() -> Dict[int, Tuple[int, Entry]]:
    """Where the runtime is called with a body, behind the first instruction: (where the function
    begins, its Entry). lldb's own steps into functions do not stop at the first one. It changes no
    argument."""
    process = processes.current()
    found: Dict[int, Tuple[int, Entry]] = {}
    for address, entry in entry_points.openings().items():
        code = process.read(address, machine_code.LONGEST)
        first = machine_code.decoded(process.machine, code, 0, address)
        is_plain = first is not None and first.flow == "other"
        found[address + (first.length if first is not None and is_plain else 0)] = address, entry
    return found


def lines_of_directive(body: int) -> FrozenSet[int]:
    """The lines of a BODY on which no more is done than its directive means, if others follow: also
    those of the loops that it shares out, and what clang has on the lines of sections and brackets."""
    line, places, path = symbol_names.body_line(body), _lines(body), symbol_names.source_path(body)
    if not line or not path:
        return frozenset()
    numbers, loops = set(places.values()), directives.loops(path, line)
    of_calls = {number for (start, end), number in places.items() if _calls(start, end)}
    found = frozenset(number for number in numbers if number <= line or number in loops or
                      directives.is_section(path, number) or
                      directives.is_no_code(path, number) and number not in of_calls)
    return found if found < numbers else frozenset()


def own_lines(body: int) -> List[int]:
    """The addresses at which the other lines of a BODY begin; none where all is the directive's."""
    skipped = lines_of_directive(body)
    return [start for (start, _), number in _lines(body).items() if number not in skipped] \
        if skipped else []


def _lines(body: int) -> Dict[Tuple[int, int], int]:
    """The numbers of lines of a BODY by the beginnings and ends of their code."""
    found: Dict[Tuple[int, int], int] = {}
    function, process = symbol_names.innermost(body), processes.current()
    at = body if function is None else function.start
    while function is not None and at < function.end and len(found) < _MOST_LINES:
        line = process.line_at(at)
        if line.last < at:
            break
        if line.line:
            found[at, line.last + 1] = line.line
        at = line.last + 1
    return found


def _calls(start: int, end: int) -> bool:
    """Whether code calls something, or cannot be read."""
    process, at = processes.current(), start
    code = process.read(start, end - start)
    while at < end:
        one = machine_code.decoded(process.machine, code, at - start, at)
        if one is None or one.flow == "call":
            return True
        at += one.length
    return False
