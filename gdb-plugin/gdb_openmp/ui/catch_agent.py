# SPDX-License-Identifier: MIT
"""Hidden breakpoints that stand in for one of the user's, of catchpoints.py."""

from __future__ import annotations

import gdb

from openmp_inspect.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import console, stop_notices
from gdb_openmp.ui import frame_walk

if TYPE_CHECKING:
    from typing import Callable, Dict, Optional, Tuple
    from gdb_openmp.ui.catchpoints import Catch


class Agent(gdb.Breakpoint):
    """Stands in for a Catch; QUESTION is the method of the Catch that it asks."""

    def __init__(self, owner: Catch, place: str, question: str = "decide",
                 words: Optional[str] = None) -> None:
        self.owner = owner
        # (thread, stack pointer) -> what returns there.
        self.expected: Dict[Tuple[int, int], Optional[str]] = {}
        self.hit = False  # whether it wanted to stop the last time
        self._question = question
        self._words = words
        super().__init__(place, gdb.BP_BREAKPOINT, internal=True)
        self.silent = stop_notices.is_silent()
        self.enabled = owner.enabled
        if owner.commands:
            self.commands = owner.commands

    def stop(self) -> bool:
        """gdb asks whether to stop; what is not known stops."""
        owner = self.owner
        self.hit = False
        if not owner.is_valid():
            return False
        try:
            if not self._asks():
                return False
        except (gdb.error, KeyError) as error:
            console.write("Error in testing breakpoint %d:\n%s\n" % (
                owner.number, error))
            owner.reported = gdb.selected_thread().global_num, owner.kind
        if owner.ignore_count:
            owner.ignore_count -= 1
            owner.reported = None
            return False
        self.hit = True
        stop_notices.stops_for(self, owner.number)
        return True

    def _asks(self) -> bool:
        question: Callable[..., bool] = getattr(self.owner, self._question)
        if self._question == "decide":
            return question(self)
        if self._question in ("choosing", "resumes"):
            return question()
        if self._question == "began":
            return question(self._words)
        key = (gdb.selected_thread().global_num, frame_walk.stack_pointer(gdb.newest_frame()))
        if key not in self.expected:
            return False
        return question(self.expected.pop(key))
