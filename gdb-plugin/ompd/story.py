# SPDX-License-Identifier: MIT
"""The stacks of a stopped program with what OpenMP has to do with them: labels for the gaps,
and the frames of other threads that continue a worker's own.

Which region or task belongs to a gap is told by their order: a thread went through its gaps
in the order in which it entered them. Where the two counts differ, or the body that was
called is not that of the region or task, the label says no more than the stack does.
"""

import gdb

from ompd import callbacks, errors, frames, labels, model, names, nesting, space, stack, target

_MOST_JOINS = 64


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
    """What one thread's stack shows. `labels`: lists of Label by the level of the newest
    frame of a gap; `held`: by the level of a user frame, the critical sections entered
    there; `region_gaps`, `task_gaps`: gaps by the key of the region or explicit
    task that the thread entered there."""

    def __init__(self, thread, known, parts):
        self.thread = thread
        self.known = known
        self.parts = parts
        self.labels = {}
        self.held = {}
        self.region_gaps = {}
        self.task_gaps = {}
        self.entered = [] if known is None else nesting.regions(known)

    @property
    def joined(self):
        """The Region whose master's frames continue this stack, or None."""
        last = self.entered[-1].region if self.entered else None
        return last if last is not None and last.master != self.known else None

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


def current():
    """The Story of the selected inferior at this stop."""
    here = space.current()
    if here.kept is None:
        here.kept = Story(here)
    return here.kept


class Story:
    """Lives until the program runs on."""

    def __init__(self, here):
        self.walker = frames.Walker()
        self.snapshot = None
        self.bodies = {}  # region key -> address of its body, where a stack shows it
        self.files = {}  # region key -> the source file it was met in
        self._stacks = {}
        self._held = None
        self._begun = set()
        try:
            self.snapshot = model.Snapshot(here.session)
        except (errors.OmpdError, errors.NoLibrary, gdb.MemoryError):
            pass  # what stacks alone tell
        callbacks.raise_pending()
        self.threads = {target.lwp(t): t for t in gdb.selected_inferior().threads()}

    def forget(self):
        if self.snapshot is not None:
            self.snapshot.__exit__()
            self.snapshot = None

    def held_by(self, known):
        """The model's Locks of critical sections that a thread is in."""
        if known is None:
            return []
        if self._held is None:
            self._held = {}
            try:
                for lock in self.snapshot.locks:
                    if lock.kind == "critical" and lock.owner is not None and lock.codeptr:
                        self._held.setdefault(lock.owner, []).append(lock)
            except (errors.OmpdError, gdb.MemoryError):
                pass
        return self._held.get(known, [])

    def known(self, thread):
        """The model's Thread of a gdb thread, or None."""
        if self.snapshot is None:
            return None
        try:
            return self.snapshot.by_lwp.get(target.lwp(thread))
        except (errors.OmpdError, gdb.MemoryError):
            return None

    def gdb_thread(self, known):
        """The gdb thread of a model's Thread, or None."""
        try:
            return self.threads.get(known.lwp)
        except errors.OmpdError:
            return None

    def stack(self, thread):
        """The Stack of a gdb thread; selects it where that is needed: call this in
        selection_kept(). Empty where it cannot be read."""
        key = thread.ptid
        if key not in self._stacks:
            parts = []
            found = Stack(thread, self.known(thread), parts)
            self._read_master(key, found)
            try:
                if not thread.is_running():
                    if gdb.selected_thread() != thread:
                        thread.switch()
                    parts += stack.read(gdb.newest_frame(), self.walker)
            except gdb.error:
                pass
            _Labeller(self, found).label()
            self._stacks[key] = found
        return self._stacks[key]

    def _read_master(self, key, found):
        """A worker that has left the body learns from the master where the construct is."""
        if found.joined is None or key in self._begun:
            return
        self._begun.add(key)  # damaged memory may go in circles
        try:
            master = self.gdb_thread(found.joined.master)
        except errors.OmpdError:
            return
        if master is not None and len(self._begun) - len(self._stacks) < _MOST_JOINS:
            self.stack(master)

    def rows(self, thread, created=True):
        """The whole story of a gdb thread, with where its tasks come from if CREATED. Call
        in selection_kept()."""
        own = self.stack(thread)
        result = []
        for row in _rows(own, own.parts):
            result.append(row)
            if created and row.label is not None:
                result += self.creation(row.label, thread)
        return result + self.continuation(thread)

    def continuation(self, thread):
        """Rows that continue a thread's own frames: those of the threads that met its
        regions, up to the first one that met its own. Call in selection_kept()."""
        result = []
        of = self.stack(thread)
        for _ in range(_MOST_JOINS):
            region = of.joined
            if region is None:
                break
            thread = None
            try:
                thread = self.gdb_thread(region.master)
            except errors.OmpdError:
                pass
            if thread is None:
                break
            of = self.stack(thread)
            gap = of.region_gaps.get(region.key)
            if gap is None:
                result.append(_elsewhere("met by", thread))
                break
            result.append(_elsewhere("continued in", thread, ", which met the region"))
            result += _rows(of, of.parts[of.parts.index(gap) + 1:])
        return result

    def creation(self, label, thread):
        """Rows that tell where an explicit task comes from, if another thread than THREAD
        created it: the frames of the creating task as they are by then. Call in
        selection_kept()."""
        if label.task is None:
            return []
        try:
            parent = label.task.parent
            known = None if parent is None else nesting.thread_of(parent)
            there = None if known is None else self.gdb_thread(known)
            if there is None or there == thread:
                return []
            found = self.stack(there).of_task(parent)
        except errors.OmpdError:
            return []
        if not found:
            return []
        return [_elsewhere("created in", there)] + \
            [Row(there, frame=part) for part in found] + [_elsewhere("back in", thread)]


class _Labeller:
    """Finds the labels of one Stack."""

    def __init__(self, story, of):
        self._story = story
        self._stack = of
        self._walker = story.walker

    def label(self):
        self._find_held()
        gaps = [part for part in self._stack.parts if isinstance(part, stack.Gap)]
        if not gaps:
            return
        regions = self._match_regions(gaps)
        tasks = self._match_tasks(gaps)
        for gap in gaps:
            if gap.level in regions:
                region = regions[gap.level].region
                self._stack.region_gaps[region.key] = gap
                older = self._older(gap)
                if older is not None and older.file:
                    self._story.files[region.key] = older.file
                if gap.kind == "region" and gap.body:
                    self._story.bodies[region.key] = gap.body
            if gap.level in tasks:
                self._stack.task_gaps[tasks[gap.level].key] = gap
        for gap in gaps:
            self._stack.labels[gap.level] = self._labels(gap, regions.get(gap.level),
                                                         tasks.get(gap.level))

    def _find_held(self):
        """Critical sections that the thread is in, where one frame alone can be meant."""
        for lock in self._story.held_by(self._stack.known):
            start = names.function_start(lock.codeptr - 1)
            users = [part for part in self._stack.parts if isinstance(part, stack.UserFrame)
                     and not part.system and start is not None and
                     names.function_start(part.address - 1) == start]
            if len(users) == 1:
                name = names.critical(lock.address)
                place = self._walker.place_at(lock.codeptr - 1)
                words = "in %s critical" % labels.sentinel(place.file)
                label = Label(words + (" (%s)" % name if name else ""), {}, place,
                              kind="within")
                self._stack.held.setdefault(users[0].level, []).append(label)

    def _match_regions(self, gaps):
        """Entered regions by level of their gap."""
        entered = self._stack.entered
        worker = self._stack.joined is not None
        opening = [gap for gap in gaps if gap.opens_region or gap.bottom and worker]
        # Where functions have left their frames to what they called, a gap tells nothing.
        vague = [gap for gap in gaps if gap in opening or gap.entry is None and not gap.bottom]
        for candidates in (opening, [gap for gap in opening if not gap.teams], vague):
            if len(candidates) == len(entered) + 1 and candidates[0].kind == "inside":
                candidates = candidates[1:]  # on the way in or out
            if len(candidates) == len(entered):
                return {gap.level: one for gap, one in zip(candidates, entered)
                        if self._fits(gap, one)}
        return {}

    @staticmethod
    def _fits(gap, entered):
        if gap.kind != "region" or gap.body is None:
            return True
        return _function(entered.region) in (None, 0, gap.body)

    def _match_tasks(self, gaps):
        """Explicit Tasks by level of their gap."""
        if self._stack.known is None:
            return {}
        tasks, complete = nesting.explicit_tasks(self._stack.known)
        running = [gap for gap in gaps if gap.kind == "task"]
        if complete and len(running) != len(tasks):
            return {}
        bodies = [gap for gap in gaps if gap.kind in ("task", "region")]
        if not complete and tasks and (not bodies or bodies[0].kind != "task"):
            return {}
        result = {}
        for gap, task in zip(running, tasks):
            if gap.body is not None and _function(task) not in (None, 0, gap.body):
                break
            result[gap.level] = task
        return result

    def _labels(self, gap, entered, task):
        body = gap.body or (_function(task) if task is not None else None)
        place = self._walker.construct(body) if body else None
        path = names.source_path(body) if body else None
        older = self._older(gap)
        file = older.file if older is not None else None
        if gap.kind == "region":
            words, at = labels.directive("region", gap.entry, place, path) \
                if place is not None else self._region(gap, entered, file)
            return [Label(words, _facts(entered), at)]
        if gap.kind == "task":
            words, place = labels.directive("task", gap.entry, place, path)
            return self._task(gap, task, words, place, entered, file)
        if gap.kind == "inside":
            return self._inside(gap, entered, file)
        return []

    def _task(self, gap, task, words, place, entered, file):
        """A task begins; and what the thread was about when it took it."""
        own = {}
        try:
            if task is not None and task.id is not None:
                own["task"] = task.id
        except errors.OmpdError:
            pass
        found = [Label(words or "explicit task", own, place, task)]
        if entered is not None or gap.opens_region or gap.bottom:
            region, at = self._region(gap, entered, file)
            found.append(Label("run at the end of " + region, _facts(entered), at,
                               kind="inside"))
        elif gap.entry and gap.entry != "GOMP_task" and \
                not gap.entry.startswith(("GOMP_task_", "GOMP_taskloop")):
            found.append(Label("run in " + labels.inside(gap.entry, file), kind="inside"))
        return found

    def _inside(self, gap, entered, file):
        known = self._stack.known
        state = None
        try:
            state = None if known is None else known.state
        except errors.OmpdError:
            pass
        if entered is not None:
            words, place = self._region(gap, entered, file)
            at = "end of " if state == "wait_barrier_implicit" else "inside "
            return [Label(at + words, _facts(entered), place, kind="inside")]
        if gap.entry is None:
            return [Label("idle, waits for a region", kind="inside")] if state == "idle" else []
        words = labels.inside(gap.entry, file)
        if state == "wait_critical" and known.wait_id:
            name = names.critical(known.wait_id)
            words += " (%s)" % name if name else ""
        return [Label("inside " + words, kind="inside")]

    def _region(self, gap, entered, file):
        """(directive, place) of a region whose body is not on the stack."""
        function = None
        if entered is not None:
            region = entered.region
            function = _function(region) or self._story.bodies.get(region.key)
            file = file or self._story.files.get(region.key)
        place = self._walker.construct(function) if function else None
        if place is not None and place.file:
            return labels.directive("region", gap.entry, place, names.source_path(function))
        return labels.inside(gap.entry or "GOMP_parallel", file), None

    def _older(self, gap):
        for part in self._stack.parts[self._stack.parts.index(gap) + 1:]:
            return part if isinstance(part, stack.UserFrame) else None
        return None


def _elsewhere(words, thread, more=""):
    return Row(None, label=Label(words, {"thread": thread.num}, kind="other", more=more))


def _rows(of, parts):
    for part in parts:
        if isinstance(part, stack.Gap):
            for label in of.labels.get(part.level, ()):
                yield Row(of.thread, label=label)
        else:
            yield Row(of.thread, frame=part)
            for label in of.held.get(part.level, ()):
                yield Row(of.thread, label=label)


def _facts(entered):
    return {} if entered is None else nesting.number_of(entered.region, entered.number)


def _function(item):
    try:
        return item.function
    except errors.OmpdError:
        return None
