# SPDX-License-Identifier: MIT
"""Who of a team of LLVM's runtime has arrived at a barrier. Its memory shows that of the leaves of
the barrier's tree, and of whoever sleeps; of the primary thread and of inner nodes, which execute
tasks or spin until those below them arrive, the stack does:

    1/8  sleeps in the body           has not arrived
    4/8  looks for tasks, 5 to 7 are below it; at the end by fork_join.py
    5/8  executes a task; a leaf: its memory says that it has arrived
    6/8  likewise, and waits          so 3 of 8 have
    0/8  spins in __kmpc_reduce_nowait(), where another one has arrived: that is the barrier

Who executes a task there may be in a region within by now: what its memory says is about that one.
"""

from __future__ import annotations

from openmp_inspect.core import errors
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.model import nesting
from openmp_inspect.code import entry_waits
from openmp_inspect.stacks import barrier_source, fork_join
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
    barriers. ROWS are all threads, with their findings."""
    if "libomp" not in snapshot.runtime_kinds.values():
        return
    teams: Dict[Hashable, Team] = {}
    for row in rows:
        if row.region is not None and row.known is not None and \
                row.known.runtime_kind == "libomp":
            for region in _entered(row, row.region):
                teams.setdefault(region.key, (region, []))[1].append(row)
    waiting = [(region, members) for region, members in teams.values() if any(
        _may_wait(row) and row.region_key == region.key for row in members)]
    if not waiting:
        return
    if not fork_join.has_learnt(snapshot.process):
        _learn(rows)
    arrived: Dict[Key, Set[ThreadRow]] = {}
    for region, members in waiting:
        reductions = _reductions(members, region, inference)
        for row in members:
            _add(row, region, inference, reductions, facts, arrived)
    for region, members in waiting:
        # Whoever is still in the runtime for a reason that is not known may have arrived.
        is_open = any(not row.stopped or row.place is None and facts.finding(row).is_vague
                      for row in members)
        for kind in ("within", "end"):
            for row in arrived.get((region.key, kind), ()):
                if row.region_key == region.key:
                    _count(row, len(arrived[region.key, kind]), is_open, decision, facts)


def has_nested(rows: List[ThreadRow], snapshot: Snapshot) -> bool:
    """Whether a thread of LLVM's runtime is in a region within another one: where waits are recorded
    nothing else is missing. ROWS are all threads."""
    return "libomp" in snapshot.runtime_kinds.values() and any(
        row.alike is None and row.region is not None and
        errors.known(lambda: row.region.parent) is not None for row in rows)


def _entered(row: ThreadRow, own: Region) -> List[Region]:
    """The Regions that a thread is in, its OWN one first: those around that it has encountered."""
    if row.known is None or errors.known(lambda: own.master) != row.known:
        return [own]
    return [entered.region for entered in nesting.regions(row.known)] or [own]


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
            fork_join.learn(row.stacks.walker.stack(row.thread))


def _reductions(members: List[ThreadRow], region: Region,
                inference: Inference) -> Dict[Optional[str], str]:
    """The kind of the barrier that a function is in which combines values, and which may do without
    one, by memory of MEMBERS inside of it."""
    return {inference.called(row): row.known.barrier_kind for row in members
            if row.known is not None and row.known.barrier_kind and
            row.region_key == region.key and inference.called(row) in barrier_source.REDUCTIONS}


def _add(row: ThreadRow, region: Region, inference: Inference, reductions: Dict[Optional[str], str],
         facts: JointFacts, arrived: Dict[Key, Set[ThreadRow]]) -> None:
    """Adds a member of REGION to those that have ARRIVED; one that its memory does not show so
    is where its stack says."""
    is_own = row.region_key == region.key
    kind = row.known.barrier_kind if row.known is not None and is_own else None
    if kind is None and row.stopped:
        if not is_own:
            kind = _by_stack(row, region)
        elif row.finding.is_barrier:
            kind = "end" if inference.is_out_of_body(row) else "within"
        elif row.finding.is_vague or _is_in_task(row):
            kind = reductions.get(inference.called(row)) or _by_stack(row, region)
        if kind == "end" and is_own and row.finding.is_vague:
            facts.add(row, Finding("wait_barrier_implicit", 0, "stacks", region, kind))
            construct = row.stacks.place_of(region)
            if construct is not None:
                facts.places[row] = construct
    if kind is not None:
        arrived.setdefault((region.key, kind), set()).add(row)


def _by_stack(row: ThreadRow, region: Region) -> Optional[str]:
    """The kind of the barrier of REGION in which a thread executes tasks, or looks for them."""
    stack = row.stacks.stack(row.thread)
    gaps = stack.matched.region_gaps
    own = gaps.get(region.key)
    # Those of regions within, and newer ones, are not about this one.
    within = [one.level for one in gaps.values() if own is not None and one.level < own.level]
    for gap in stack.gaps:
        if own is None or gap.level <= max(within, default=-1):
            continue
        if (entry_waits.state_in(gap.left if gap is own else gap.entry) or "").startswith("wait_b") \
                and gap.kind == "task":
            return "within"
        if gap is own:
            at_end = gap.kind != "region" and fork_join.is_at_end(stack.frames, gap)
            return "end" if at_end and gap.left is None else None
    return None


def _is_in_task(row: ThreadRow) -> bool:
    task = None if row.known is None else errors.known(lambda: row.known.task)
    return task is not None and errors.known(lambda: task.kind) == "explicit"


def _count(row: ThreadRow, count: int, is_open: bool, decision: Decision,
           facts: JointFacts) -> None:
    """COUNT threads have arrived where a thread waits, in whose memory it may be another number. Or more
    if IS_OPEN: all may have who wait, in a loop, for a task that none of them executes."""
    found = facts.finding(row)
    size = errors.known(row.team_size)
    if not found.is_barrier or not size:
        return
    counted = decision.arrivals(found)
    is_same = counted is not None and counted.arrived == count
    facts.arrivals[row] = None if is_open else Arrivals(count, size, derived=not is_same)
