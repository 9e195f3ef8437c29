# SPDX-License-Identifier: MIT
"""What "ompd tasks" has to say of each task."""

from __future__ import annotations

from openmp_inspect.core import debug, errors, json_output, text, tree
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.stacks import stitched_stack

if TYPE_CHECKING:
    from typing import Any, Dict, Hashable, List, Optional, Sequence, Tuple, Union
    from openmp_inspect.bindings.query import DependenceKinds
    from openmp_inspect.model.objects import Task, Thread
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.code.places import Place
    from openmp_inspect.analysis import thread_rows
    from openmp_inspect.analysis.wait_state import WaitState

    # There may be 10^5 of them: plain tuples.
    Predecessor = Tuple["TaskRow", int, DependenceKinds]  # the address that both name
    Followed = Tuple["TaskRow", int, str]  # the same with the kind of the one that follows

STATES = ("created", "ready", "waiting", "running", "suspended", "completed", "detached",
          "blocked")
_INSTEAD = " on its thread"
_MOST_REASONS = 3  # named in one row; the others are counted


class Unlisted(NamedTuple):
    """A parent that has no row."""

    number: int
    has_ended: bool


class Family:
    """What tasks have in common that differ in their numbers and dependences only: there may be
    10^5 of them, and few families."""

    __slots__ = ("task", "kind", "state", "thread", "above", "parent", "unlisted", "place",
                 "words")

    kind: Optional[str]
    state: Optional[str]
    above: Optional[Task]

    def __init__(self, task: Task) -> None:
        self.task = task  # one of them
        self.kind = errors.known(lambda: task.kind)
        self.state = errors.known(lambda: task.state)
        self.above = errors.known(lambda: task.parent)
        # The debugger's number of the thread that runs them, or "LWP n".
        self.thread: Union[int, str, None] = None
        self.parent: Optional[TaskRow] = None
        self.unlisted: Optional[Unlisted] = None
        # Where the construct is, as TaskRows.place() finds it.
        self.place: Optional[Place] = None
        self.words: Optional[str] = None

    @property
    def may_depend(self) -> bool:
        """Whether they may wait for other tasks by their depend clauses."""
        return self.kind in (None, "explicit") and self.state in (None, "created", "waiting")

    @property
    def is_open(self) -> bool:
        return self.kind == "explicit" and self.state != "completed"


def _of_family(name: str) -> Any:
    """An attribute of a TaskRow that is one of its Family."""
    def get(self: TaskRow) -> Any:
        return getattr(self.family, name)
    return property(get)


class TaskRow:
    """One task. `number` is that of its record, or without one the row's own."""

    __slots__ = ("task", "number", "family", "children", "predecessors")

    number: int

    def __init__(self, task: Task, family: Family) -> None:
        self.task = task
        self.family = family
        self.children = 0  # not complete
        self.predecessors: Sequence[Predecessor] = ()

    kind: Optional[str] = _of_family("kind")
    state: Optional[str] = _of_family("state")
    thread: Union[int, str, None] = _of_family("thread")
    parent: Optional[TaskRow] = _of_family("parent")
    unlisted: Optional[Unlisted] = _of_family("unlisted")
    place: Optional[Place] = _of_family("place")

    def follows(self) -> Optional[Followed]:
        """(Row, address, kind) of the one task that it has to wait for, or None."""
        if len(self.predecessors) != 1:
            return None
        one, address, kinds = self.predecessors[0]
        return one, address, kinds[1]


def _in_order(rows: Sequence[TaskRow]) -> List[TaskRow]:
    """Creators before what they created."""
    def above(row: TaskRow) -> Optional[Hashable]:
        return row.family.above and row.family.above.key

    roots, children = tree.grow(rows, lambda row: row.task.key, above)
    return [row for row, _lead in tree.walk(
        roots, lambda row: children.get(row.task.key, ()))]


def _unlisted(task: Task) -> Optional[Unlisted]:
    """Of a Task, if it has a number."""
    number = task.id
    if number is None:
        return None
    try:
        task.state  # pylint: disable=pointless-statement
    except errors.OmpdError as error:
        debug.ignored()
        return Unlisted(number, error.kind == "stale_handle")
    return Unlisted(number, False)


class TaskRows:
    """All tasks of a snapshot, and where they stand to each other."""

    def __init__(self, snapshot: Snapshot,
                 threads: Sequence[thread_rows.ThreadRow]) -> None:
        """THREADS: the thread_rows.ThreadRow of all."""
        self._waits = {row.known.key: row.wait for row in threads if row.known is not None}
        self._stacks = stitched_stack.of(snapshot.space)
        self._numbers = {lwp: thread.num for lwp, thread in self._stacks.threads.items()}
        self._walker = self._stacks.walker
        self._objects: Dict[int, Optional[Name]] = {}  # by address
        self._current: Dict[Hashable, Thread] = {}
        for thread in snapshot.threads:
            task = errors.known(lambda: thread.task)  # pylint: disable=cell-var-from-loop
            if task is not None:
                self._current[task.key] = thread
        self._families: List[Family] = []
        self._recorded = snapshot.recorded
        numbered, others = self._grouped(snapshot)
        self.all = sorted(numbered, key=lambda row: row.number)
        # In a recorded program that of a worker which has not begun its implicit task, too.
        highest = self.all[-1].number if self.all else 0
        for number, row in enumerate(_in_order(others), highest + 1):
            row.number = number
            self.all.append(row)
        self._rows = {row.task.key: row for row in self.all}
        for family in self._families:
            self._relate(family)
        for row in self.all:
            family = row.family
            if family.parent is not None and family.is_open:
                family.parent.children += 1
        if any(family.may_depend for family in self._families):
            self._add_dependences(snapshot)

    def _add_dependences(self, snapshot: Snapshot) -> None:
        found: Dict[TaskRow, List[Predecessor]] = {}
        for one, other, address, kinds in snapshot.dependences:
            before, after = self._rows.get(one.key), self._rows.get(other.key)
            if before is not None and after is not None:
                found.setdefault(after, []).append((before, address, kinds))
        for row, predecessors in found.items():
            row.predecessors = predecessors

    def _grouped(self, snapshot: Snapshot) -> Tuple[List[TaskRow], List[TaskRow]]:
        """Rows with their Families: those with a record and its number, and others. Of an explicit
        task whose state the survey of all tasks has that survey has everything; others are
        families of their own."""
        known: Dict[int, Family] = {}  # by the id() of the facts that they have in common
        numbered, others = [], []
        for task in snapshot.tasks:
            facts = task.facts if snapshot.bulk and task.key not in self._current else None
            family = known.get(id(facts))
            if family is None:
                family = Family(task)
                self._families.append(family)
                if facts is not None and facts.kind == "explicit" and facts.state is not None:
                    known[id(facts)] = family
            row = TaskRow(task, family)
            number = task.id if self._recorded else None
            if number is None:
                others.append(row)
            else:
                row.number = number
                numbered.append(row)
        return numbered, others

    def _relate(self, family: Family) -> None:
        task, parent = family.task, family.above
        family.parent = None if parent is None else self._rows.get(parent.key)
        if parent is not None and family.parent is None and self._recorded:
            family.unlisted = errors.known(lambda: _unlisted(parent))
        thread = self._current.get(task.key) or errors.known(lambda: task.thread)
        lwp = None if thread is None else errors.known(lambda: thread.lwp)
        if lwp is not None:
            family.thread = self._numbers.get(lwp, "LWP %d" % lwp)

    def alike(self, row: TaskRow) -> Optional[Hashable]:
        """A key that rows share whose cells differ in their number only; None: no other has
        them."""
        if row.task.key in self._current:
            return None
        if not row.predecessors:
            return row.family
        return (row.family, len(row.predecessors), *row.predecessors[:_MOST_REASONS])

    def are_alike(self, one: TaskRow, other: TaskRow) -> bool:
        """Whether two rows differ in their numbers and in what they wait for only."""
        return one.family is other.family and other.task.key not in self._current

    # Cells

    def name(self, row: TaskRow) -> str:
        return "%d" % row.number

    def thread(self, row: TaskRow) -> Optional[str]:
        """The thread that runs it, as text, or None."""
        return text.thread(row.thread) if isinstance(row.thread, int) else row.thread

    def creator(self, row: TaskRow) -> str:
        """The number of the task that generated it, as text."""
        if row.parent is not None:
            return self.name(row.parent)
        if row.unlisted is None:
            return "-"
        return ("(%d)" if row.unlisted.has_ended else "%d") % row.unlisted.number

    def place(self, row: TaskRow) -> str:
        """Where the construct is, as text; sets the row's place."""
        family = row.family
        if family.words is None:
            family.words = self._place(family)
        return family.words

    def _place(self, family: Family) -> str:
        task = family.task
        if family.kind == "initial":
            return "initial"
        place = None
        try:
            function = task.function
            place = self._walker.construct(function) if function else None
        except errors.OmpdError as error:
            if error.kind not in ("needs_state_tracking", "unavailable", "unsupported"):
                return errors.short(error)
        if place is None or not (place.function or place.line):
            place = self._walker.call(errors.known(lambda: task.codeptr)) or place
        family.place = place
        if place is None:
            return "implicit" if family.kind == "implicit" else "not tracked"
        return text.place(place)

    def kind_of_state(self, row: TaskRow) -> Optional[str]:
        """One of STATES, or None: "blocked" where its thread waits, or sleeps for it."""
        return row.state if self._wait(row) is None else "blocked"

    def state(self, row: TaskRow) -> str:
        wait = self._wait(row)
        if wait is not None:
            return wait.words.replace("wait ", "in ", 1)
        state, device = row.state or "-", row.task.device
        return state if device is None else \
            ("%s on device %d" if state == "running" else "%s, device %d") % (state, device)

    def _wait(self, row: TaskRow) -> Optional[WaitState]:
        """The WaitState of the thread that waits in this task, or None."""
        thread = self._current.get(row.task.key)
        wait = None if thread is None else self._waits.get(thread.key)
        return wait if wait is not None and (wait.is_wait or wait.name == "in_call") else None

    def blocked(self, row: TaskRow) -> str:
        """What keeps the task from going on, as text."""
        if row.predecessors:
            return self._dependences(row)
        if row.state == "detached":
            return "its event" + (" %#x" % row.task.event if row.task.event else "")
        wait = self._wait(row)
        if wait is not None and wait.name == "wait_taskwait":
            return text.count(row.children, "child task") if row.children else "child tasks"
        if wait is not None:
            return wait.waits_for(short=True).raw
        if row.state == "suspended":
            return self._runs_instead(row)
        return "-"

    def doing(self, row: TaskRow) -> str:
        """Its state and what keeps it from going on, as text."""
        blocked = self.blocked(row)
        if blocked == "-":
            return self.state(row)
        if blocked.endswith(_INSTEAD):
            return "suspended for " + blocked[:-len(_INSTEAD)]
        return "%s: %s" % (self.state(row), blocked)

    def _runs_instead(self, row: TaskRow) -> str:
        thread = errors.known(lambda: row.task.thread)
        current = None if thread is None else errors.known(lambda: thread.task)
        if current is None or current.key not in self._rows or current == row.task:
            return "-"
        return "task %s%s" % (self.name(self._rows[current.key]), _INSTEAD)

    def _dependences(self, row: TaskRow) -> str:
        seen = ["task %s" % self.name(one) + (
            " (%s %s)" % (kinds[1], self.object(address).raw) if address else "")
                for one, address, kinds in row.predecessors[:_MOST_REASONS]]
        more = len(row.predecessors) - len(seen)
        return ", ".join(seen) + (", and %d more" % more if more else "")

    def object(self, address: int) -> Name:
        """What a depend clause names."""
        return self._object(address) or Name("%#x" % address)

    def _object(self, address: int) -> Optional[Name]:
        if address not in self._objects:
            self._objects[address] = self._stacks.object_at(address)
        return self._objects[address]

    def region(self, row: TaskRow) -> Optional[int]:
        """The number of the region around it, or None."""
        region = errors.known(lambda: row.task.region)
        return None if region is None else region.id

    def facts(self, row: TaskRow) -> Dict[str, Any]:
        """The row as an object for JSON."""
        self.place(row)
        wait = self._wait(row)
        answer = {
            "id": row.number, "kind": row.kind, "state": row.state,
            "flags": sorted(errors.known(lambda: row.task.flags) or ()),
            "creator": row.parent.number if row.parent else row.unlisted and row.unlisted.number,
            "thread": row.thread, "region": errors.known(lambda: self.region(row)),
            "children": row.children,
            "waits_in": None if wait is None else wait.name,
            "call": None if wait is None else wait.call,
            "blocked_by": [{"task": one.number, "address": json_output.address(address),
                            "object": json_output.exact(self._object(address)), "kind": kinds[1]}
                           for one, address, kinds in row.predecessors],
            "device": row.task.device,
            "event": json_output.address(errors.known(lambda: row.task.event)),
            "serial": errors.known(lambda: row.task.serial)}
        answer.update(json_output.place_facts(row.place))
        return answer
