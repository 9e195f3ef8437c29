# SPDX-License-Identifier: MIT
"""One thread's stack as it is told: frames, and labels for what is between them."""

from ompd import nesting, stack


_OF_READING = ("parts", "held", "region_gaps", "task_gaps", "exact")


class Label:
    """A line between frames. `facts` are numbers by name, `place` a frames.Place or None,
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
    """One line of a told stack: a Label, or a stack.UserFrame of a gdb thread."""

    def __init__(self, thread, frame=None, label=None):
        self.thread = thread
        self.frame = frame
        self.label = label


class Stack:
    """What one thread's stack shows, read when it is first asked for: then the thread is
    selected. `parts`: UserFrames and Gaps, none where it cannot be read. `labels`: lists of
    Label by the level of the newest frame of a gap, made when they are asked for; `held`: by
    the level of a user frame, the constructs without a body of their own that it is in;
    `region_gaps`, `task_gaps`: gaps by the key of the region or explicit task that the thread
    entered there; `exact`: these are recorded."""

    def __init__(self, thread, known, read):
        self.thread = thread
        self.known = known
        self._read = read  # sets the other attributes, returns what makes `labels`
        self.top = None  # the newest frame when it was read
        self.entered = [] if known is None else nesting.regions(known)

    def __getattr__(self, name):
        # The first look at any of these.
        if name == "labels":
            self.parts  # pylint: disable=pointless-statement
            self.labels = self._label()
        elif name in _OF_READING:
            # Stacks that are read on the way may look back at this one.
            self.parts, self.held, self.exact = [], {}, False
            self.region_gaps, self.task_gaps = {}, {}
            try:
                self._label = self._read(self)
            except BaseException:
                for half_made in _OF_READING:
                    self.__dict__.pop(half_made, None)
                raise
        else:
            raise AttributeError(name)
        return self.__dict__[name]

    @property
    def joined(self):
        """The Region whose master's frames continue this stack, or None."""
        last = self.entered[-1].region if self.entered else None
        return last if last is not None and last.master != self.known else None

    def rows(self, first=0):
        """Rows of the thread itself, from one of `parts` on."""
        for part in self.parts[first:]:
            if isinstance(part, stack.Gap):
                for label in self.labels.get(part.level, ()):
                    yield Row(self.thread, label=label)
            else:
                yield Row(self.thread, frame=part)
                for label in self.held.get(part.level, ()):
                    yield Row(self.thread, label=label)

    def of_task(self, task):
        """The UserFrames of a Task that this thread is in, newest first."""
        gap = self.task_gaps.get(task.key)
        if gap is None and task.kind == "implicit":
            region = task.region
            if region is None and self.known.task == task:
                region = self.known.region
            gap = self.region_gaps.get(region.key) if region is not None else None
        if gap is None or gap.kind not in ("region", "task"):
            return []
        first = end = self.parts.index(gap)
        while first > 0 and isinstance(self.parts[first - 1], stack.UserFrame):
            first -= 1
        return self.parts[first:end]
