# SPDX-License-Identifier: MIT
"""Explicit tasks that are not complete, as evidence takes them: by the task that generated them,
and by their region. Of 10^5 tasks a few say all: those that have not begun and wait for the same
tasks are alike, and those that wait for others proceed if these do."""

from __future__ import annotations

from openmp_inspect.core import errors
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Collection, Dict, Hashable, List, Optional, Tuple
    from openmp_inspect.model.objects import Region
    from openmp_inspect.analysis import task_rows
    from openmp_inspect.analysis.task_rows import TaskRow

_ONCE_BEGUN = ("running", "suspended", "detached")
_MOST_WAITING = 64  # tasks that wait for other ones, of those of one parent or region
_THROTTLE = 64  # tasks for each thread that libgomp defers at most; LLVM's runtime defers more


class OpenTasks:
    def __init__(self, rows: task_rows.TaskRows) -> None:
        self.rows = rows
        self._children: Dict[Hashable, Dict[Any, TaskRow]] = {}  # key -> {what is alike: Row}
        self._of_region: Dict[Hashable, Dict[Any, TaskRow]] = {}
        self._unbegun: Dict[Hashable, int] = {}  # region's key -> how many
        self._undeferred: Dict[Hashable, TaskRow] = {}
        regions: Dict[task_rows.Family, Hashable] = {}
        for row in self.rows.all:
            if row.family.is_open:
                if row.family not in regions:
                    regions[row.family] = _region(row)
                self._add(row, regions[row.family])

    def _add(self, row: TaskRow, region: Hashable) -> None:
        begun = row.state in _ONCE_BEGUN
        if not begun:
            self._unbegun[region] = self._unbegun.get(region, 0) + 1
        elif "undeferred" in row.task.flags:
            self._undeferred.setdefault(region, row)
        parent = None if row.parent is None else row.parent.task.key
        places = [some for some in (self._children.setdefault(parent, {}),
                                    self._of_region.setdefault(region, {}))
                  if not row.predecessors or len(some) < _MOST_WAITING]
        if places:
            alike: Any = row.task.key if begun else \
                (row.state, frozenset(one.number for one, _, _ in row.predecessors))
            for some in places:
                some.setdefault(alike, row)

    def children(self, task: Hashable) -> Collection[TaskRow]:
        """Rows of those that the task with this key generated."""
        return self._children.get(task, {}).values()

    def of_region(self, region: Hashable) -> Collection[TaskRow]:
        """Rows of those of the region with this key."""
        return self._of_region.get(region, {}).values()

    def successors(self, task: Hashable) -> Tuple[Optional[TaskRow], List[TaskRow]]:
        """(The row of the begun task with this key, rows of siblings that wait for it)."""
        own = next((row for row in self.rows.all if row.task.key == task), None)
        parent = None if own is None or own.parent is None else own.parent.task.key
        return own, [] if own is None else [
            row for row in self.children(parent)
            if any(one is own for one, _, _ in row.predecessors)]

    def is_throttled(self, region: Region) -> bool:
        """Whether a thread of this model's Region executes a task at once, and there are so many
        that have not begun that the runtime defers no further ones."""
        size = errors.known(lambda: region.size)
        return bool(size) and region.key in self._undeferred and \
            self._unbegun.get(region.key, 0) >= _THROTTLE * size


def _region(row: TaskRow) -> Optional[Hashable]:
    region = errors.known(lambda: row.task.region)
    return None if region is None else region.key
