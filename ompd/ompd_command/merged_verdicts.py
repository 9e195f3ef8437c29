# SPDX-License-Identifier: MIT
"""Verdicts of many processes: those that are equal but for numbers are one group. What is found does
not depend on the order in which they come, nor on how many of them were merged before."""

from __future__ import annotations

from openmp_inspect.core import text
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Dict, Iterable, Iterator, List, Optional, Set, Tuple
    from ompd_command.process_report import Key, Process, ProcessReport

_MOST_PROCESSES = 1 << 19
MOST_GROUPS = 64  # which a screen shows
# How much of a ProcessReport's key is equal in a group, from all of it on: without lines of the source;
# a kind; a certainty. The first that leaves no more groups than that is used.
LEVELS = 7, 6, 2, 1
_BY_LINE, _BY_KIND = 0, 2


class VerdictGroup:
    """Its `members`, and the `example` of them whose lines are known."""

    def __init__(self, example: ProcessReport) -> None:
        self.example = example
        self.members: Set[Process] = set()
        self._parts: List[Optional[str]] = list(example.parts)  # None: they differ

    @property
    def count(self) -> int:
        return len(self.members)

    def show(self, report: ProcessReport) -> None:
        """REPORT is one more of it."""
        if report.sentence != self.example.sentence:
            self.differ(at for at, (known, part) in enumerate(zip(self._parts, report.parts))
                        if known != part)
        if report.process.order < self.example.process.order:
            self.example = report

    def differ(self, numbers: Iterable[int]) -> None:
        """These parts of the sentence are not equal in all of it."""
        for at in numbers:
            if at % 2 and 0 < at < len(self._parts):
                self._parts[at] = None

    def join(self, other: VerdictGroup) -> None:
        self.members |= other.members
        self.differ(other.differing())
        self.show(other.example)

    def differing(self) -> List[int]:
        return [at for at, part in enumerate(self._parts) if part is None]

    def sentence(self, level: int) -> Name:
        """With "N" for numbers that differ."""
        if level >= _BY_KIND:
            return Name("%s: several verdicts" % self.example.kind if level == _BY_KIND else
                        "several verdicts")
        return Name("".join("N" if part is None else part for part in self._parts))

    def places(self, level: int) -> Tuple[Name, ...]:
        """Where all of it are stuck."""
        return (self.example.places, self.example.functions, (), ())[level]

    def first(self) -> ProcessReport:
        """The example, or of one that is known as another verdict's, too, the member with the lowest
        rank."""
        if self.example.process in self.members:
            return self.example
        return self.example._replace(process=min(self.members, key=lambda one: one.order), program=None,
                                     threads=None, lines=(self.sentence(_BY_LINE),))

    def without_rank(self) -> List[Process]:
        return sorted((one for one in self.members if one.rank is None), key=lambda one: one.order)

    def rank_sets(self) -> Dict[Optional[Name], List[List[int]]]:
        """{job: [[first, last]...]}"""
        return _rank_sets(self.members)


class Merged:
    """Any number of reports, one of each process, the surest. `skipped`: lines of files that had none;
    `cut`: places where one is not whole; `other`: those that are no report; `left_out`: processes that
    are too many."""

    def __init__(self) -> None:
        self.groups: Dict[Key, VerdictGroup] = {}
        self.level = _BY_LINE
        self.certainty = 0  # of the surest
        self.skipped = self.cut = self.other = self.left_out = 0
        self.size: Optional[int] = None
        self._keys: Dict[Process, Key] = {}  # of the group that each is in
        self._names: Dict[Optional[Name], Optional[Name]] = {}  # each once

    def add(self, report: Optional[ProcessReport]) -> None:
        if report is None:
            self.other += 1
        else:
            self.place(report, [report.process])

    def place(self, report: ProcessReport, processes: Iterable[Process],
              differing: Iterable[int] = ()) -> None:
        """One REPORT of each of these PROCESSES, but for numbers, of which some DIFFER."""
        self.certainty = max(self.certainty, report.certainty)
        if report.size is not None:
            self.size = max(self.size or 0, report.size)
        key = report.key[:LEVELS[self.level]]
        group = self.groups.get(key)
        if group is None:
            group = self.groups[key] = VerdictGroup(report)
        else:
            group.show(report)
        group.differ(differing)
        for process in processes:
            self._move(process._replace(job=self._name(process.job), host=self._name(process.host)), key)
        if not group.members:
            del self.groups[key]
        while len(self.groups) > MOST_GROUPS:
            self.fold(self.level + 1)

    def fold(self, level: int) -> None:
        """Makes groups of one LEVEL at least."""
        if level <= self.level:
            return
        self.level = level
        before, self.groups = self.groups, {}
        for key, group in before.items():
            key = key[:LEVELS[level]]
            if key in self.groups:
                self.groups[key].join(group)
            else:
                self.groups[key] = group
        self._keys = {process: key[:LEVELS[level]] for process, key in self._keys.items()}

    def _move(self, process: Process, key: Key) -> None:
        """Into the group of this KEY, unless it is in a surer one."""
        before = self._keys.get(process)
        if before is None and len(self._keys) >= _MOST_PROCESSES:
            self.left_out += 1
        elif before is None or before < key:
            self._keys[process] = key
            self.groups[key].members.add(process)
            if before is not None:
                self.groups[before].members.remove(process)
                if not self.groups[before].members:
                    del self.groups[before]

    def _name(self, name: Optional[Name]) -> Optional[Name]:
        return self._names.setdefault(name, name)

    def in_order(self) -> List[VerdictGroup]:
        """The odd ones first: the smallest group, and of such ones those that are not in MPI."""
        return sorted(self.groups.values(), key=lambda group: (
            group.count, group.example.in_mpi, -group.example.certainty, group.first().process.order))

    @property
    def count(self) -> int:
        return len(self._keys)

    def without_rank(self) -> int:
        return sum(one.rank is None for one in self._keys)

    def jobs(self) -> Set[Optional[Name]]:
        """Of those that have a rank."""
        return {one.job for one in self._keys if one.rank is not None}

    def hosts(self) -> Set[Name]:
        return {one.host for one in self._keys if one.host is not None}

    def ranks(self) -> int:
        """How many there are, each once."""
        return len({(one.job, one.rank) for one in self._keys if one.rank is not None})

    def missing(self) -> List[List[int]]:
        """Ranks of the only job that have no report, as [[first, last]...]."""
        known = list(_rank_sets(self._keys).values())
        return list(_between(known[0], self.size)) if self.size is not None and len(known) == 1 else []


def _rank_sets(processes: Iterable[Process]) -> Dict[Optional[Name], List[List[int]]]:
    found: Dict[Optional[Name], List[int]] = {}
    for one in processes:
        if one.rank is not None:
            found.setdefault(one.job, []).append(one.rank)
    return {job: text.successive(found[job]) for job in sorted(
        found, key=lambda job: job.raw if job else "")}


def _between(ranges: List[List[int]], size: int) -> Iterator[List[int]]:
    """What RANGES lack of 0 up to SIZE."""
    at = 0
    for first, last in ranges:
        if first > at:
            yield [at, min(first, size) - 1]
        at = last + 1
        if at >= size:
            return
    if at < size:
        yield [at, size - 1]
