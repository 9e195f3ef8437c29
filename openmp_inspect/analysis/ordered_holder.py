# SPDX-License-Identifier: MIT
"""Who is in the ordered region for which others of its team wait: no runtime says it, the source
says which lines are inside. For instance, of four threads in one loop

    step () at 14      line 13 is the directive        is inside
    main () at 13      the call that waits             wait
"""

from __future__ import annotations

from openmp_inspect.core import errors
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.stacks import segments

if TYPE_CHECKING:
    from typing import Dict, Hashable, Iterable, List
    from openmp_inspect.analysis.thread_rows import ThreadRow

_MOST_STACKS = 64  # that are unwound in search of one; of larger teams nobody is named


def of_regions(rows: List[ThreadRow], waiting: Iterable[ThreadRow]) -> Dict[Hashable, ThreadRow]:
    """{key of a region: the one member of its team that is in the ordered region} where there is
    exactly one. WAITING are those of all ROWS that wait for their turn."""
    found: Dict[Hashable, ThreadRow] = {}
    turns = set(waiting)
    for key in {row.region_key for row in turns} - {None}:
        others = [row for row in rows if row.region_key == key and row not in turns]
        inside = [row for row in others if row.stopped and _is_inside(row)] \
            if len(others) <= _MOST_STACKS else []
        if len(inside) == 1:
            found[key] = inside[0]
    return found


def _is_inside(row: ThreadRow) -> bool:
    """Whether a frame of the thread's is in the block of an ordered construct."""
    parts = errors.known(lambda: row.stacks.stack(row.thread).parts)
    return any(extent.directive.names == ("ordered",)
               for part in parts or () if isinstance(part, segments.UserFrame)
               for extent in part.within)
