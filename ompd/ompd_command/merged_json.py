# SPDX-License-Identifier: MIT
"""Verdicts of many processes as JSON, which is merged again as if its reports were."""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING
from ompd_command import process_report
from ompd_command.merged_verdicts import LEVELS

if TYPE_CHECKING:
    from typing import Any, Dict, Iterable, Iterator, List
    from ompd_command.merged_verdicts import Merged, VerdictGroup
    from ompd_command.process_report import Process

SCHEMA = "ompd-merge/1"
_MOST = 1 << 31
_SKIPPED = {"lines": "skipped", "objects": "other", "cut": "cut", "processes": "left_out"}


def facts(merged: Merged) -> Dict[str, Any]:
    """The object that -json prints."""
    return {"schema": SCHEMA, "count": merged.count, "ranks": merged.ranks(), "size": merged.size,
            "hosts": len(merged.hosts()), "jobs": len(merged.jobs()), "missing": merged.missing(),
            "level": merged.level,
            "groups": [_group_facts(group, merged.level) for group in merged.in_order()],
            "skipped": {key: getattr(merged, name) for key, name in _SKIPPED.items()}}


def _group_facts(group: VerdictGroup, level: int) -> Dict[str, Any]:
    first = group.first()
    return {"count": group.count, "kind": first.kind, "id": first.id,
            "certainty": process_report.CERTAINTIES[first.certainty],
            "sentence": group.sentence(level), "places": group.places(level), "mpi": first.in_mpi,
            "ranks": [{"job": job, "ranks": ranks} for job, ranks in group.rank_sets().items()],
            "first": process_report.facts(first), "differing": group.differing(),
            "members": _member_facts(group.members)}


def _member_facts(members: Iterable[Process]) -> List[Any]:
    """[job, host, [[rank, pid, and of a core its name], ...]] of each job and host."""
    found: Dict[Any, List[List[Any]]] = {}
    for one in sorted(members, key=lambda one: one.order):
        found.setdefault((one.job, one.host), []).append(
            [one.rank, one.pid] + ([] if one.core is None else [one.core]))
    return [[*where, rows] for where, rows in found.items()]


def add(merged: Merged, value: Dict[str, Any]) -> None:
    """Adds a report, or what facts() returned, from anywhere."""
    if value.get("schema") != SCHEMA:
        merged.add(process_report.of_object(value))
        return
    level, found = value.get("level"), value.get("skipped")
    if isinstance(level, int):
        merged.fold(min(level, len(LEVELS) - 1))
    skipped = found if isinstance(found, dict) else {}
    for key, name in _SKIPPED.items():
        number = skipped.get(key)
        if isinstance(number, int) and 0 < number < _MOST:
            setattr(merged, name, getattr(merged, name) + number)
    for group in _list(value.get("groups")):
        first = group.get("first") if isinstance(group, dict) else None
        report = process_report.of_facts(first) if isinstance(first, dict) else None
        if not isinstance(group, dict) or report is None:
            merged.other += 1
        else:
            merged.place(report, _members(group.get("members")),
                         [at for at in _list(group.get("differing")) if isinstance(at, int)])


def _members(value: Any) -> Iterator[Process]:
    for found in _list(value):
        job, host, rows = found if isinstance(found, list) and len(found) == 3 else (None, None, None)
        for row in _list(rows):
            rank, pid, core, *_ = (*_list(row), None, None, None)
            process = process_report.process_of(rank, job, host, pid, core)
            if process is not None:
                yield process


def _list(value: Any) -> List[Any]:
    return value if isinstance(value, list) else []
