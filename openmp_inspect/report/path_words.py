# SPDX-License-Identifier: MIT
"""The numbers of threads in their teams, in words."""

from __future__ import annotations

from openmp_inspect.core import debug, errors, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.analysis.wait_state import IDLE

if TYPE_CHECKING:
    from typing import Dict, Hashable, Optional, Tuple
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.model.objects import Region, Thread
    from openmp_inspect.analysis.thread_rows import ThreadRow


def path(row: ThreadRow) -> str:
    """The numbers of a thread in its teams, as `2/4 · 0/2`; "-": it is in none, "?": not known."""
    return paths(row.stacks.space).of(row)


def paths(here: Space) -> Paths:
    """Those of the command."""
    return here.made(Paths, Paths)


class Paths:
    """Lives during one command: what goes for all members of a region is put into words once."""

    def __init__(self) -> None:
        self._ways: Dict[Hashable, Tuple[str, int]] = {}  # by the keys of regions
        self._dot = text.sign(" \u00b7 ", " . ")

    def of(self, row: ThreadRow) -> str:
        """As path()."""
        if row.wait is IDLE:
            return "-"
        first = row.alike
        if first is not None and first.known is not None:
            return self._step(first.known, row.member)
        known = row.known
        if known is None:
            return "?" if row.is_openmp is None else "-"
        try:
            return self._step(known, known.number)
        except errors.OmpdError:
            debug.ignored()
        try:
            return "?" if known.region is None else self._step(known, None)
        except errors.OmpdError:
            debug.ignored()
            return "?"

    def _step(self, known: Thread, number: Optional[int]) -> str:
        """The path of the thread that has this NUMBER in the team of a model's Thread."""
        region = known.region
        lead, size = ("", 1) if region is None else self._way(region)
        return lead + text.path_step(number, size)

    def _way(self, region: Region) -> Tuple[str, int]:
        found = self._ways.get(region.key)
        if found is None:
            lead = "".join(text.path_step(*step) + self._dot for step in region.way)
            found = self._ways[region.key] = lead, region.size
        return found
