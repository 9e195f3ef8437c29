# SPDX-License-Identifier: MIT
"""`ompd top`: a screen that says where the time of a process goes, and at its end what costs most."""

from __future__ import annotations

import os
import select
import sys
import time

from openmp_inspect.core import debug, json_output, proc_files, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.analysis import time_sums
from openmp_inspect.report import time_table
from ompd_command import isolation, shell_screen
from ompd_command.shell_screen import say

if TYPE_CHECKING:
    from typing import Any, List, Optional

_REDRAWN = 1.0  # seconds between two screens before the first interval is over
_KEYS = "q quit   p pause   s sort by waits or work   r begin anew   h these keys"


class Top:
    """Of process PID. GIVEN: -interval, -batch, -n and -json."""

    def __init__(self, given: Any, pid: int) -> None:
        self._given, self._pid = given, pid
        self._program = proc_files.program(pid)
        self._is_batch = given.batch or given.json or not (sys.stdout.isatty() and sys.stdin.isatty())
        self._all = time_sums.Sums()
        self._recent = time_sums.Sums()  # of this interval
        self._shown: Optional[time_sums.Sums] = None  # of the last one
        self._began = self._drawn = time.monotonic()
        self._screens = 0
        self._is_paused = self._by_work = self._helps = False

    def show(self, ask: isolation.Ask) -> Optional[isolation.Found]:
        """Until somebody has seen enough, or there is an answer: then there are no more samples."""
        with shell_screen.keys(not self._is_batch):
            return isolation.until_enough(ask._replace(heard=self._hear), self._tick)

    def end(self) -> bool:
        """Says what costs most, of all samples; False if there was none."""
        if not self._all.samples:
            return False
        if self._given.json:
            json_output.write_json(time_table.facts(self._all, self._program, self._pid))
            return True
        if self._is_batch and not self._screens:
            say(self._screen(self._all, None))
        say(["", *map(text.remark, time_table.sentences(self._all))])
        return True

    def _hear(self, said: Any) -> None:
        """What the process that parses has SAID, which may be anything."""
        try:
            sample = time_sums.sample(said)
        except (TypeError, ValueError, LookupError, ArithmeticError):
            debug.ignored()
            return
        self._all.add(sample)
        self._recent.add(sample)

    def _tick(self) -> None:
        now, is_changed = time.monotonic(), not self._is_batch and self._takes_keys()
        if now - self._began >= self._given.interval and self._recent.samples:
            self._shown, self._recent, self._began = self._recent, time_sums.Sums(), now
            self._screens += 1
            is_changed = True
        elif self._shown is None and now - self._drawn >= _REDRAWN:
            is_changed = not self._is_batch
        if is_changed and not self._is_paused and not self._given.json:
            self._drawn = now
            self._draw(self._shown or self._recent)
        if self._given.n is not None and self._screens >= self._given.n:
            raise isolation.Enough

    def _draw(self, sums: time_sums.Sums) -> None:
        if self._is_batch:
            say([*[""] * (self._screens > 1), *self._screen(sums, None)])
            sys.stdout.flush()
        else:
            shell_screen.redraw([*self._screen(sums, shell_screen.height() - 3), _KEYS * self._helps])

    def _screen(self, sums: time_sums.Sums, most: Optional[int]) -> List[str]:
        return time_table.screen(sums, self._program, self._pid, self._by_work, most)

    def _takes_keys(self) -> bool:
        """Whether a key was typed."""
        key = b""
        while select.select([sys.stdin], [], [], 0)[0]:
            key = os.read(sys.stdin.fileno(), 1)
            if key in (b"q", b"Q", b"\x04", b""):
                raise isolation.Enough
            self._is_paused ^= key == b"p"
            self._by_work ^= key == b"s"
            self._helps ^= key in (b"h", b"?")
            if key == b"r":
                self._all, self._recent, self._shown = time_sums.Sums(), time_sums.Sums(), None
        return key != b""
