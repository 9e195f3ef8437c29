# SPDX-License-Identifier: MIT
"""Places where a command of ours stops the program for itself, unseen by the user."""

from __future__ import annotations

import gdb

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import stop_notices

if TYPE_CHECKING:
    from typing import Any, Callable, List, Optional
    from gdb_openmp.host.gdb_types import GdbThread


class Point(gdb.Breakpoint):
    """A hidden breakpoint at an address. THREAD, a gdb thread, or None for all. With LEAST
    only where the stack pointer is not below: not in calls that came later. ACCEPT, a
    function, has the last word."""

    def __init__(self, address: int, thread: Optional[GdbThread] = None,
                 least: Optional[int] = None, accept: Optional[Callable[[], bool]] = None) -> None:
        super().__init__("*%d" % address, gdb.BP_BREAKPOINT, internal=True)
        self.address = address
        self._least = least
        self._accept = accept
        self.hit = False  # whether it wanted to stop the last time
        self.silent = stop_notices.is_silent()
        if thread is not None:
            self.thread = thread.global_num

    def stop(self) -> bool:
        """gdb asks whether to stop; an error must not keep the program from stopping."""
        try:
            self.hit = self._here() and (self._accept is None or self._accept())
        except gdb.error:
            debug.ignored()
            self.hit = True
        return self.hit

    def _here(self) -> bool:
        return self._least is None or \
            int(gdb.newest_frame().read_register("sp")) >= self._least


class Points:
    """All points of one command."""

    def __init__(self) -> None:
        self._all: List[Point] = []

    def clear(self) -> None:
        """Takes every one away."""
        self.remove(*self._all)

    def plant(self, *arguments: Any, **keywords: Any) -> Point:
        point = Point(*arguments, **keywords)
        self._all.append(point)
        return point

    def remove(self, *points: Point) -> None:
        for point in points:
            if point.is_valid():
                point.delete()
        self._all = [point for point in self._all if point not in points]
