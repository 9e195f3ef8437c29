# SPDX-License-Identifier: MIT
"""What stacks tell of regions where nobody records: where they were met, and which threads
stand at their end."""

from ompd import names, story, target
from ompd.frames import Place

_MOST_LOOKS = 16  # stacks that are unwound to find the construct of one region


def construct(region, threads, walker):
    """The Place of the construct of a region, or None. THREADS are gdb's, by kernel id. Call
    in selection_kept()."""
    told = story.current()
    met = None
    for number, member in enumerate([region.master] + region.team[1:_MOST_LOOKS]):
        thread = threads.get(member.lwp)
        same = _as_told(told, thread, region) if thread is not None else None
        if same is None:
            continue
        told.stack(thread).parts  # pylint: disable=pointless-statement
        if told.bodies.get(same.key):
            return walker.construct(told.bodies[same.key])
        gap = told.stack(thread).region_gaps.get(same.key) if number == 0 else None
        if gap is not None and gap.call:
            met = Place(names.code_at(gap.call - 1)[0], None, None, gap.call)
    return met


def _as_told(told, thread, region):
    """What a story calls a region that a gdb thread is in, or None: it has handles of its
    own."""
    known, other = region.snapshot.by_lwp.get(target.lwp(thread)), told.known(thread)
    ours, theirs = (None if one is None else one.region for one in (known, other))
    while ours is not None and theirs is not None:
        if ours.key == region.key:
            return theirs
        ours, theirs = ours.parent, theirs.parent
    return None


class Left:
    """Threads that are in a region, inside the runtime and not in their body: at its
    beginning or its end. All are at the end if as many have arrived there, which the runtime
    counts without saying who."""

    def __init__(self):
        self._rows = {}  # region -> its rows

    def add(self, region, row):
        self._rows.setdefault(region, []).append(row)

    def waiting(self):
        """(region, state, rows) of those that wait in its barrier."""
        for region, rows in self._rows.items():
            barrier = region.barrier
            if barrier is not None and len(rows) <= (barrier.arrived or 0):
                yield region, barrier.state or "wait_barrier", rows
