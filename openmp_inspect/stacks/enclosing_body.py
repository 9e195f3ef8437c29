# SPDX-License-Identifier: MIT
"""Where a thread stands among the bodies of constructs, for stepping: what its body returns to, and
who goes on after a region."""

from __future__ import annotations

from openmp_inspect.core import errors
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import body_calls, entry_points, outlined
from openmp_inspect.host import interface
from openmp_inspect.stacks import labels, segments

if TYPE_CHECKING:
    from typing import Optional, Tuple
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from openmp_inspect.core.escaped import Name
    from openmp_inspect.model.objects import Region
    from openmp_inspect.stacks.segments import Gap
    from openmp_inspect.stacks.thread_stack import StackFrame


UNKNOWN_REGION = "the region"  # the words for one of which nothing else is known


class Resumption(NamedTuple):
    """Where a thread goes on."""

    thread: interface.Thread
    pc: int
    sp: int


class Body(NamedTuple):
    """The body of a construct that a thread is in. `start`: where it begins, None if another function
    has its place and that is not known; `line`: that of the directive or None. `pc`, `sp`: where it
    returns to. `caller`: where the user's frame whose construct it is goes on then, as (pc, sp),
    None if that is on no or another stack, or if the thread runs a task while it is at another
    construct; `is_last`: no user's frame is further out. `is_newest`: the newest frame is the
    body's."""

    start: Optional[int]
    words: str
    line: Optional[int]
    pc: int
    sp: int
    caller: Optional[Tuple[int, int]]
    is_last: bool
    is_newest: bool


def user_level(stacks: StitchedStacks, thread: interface.Thread) -> Optional[int]:
    """The level of the newest frame of the user's code, or None."""
    return next((frame.level for frame in stacks.walker.stack(thread)
                 if frame.is_user), None)


def innermost(stacks: StitchedStacks, thread: interface.Thread, level: int = 0) -> Optional[Body]:
    """The innermost body that a thread is in from the frame of this LEVEL outward, or None."""
    gap = next((part for part in stacks.stack(thread).parts if isinstance(part, segments.Gap) and
                part.kind in ("region", "task") and part.level > level), None)
    if gap is None:
        return None
    frames = stacks.walker.stack(thread)
    outer = next((frame for frame in frames if frame.level >= gap.level and
                  not outlined.is_wrapper(frame.frame)), None)
    if outer is None:
        return None
    is_newest = all(frame.kind == interface.INLINED for frame in frames
                    if frame.level < gap.level - 1)
    body = _of_gap(stacks, thread, gap)
    if body is None:
        words, start, line = _worded(gap, next((
            stacks.walker.place_of(frame).file for frame in frames
            if frame.level == gap.level - 1), None)), None, None
    else:
        words = labels.of_body(stacks.process, "task" if gap.kind == "task" else "parallel", body)
        start, line = body_calls.behind(stacks.process, body), stacks.walker.construct(body).line
    return Body(start, words, line, outer.pc, outer.sp, _caller(gap, outer), gap.bottom, is_newest)


def _of_gap(stacks: StitchedStacks, thread: interface.Thread, gap: Gap) -> Optional[int]:
    """Where the body that is called in a GAP begins, or None. One that ends in a jump has left its
    place to another function, but other threads may show which the region has."""
    if gap.kind == "task" or gap.opens is not None:
        return gap.body if gap.kind == "task" else gap.opens
    entered = stacks.stack(thread).matched.regions.get(gap.level)
    return None if entered is None else _of_region(stacks, entered.region)


def _worded(gap: Gap, file: Optional[Name]) -> str:
    """The directive of a GAP whose body is not known, without a line; FILE has the code that
    runs."""
    if gap.kind == "task":
        return labels.worded("task", file)
    return labels.inside(gap.entry, file) if gap.entry and entry_points.is_region(gap.entry) else \
        UNKNOWN_REGION


def _of_region(stacks: StitchedStacks, region: Region) -> Optional[int]:
    place = stacks.place_of(region)
    return None if place is None or place.line is None else place.address


def is_task(stacks: StitchedStacks, thread: interface.Thread, frame: interface.Frame) -> Optional[bool]:
    """Whether the body that a Frame of a thread runs is an explicit task's, by what called it; None
    where that is not certain."""
    own = next(stacks.walker.stack(thread).since(frame), None)
    kind = next((part.kind for part in stacks.stack(thread).parts if own is not None and
                 isinstance(part, segments.Gap) and part.level >= own.level), None)
    return {"task": True, "region": False}.get(kind or "")


def of_region(stacks: StitchedStacks, thread: interface.Thread) -> Optional[int]:
    """Where the body of the innermost region that a thread is in begins, or None."""
    known = stacks.known(thread)
    region = None if known is None else errors.known(lambda: known.region)
    return None if region is None else _of_region(stacks, region)


def _caller(gap: Gap, outer: StackFrame) -> Optional[Tuple[int, int]]:
    """As Body has it, of a GAP whose body is called by the frame OUTER."""
    if outer.is_user:
        return outer.pc, outer.sp
    is_of_call = entry_points.makes_task(gap.entry) if gap.kind == "task" else \
        entry_points.is_region(gap.entry)
    return (gap.call, gap.older) if gap.call is not None and is_of_call else None


def successor(stacks: StitchedStacks, thread: interface.Thread) -> Optional[Resumption]:
    """Where the thread that has encountered the region of a worker goes on behind it, or None."""
    known = stacks.known(thread)
    region = None if known is None else errors.known(lambda: known.region)
    primary = None if region is None else stacks.primary(region)
    if region is None or primary is None or primary == thread:
        return None
    gap = stacks.stack(primary).matched.region_gaps.get(region.key)
    return None if gap is None or gap.call is None else Resumption(primary, gap.call, gap.older)
