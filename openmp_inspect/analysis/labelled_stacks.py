# SPDX-License-Identifier: MIT
"""The stacks of a stopped program in the lines in which they are shown: labels between frames, and
the frames of other threads that continue a worker's own."""

from __future__ import annotations

from openmp_inspect.core import debug, errors
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.model import nesting
from openmp_inspect.stacks import segments
from openmp_inspect.stacks.labelled_stack import Label, StackRow
from openmp_inspect.analysis import thread_table
from openmp_inspect.analysis.labeller import Labeller

if TYPE_CHECKING:
    from typing import Dict, Iterator, List, Optional
    from openmp_inspect.host import interface
    from openmp_inspect.model.objects import Task
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.stacks.labelled_stack import LabelledStack
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from openmp_inspect.analysis.wait_state import WaitState

_MOST_JOINS = 64  # threads that continue each other's frames
_VAGUE = ("overhead", "not_openmp", None)  # states of which other threads may show more


def of(stacks: StitchedStacks) -> LabelledStacks:
    """Those of a process at this stop."""
    if stacks.labelled is None:
        stacks.labelled = LabelledStacks(stacks)
    found: LabelledStacks = stacks.labelled
    return found


def one_wait(stacks: StitchedStacks, snapshot: Optional[Snapshot], thread: interface.Thread,
             alone: bool) -> WaitState:
    """The WaitState of one THREAD. ALONE: no other thread can be looked at, as while a debugger
    tests a condition; then less is known."""
    with stacks.process.selection_kept():
        wait = thread_table.ThreadTable(stacks, snapshot, assume_stopped=alone).one(thread).wait
        if not alone and wait.name in _VAGUE:
            return of(stacks).wait(thread)
        return wait


class LabelledStacks:
    """Of `stacks`, StitchedStacks, and as long as these."""

    def __init__(self, stacks: StitchedStacks) -> None:
        self.stacks, self.process = stacks, stacks.process
        self._labels: Dict[LabelledStack, Dict[int, List[Label]]] = {}
        self._table: Optional[thread_table.ThreadTable] = None
        self._waits: Dict[int, WaitState] = {}  # by the number of the thread

    def wait(self, thread: interface.Thread) -> WaitState:
        """That of all commands. All threads are looked at only where one alone is not enough."""
        found, snapshot = self._waits, self.stacks.snapshot
        if thread.num not in found:
            if self._table is None:
                self._table = thread_table.ThreadTable(self.stacks, snapshot)
            found[thread.num] = self._table.one(thread).wait
            if found[thread.num].name in _VAGUE:
                found.update((row.thread.num, row.wait)
                             for row in thread_table.all_rows(self.stacks.space, snapshot) if row.thread)
        return found[thread.num]

    def labels(self, of: LabelledStack) -> Dict[int, List[Label]]:
        """By the level of the newest frame of a gap; a worker that has left the body learns from
        the primary thread where the construct is."""
        if of not in self._labels:
            joined = errors.known(lambda: of.joined)
            primary = None if joined is None else self.stacks.primary(joined)
            if primary is not None:
                self.stacks.stack(primary).matched  # pylint: disable=pointless-statement
            self._labels[of] = Labeller(self.stacks, of, lambda: self.wait(of.thread)).labels()
        return self._labels[of]

    def _own(self, of: LabelledStack, first: int = 0) -> Iterator[StackRow]:
        """Rows of a thread itself, from one of the `parts` of its LabelledStack on."""
        for part in of.parts[first:]:
            found = of.matched.held
            if isinstance(part, segments.Gap):
                found = self.labels(of)
            else:
                yield StackRow(of.thread, frame=part)
            for label in found.get(part.level, ()):
                yield StackRow(of.thread, label=label)

    def rows(self, thread: interface.Thread, created: bool = True) -> List[StackRow]:
        """All StackRows of a thread: its own, those that continue them and, if CREATED,
        those of where its tasks come from."""
        result: List[StackRow] = []
        self.stacks.learn(thread)
        for row in self._own(self.stacks.stack(thread)):
            result.append(row)
            if created and row.label is not None and row.label.task is not None:
                result += self.creation(row.label.task, thread)
        return result + self.continuation(thread)

    def own_labels(self, thread: interface.Thread) -> Iterator[Label]:
        """Those of the constructs that a thread is in, innermost first, by its own stack."""
        self.stacks.learn(thread)
        for row in self._own(self.stacks.stack(thread)):
            if row.label is not None and row.label.kind != "other":
                yield row.label

    def continuation(self, thread: interface.Thread) -> List[StackRow]:
        """Rows that continue a thread's own frames: those of the threads that encountered its
        regions, up to an initial thread."""
        result: List[StackRow] = []
        of = self.stacks.stack(thread)
        for _ in range(_MOST_JOINS):
            region = of.joined
            if region is None:
                break
            thread = self.stacks.primary(region)
            if thread is None:
                break
            self.stacks.learn(thread)
            of = self.stacks.stack(thread)
            gap = of.matched.region_gaps.get(region.key)
            if gap is None:
                result.append(_elsewhere("encountered by", thread))
                break
            result.append(_elsewhere("continued in", thread, ", which encountered the region"))
            result += self._own(of, of.parts.index(gap) + 1)
        return result

    def creation(self, task: Task, thread: interface.Thread) -> List[StackRow]:
        """Rows that show where an explicit Task was created, if its creator is not further out
        on THREAD's own stack: the frames of the creating task as they are by then, or where
        these are gone or not known, who that was."""
        try:
            parent = task.parent
            known = self.stacks.known(thread)
            if parent is None or known is not None and parent in nesting.chain(known):
                return []
            creator = nesting.thread_of(parent)
            there = None if creator is None else self.stacks.host_thread(creator)
            if there == thread:
                return []
            found = [] if there is None else self.stacks.stack(there).of_task(parent)
            if not found:
                # Of a suspended explicit task stock libgomp does not say whose it is.
                certain = task.snapshot.recorded or parent.kind == "implicit"
                return _creator(parent, there if certain else None)
        except errors.OmpdError:
            debug.ignored()
            return []
        return [_elsewhere("created in", there)] + \
            [StackRow(there, frame=part) for part in found] + [_elsewhere("back in", thread)]


def _creator(parent: Task, thread: Optional[interface.Thread]) -> List[StackRow]:
    """A row that names a task which created another, by its number and the THREAD that is in
    it, as far as these are known."""
    facts: Dict[str, int] = {}
    more = ""
    try:
        if parent.id is not None:
            facts["task"] = parent.id
        parent.state  # pylint: disable=pointless-statement
    except errors.OmpdError as error:
        debug.ignored()
        more = ", which has ended" if error.kind == "stale_handle" and facts else ""
    if thread is not None:
        facts["thread"] = thread.num
    if not facts:
        return []
    words = "created by" if "task" in facts else "created by a task of"
    return [StackRow(None, label=Label(words, facts, kind="other", more=more))]


def _elsewhere(words: str, thread: interface.Thread, more: str = "") -> StackRow:
    return StackRow(None, label=Label(words, {"thread": thread.num}, kind="other", more=more))
