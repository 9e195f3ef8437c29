# SPDX-License-Identifier: MIT
"""Who is in the ordered region for which others of its team wait: no runtime says it, the source
says which lines are inside. For instance, of four threads in one loop

    step () at 14      line 13 is the directive        is inside
    main () at 13      the call that waits             wait
"""

from __future__ import annotations

from openmp_inspect.core import errors
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.stacks import segments, stitched_stack

if TYPE_CHECKING:
    from typing import Dict, Hashable, List
    from openmp_inspect.analysis.thread_rows import Row

_MOST_STACKS = 64  # that are unwound in search of one; of larger teams nobody is named


def settle(rows: List[Row]) -> None:
    """Names the holder in the waits of ROWS, thread_rows.Row of all threads, for their turn, where
    exactly one member of the team is inside. Call in selection_kept()."""
    waiting: Dict[Hashable, List[Row]] = {}
    for row in rows:
        if row.wait.name == "wait_ordered" and row.region_key is not None:
            waiting.setdefault(row.region_key, []).append(row)
    for key, some in waiting.items():
        others = [row for row in rows if row.region_key == key and row not in some]
        inside = [row for row in others if row.stopped and _is_inside(row)] \
            if len(others) <= _MOST_STACKS else []
        if len(inside) == 1:
            holder = inside[0].as_holder(derived=True)
            named = {row.wait: row.wait.but(holder=holder) for row in some}
            for row in some:
                row.wait = named[row.wait]


def _is_inside(row: Row) -> bool:
    """Whether a frame of the thread's is in the block of an ordered construct."""
    parts = errors.known(lambda: stitched_stack.current().stack(row.thread).parts)
    return any(extent.directive.names == ("ordered",)
               for part in parts or () if isinstance(part, segments.UserFrame)
               for extent in part.within)
