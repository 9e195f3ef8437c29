# SPDX-License-Identifier: MIT
"""The threads of each team that have arrived at its barrier, noted at each arrival."""

from __future__ import annotations

from openmp_inspect.core import debug, errors
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Dict, Hashable, Set
    from openmp_inspect.model.objects import Region
    from openmp_inspect.model.snapshot import Snapshot


class Arrivals:
    """Those of one process."""

    def __init__(self) -> None:
        self._lwps: Dict[Hashable, Set[int]] = {}  # by the key of a region

    def forget(self) -> None:
        self._lwps.clear()

    def add(self, region: Region, lwp: int) -> Set[int]:
        """Notes that the thread with a kernel id has arrived at the barrier of a REGION's team.
        Returns all that have."""
        if region.key not in self._lwps:
            self._lwps[region.key] = _waiting(region)
        self._lwps[region.key].add(lwp)
        return self._lwps[region.key]

    def is_last(self, snapshot: Snapshot, lwp: int) -> bool:
        """Notes that one, and whether it is the last to arrive, or in no team. OmpdError where that is
        not known."""
        thread = snapshot.by_lwp.get(lwp)
        region = None if thread is None else thread.region
        if region is None:
            return True
        arrived = self.add(region, lwp)
        if len(arrived) < region.size:
            return False
        arrived.clear()
        return True


def _waiting(region: Region) -> Set[int]:
    """Kernel ids of those that were at a barrier before anybody counted."""
    found = set()
    for thread in region.team:
        try:
            if thread.state.startswith("wait_barrier"):
                found.add(thread.lwp)
        except errors.OmpdError:
            debug.ignored()
    return found
