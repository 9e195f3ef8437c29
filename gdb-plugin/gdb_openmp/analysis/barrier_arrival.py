# SPDX-License-Identifier: MIT
"""Threads of a team that are inside the runtime and out of the region's body: at its end,
or not yet at its beginning? libgomp counts who has come to a barrier, not who has.

Whoever has come is either without a frame of the body, inside a call that is a barrier, or
busy with a task at the end of the region. Where these are as many as have come, each of
them is known to have.
"""

from gdb_openmp.core import debug, errors
from gdb_openmp.host import inferiors
from gdb_openmp.stacks import stitched_stack


def barriers(rows):
    """[(Row, state, Place of the construct or None)] of those that are known to wait at a
    barrier of their team. ROWS are thread_rows.Row of all threads, with their states told from
    stacks."""
    teams = {}
    for row in rows:
        region = _region(row)
        if region is not None and row.thread is not None:
            teams.setdefault(region.key, (region, []))[1].append(row)
    found = []
    with inferiors.selection_kept():
        for region, members in teams.values():
            idle = [row for row in members if row.wait.derived and row.wait.name == "overhead"]
            barrier = _barrier(region) if idle else None
            if barrier is not None and _all_have_come(region, members, idle, barrier):
                construct = stitched_stack.current().construct(region)
                found += [(row, barrier.state, construct) for row in idle]
    return found


def _all_have_come(region, members, idle, barrier):
    """Whether those in IDLE have come to the barrier. Adds the thread that met the region if
    it has, though its call of the runtime cannot be seen."""
    count = len(idle)
    if len(region.barriers) == 1:  # else those in the region's barriers are not at its end
        count += sum(row.wait.derived and row.wait.is_barrier for row in members)
    if count < barrier.arrived:
        for row in members:
            if not row.wait.derived and _met(row, region) and _gap_kind(row, region) == "inside":
                idle.append(row)
                count += 1
    in_tasks = 0
    if count < barrier.arrived:
        in_tasks = sum(_in_task(row) and _gap_kind(row, region) == "task" for row in members)
    return barrier.is_met_by(count, in_tasks)


def _region(row):
    try:
        return None if row.known is None else row.known.region
    except errors.OmpdError:
        debug.ignored()
        return None


def _barrier(region):
    try:
        barrier = region.barrier
    except errors.OmpdError:
        debug.ignored()
        return None
    return barrier if barrier is not None and barrier.state is not None else None


def _gap_kind(row, region):
    """What the runtime does on a thread's stack where the body of the region would be."""
    gap = stitched_stack.current().stack(row.thread).region_gaps.get(region.key)
    return None if gap is None else gap.kind


def _met(row, region):
    try:
        return row.known == region.master
    except errors.OmpdError:
        debug.ignored()
        return False


def _in_task(row):
    try:
        return row.known.task is not None and row.known.task.kind == "explicit"
    except errors.OmpdError:
        debug.ignored()
        return False
