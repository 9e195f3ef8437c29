# SPDX-License-Identifier: MIT
"""Threads of a page: those that do the same as one row, first those that a verdict is about, and each with
a row of its own."""

from __future__ import annotations

import collections
import re

from openmp_inspect.core import text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import html_tables, html_text

if TYPE_CHECKING:
    from typing import Any, Dict, List, Sequence, Tuple
    from openmp_inspect.report.html_links import Links

    Facts = Dict[str, Any]

_HEAD = ["Threads", "Which"]
_OWN = "CPU s"  # a column in which threads differ that do the same
_MOST_AGAIN = 1024  # rows of threads that others have said all of
_LONGEST = 60  # of the numbers of a row
_TIME = re.compile(r"(?:^|, )for (?:at least )?\d+ (?:s|min|h|days)$")


def threads(facts: Facts, links: Links) -> str:
    """The section of those of page_facts.py."""
    head, *rows = facts["threads"]
    column = head.index("State")
    states = collections.Counter(row[column].lstrip("~") for row in rows)
    found = html_text.text("p", ", ".join("%d %s" % (count, state) for state, count in
                                          states.most_common()), class_="remark")
    numbers = [int(row[0]) if row[0].isdecimal() else None for row in rows]
    groups: Dict[Tuple[str, ...], List[int]] = {}
    shown = [at for at in range(column, len(head)) if head[at] != _OWN]
    for number, row in zip(numbers, rows):
        groups.setdefault(tuple(_TIME.sub("", row[at]) or "-" for at in shown), []).append(number or 0)
    is_grouped = 2 * len(groups) <= len(rows) and None not in numbers
    every = html_tables.table(facts["threads"], "Threads", "ompd threads", [
        links.of_threads([] if number is None else [number]) for number in numbers],
        _MOST_AGAIN if is_grouped else html_tables.MOST_ROWS)
    if is_grouped:
        rank = _ranks(facts["why"]["verdicts"])
        order = sorted(groups, key=lambda cells: min(rank.get(one, 2) for one in groups[cells]))
        found += html_tables.table([_HEAD + [head[at] for at in shown], *(
            ["%d" % len(groups[cells]), _which(groups[cells]), *cells] for cells in order)],
            "Threads that do the same", "ompd threads", [
                links.of_threads(groups[cells]) for cells in order])
        every = html_text.element("details", html_text.text(
            "summary", "Each of the %d threads" % len(rows)) + every)
    return found + every + (html_text.text(
        "p", "The program claims more threads than were listed.", class_="remark")
        if facts["more_threads"] else "")


def _which(numbers: Sequence[int]) -> str:
    found = text.threads(numbers)
    return found if len(found) <= _LONGEST else found[:_LONGEST].rpartition(" ")[0] + " ..."


def _ranks(verdicts: Sequence[Facts]) -> Dict[int, int]:
    """0 of a thread that the first verdict says holds something or does not wait, 1 of others of it."""
    first = verdicts[0]
    if first["certainty"] is None:
        return {}
    found = dict.fromkeys(first.get("threads", ()), 1)
    found.update((part["thread"], 0) for name in ("at", "holds") for part in first.get(name, ()))
    return found
