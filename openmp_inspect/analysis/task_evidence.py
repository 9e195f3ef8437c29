# SPDX-License-Identifier: MIT
"""Evidence of explicit tasks: who waits for which, and what each of those needs. Tasks are many:
they are listed when the first is asked for, once."""

from __future__ import annotations

from openmp_inspect.core import debug, errors
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.analysis import thread_rows

if TYPE_CHECKING:
    from typing import Callable, Dict, Hashable, List, Optional, Tuple
    from openmp_inspect.host.interface import Process, Sleep
    from openmp_inspect.model.objects import Region
    from openmp_inspect.analysis import task_rows
    from openmp_inspect.analysis.evidence_items import Edge, Evidence, Node
    from openmp_inspect.analysis.open_tasks import OpenTasks
    from openmp_inspect.analysis.thread_rows import ThreadRow

_BEGUN = ("running", "suspended")
_TASK = 128  # bytes in which libgomp's struct of a task leads to others


class Tasks:
    """Adds to EVIDENCE; BY_NUMBER: the Node of each thread, by the debugger's number. None is known
    before list_by()."""

    def __init__(self, evidence: Evidence, by_number: Dict[int, Node]) -> None:
        self._evidence = evidence
        self._by_number = by_number
        self._list: Optional[Callable[[], OpenTasks]] = None
        self._listed: Optional[OpenTasks] = None
        self._fresh: List[Tuple[Node, task_rows.TaskRow]] = []  # whose needs are not known yet

    def list_by(self, function: Callable[[], OpenTasks]) -> None:
        """What lists them, when the first is asked for."""
        self._list = function

    def _open(self) -> Optional[OpenTasks]:
        if self._list is not None:
            function, self._list = self._list, None
            try:
                self._listed = function()
            except (errors.OmpdError, errors.HostError):
                debug.ignored()
                self._evidence.unknown.append("tasks could not be listed")
        return self._listed

    def has_any(self, region: Optional[Hashable]) -> bool:
        """Whether the region with this key has tasks that are not complete."""
        known = self._open()
        return known is not None and bool(known.of_region(region))

    def ready(self, region: Region) -> List[Node]:
        """Those of a region that could begin."""
        known = self._open()
        if known is None:
            return []
        found = [self._node(row) for row in known.of_region(region.key) if row.state == "ready"]
        for node in found if found and known.is_throttled(region) else ():
            node.flags.add("throttled")
        return found

    def add_wait(self, row: ThreadRow, node: Node, kind: str, asleep: bool) -> bool:
        """The "taskwait" or "taskgroup" in which a thread is. False: its task is not known, or it
        has something to do there."""
        evidence = self._evidence
        known = row.known
        task = None if known is None else errors.known(lambda: known.task)
        if task is None:
            return False
        tasks = self._open()
        children = list(tasks.children(task.key)) if tasks else []
        is_llvm = thread_rows.is_of_llvm(self._evidence.stacks.process, known)
        if is_llvm and any(child.state == "ready" for child in children):
            return False  # LLVM's runtime does not sleep there: the thread begins that one
        thing, new = evidence.node((kind, task.key), "thing", kind, "runtime")
        edge = evidence.waits(node, thing, row.wait.witness,
                              asleep or is_llvm and bool(children))
        if tasks is None:
            _doubt(edge)
        if new:
            if row.region is not None:
                thing.team = evidence.team(row.region)
            for child in children:
                evidence.needs(thing, self._node(child), "runtime")
            thing.flags.add("whoever")  # where no child is known
        return True

    def add_event(self, row: ThreadRow, node: Node, sleep: Sleep) -> bool:
        """The event of an undeferred task for which the thread waits that has executed it, if that is
        what it sleeps for."""
        known = row.known
        own = None if known is None else errors.known(lambda: known.task)
        if own is None or row.call.name != "GOMP_task":
            return False
        tasks = self._open()
        ended = None if tasks is None else next(
            (one for one in tasks.rows.all if one.task.event and
             own.key in (one.task.key, one.family.above and one.family.above.key) and
             _leads_to(self._evidence.stacks.process, one.task.event, sleep.address)), None)
        if ended is None:
            node.what = "works" if tasks is not None else "asleep"  # for whatever it may be
            return tasks is None
        self._node(ended, "detached")
        node.what = "waits"
        self._evidence.waits(node, self._event(ended), "runtime", True)
        return True

    def may_run(self, region: Region) -> bool:
        """Whether a thread that has arrived at a barrier of a region may execute a task there, or end
        one: there are some with a body to execute, or somebody waits for tasks that are not known."""
        known = self._open()
        if known is None or any(row.state != "detached" for row in known.of_region(region.key)):
            return True
        needing = {edge.from_ for edge in self._evidence.edges.values() if edge.kind == "needs"}
        return any(node.what in ("taskwait", "taskgroup") and node not in needing
                   for node in self._evidence.nodes.values())

    def add_last(self, thing: Node, region: Region) -> bool:
        """All have arrived at a barrier: it waits for the team's tasks. False: there are none."""
        known = self._open()
        if known is None:
            for edge in self._evidence.edges.values():
                if edge.kind == "waits" and edge.to is thing:
                    _doubt(edge)
            return True
        rows = list(known.of_region(region.key))
        for row in rows:
            self._evidence.needs(thing, self._node(row), "runtime")
        return bool(rows)

    def add_successors(self, task: Hashable) -> bool:
        """The task with this key, if others wait for it, and those; whether there are any."""
        tasks = self._open()
        row, successors = (None, []) if tasks is None else tasks.successors(task)
        if row is not None and successors:
            for one in [row, *successors]:
                self._node(one)
        return bool(successors)

    def _node(self, row: task_rows.TaskRow, what: str = "") -> Node:
        what = "detached" if row.state == "detached" else what or \
            "begun" if row.state in _BEGUN else "created"
        node, new = self._evidence.node(("task", row.task.key), "task", what, "runtime")
        if new:
            region = errors.known(lambda: row.task.region)
            if region is not None:
                node.team = self._evidence.team(region)
            node.task, node.tasks = row, None if self._listed is None else self._listed.rows
            self._fresh.append((node, row))
        return node

    def relate(self) -> None:
        """What tasks need; those that they wait for are found on the way."""
        while self._fresh:
            node, row = self._fresh.pop()
            if node.what == "detached":
                self._evidence.needs(node, self._event(row), "runtime")
            elif node.what == "begun":
                # Of the thread that runs it, or ran it and runs another one now.
                current = self._by_number.get(row.thread) if isinstance(row.thread, int) else None
                if current is not None:
                    self._evidence.needs(node, current, "runtime")
            elif row.predecessors:
                for one, _, _ in row.predecessors:
                    self._evidence.needs(node, self._node(one), "runtime")
            else:
                node.flags.add("whoever")

    def _event(self, row: task_rows.TaskRow) -> Node:
        thing, _ = self._evidence.node(("event", row.task.key), "thing", "event", "runtime")
        thing.address = row.task.event
        thing.flags.update(("whoever", "held"))
        return thing


def _leads_to(process: Process, event: int, semaphore: int) -> bool:
    """Whether libgomp's struct of a task, which is its event, has this address in it."""
    try:
        words = process.read(event, _TASK)
    except errors.HostError:
        debug.ignored()
        return False
    size = process.pointer_size
    return semaphore.to_bytes(size, process.byte_order) in (
        words[at:at + size] for at in range(0, _TASK, size))


def _doubt(edge: Edge) -> None:
    """The event of a detached task may still be fulfilled."""
    edge.flags.discard("confirmed")
    edge.from_.flags.discard("confirmed")
