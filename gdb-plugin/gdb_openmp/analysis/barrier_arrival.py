# SPDX-License-Identifier: MIT
"""Threads of a team that are inside the runtime and out of the region's body: at its end,
or not yet at its beginning? libgomp counts who has come to a barrier, not who has.

Whoever has come is either without a frame of the body, inside a call that is a barrier, or
busy with a task at the end of the region. Where these are as many as have come, each of
them is known to have.
"""

from gdb_openmp.core import debug, errors
from gdb_openmp.stacks import stitched_stack


def settle(rows, inference):
    """Changes the waits of threads that are between two bodies to what their team tells. ROWS
    are thread_rows.Row of all threads, with their states told from stacks; INFERENCE a
    wait_inference.Inference. Call in selection_kept()."""
    teams = {}
    for row in rows:
        region = _region(row)
        if region is not None and row.thread is not None:
            teams.setdefault(region.key, (region, []))[1].append(row)
    for region, members in teams.values():
        idle = [row for row in members if row.wait.derived and row.wait.name == "overhead" and
                not (_in_task(row) and not inference.is_out_of_body(row))]  # in its body
        for row, name in _found(region, members, idle, inference) if idle else ():
            kind = None if region.barrier is None else region.barrier.kind
            row.wait = inference.state(name, 0, "stacks", region, kind, None)
        ended = [row for row in members if row.wait.derived and
                 (row.wait.is_barrier or row.wait.name == "leaving") and
                 inference.is_out_of_body(row)]
        construct = stitched_stack.current().construct(region) if ended else None
        for row in ended if construct is not None else ():
            row.move(construct)


def _found(region, members, idle, inference):
    """[(Row, name of its state)] of those in IDLE whose state all of the team tell."""
    barrier = _barrier(region)
    at = {row: (inference.waits_at(row) or ("",))[0] for row in idle}
    at_work = [row for row in members if not inference.is_out_of_body(row)]
    released = []
    if (at_work or barrier is not None) and len(region.team) == region.size:
        # While a body runs, or some have left it, nobody waits in the dock any more.
        released = [row for row in idle if at[row] == "dock"]
    found = [(row, "starting") for row in released]
    idle = [row for row in idle if row not in released]
    if barrier is not None and _all_have_come(region, members, idle, barrier, inference):
        return found + [(row, barrier.state) for row in idle]
    if barrier is None and not at_work and len(members) == region.size and \
            region.parent is None and all(row.wait.name != "starting" for row in members):
        found += [(row, "leaving") for row in idle if at[row] == "barrier"]
    return found


def _all_have_come(region, members, idle, barrier, inference):
    """Whether those in IDLE have come to the barrier. Adds the thread that met the region if
    it has, though its call of the runtime cannot be seen."""
    count = len(idle)
    if len(region.barriers) == 1:  # else those in the region's barriers are not at its end
        count += sum(row.wait.derived and row.wait.is_barrier and
                     (barrier.kind != "end" or inference.is_out_of_body(row)) for row in members)
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
