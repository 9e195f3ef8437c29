# SPDX-License-Identifier: MIT
"""The output of many tasks, as a launcher labels it, each task's as it has written that. Launchers pass
on pieces, srun those of 1 kB, and of several tasks in turn; those of one task are joined again.

    3: [{"pid": 4711, "co                task 3
    0: [{"pid": 815, "core": null        task 0
    3: re": null}]                       task 3, whose array is whole"""

from __future__ import annotations

import re

from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Dict, List, TextIO

# srun -l; mpirun --tag-output
_LABEL = re.compile(r" *[0-9]{1,9}: |\[[\w.@/-]{1,128}, ?[0-9]{1,9}\]<\w{1,16}>:")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_OBJECT = '{"'
_LONGEST = 1 << 24  # characters of an object, and of a line
_MOST = 1 << 25  # of all tasks together that are not whole
_MOST_TASKS = 1 << 18


class _Task:
    """What one task has written and is no whole object or array yet."""

    def __init__(self, first: str) -> None:
        self._has_blank = first[:1] == " "  # behind each label: JSON of ours does not begin so
        self._begin()

    def _begin(self) -> None:
        self._pieces: List[str] = []
        self.size = self._depth = 0
        self._string = ""  # the one that is not closed: its quote, and a backslash at its end

    def add(self, piece: str) -> bool:
        """Whether what it has is whole now."""
        piece = piece[self._has_blank:]
        self._pieces.append(piece)
        self.size += len(piece)
        outside, quote, inside = _STRING.sub("", self._string + piece).partition('"')
        self._depth += sum(outside.count(one) for one in "{[") - sum(map(outside.count, "]}"))
        is_escape = (len(inside) - len(inside.rstrip("\\"))) % 2
        self._string = quote + "\\" * is_escape
        return self._depth <= 0

    def has_object(self) -> bool:
        return _OBJECT in "".join(self._pieces)

    def take(self, between: str) -> str:
        """The pieces as a line, with this BETWEEN them."""
        taken = between.join(self._pieces) + "\n"
        self._begin()
        return taken


class Pieces:
    """Reads a STREAM as report_reader.Reader does; lines without a label are as they were. `cut`: objects
    of a task, up to now, whose end is not there."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._tasks: Dict[str, _Task] = {}  # by label
        self._held = 0  # characters that tasks have
        self.cut = 0
        self._begins = True  # what is read next begins a line

    def read(self, size: int) -> str:
        """Some SIZE characters or more; none at the end."""
        found = ""
        for line in iter(lambda: self._stream.readline(_LONGEST), ""):
            found += self._of_line(line)
            if len(found) >= size:
                return found
        return found + self._take_all()

    def _of_line(self, line: str) -> str:
        label = _LABEL.match(line) if self._begins else None
        self._begins = line.endswith("\n")
        if label is None or len(self._tasks) >= _MOST_TASKS:
            return line
        piece = line[label.end():].rstrip("\n")
        if label.group() not in self._tasks:
            self._tasks[label.group()] = _Task(piece)
        task = self._tasks[label.group()]
        self._held -= task.size
        is_whole = task.add(piece)
        if is_whole or task.size > _LONGEST:
            self.cut += not is_whole
            return task.take("" if is_whole else "\n")
        self._held += task.size
        return self._take_all() if self._held > _MOST else ""

    def _take_all(self) -> str:
        """What is not whole, as lines: other programs write such ones."""
        left = [task for task in self._tasks.values() if task.size]
        self.cut += sum(task.has_object() for task in left)
        self._held = 0
        return "".join(task.take("\n") for task in left)
