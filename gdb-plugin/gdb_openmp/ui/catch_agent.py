# SPDX-License-Identifier: MIT
"""Hidden breakpoints that stand in for one of the user's, of catchpoints.py."""

from __future__ import annotations

import gdb

from openmp_inspect.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import console, stop_notices

if TYPE_CHECKING:
    from typing import Callable
    from gdb_openmp.ui.catchpoints import Catch


class Agent(gdb.Breakpoint):
    """Stands in for a Catch, which it ASKs."""

    def __init__(self, owner: Catch, place: str, ask: Callable[[Agent], bool]) -> None:
        self.owner = owner
        self.hit = False  # whether it wanted to stop the last time
        self._ask = ask
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
            if not self._ask(self):
                return False
        except (gdb.error, KeyError) as error:
            console.write("Error in testing breakpoint %d:\n%s\n" % (
                owner.number, error))
            owner.stop_unknown()
        if owner.ignore_count:
            owner.ignore_count -= 1
            owner.reported = None
            return False
        self.hit = True
        stop_notices.stops_for(self, owner.number)
        return True
