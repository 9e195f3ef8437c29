# SPDX-License-Identifier: MIT
"""What "ompd tasks" has to say of each task."""

from gdb_openmp.core import debug
from gdb_openmp.core.cached import optional
from gdb_openmp.core.errors import OmpdError, short
from gdb_openmp.host import json_output, text, thread_ids, tree
from gdb_openmp.program import places, symbol_names
from gdb_openmp.stacks import stitched_stack

STATES = ("created", "ready", "waiting", "running", "suspended", "completed", "detached",
          "blocked")
_INSTEAD = " on its thread"
_MOST_REASONS = 3  # named in one row; the others are counted


class Family:
    """What tasks have in common that differ in their numbers and dependences only: there may be
    10^5 of them, and few families."""

    __slots__ = ("task", "kind", "state", "thread", "above", "parent", "unlisted", "place",
                 "words")

    def __init__(self, task):
        self.task = task  # one of them
        self.kind = json_output.known(lambda: task.kind)
        self.state = json_output.known(lambda: task.state)
        self.above = json_output.known(lambda: task.parent)
        self.thread = None  # gdb's number of the thread that runs them, or "LWP n"
        self.parent = None  # Row
        self.unlisted = None  # the number of a parent that has no row, and whether it has ended
        self.place = self.words = None  # where the construct is, as Rows.place() finds it

    @property
    def may_depend(self):
        """Whether they may wait for other tasks by their depend clauses."""
        return self.kind in (None, "explicit") and self.state in (None, "created", "waiting")

    @property
    def is_open(self):
        return self.kind == "explicit" and self.state != "completed"


def _of_family(name):
    """An attribute of a Row that is one of its Family."""
    def get(self):
        return getattr(self.family, name)
    return property(get)


class Row:
    """One task. `number` is that of its record, or without one the row's own."""

    __slots__ = ("task", "number", "family", "children", "predecessors")

    def __init__(self, task, family):
        self.task = task
        self.family = family
        self.number = None
        self.children = 0  # not complete
        self.predecessors = ()  # (Row, address, (kind of the one, of the other))

    kind = _of_family("kind")
    state = _of_family("state")
    thread = _of_family("thread")
    parent = _of_family("parent")
    unlisted = _of_family("unlisted")
    place = _of_family("place")

    def follows(self):
        """(Row, address, kind) of the one task that it has to wait for, or None."""
        if len(self.predecessors) != 1:
            return None
        one, address, kinds = self.predecessors[0]
        return one, address, kinds[1]


def _in_order(rows):
    """Creators before what they created."""
    def above(row):
        return row.family.above and row.family.above.key

    roots, children = tree.grow(rows, lambda row: row.task.key, above)
    return [row for row, _lead in tree.walk(
        roots, lambda row: children.get(row.task.key, ()))]


def _unlisted(task):
    """(number, whether it has ended) of a Task."""
    number = task.id
    if number is None:
        return None
    try:
        task.state  # pylint: disable=pointless-statement
    except OmpdError as error:
        debug.ignored()
        return number, error.kind == "stale_handle"
    return number, False


class Rows:
    """All tasks of a snapshot, and where they stand to each other."""

    def __init__(self, inferior, snapshot, threads):
        """THREADS: the thread_rows.Row of all."""
        self._waits = {row.known.key: row.wait for row in threads if row.known is not None}
        self._numbers = {thread_ids.lwp(t): t.num for t in thread_ids.threads(inferior)}
        self._walker = stitched_stack.current().walker
        self._places = places.Places()
        self._objects = {}  # by address
        self._current = {}
        for thread in snapshot.threads:
            task = json_output.known(lambda: thread.task)  # pylint: disable=cell-var-from-loop
            if task is not None:
                self._current[task.key] = thread
        self._families = []
        self._recorded = snapshot.recorded
        rows = self._grouped(snapshot)
        self.all = sorted((row for row in rows if row.number is not None),
                          key=lambda row: row.number)
        # In a recorded program that of a worker which has not begun its implicit task, too.
        highest = self.all[-1].number if self.all else 0
        for row in _in_order([row for row in rows if row.number is None]):
            highest += 1
            row.number = highest
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

    def _add_dependences(self, snapshot):
        for one, other, address, kinds in snapshot.dependences:
            before, after = self._rows.get(one.key), self._rows.get(other.key)
            if before is None or after is None:
                continue
            if not after.predecessors:
                after.predecessors = []
            after.predecessors.append((before, address, kinds))

    def _grouped(self, snapshot):
        """Rows with their Families. Of an explicit task whose state the survey of all tasks has
        that survey has everything; others are families of their own."""
        known, rows = {}, []
        for task in snapshot.tasks:
            facts = task.facts if snapshot.bulk and task.key not in self._current else None
            family = known.get(id(facts))
            if family is None:
                family = Family(task)
                self._families.append(family)
                if facts is not None and facts.kind == "explicit" and facts.state is not None:
                    known[id(facts)] = family
            row = Row(task, family)
            row.number = task.id if self._recorded else None
            rows.append(row)
        return rows

    def _relate(self, family):
        task, parent = family.task, family.above
        family.parent = None if parent is None else self._rows.get(parent.key)
        if parent is not None and family.parent is None and self._recorded:
            family.unlisted = json_output.known(lambda: _unlisted(parent))
        thread = self._current.get(task.key) or json_output.known(lambda: task.thread)
        lwp = None if thread is None else json_output.known(lambda: thread.lwp)
        if lwp is not None:
            family.thread = self._numbers.get(lwp, "LWP %d" % lwp)

    def alike(self, row):
        """A key that rows share whose cells differ in their number only; None: no other has
        them."""
        if row.task.key in self._current:
            return None
        if not row.predecessors:
            return row.family
        return (row.family, len(row.predecessors), *row.predecessors[:_MOST_REASONS])

    def are_alike(self, one, other):
        """Whether two rows differ in their numbers and in what they wait for only."""
        return one.family is other.family and other.task.key not in self._current

    # Cells

    def name(self, row):
        return "%d" % row.number

    def thread(self, row):
        """The thread that runs it, as text, or None."""
        return text.thread(row.thread) if isinstance(row.thread, int) else row.thread

    def creator(self, row):
        """The number of the task that generated it, as text."""
        if row.parent is not None:
            return self.name(row.parent)
        if row.unlisted is None:
            return "-"
        return "(%d)" % row.unlisted[0] if row.unlisted[1] else "%d" % row.unlisted[0]

    def place(self, row):
        """Where the construct is, as text; sets the row's place."""
        family = row.family
        if family.words is None:
            family.words = self._place(family)
        return family.words

    def _place(self, family):
        task = family.task
        if family.kind == "initial":
            return "initial"
        place = None
        try:
            function = task.function
            place = self._walker.construct(function) if function else None
        except OmpdError as error:
            if error.kind not in ("needs_state_tracking", "unavailable", "unsupported"):
                return short(error)
        if place is None or not (place.function or place.line):
            call = json_output.known(lambda: task.codeptr)
            place = (self._places.call(call) if call else None) or place
        family.place = place
        if place is None:
            return "implicit" if family.kind == "implicit" else "not tracked"
        return text.place(place)

    def kind_of_state(self, row):
        """One of STATES, or None: "blocked" where its thread waits, or sleeps for it."""
        return row.state if self._wait(row) is None else "blocked"

    def state(self, row):
        wait = self._wait(row)
        if wait is not None:
            return wait.words.replace("wait ", "in ", 1)
        return row.state or "-"

    def _wait(self, row):
        """The WaitState of the thread that waits in this task, or None."""
        thread = self._current.get(row.task.key)
        wait = None if thread is None else self._waits.get(thread.key)
        return wait if wait is not None and (wait.is_wait or wait.name == "in_call") else None

    def blocked(self, row):
        """What keeps the task from going on, as text."""
        if row.predecessors:
            return self._dependences(row)
        if row.state == "detached":
            return "its event" + (" %#x" % row.task.event if row.task.event else "")
        wait = self._wait(row)
        if wait is not None and wait.name == "wait_taskwait":
            return text.count(row.children, "child task") if row.children else "child tasks"
        if wait is not None:
            return wait.waits_for(short=True)
        if row.state == "suspended":
            return self._runs_instead(row)
        return "-"

    def doing(self, row):
        """Its state and what keeps it from going on, as text."""
        blocked = self.blocked(row)
        if blocked == "-":
            return self.state(row)
        if blocked.endswith(_INSTEAD):
            return "suspended for " + blocked[:-len(_INSTEAD)]
        return "%s: %s" % (self.state(row), blocked)

    def _runs_instead(self, row):
        thread = json_output.known(lambda: row.task.thread)
        current = None if thread is None else json_output.known(lambda: thread.task)
        if current is None or current.key not in self._rows or current == row.task:
            return "-"
        return "task %s%s" % (self.name(self._rows[current.key]), _INSTEAD)

    def _dependences(self, row):
        seen = ["task %s" % self.name(one) + (
            " (%s %s)" % (kinds[1], self.object(address)) if address else "")
                for one, address, kinds in row.predecessors[:_MOST_REASONS]]
        more = len(row.predecessors) - len(seen)
        return ", ".join(seen) + (", and %d more" % more if more else "")

    def object(self, address):
        """What a depend clause names."""
        return self._object(address) or "%#x" % address

    def _object(self, address):
        if address not in self._objects:
            self._objects[address] = symbol_names.object_at(address)
        return self._objects[address]

    def region(self, row):
        """The number of the region around it, or None."""
        region = json_output.known(lambda: row.task.region)
        return None if region is None else optional(lambda: region.id, "unsupported")

    def facts(self, row):
        """The row as an object for JSON."""
        self.place(row)
        wait = self._wait(row)
        answer = {
            "id": row.number, "kind": row.kind, "state": row.state,
            "flags": sorted(json_output.known(lambda: row.task.flags) or ()),
            "creator": row.parent.number if row.parent else row.unlisted and row.unlisted[0],
            "thread": row.thread, "region": json_output.known(lambda: self.region(row)),
            "children": row.children,
            "waits_in": None if wait is None else wait.name,
            "call": None if wait is None else wait.call,
            "blocked_by": [{"task": one.number, "address": json_output.address(address),
                            "object": self._object(address), "kind": kinds[1]}
                           for one, address, kinds in row.predecessors],
            "event": json_output.address(json_output.known(lambda: row.task.event)),
            "serial": json_output.known(lambda: row.task.serial)}
        answer.update(json_output.place_facts(row.place))
        return answer
