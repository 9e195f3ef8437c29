# SPDX-License-Identifier: MIT
"""Finds the labels for the gaps of a thread's stack: constructs that begin there, and what the
thread does inside of the runtime. Where it is not known which region or task a gap belongs to, the
label says no more than the stack does."""

from __future__ import annotations

from openmp_inspect.core import debug, errors
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.model import nesting
from openmp_inspect.code import entry_points, entry_waits, symbol_names
from openmp_inspect.stacks import labels, target_device
from openmp_inspect.stacks.gap_matcher import function_of
from openmp_inspect.stacks.labelled_stack import Label

if TYPE_CHECKING:
    from typing import Callable, Dict, List, Optional, Tuple
    from openmp_inspect.core.escaped import Name
    from openmp_inspect.code.places import Place
    from openmp_inspect.model.nesting import Entered
    from openmp_inspect.model.objects import Task
    from openmp_inspect.stacks.labelled_stack import LabelledStack
    from openmp_inspect.stacks.segments import Gap
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from openmp_inspect.analysis.wait_state import WaitState

# What threads do at the outer end of their stacks, by their state.
_WITHOUT_REGION = {"idle": "idle, waits for a region", "wait_region": "waits for a region"}
_AT = {"wait_barrier_implicit": "end of ", "leaving": "leaving ", "starting": "beginning of "}


class Labeller:
    """Of one LabelledStack, when all that other threads' stacks say of its regions is known.
    ASK_WAIT returns the WaitState of its thread."""

    def __init__(self, stacks: StitchedStacks, of: LabelledStack,
                 ask_wait: Callable[[], WaitState]) -> None:
        self._stacks, self._process = stacks, stacks.process
        self._stack = of
        self._walker = stacks.walker
        self._ask_wait = ask_wait

    def labels(self) -> Dict[int, List[Label]]:
        """Lists of Label by the level of their gap."""
        matched = self._stack.matched
        return {gap.level: self._labels(gap, matched.regions.get(gap.level),
                                        matched.tasks.get(gap.level)) for gap in self._stack.gaps}

    def _labels(self, gap: Gap, entered: Optional[Entered], task: Optional[Task]) -> List[Label]:
        body = gap.body or (function_of(task) if task is not None else None)
        place = self._walker.construct(body) if body else None
        path = symbol_names.source_path(self._process, body) if body else None
        older = self._stack.behind(gap)
        file = older.file if older is not None else None
        if gap.kind == "region":
            words, at = labels.region(self._process, gap.entry, place, path) \
                if place is not None else self._region(gap, entered, file)
            return [Label(words, _facts(entered), at)]
        if gap.kind == "task":
            directive, at = labels.task(self._process, gap.entry, place, path)
            return self._task(gap, task, directive, at, entered, file)
        if gap.kind == "inside":
            return self._inside(gap, entered, file)
        return [] if gap.target is None else [Label(*labels.target(
            self._process, self._walker.construct(gap.target),
            symbol_names.source_path(self._process, gap.target), self._device(gap)))]

    def _device(self, gap: Gap) -> str:
        """As labels.of_device(), of the one that the runtime is called for in a gap: that which the call's
        construct has by the record of the thread, if it is the innermost, or by the registers."""
        snapshot, known, older = self._stacks.snapshot, self._stack.known, self._stack.behind(gap)
        target = None if known is None else errors.known(lambda: known.target)
        if target is not None and older is not None and target.codeptr == older.address:
            return labels.of_device(target.device)
        return labels.of_device(None if snapshot is None else target_device.number(
            self._stack.frames, gap.level, snapshot.device_numbers))

    def _task(self, gap: Gap, task: Optional[Task], words: Optional[str], place: Optional[Place],
              entered: Optional[Entered], file: Optional[Name]) -> List[Label]:
        """A task begins; and what the thread was about when it took it."""
        number = None if task is None else errors.known(lambda: task.id)
        own = {} if number is None else {"task": number}
        found = [Label(words or "explicit task", own, place, task)]
        if entered is not None or gap.opens_region or gap.bottom and not gap.llvm:
            region, at = self._region(gap, entered, file)
            ends = self._stacks.snapshot is not None and self._stacks.snapshot.recorded or \
                _complete(entered) or \
                entered is not None and self._stacks.ending.get(entered.region.key)
            found.append(Label("run %s %s" % ("at the end of" if ends else "inside", region),
                               _facts(entered), at, kind="inside"))
        elif gap.entry and not entry_points.makes_task(gap.entry):
            found.append(Label("run in " + labels.inside(gap.entry, file), kind="inside"))
        return found

    def _inside(self, gap: Gap, entered: Optional[Entered], file: Optional[Name]) -> List[Label]:
        wait = self._ask_wait()
        if wait.name in _WITHOUT_REGION:
            return [Label(_WITHOUT_REGION[wait.name], kind="inside")]
        if entered is not None:
            words, place = self._region(gap, entered, file)
            at = _AT.get(wait.name or "", "inside ")
            return [Label(at + words, _facts(entered), place, kind="inside")]
        if gap.entry is None:
            return []
        words = labels.inside(gap.entry, file)
        section = wait.wait_id if wait.name == "wait_critical" else \
            entry_waits.section_at(self._process, gap.entry, gap.call)
        name = symbol_names.critical(self._process, section) if section else None
        words += " (%s)" % name if name else self._device(gap) if wait.name == "wait_target" else ""
        return [Label("inside " + words, kind="inside")]

    def _region(self, gap: Gap, entered: Optional[Entered],
                file: Optional[Name]) -> Tuple[str, Optional[Place]]:
        """(directive, place) of a region whose body is not on the stack."""
        function = gap.opens
        if entered is not None:
            region = entered.region
            function = function_of(region) or self._stacks.bodies.get(region.key)
            file = file or self._stacks.files.get(region.key)
        place = self._walker.construct(function) if function else None
        if function and place is not None and place.file:
            return labels.region(self._process, gap.entry, place,
                                 symbol_names.source_path(self._process, function))
        return labels.inside(gap.entry, file) if gap.entry else \
            labels.worded("parallel", file), None


def _complete(entered: Optional[Entered]) -> bool:
    """Whether the whole team has arrived at a barrier. Else a body may have left its frame to
    what it called last, a taskwait for instance."""
    try:
        if entered is None:
            return False
        barrier = entered.region.barrier
        return barrier is not None and barrier.arrived == entered.region.size
    except errors.OmpdError:
        debug.ignored()
        return False


def _facts(entered: Optional[Entered]) -> Dict[str, int]:
    return {} if entered is None else nesting.number_of(entered.region, entered.number)
