# SPDX-License-Identifier: MIT
"""What the clauses of a region's construct ask for, by the source."""

from __future__ import annotations

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.source import clauses

if TYPE_CHECKING:
    from typing import Optional
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from openmp_inspect.model.objects import Region

_WORDS = {"parallel", "teams"}


def threads(stacks: StitchedStacks, region: Region) -> Optional[int]:
    """What the num_threads clause of a model's Region asks for, 0 without one; None where it is
    recorded, or the source does not say."""
    if region.requested is not None:
        return None
    try:
        place = stacks.place_of(region)
        if place is None or place.address is None or not place.line:
            return None
        path, _ = stacks.walker.within.of_line(place.address, place.line)
        found = clauses.at(path, place.line) if path else None
    except (HostError, OSError, ValueError):
        debug.ignored()
        return None
    return found.threads if found is not None and _WORDS & set(found.words) else None
