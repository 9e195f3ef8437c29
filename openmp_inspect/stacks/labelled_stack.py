# SPDX-License-Identifier: MIT
"""One thread's stack, with what of OpenMP belongs to it; and the lines in which stacks are shown:
frames, and labels for what is between them."""

from __future__ import annotations

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.model import nesting
from openmp_inspect.stacks import segments

if TYPE_CHECKING:
    from typing import Dict, Hashable, List, Optional
    from openmp_inspect.host.interface import Thread as HostThread
    from openmp_inspect.model.nesting import Entered
    from openmp_inspect.model.objects import Region, Task, Thread
    from openmp_inspect.code.places import Place
    from openmp_inspect.stacks.segments import Gap, Part, UserFrame
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from openmp_inspect.stacks.thread_stack import ThreadStack


class Label(NamedTuple):
    """A line between frames. `kind`: "begins" (the body of a construct does), "inside" (the
    runtime does something there), "other" (the frames that follow are not called from there),
    "within" (the frame above it is in a section). `said`: its words, some of which may be the
    program's."""

    said: str
    facts: Dict[str, int] = {}  # numbers by name
    place: Optional[Place] = None
    task: Optional[Task] = None  # the model's, if it is about one that is known
    kind: str = "begins"
    more: str = ""  # what a sentence says behind the facts

    @property
    def words(self) -> Name:
        return Name(self.said)


class StackRow(NamedTuple):
    """One line of a shown stack: a Label, or a segments.UserFrame of a thread."""

    thread: Optional[HostThread]
    frame: Optional[UserFrame] = None
    label: Optional[Label] = None


class Matched:
    """Which regions and tasks belong to the gaps of a stack. `held`: by the level of a user
    frame, the constructs without a body of their own that it is in; `regions`, `tasks`: the
    nesting.Entered region and the Task that begin in a gap, by its level; `region_gaps`,
    `task_gaps`: gaps by the key of the region or explicit task that the thread entered there;
    `exact`: these are recorded."""

    __slots__ = ("held", "regions", "tasks", "region_gaps", "task_gaps", "exact")

    def __init__(self) -> None:
        self.held: Dict[int, List[Label]] = {}
        self.regions: Dict[int, Entered] = {}
        self.tasks: Dict[int, Task] = {}
        self.region_gaps: Dict[Hashable, Gap] = {}
        self.task_gaps: Dict[Hashable, Gap] = {}
        self.exact = False


class LabelledStack:
    """What one thread's stack shows. Each part is computed when it is first asked for, and
    kept when it is complete."""

    def __init__(self, frames: ThreadStack, known: Optional[Thread],
                 stacks: StitchedStacks) -> None:
        self.frames = frames
        self.thread = frames.thread
        self.known = known
        self.entered = [] if known is None else nesting.regions(known)
        self.stacks, self.process = stacks, stacks.process
        self._parts: Optional[List[Part]] = None
        self._matched: Optional[Matched] = None

    @property
    def parts(self) -> List[Part]:
        """UserFrames and Gaps; none where the stack cannot be read."""
        if self._parts is None:
            try:
                self._parts = segments.read(self.frames, self.stacks.walker)
            except HostError:
                debug.ignored()
                self._parts = []
        return self._parts

    @property
    def matched(self) -> Matched:
        """The Matched of the stack."""
        if self._matched is None:
            self._matched = self.stacks.match(self)
        return self._matched

    @property
    def gaps(self) -> List[Gap]:
        return [part for part in self.parts if isinstance(part, segments.Gap)]

    def behind(self, gap: Gap) -> Optional[UserFrame]:
        """The UserFrame that is inside the call which a Gap is, or None."""
        older = self.parts[self.parts.index(gap) + 1:][:1]
        return older[0] if older and isinstance(older[0], segments.UserFrame) else None

    @property
    def joined(self) -> Optional[Region]:
        """The Region whose master's frames continue this stack, or None."""
        last = self.entered[-1].region if self.entered else None
        return last if last is not None and last.master != self.known else None

    def of_task(self, task: Task) -> List[UserFrame]:
        """The UserFrames of a Task that this thread is in, newest first."""
        gap = self.matched.task_gaps.get(task.key)
        if gap is None and task.kind == "implicit":
            region = task.region
            if region is None and self.known is not None and self.known.task == task:
                region = self.known.region
            gap = self.matched.region_gaps.get(region.key) if region is not None else None
        if gap is None or gap.kind not in ("region", "task"):
            return []
        found: List[UserFrame] = []
        for part in reversed(self.parts[:self.parts.index(gap)]):
            if not isinstance(part, segments.UserFrame):
                break
            found.append(part)
        return found[::-1]
