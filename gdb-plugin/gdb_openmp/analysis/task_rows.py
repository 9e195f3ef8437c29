# SPDX-License-Identifier: MIT
"""What "ompd tasks" has to say of each task."""

from gdb_openmp.core import debug
from gdb_openmp.core.cached import optional
from gdb_openmp.core.errors import OmpdError, short
from gdb_openmp.host import inferiors, json_output, text, thread_ids, tree
from gdb_openmp.program import places, symbol_names
from gdb_openmp.stacks import stitched_stack

STATES = ("created", "ready", "waiting", "running", "suspended", "completed", "detached",
          "blocked")
_INSTEAD = " on its thread"
_MOST_REASONS = 3  # named in one row; the others are counted


class Row:
    """One task. `number` is the runtime's, or where that has none the row's own."""

    def __init__(self, task, number):
        self.task = task
        self.number = number
        self.kind = json_output.known(lambda: task.kind)
        self.state = json_output.known(lambda: task.state)
        self.thread = None  # gdb's number of the thread that runs it, or "LWP n"
        self.parent = None  # Row
        self.unlisted = None  # the number of a parent that has no row, and whether it has ended
        self.children = 0  # not complete
        self.predecessors = []  # (Row, address, (kind of the one, of the other))
        self.place = None

    def follows(self):
        """(Row, address, kind) of the one task that it has to wait for, or None."""
        if len(self.predecessors) != 1:
            return None
        one, address, kinds = self.predecessors[0]
        return one, address, kinds[1]


def _in_order(tasks):
    """Creators before what they created."""
    def above(task):
        parent = json_output.known(lambda: task.parent)
        return None if parent is None else parent.key

    roots, children = tree.grow(tasks, lambda task: task.key, above)
    return [task for task, _lead in tree.walk(
        roots, lambda task: children.get(task.key, []))]


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
        self._numbers = {thread_ids.lwp(t): t.num for t in inferiors.threads(inferior)}
        self._walker = stitched_stack.current().walker
        self._places = places.Places()
        self._written = {}  # by id() of a place, which its row keeps
        self._current = {}
        tasks = snapshot.tasks
        ids = {task.key: task.id for task in tasks}
        self.numbered = None not in ids.values()
        if self.numbered:
            tasks = sorted(tasks, key=lambda task: task.id)
        else:
            tasks = _in_order(tasks)
        self._rows = {task.key: Row(task, ids[task.key] if self.numbered else at)
                      for at, task in enumerate(tasks, 1)}
        self.all = list(self._rows.values())
        for thread in snapshot.threads:
            task = json_output.known(lambda: thread.task)  # pylint: disable=cell-var-from-loop
            if task is not None:
                self._current[task.key] = thread
        for row in self.all:
            self._relate(row)
        for one, other, address, kinds in snapshot.dependences:
            if one.key in self._rows and other.key in self._rows:
                self._rows[other.key].predecessors.append((self._rows[one.key], address, kinds))

    def _relate(self, row):
        task = row.task
        parent = json_output.known(lambda: task.parent)
        row.parent = None if parent is None else self._rows.get(parent.key)
        if parent is not None and row.parent is None and self.numbered:
            row.unlisted = json_output.known(lambda: _unlisted(parent))
        if row.parent is not None and row.kind == "explicit" and row.state != "completed":
            row.parent.children += 1
        thread = self._current.get(task.key) or json_output.known(lambda: task.thread)
        lwp = None if thread is None else json_output.known(lambda: thread.lwp)
        if lwp is not None:
            row.thread = self._numbers.get(lwp, "LWP %d" % lwp)

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
        task = row.task
        if row.kind == "initial":
            return "initial"
        try:
            function = task.function
            row.place = self._walker.construct(function) if function else None
        except OmpdError as error:
            if error.kind not in ("needs_state_tracking", "unavailable", "unsupported"):
                return short(error)
        if row.place is None or not (row.place.function or row.place.line):
            call = json_output.known(lambda: task.codeptr)
            row.place = (self._places.call(call) if call else None) or row.place
        if row.place is None:
            return "implicit" if row.kind == "implicit" else "not tracked"
        words = self._written.get(id(row.place))
        if words is None:
            words = self._written[id(row.place)] = text.place(row.place)
        return words

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
        return symbol_names.object_at(address) or "%#x" % address

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
                            "object": symbol_names.object_at(address), "kind": kinds[1]}
                           for one, address, kinds in row.predecessors],
            "event": json_output.address(json_output.known(lambda: row.task.event)),
            "serial": json_output.known(lambda: row.task.serial)}
        answer.update(json_output.place_facts(row.place))
        return answer
