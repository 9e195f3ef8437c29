# SPDX-License-Identifier: MIT
"""Threads of a team that are inside the runtime and out of the region's body: at its end,
or not yet at its beginning? libgomp keeps the number of arrived threads, not their identities
(LLVM's runtime does: tree_arrival.py).

An arrived thread is either without a frame of the body, inside a call that is a barrier, or
busy with a task at the end of the region. Where these are as many as the arrival count, each of
them is known to have.
"""

from __future__ import annotations

from openmp_inspect.core import errors
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.analysis.finding import Finding

if TYPE_CHECKING:
    from typing import Dict, Hashable, List, Optional, Tuple
    from openmp_inspect.model.objects import Region
    from openmp_inspect.model.sync import Barrier
    from openmp_inspect.analysis.joint_facts import JointFacts
    from openmp_inspect.analysis.thread_rows import ThreadRow
    from openmp_inspect.analysis.wait_inference import Inference


def gather(rows: List[ThreadRow], inference: Inference, facts: JointFacts) -> None:
    """Adds to FACTS what threads that are between two bodies do, by what their team shows, and
    where they are. ROWS are all threads, with their findings."""
    teams: Dict[Hashable, Tuple[Region, List[ThreadRow]]] = {}
    for row in rows:
        own = row.finding.region or row.region
        if own is not None and row.thread is not None:
            teams.setdefault(own.key, (own, []))[1].append(row)
    for region, members in teams.values():
        idle = [row for row in members if row.finding.is_vague and
                row.known is not None and row.known.runtime_kind != "libomp" and
                not _in_body(row, region)]
        for row, name in _found(region, members, idle, inference) if idle else ():
            kind = None if region.barrier is None else region.barrier.kind
            facts.add(row, Finding(name, 0, "stacks", region, kind))
        outside = [row for row in members if _is_outside(row, facts, inference)]
        construct = outside[0].stacks.place_of(region) if outside else None
        if construct is not None:
            facts.places.update(dict.fromkeys(outside, construct))


def _is_outside(row: ThreadRow, facts: JointFacts, inference: Inference) -> bool:
    """Whether a thread has the body of its region behind or before it, so that only the construct
    is its place."""
    found = facts.finding(row)
    return found.derived and (found.is_barrier or found.name in ("leaving", "starting")) and \
        inference.is_out_of_body(row)


def _found(region: Region, members: List[ThreadRow], idle: List[ThreadRow],
           inference: Inference) -> List[Tuple[ThreadRow, str]]:
    """[(row, name of its state)] of those in IDLE whose state follows from the whole team."""
    barrier = _barrier(region)
    at = {row: (inference.waits_at(row) or ("",))[0] for row in idle}
    at_work = [row for row in members if not inference.is_out_of_body(row)]
    released = []
    if (at_work or barrier is not None) and len(region.team) == region.size:
        # While a body runs, or some have left it, nobody waits in the dock any more.
        released = [row for row in idle if at[row] == "dock"]
    found = [(row, "starting") for row in released]
    idle = [row for row in idle if row not in released and (
        barrier is None or barrier.kind != "end" or row not in at_work)]
    if barrier is not None and barrier.state is not None and \
            _have_all_arrived(region, members, idle, barrier, inference):
        return found + [(row, barrier.state) for row in idle]
    if barrier is None and not at_work and len(members) == region.size and \
            region.parent is None and all(row.finding.name != "starting" for row in members):
        found += [(row, "leaving") for row in idle if at[row] == "barrier"]
    return found


def _have_all_arrived(region: Region, members: List[ThreadRow], idle: List[ThreadRow],
                      barrier: Barrier, inference: Inference) -> bool:
    """Whether those in IDLE have arrived at the barrier. Adds the encountering thread if
    it has, though its call of the runtime cannot be seen."""
    count = len(idle)
    if len(region.barriers) == 1:  # else those in the region's barriers are not at its end
        count += sum(row.finding.is_barrier and (
            barrier.kind != "end" or not row.finding.derived or inference.is_out_of_body(row))
                     for row in members)
    if count < barrier.arrived:
        for row in members:
            if not row.finding.derived and _met(row, region) and _gap_kind(row, region) == "inside":
                idle.append(row)
                count += 1
    in_tasks = 0
    if count < barrier.arrived:
        in_tasks = sum(_in_task(row) and _gap_kind(row, region) == "task" for row in members)
    return barrier.is_met_by(count, in_tasks)


def _barrier(region: Region) -> Optional[Barrier]:
    barrier: Optional[Barrier] = errors.known(lambda: region.barrier)
    return barrier if barrier is not None and barrier.state is not None else None


def _gap_kind(row: ThreadRow, region: Region) -> Optional[str]:
    """What the runtime does on a thread's stack where the body of the region would be."""
    gap = row.stacks.stack(row.thread).matched.region_gaps.get(region.key)
    return None if gap is None else gap.kind


def _in_body(row: ThreadRow, region: Region) -> bool:
    """Whether a thread executes a task, or has the region's body on its stack: it begins a region
    within, or has left one, which it does not say any more."""
    return _in_task(row) or row.place is not None and _gap_kind(row, region) == "region"


def _met(row: ThreadRow, region: Region) -> bool:
    return row.known is not None and bool(row.known == errors.known(lambda: region.master))


def _in_task(row: ThreadRow) -> bool:
    known = row.known
    task = None if known is None else errors.known(lambda: known.task)
    return task is not None and errors.known(lambda: task.kind) == "explicit"
