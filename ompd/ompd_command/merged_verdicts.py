# SPDX-License-Identifier: MIT
"""Verdicts of many processes: those that are equal but for numbers are one group."""

from __future__ import annotations

import re
from array import array

from openmp_inspect.core import text
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List, Optional, Set, Tuple
    from ompd_command.process_report import ProcessReport

_MOST_REPORTS = 1 << 19
_MOST_GROUPS = 1 << 10
_MOST_NAMES = 1 << 16  # hosts, jobs
_MOST_PROCESSES = 8  # of a group that are named where they have no rank
_NUMBER = re.compile(r"(\b(?:0x[0-9a-f]+|[0-9]+)\b)")

CERTAINTIES = (None, "possible", "likely", "certain")


class VerdictGroup:
    """Processes with one verdict. `first`: the one with the lowest rank; `count`: how many;
    `ranks`: {job: theirs}, and `others` names some of those without."""

    def __init__(self, first: ProcessReport) -> None:
        self.first = first
        self.count = self.without_rank = 0
        self._last = first.sentence
        self.ranks: Dict[Optional[Name], array[int]] = {}
        self.others: List[ProcessReport] = []
        self._parts: List[Optional[str]] = list(_NUMBER.split(first.sentence.raw))  # None: they differ

    def add(self, report: ProcessReport) -> None:
        self.count += 1
        if report.rank is None:
            self.without_rank += 1
            if len(self.others) < _MOST_PROCESSES:
                self.others.append(report)
        else:
            self.ranks.setdefault(report.job, array("l")).append(report.rank)
        if _order(report) < _order(self.first):
            self.first = report
        if report.sentence != self._last:
            self._last = report.sentence
            self._parts = [known if known == part else None for known, part in
                           zip(self._parts, _NUMBER.split(report.sentence.raw))]

    def sentence(self) -> Name:
        """With "N" for numbers that differ."""
        return Name("".join("N" if part is None else part for part in self._parts))

    def rank_sets(self) -> Dict[Optional[Name], List[List[int]]]:
        """{job: [[first, last]...]}"""
        return {job: text.successive(ranks) for job, ranks in sorted(
            self.ranks.items(), key=lambda item: item[0].raw if item[0] else "")}

    def facts(self) -> Dict[str, Any]:
        first = self.first
        return {"count": self.count, "kind": first.kind, "id": first.id,
                "certainty": CERTAINTIES[first.certainty], "sentence": self.sentence(),
                "places": list(first.places), "mpi": first.in_mpi,
                "ranks": [{"job": job, "ranks": ranks} for job, ranks in self.rank_sets().items()],
                "processes": [_process_facts(one) for one in self.others],
                "first": dict(_process_facts(first), rank=first.rank, lines=list(first.lines))}


def _process_facts(report: ProcessReport) -> Dict[str, Any]:
    return {"host": report.host, "pid": report.pid, "core": report.core,
            "program": report.program, "threads": report.threads}


def _order(report: ProcessReport) -> Tuple[bool, int, str, int]:
    return report.rank is None, report.rank or 0, report.host.raw if report.host else "", report.pid or 0


class Merged:
    """Any number of reports. `skipped`: lines of files that had none; `other`: objects that were
    none; `left_out`: reports that are too many."""

    def __init__(self) -> None:
        self.groups: Dict[Any, VerdictGroup] = {}
        self.count = self.without_rank = self.skipped = self.other = self.left_out = 0
        self.hosts: Set[Name] = set()
        self.jobs: Set[Optional[Name]] = set()  # of those that have a rank
        self.size: Optional[int] = None

    def add(self, report: Optional[ProcessReport]) -> None:
        if report is None:
            self.other += 1
            return
        key = (report.kind, report.id, report.certainty, report.places, report.in_mpi,
               _NUMBER.sub("N", report.sentence.raw))
        if self.count >= _MOST_REPORTS or \
                key not in self.groups and len(self.groups) >= _MOST_GROUPS:
            self.left_out += 1
            return
        if key not in self.groups:
            self.groups[key] = VerdictGroup(report)
        self.groups[key].add(report)
        self.count += 1
        self.without_rank += report.rank is None
        if report.host is not None and len(self.hosts) < _MOST_NAMES:
            self.hosts.add(report.host)
        if report.rank is not None and len(self.jobs) < _MOST_NAMES:
            self.jobs.add(report.job)
        if report.size is not None:
            self.size = max(self.size or 0, report.size)

    def in_order(self) -> List[VerdictGroup]:
        """The odd ones first: the smallest group, and of such ones those that are not in MPI."""
        return sorted(self.groups.values(), key=lambda group: (
            group.count, group.first.in_mpi, -group.first.certainty, _order(group.first)))

    def ranks(self) -> int:
        """How many there are, each once."""
        return sum(last - first + 1 for job in self.jobs for first, last in self._of_job(job))

    def missing(self) -> List[List[int]]:
        """Ranks of the only job that have no report, as [[first, last]...]."""
        if self.size is None or len(self.jobs) != 1:
            return []
        return list(_between(self._of_job(next(iter(self.jobs))), self.size))

    def _of_job(self, job: Optional[Name]) -> List[List[int]]:
        return text.successive(rank for group in self.groups.values()
                               for rank in group.ranks.get(job, ()))

    def facts(self) -> Dict[str, Any]:
        """The object that -json prints."""
        return {"schema": "ompd-merge/1", "count": self.count, "ranks": self.ranks(),
                "size": self.size, "hosts": len(self.hosts), "jobs": len(self.jobs),
                "missing": self.missing(), "groups": [group.facts() for group in self.in_order()],
                "skipped": {"lines": self.skipped, "objects": self.other,
                            "reports": self.left_out}}


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
