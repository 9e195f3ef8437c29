# SPDX-License-Identifier: MIT
"""Finds which region or task belongs to each gap of a thread's stack.

That is recorded (task_boundaries.py), or else inferred from their order: a thread went through its
gaps in the order in which it entered them. Where the two counts differ, or the body or the call is
not that of the region or task, none is known for the gap.
"""

from __future__ import annotations

import functools

from openmp_inspect.core import errors
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.source import directives
from openmp_inspect.model import nesting
from openmp_inspect.code import symbol_names
from openmp_inspect.code.places import Place
from openmp_inspect.stacks import enclosing_constructs, segments, task_boundaries
from openmp_inspect.stacks.labelled_stack import Label, Matched

if TYPE_CHECKING:
    from typing import Dict, List, Optional, Union
    from openmp_inspect.host.interface import Process
    from openmp_inspect.core.escaped import Name
    from openmp_inspect.source.extents import Extent
    from openmp_inspect.model.nesting import Entered
    from openmp_inspect.model.objects import Region, Task
    from openmp_inspect.stacks.labelled_stack import LabelledStack
    from openmp_inspect.stacks.segments import Gap, UserFrame
    from openmp_inspect.stacks.stitched_stack import StitchedStacks

class RecordedSection(NamedTuple):
    """A critical section that a thread is in."""

    label: Label
    place: Place
    name: Optional[str]


class Matcher:
    """Finds what belongs to the gaps of one LabelledStack."""

    def __init__(self, stacks: StitchedStacks, of: LabelledStack) -> None:
        self._stacks = stacks
        self._stack = of
        self._walker = stacks.walker

    def matched(self) -> Matched:
        """The Matched of the LabelledStack."""
        result = Matched()
        self._find_within(result.held)
        gaps = self._stack.gaps
        if not gaps:
            return result
        snapshot = self._stacks.snapshot
        recorded = task_boundaries.find(self._stack, gaps) \
            if snapshot is not None and snapshot.recorded else None
        result.exact = recorded is not None
        result.regions, result.tasks = \
            recorded or (self._match_regions(gaps), self._match_tasks(gaps))
        for gap in gaps:
            if gap.level in result.regions:
                region = result.regions[gap.level].region
                result.region_gaps[region.key] = gap
                older = self._stack.behind(gap)
                if older is not None and older.file:
                    self._stacks.files[region.key] = older.file
                if gap.opens:
                    self._stacks.bodies[region.key] = gap.opens
            if gap.level in result.tasks:
                result.task_gaps[result.tasks[gap.level].key] = gap
        return result

    def _find_within(self, held: Dict[int, List[Label]]) -> None:
        """The constructs that frames are in: critical sections as they are recorded, all else
        as the source has it."""
        recorded = self._held()
        for part in self._stack.parts:
            if isinstance(part, segments.UserFrame) and (part.within or part.level in recorded):
                held[part.level] = [
                    one.label if isinstance(one, RecordedSection) else in_construct(
                        self._stacks.process, one, part)
                    for one in enclosing_constructs.merged(part.within,
                                                           recorded.get(part.level, ()))]

    def _held(self) -> Dict[int, List[RecordedSection]]:
        """The critical sections that the thread is in, by the level of the frame, where one alone
        can be meant."""
        result: Dict[int, List[RecordedSection]] = {}
        for lock in self._stacks.held_by(self._stack.known):
            call = (lock.codeptr or 0) - 1  # held_by() has only those that have one
            start = symbol_names.function_start(self._stacks.process, call)
            users = [part for part in self._stack.parts if isinstance(part, segments.UserFrame)
                     and not part.system and start is not None and
                     symbol_names.function_start(self._stacks.process, part.instruction) == start]
            if len(users) == 1:
                name = symbol_names.critical(self._stacks.process, lock.address)
                place = self._walker.place_at(call)
                words = "in %s critical" % directives.sentinel(place.file)
                label = Label(words + (" (%s)" % name if name else ""), place=place,
                              kind="within")
                result.setdefault(users[0].level, []).append(
                    RecordedSection(label, place, name))
        return result

    def _match_regions(self, gaps: List[Gap]) -> Dict[int, Entered]:
        """Entered regions by level of their gap."""
        entered = self._stack.entered
        if not entered:
            return {}
        worker = self._stack.joined is not None
        opening = [gap for gap in gaps if gap.opens_region or gap.bottom and worker]
        # After a tail call a gap carries no information.
        vague = [gap for gap in gaps if gap in opening or gap.entry is None and not gap.bottom]
        if not entered[0].region.snapshot.recorded:  # the runtime knows no leagues
            opening = [gap for gap in opening if not gap.teams]
            vague = [gap for gap in vague if not gap.teams]
        # What a stack that is cut lacks may be the very gaps, and the vague ones others.
        for candidates in (opening,) if self._stack.frames.is_cut else (opening, vague):
            if len(candidates) == len(entered) + 1 and candidates[0].kind == "inside":
                candidates = candidates[1:]  # on the way in or out
            if len(candidates) == len(entered):
                return {gap.level: one for gap, one in zip(candidates, entered)
                        if self._fits(gap, one)}
        return {}

    def _fits(self, gap: Gap, entered: Entered) -> bool:
        if entered.region.master == self._stack.known and not gap.bottom and \
                not _is_call_for(self._stacks.process, gap, errors.known(lambda: entered.region.codeptr)):
            return False
        if gap.kind != "region" or gap.body is None:
            return True
        return function_of(entered.region) in (None, 0, gap.body)

    def _match_tasks(self, gaps: List[Gap]) -> Dict[int, Task]:
        """Explicit Tasks by level of their gap."""
        if self._stack.known is None:
            return {}
        tasks, complete = nesting.explicit_tasks(self._stack.known)
        running = [gap for gap in gaps if gap.kind == "task"]
        if complete and len(running) != len(tasks):
            return {}
        bodies = [gap for gap in gaps if gap.kind in ("task", "region")]
        if not complete and tasks and self._stack.known.task == tasks[0] and \
                (not bodies or bodies[0].kind != "task"):
            return {}
        result = {}
        for gap, task in zip(running, tasks):
            if gap.body is not None and function_of(task) not in (None, 0, gap.body):
                break
            result[gap.level] = task
        return result


def in_construct(process: Process, extent: Extent, where: Union[Place, UserFrame]) -> Label:
    """The Label of a construct that a frame is in, of which WHERE has function and file."""
    return _in_construct(process, extent, where.function, where.file, where.address)


@functools.lru_cache(maxsize=256)
def _in_construct(process: Process, extent: Extent, function: Optional[Name], file: Optional[Name],
                  address: Optional[int]) -> Label:
    return Label("in %s %s" % (directives.sentinel(file), extent.words), {},
                 Place(process, function, file, extent.line, address), kind="within")


def function_of(item: Union[Region, Task]) -> Optional[int]:
    """The address of the body, None or 0 where it is not known."""
    function: Optional[int] = errors.known(lambda: item.function)
    return function


def _is_call_for(process: Process, gap: Gap, codeptr: Optional[int]) -> bool:
    """Whether a gap's call may be that of a region whose call returned to CODEPTR, or None. Code
    of clang calls the body of a serialized region itself, after it has called the runtime."""
    if not codeptr or gap.call is None or codeptr == gap.call:
        return True
    start = symbol_names.function_start(process, codeptr - 1)
    return gap.entry is None and start is not None and \
        start == symbol_names.function_start(process, gap.call - 1)
