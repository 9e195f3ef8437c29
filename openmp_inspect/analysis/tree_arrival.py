# SPDX-License-Identifier: MIT
"""Who of a team of LLVM's runtime has arrived at a barrier. Its memory shows that of the leaves of
the barrier's tree, and of whoever sleeps; of the primary thread and of inner nodes, which execute
tasks or spin until those below them arrive, the stack does:

    1/8  sleeps in the body           has not arrived
    4/8  looks for tasks, 5 to 7 are below it; at the end by fork_join.py
    5/8  executes a task; a leaf: its memory says that it has arrived
    6/8  likewise, and waits          so 3 of 8 have
"""

from __future__ import annotations

from openmp_inspect.core import errors
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import entry_waits
from openmp_inspect.stacks import fork_join, segments, stitched_stack
from openmp_inspect.analysis.finding import Finding
from openmp_inspect.analysis.wait_state import Arrivals

if TYPE_CHECKING:
    from typing import Dict, Hashable, List, Optional, Set, Tuple
    from openmp_inspect.model.objects import Region
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.analysis.joint_facts import JointFacts
    from openmp_inspect.analysis.thread_rows import ThreadRow
    from openmp_inspect.analysis.wait_decision import Decision
    from openmp_inspect.analysis.wait_inference import Inference

    Team = Tuple[Region, List[ThreadRow]]
    Key = Tuple[Hashable, str]  # of a region, and the kind of its barrier


def gather(rows: List[ThreadRow], snapshot: Snapshot, decision: Decision, inference: Inference,
           facts: JointFacts) -> None:
    """Adds to FACTS which threads are at the end of their region, and how many have arrived at
    barriers. ROWS are all threads, with their findings. Call in selection_kept()."""
    if "libomp" not in snapshot.runtime_kinds.values():
        return
    teams: Dict[Hashable, Team] = {}
    for row in rows:
        own = row.region
        if own is not None and row.known is not None and row.known.runtime_kind == "libomp":
            teams.setdefault(own.key, (own, []))[1].append(row)
    waiting = [one for one in teams.values() if any(map(_may_wait, one[1]))]
    if not waiting:
        return
    if not fork_join.has_learnt():
        _learn(rows)
    arrived: Dict[Key, Set[ThreadRow]] = {}
    for region, members in waiting:
        for row in members:
            _add(row, region, inference, facts, arrived)
    for region, members in waiting:
        # Whoever is still in the runtime for a reason that is not known may have arrived.
        is_open = any(not row.stopped or row.place is None and facts.finding(row).is_vague
                      for row in members)
        for kind in ("within", "end"):
            for row in arrived.get((region.key, kind), ()):
                _count(row, len(arrived[region.key, kind]), is_open, decision, facts)


def _may_wait(row: ThreadRow) -> bool:
    return row.finding.is_barrier or row.finding.is_vague


def _learn(rows: List[ThreadRow]) -> None:
    """Inner nodes sleep, too, until those below them have arrived; none of them has an odd number,
    however many are below each."""
    for row in rows:
        known = row.known
        if known is not None and row.stopped and not row.finding.derived and (
                row.finding.name == "idle" or known.barrier_kind == "end" and (
                    row.sleep is None or
                    errors.known(lambda: known.number % 2))):  # pylint: disable=W0640
            fork_join.learn(stitched_stack.current().walker.stack(row.thread))


def _add(row: ThreadRow, region: Region, inference: Inference, facts: JointFacts,
         arrived: Dict[Key, Set[ThreadRow]]) -> None:
    """Adds a member of REGION to those that have ARRIVED; one that its memory does not show so
    is where its stack says."""
    kind = None if row.known is None else row.known.barrier_kind
    if kind is None and row.stopped:
        if row.finding.is_barrier:
            kind = "end" if inference.is_out_of_body(row) else "within"
        elif row.finding.is_vague or _is_in_task(row):
            kind = _by_stack(row, region)
        if kind == "end" and row.finding.is_vague:
            facts.add(row, Finding("wait_barrier_implicit", 0, "stacks", region, kind))
            construct = stitched_stack.current().place_of(region)
            if construct is not None:
                facts.places[row] = construct
    if kind is not None:
        arrived.setdefault((region.key, kind), set()).add(row)


def _by_stack(row: ThreadRow, region: Region) -> Optional[str]:
    """The kind of the barrier of REGION in which a thread executes tasks, or looks for them."""
    stack = stitched_stack.current().stack(row.thread)
    own = stack.matched.region_gaps.get(region.key)
    for gap in stack.parts:
        if not isinstance(gap, segments.Gap):
            continue
        if gap is own:
            at_end = gap.kind != "region" and fork_join.is_at_end(stack.frames, gap)
            return "end" if at_end else None
        if gap.kind == "task" and (entry_waits.state_in(gap.entry) or "").startswith("wait_b"):
            return "within"
    return None


def _is_in_task(row: ThreadRow) -> bool:
    task = None if row.known is None else errors.known(lambda: row.known.task)
    return task is not None and errors.known(lambda: task.kind) == "explicit"


def _count(row: ThreadRow, count: int, is_open: bool, decision: Decision,
           facts: JointFacts) -> None:
    """COUNT threads, or more if IS_OPEN, have arrived where a thread waits, in whose memory it may
    be another number."""
    found = facts.finding(row)
    size = errors.known(row.team_size)
    if not found.is_barrier or not size:
        return
    counted = decision.arrivals(found)
    is_same = counted is not None and counted.arrived == count
    facts.arrivals[row] = Arrivals(count, size, derived=is_open or not is_same)
