# SPDX-License-Identifier: MIT
"""Tasks as a table and as a tree. Tasks that differ in their numbers only share a line.

These are those of a loop that creates a task in each iteration,

    70-129   ready x60       -  21        go () at deep.c:9     -

where each has generated the next, those of a recursion:

    3-68     suspended x66   1  2, chain  go () at deep.c:15    child task

and, where each has to wait for the one before, those that follow from each other:

    4-1002   waiting x999    -  2         main () at dep.c:9    task 3 (inout grid), chain
"""

from __future__ import annotations

import json

from openmp_inspect.core import errors, text, tree
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.analysis.task_rows import TaskRow, TaskRows

if TYPE_CHECKING:
    from typing import Any, Dict, Hashable, Iterator, List, Optional, Sequence, Tuple

HEAD = ["Id", "State", "Thread", "From", "Task", "Blocked by"]
_FROM = 3  # its column
_BLOCKED = 5
_KEYS = {_FROM: "creator", _BLOCKED: "blocked_by"}  # in JSON
_CELL = 26  # the most that a column of a wide table takes, but for rows that need more
_FEWEST = 3  # tasks that share a line
_MOST_RANGES = 3  # of numbers in one cell


class _Line:
    """Tasks that may share a line, and the cells of the first. `chain` is the column in which
    each names the one before it, or None."""

    __slots__ = ("rows", "cells", "chain")

    def __init__(self, row: TaskRow, cells: List[str]) -> None:
        self.rows = [row]
        self.cells = cells
        self.chain: Optional[int] = None

    @property
    def chain_key(self) -> Optional[str]:
        return None if self.chain is None else _KEYS[self.chain]

    def take(self, row: TaskRow, cells: List[str]) -> bool:
        """Adds ROW if the last task has generated it or is all that it waits for, and they
        differ in nothing else."""
        if row.parent is self.rows[-1]:
            column = _FROM
        elif _is_next(self.rows[0], self.rows[-1], row):
            column = _BLOCKED
        else:
            return False
        if self.chain != column and len(self.rows) > 1 or \
                cells[1:column] + cells[column + 1:] != \
                self.cells[1:column] + self.cells[column + 1:]:
            return False
        self.chain = column
        self.rows.append(row)
        return True

    def goes_on(self, rows: TaskRows, row: TaskRow) -> bool:
        """The same for one that is known to wait for the last task, before its cells are made."""
        if self.chain == _BLOCKED and rows.are_alike(self.rows[-1], row) and \
                _is_next(self.rows[0], self.rows[-1], row):
            self.rows.append(row)
            return True
        return False

    def table_rows(self, rows: TaskRows) -> List[List[str]]:
        if len(self.rows) < _FEWEST:
            return [_cells(rows, row) for row in self.rows]
        _, state, *rest = self.cells
        found = [_numbers(self.rows), "%s x%d" % (state, len(self.rows)), *rest]
        if self.chain is not None:
            found[self.chain] += ", chain"
        return [found]


def table(rows: TaskRows, chosen: List[TaskRow]) -> List[str]:
    """Lines of the tasks CHOSEN from ROWS; equal ones stand where the first does."""
    return text.fitted([HEAD] + cells(rows, chosen), most=_CELL)


def cells(rows: TaskRows, chosen: List[TaskRow]) -> List[List[str]]:
    """The rows of that table."""
    return [found for line in _lines(rows, chosen) for found in line.table_rows(rows)]


def merged_facts(rows: TaskRows, chosen: List[TaskRow]) -> List[Dict[str, Any]]:
    """The same as objects for JSON."""
    found: List[Dict[str, Any]] = []
    for line in _lines(rows, chosen):
        alike: Dict[str, Tuple[Dict[str, Any], List[int]]] = {}
        asked: Dict[Hashable, str] = {}
        for row in line.rows:
            # What rows of a family may differ in.
            own = row.family, row.children, errors.known(lambda: row.task.event), *(
                () if line.chain == _BLOCKED else row.predecessors)
            if own not in asked:
                facts = rows.facts(row)
                del facts["id"], facts["serial"]
                asked[own] = json.dumps(
                    {name: fact for name, fact in facts.items() if name != line.chain_key})
                alike.setdefault(asked[own], (facts, []))
            alike[asked[own]][1].append(row.number)
        found += [dict({"ids": text.successive(ids), "count": len(ids),
                        "chain": line.chain_key if len(ids) > 1 else None}, **facts)
                  for facts, ids in alike.values()]
    return found


def _lines(rows: TaskRows, chosen: List[TaskRow]) -> List[_Line]:
    lines: List[_Line] = []
    equal: Dict[Tuple[str, ...], _Line] = {}
    last: Dict[int, _Line] = {}  # by the number of its last task
    written: Dict[Hashable, List[str]] = {}
    for row in chosen:
        follows = row.follows()
        line = None if follows is None else last.get(follows[0].number)
        if line and line.goes_on(rows, row):
            last[row.number] = line
            continue
        alike = rows.alike(row)
        cells = written.get(alike) if alike is not None else None
        if cells is None:
            cells = _cells(rows, row)
            if alike is not None:
                written[alike] = cells
        for before in (row.parent, None if follows is None else follows[0]):
            line = None if before is None else last.get(before.number)
            if line and line.take(row, cells):
                break
        else:
            key = tuple(cells[1:])
            line = equal.get(key)
            if line is None or line.chain is not None:
                line = equal[key] = _Line(row, cells)
                lines.append(line)
            else:
                line.rows.append(row)
        last[row.number] = line
    return lines


def _is_next(first: TaskRow, last: TaskRow, row: TaskRow) -> bool:
    """Whether ROW has to wait for LAST alone, by clauses that name what those name for which
    FIRST has to wait."""
    begins, follows = first.follows(), row.follows()
    return begins is not None and follows is not None and follows[0] is last and \
        follows[1:] == begins[1:]


def with_creators(chosen: List[TaskRow]) -> List[TaskRow]:
    """Those tasks and their ancestors, by number."""
    found = {row.number: row for row in chosen}
    for row in chosen:
        above = row.parent
        while above is not None and above.number not in found:
            found[above.number] = above
            above = above.parent
    return [found[number] for number in sorted(found)]


def as_tree(rows: TaskRows, chosen: List[TaskRow]) -> List[str]:
    """Lines of the same, each task below the one that generated it."""
    roots, below = tree.grow(chosen, lambda row: row.number,
                             lambda row: row.parent.number if row.parent else None)
    branches = {row.number: _Branch(row, _said(rows, row)) for row in chosen}

    def children(branch: _Branch) -> List[_Branch]:
        return _merged([branches[row.number] for row in below.get(branch.rows[-1].number, ())],
                       below, branches)

    lines: List[List[str]] = []
    leads: List[str] = []
    for branch, lead in tree.walk(_merged([branches[row.number] for row in roots], below,
                                          branches), children):
        lines.append([lead + branch.called(), *branch.said])
        leads.append(tree.continued(lead))
    return text.fitted(lines, _CELL, leads)


class _Branch:
    """A task of a tree with those that share its line."""

    __slots__ = ("rows", "said", "is_chain")

    def __init__(self, row: TaskRow, said: List[str]) -> None:
        self.rows = [row]
        self.said = said
        self.is_chain = False

    def called(self) -> str:
        if len(self.rows) == 1:
            return "task %d" % self.rows[0].number
        return "%stasks %s" % ("chain of %d " % len(self.rows) if self.is_chain else
                               "%d " % len(self.rows), _numbers(self.rows))


def _merged(branches: Sequence[_Branch], below: Dict[int, List[TaskRow]],
            known: Dict[int, _Branch]) -> List[_Branch]:
    """BRANCHES below one task, equal leaves merged, and each with the chain that begins there."""
    found: List[_Branch] = []
    leaves: Dict[Tuple[str, ...], List[_Branch]] = {}
    for branch in _successions(branches, below):
        if below.get(branch.rows[0].number):
            found.append(_chain(branch, below, known))
            continue
        alike = leaves.setdefault(tuple(branch.said), [])
        alike.append(branch)
        if len(alike) < _FEWEST:
            found.append(branch)
        else:
            if len(alike) == _FEWEST:
                found.remove(alike[1])
                alike[0].rows += alike[1].rows
            alike[0].rows += branch.rows
    return found


def _successions(branches: Sequence[_Branch], below: Dict[int, List[TaskRow]]) -> Iterator[_Branch]:
    """BRANCHES, of which leaves share one where each has to wait for the one before."""
    runs: List[List[_Branch]] = []
    for branch in branches:
        run = runs[-1] if runs else None
        if run and not below.get(branch.rows[0].number) and \
                not below.get(run[-1].rows[0].number) and run[0].said[:-1] == branch.said[:-1] \
                and _is_next(run[0].rows[0], run[-1].rows[0], branch.rows[0]):
            run.append(branch)
        else:
            runs.append([branch])
    for run in runs:
        if len(run) < _FEWEST:
            yield from run
        else:
            run[0].rows = [branch.rows[0] for branch in run]
            run[0].said[-1] += ", chain"
            yield run[0]


def _chain(first: _Branch, below: Dict[int, List[TaskRow]], known: Dict[int, _Branch]) -> _Branch:
    rows = [first.rows[0]]
    while True:
        following = below.get(rows[-1].number, [])
        if len(following) != 1 or known[following[0].number].said != first.said:
            break
        rows.append(following[0])
    if len(rows) >= _FEWEST:
        first.rows, first.is_chain = rows, True
    return first


def _said(rows: TaskRows, row: TaskRow) -> List[str]:
    return [rows.place(row), "thread %s" % rows.thread(row) if row.thread is not None else "",
            text.worded(rows.doing(row))]


def _cells(rows: TaskRows, row: TaskRow) -> List[str]:
    return [rows.name(row), rows.state(row), rows.thread(row) or "-",
            rows.creator(row), rows.place(row), text.worded(rows.blocked(row))]


def _numbers(rows: List[TaskRow]) -> str:
    """`70-129`; `70 72 74 +55` where they are not successive."""
    parts = text.ranges([row.number for row in rows]).split(" ")
    if len(parts) <= _MOST_RANGES:
        return " ".join(parts)
    shown = [row.number for row in rows[:_MOST_RANGES]]
    return "%s +%d" % (" ".join(map(str, shown)), len(rows) - len(shown))
