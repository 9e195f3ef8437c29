# SPDX-License-Identifier: MIT
"""One thread's stack as it is shown: frames, and labels for what is between them."""

import gdb

from gdb_openmp.core import debug
from gdb_openmp.model import nesting
from gdb_openmp.stacks import segments


class Label:
    """A line between frames. `facts` are numbers by name, `place` a user_frames.Place or None,
    `task` the model's Task if it is about one that is known. `kind`: "begins" (the body of
    a construct does), "inside" (the runtime does something there), "other" (the frames that
    follow are not called from there), "within" (the frame above it is in a section). `more`:
    what a sentence says behind the facts."""

    def __init__(self, words, facts=None, place=None, task=None, kind="begins", more=""):
        self.words = words
        self.more = more
        self.kind = kind
        self.task = task
        self.facts = facts or {}
        self.place = place


class Row:
    """One line of a shown stack: a Label, or a segments.UserFrame of a gdb thread."""

    def __init__(self, thread, frame=None, label=None):
        self.thread = thread
        self.frame = frame
        self.label = label


class Matched:
    """Which regions and tasks belong to the gaps of a stack. `held`: by the level of a user
    frame, the constructs without a body of their own that it is in; `regions`, `tasks`: the
    nesting.Entered region and the Task that begin in a gap, by its level; `region_gaps`,
    `task_gaps`: gaps by the key of the region or explicit task that the thread entered there;
    `exact`: these are recorded."""

    __slots__ = ("held", "regions", "tasks", "region_gaps", "task_gaps", "exact")

    def __init__(self):
        self.held, self.regions, self.tasks = {}, {}, {}
        self.region_gaps, self.task_gaps = {}, {}
        self.exact = False


class Stack:
    """What one thread's stack shows. Each part is computed when it is first asked for, in
    selection_kept(), and kept when it is complete."""

    def __init__(self, frames, known, stacks):
        self.frames = frames
        self.thread = frames.thread
        self.known = known
        self.entered = [] if known is None else nesting.regions(known)
        self._stacks = stacks
        self._parts = self._matched = self._labels = None

    @property
    def parts(self):
        """UserFrames and Gaps; none where the stack cannot be read."""
        if self._parts is None:
            try:
                self._parts = segments.read(self.frames, self._stacks.walker)
            except gdb.error:
                debug.ignored()
                self._parts = []
        return self._parts

    @property
    def matched(self):
        """The Matched of the stack."""
        if self._matched is None:
            self._matched = self._stacks.match(self)
        return self._matched

    @property
    def region_gaps(self):
        """As Matched has them."""
        return self.matched.region_gaps

    @property
    def labels(self):
        """Lists of Label by the level of the newest frame of a gap."""
        if self._labels is None:
            self._labels = self._stacks.label(self)
        return self._labels

    def behind(self, gap):
        """The UserFrame that is inside the call which a Gap is, or None."""
        older = self.parts[self.parts.index(gap) + 1:][:1]
        return older[0] if older and isinstance(older[0], segments.UserFrame) else None

    @property
    def joined(self):
        """The Region whose master's frames continue this stack, or None."""
        last = self.entered[-1].region if self.entered else None
        return last if last is not None and last.master != self.known else None

    def rows(self, first=0):
        """Rows of the thread itself, from one of `parts` on."""
        for part in self.parts[first:]:
            if isinstance(part, segments.Gap):
                for label in self.labels.get(part.level, ()):
                    yield Row(self.thread, label=label)
            else:
                yield Row(self.thread, frame=part)
                for label in self.matched.held.get(part.level, ()):
                    yield Row(self.thread, label=label)

    def of_task(self, task):
        """The UserFrames of a Task that this thread is in, newest first."""
        gap = self.matched.task_gaps.get(task.key)
        if gap is None and task.kind == "implicit":
            region = task.region
            if region is None and self.known.task == task:
                region = self.known.region
            gap = self.region_gaps.get(region.key) if region is not None else None
        if gap is None or gap.kind not in ("region", "task"):
            return []
        first = end = self.parts.index(gap)
        while first > 0 and isinstance(self.parts[first - 1], segments.UserFrame):
            first -= 1
        return self.parts[first:end]
