# SPDX-License-Identifier: MIT
"""Which parts of a page are about the same threads, and about the same things: attributes by which its
script selects them together."""

from __future__ import annotations

import re

from openmp_inspect.core import text
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Dict, Iterable, List, Optional, Set

    Attributes = Dict[str, Optional[str]]

# "  2 (1/3)  holds" and "  1 3-5  want" begin what is said of threads, "  2 more threads wait: 7-8." ends so.
_LEAD = re.compile(r"  (\d[\d -]{0,99}?)(?: \([^)]*\))?  ")
_MORE = re.compile(r"  \d+ more threads? .*: (\d[\d -]{0,99})\.$")
_RANGE = re.compile(r"(\d+)(?:-(\d+))?")
_NO_LABEL = " " * 6
_LONGEST = 600


class Links:
    """By what a GRAPH of waits has."""

    def __init__(self, graph: Dict[str, Any]) -> None:
        nodes = graph["nodes"]
        self._names = {node["id"]: node["name"] for node in nodes if node["kind"] != "thread"}
        self._tasks = {name: number for number, name in self._names.items()}
        self._things: Dict[int, Set[int]] = {}  # by thread
        for edge in graph["edges"]:
            for one, other in ((edge["from"], edge["to"]), (edge["to"], edge["from"])):
                for thread in nodes[one]["threads"] if other in self._names else ():
                    self._things.setdefault(thread, set()).add(other)

    def of_threads(self, threads: Iterable[int], words: Optional[str] = None) -> Attributes:
        """Of what is about these THREADS and the things that they hold and wait for, of these only those
        that the WORDS name."""
        numbers = list(threads)
        things = {thing for thread in numbers for thing in self._things.get(thread, ())
                  if words is None or re.search(r"(?<!\w)%s(?!\w)" % re.escape(
                      self._names[thing]), words)}
        return {"data_t": _attribute(numbers), "data_x": _attribute(things)}

    def of_node(self, node: Dict[str, Any]) -> Attributes:
        return self.of_threads(node["threads"], "") if node["kind"] == "thread" else \
            {"data_x": "%d" % node["id"]}

    def of_task(self, number: str, thread: str) -> Attributes:
        """Of the row of a task."""
        found = self.of_threads([int(thread)] if thread.isdecimal() else [], "")
        task = self._tasks.get("task " + number)
        return found if task is None else dict(found, data_x="%d" % task)

    def of_lines(self, lines: Iterable[str], known: Set[int]) -> List[Attributes]:
        """Of lines of a verdict that is about threads KNOWN by their numbers."""
        found: List[Attributes] = []
        threads: Set[int] = set()
        for line in lines:
            said = _LEAD.match(line) or _MORE.match(line)
            if said or not line.startswith(_NO_LABEL):
                threads = _numbers(said.group(1), known) if said else set()
            found.append(self.of_threads(threads, line))
        return found


def _attribute(numbers: Iterable[int]) -> Optional[str]:
    """None of what is too long for one, too."""
    found = text.ranges(numbers)
    return found if 0 < len(found) <= _LONGEST else None


def _numbers(words: str, known: Set[int]) -> Set[int]:
    """Those KNOWN of "1 3-5"."""
    ranges = [(int(first), int(last or first)) for first, last in _RANGE.findall(words)]
    return {number for number in known if any(first <= number <= last for first, last in ranges)}
