# SPDX-License-Identifier: MIT
"""The stacks of a stopped program with what OpenMP has to do with them, and the frames of
other threads that continue a worker's own."""

import gdb

from ompd import callbacks, errors, frames, model, nesting, space, stack, target, text, thread_ids
from ompd.labeller import Labeller
from ompd.threadstack import Label, Row, Stack

_MOST_JOINS = 64
_MOST_MEMBERS = 64  # of a team, asked for the construct


def current():
    """The Story of the selected inferior at this stop."""
    here = space.current()
    if here.kept is not None and here.kept.limits != _limits():
        here.forget()
    if here.kept is None:
        here.kept = Story(here)
    return here.kept


def _limits():
    """The settings that say how far gdb unwinds."""
    return [gdb.parameter("backtrace " + name) for name in ("limit", "past-main", "past-entry")]


class Story:
    """Lives until the program runs on."""

    def __init__(self, here):
        self.limits = _limits()
        self.walker = frames.Walker()
        self.snapshot = None
        self.problem = None  # why only stacks tell
        self.bodies = {}  # region key -> address of its body, where a stack shows it
        self.ending = {}  # region key -> whether threads inside the runtime are at its end
        self.files = {}  # region key -> the source file it was met in
        self._stacks = {}
        self._held = None
        self._depth = 0
        try:
            self.snapshot = model.Snapshot(here.session)
            self.snapshot.threads  # pylint: disable=pointless-statement
        except (errors.OmpdError, errors.NoLibrary, gdb.MemoryError) as error:
            self.problem = error
        callbacks.raise_pending()
        self.threads = {thread_ids.lwp(t): t for t in target.threads(gdb.selected_inferior())}

    def remark(self):
        """Lines that say why stacks alone had to tell; GdbError if there is no OpenMP."""
        if self.problem is None:
            return []
        if getattr(self.problem, "fatal", False):
            raise gdb.GdbError(str(self.problem))
        return [text.remark(errors.explain(self.problem))]

    def forget(self):
        if self.snapshot is not None:
            self.snapshot.__exit__()
            self.snapshot = None

    def held_by(self, known):
        """The model's Locks of critical sections that a thread is in."""
        if known is None:
            return []
        if self._held is None:
            held = {}
            try:
                for lock in self.snapshot.locks:
                    if lock.kind == "critical" and lock.owner is not None and lock.codeptr:
                        held.setdefault(lock.owner, []).append(lock)
            except (errors.OmpdError, gdb.MemoryError):
                pass
            self._held = held
        return self._held.get(known, [])

    def known(self, thread):
        """The model's Thread of a gdb thread, or None."""
        if self.snapshot is None:
            return None
        try:
            return self.snapshot.by_lwp.get(thread_ids.lwp(thread))
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
        found = self._stacks.get(key)
        if found is None or found.top is not None and thread == gdb.selected_thread() and \
                found.top != _top():  # "return" was used, or registers were changed
            self._stacks[key] = Stack(thread, self.known(thread), self._read)
        return self._stacks[key]

    def _read(self, found):
        self._read_master(found)
        thread = found.thread
        try:
            if not thread.is_running():
                if gdb.selected_thread() != thread:
                    thread.switch()
                found.top = _top()
                found.parts = stack.read(gdb.newest_frame(), self.walker)
        except gdb.error:
            pass
        labeller = Labeller(self, found)
        labeller.match()
        return labeller.labels

    def _read_master(self, found):
        """A worker that has left the body learns from the master where the construct is."""
        if found.joined is None or self._depth >= _MOST_JOINS:
            return  # damaged memory may go in circles
        self._depth += 1
        try:
            master = self.gdb_thread(found.joined.master)
            if master is not None:
                self.stack(master).parts  # pylint: disable=pointless-statement
        except errors.OmpdError:
            pass
        finally:
            self._depth -= 1

    def construct(self, region):
        """The Place of a Region's construct as stacks tell it, or None: that of the thread
        that met it, or else one with its body. Call in selection_kept()."""
        if region.key not in self.bodies:
            try:
                members = [region.master] + region.team[:_MOST_MEMBERS]
            except errors.OmpdError:
                members = []
            for thread in map(self.gdb_thread, members):
                if thread is not None and region.key not in self.bodies:
                    self.stack(thread).parts  # pylint: disable=pointless-statement
        body = self.bodies.setdefault(region.key, None)  # looked for once
        return self.walker.construct(body) if body else None

    def learn(self, thread):
        """Finds the constructs of a thread's regions, where only stacks tell. To be called
        before the labels of its stack are asked for, in selection_kept()."""
        if self.snapshot is not None and not self.snapshot.recorded:
            for entered in self.stack(thread).entered:
                self.construct(entered.region)
                if entered.region.key not in self.ending:
                    self.ending[entered.region.key] = self._ends(entered.region)

    def _ends(self, region):
        """Whether members without a frame of the body are those that have come to the end
        of a region: libgomp counts them."""
        try:
            barrier = region.barrier
            if barrier is None or barrier.state != "wait_barrier_implicit" or \
                    region.size > _MOST_MEMBERS:
                return False
            members = [self.gdb_thread(member) for member in region.team]
        except errors.OmpdError:
            return False
        gaps = [self.stack(thread).region_gaps.get(region.key) for thread in members if thread]
        kinds = [gap.kind for gap in gaps if gap is not None]
        return barrier.is_met_by(kinds.count("inside"), kinds.count("task"))

    def rows(self, thread, created=True):
        """The whole story of a gdb thread, with where its tasks come from if CREATED. Call
        in selection_kept()."""
        result = []
        self.learn(thread)
        for row in self.stack(thread).rows():
            result.append(row)
            if created and row.label is not None and row.label.task is not None:
                result += self.creation(row.label.task, thread)
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
            self.learn(thread)
            of = self.stack(thread)
            gap = of.region_gaps.get(region.key)
            if gap is None:
                result.append(_elsewhere("met by", thread))
                break
            result.append(_elsewhere("continued in", thread, ", which met the region"))
            result += of.rows(of.parts.index(gap) + 1)
        return result

    def creation(self, task, thread):
        """Rows that tell where an explicit Task comes from, if its creator is not further out
        on THREAD's own stack: the frames of the creating task as they are by then, or where
        these are gone or not known, who that was. Call in selection_kept()."""
        try:
            parent = task.parent
            known = self.known(thread)
            if parent is None or known is not None and parent in nesting.chain(known):
                return []
            creator = nesting.thread_of(parent)
            there = None if creator is None else self.gdb_thread(creator)
            if there == thread:
                return []
            found = [] if there is None else self.stack(there).of_task(parent)
            if not found:
                # Of a suspended explicit task stock libgomp does not say whose it is.
                certain = self.snapshot.recorded or parent.kind == "implicit"
                return _creator(parent, there if certain else None)
        except errors.OmpdError:
            return []
        return [_elsewhere("created in", there)] + \
            [Row(there, frame=part) for part in found] + [_elsewhere("back in", thread)]


def _creator(parent, thread):
    """A row that names a task which created another, by its number and the THREAD that is in
    it, as far as these are known."""
    facts, more = {}, ""
    try:
        if parent.id is not None:
            facts["task"] = parent.id
        parent.state  # pylint: disable=pointless-statement
    except errors.OmpdError as error:
        more = ", which has ended" if error.kind == "stale_handle" and facts else ""
    if thread is not None:
        facts["thread"] = thread.num
    if not facts:
        return []
    words = "created by" if "task" in facts else "created by a task of"
    return [Row(None, label=Label(words, facts, kind="other", more=more))]


def _top():
    """Tells a thread's newest frame from another one; None where there is none."""
    try:
        frame = gdb.newest_frame()
        return frame.pc(), int(frame.read_register("sp"))
    except gdb.error:
        return None


def _elsewhere(words, thread, more=""):
    return Row(None, label=Label(words, {"thread": thread.num}, kind="other", more=more))
