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
from openmp_inspect.analysis.wait_state import Arrivals, WaitState

if TYPE_CHECKING:
    from typing import Dict, Hashable, List, Optional, Set, Tuple
    from openmp_inspect.model.objects import Region
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.analysis.thread_rows import Row
    from openmp_inspect.analysis.wait_inference import Inference

    Team = Tuple[Region, List[Row]]
    Key = Tuple[Hashable, str]  # of a region, and the kind of its barrier


def settle(rows: List[Row], snapshot: Snapshot, inference: Inference) -> None:
    """Changes the waits of threads that are at the end of their region, and how many have arrived
    at barriers. ROWS are thread_rows.Row of all threads, with their states inferred from stacks.
    Call in selection_kept()."""
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
    arrived: Dict[Key, Set[Row]] = {}
    for region, members in waiting:
        for row in members:
            _add(row, region, inference, arrived)
    changed: Dict[Tuple[WaitState, Arrivals], WaitState] = {}
    for region, members in waiting:
        # Whoever is still in the runtime for a reason that is not known may have arrived.
        is_open = any(not row.stopped or _is_vague(row) and row.place is None for row in members)
        for kind in ("within", "end"):
            for row in arrived.get((region.key, kind), ()):
                _count(row, len(arrived[region.key, kind]), is_open, changed)


def _may_wait(row: Row) -> bool:
    return row.wait.is_barrier or _is_vague(row)


def _is_vague(row: Row) -> bool:
    return row.wait.name == "overhead" and row.wait.derived


def _learn(rows: List[Row]) -> None:
    """Inner nodes sleep, too, until those below them have arrived; none of them has an odd number,
    however many are below each."""
    for row in rows:
        known = row.known
        if known is not None and row.stopped and not row.wait.derived and (
                row.wait.name == "idle" or known.barrier_kind == "end" and
                (row.sleep is None or errors.known(lambda: known.number % 2))):  # pylint: disable=W0640
            fork_join.learn(stitched_stack.current().walker.stack(row.thread))


def _add(row: Row, region: Region, inference: Inference, arrived: Dict[Key, Set[Row]]) -> None:
    """Adds a member of REGION to those that have ARRIVED; one that its memory does not show so
    is where its stack says."""
    kind = None if row.known is None else row.known.barrier_kind
    if kind is None and row.stopped:
        if row.wait.is_barrier:
            kind = "end" if inference.is_out_of_body(row) else "within"
        elif _is_vague(row) or _is_in_task(row):
            kind = _by_stack(row, region)
        if kind == "end" and _is_vague(row):
            row.wait = inference.state("wait_barrier_implicit", 0, "stacks", region, kind)
            row.move(stitched_stack.current().place_of(region) or row.place)
    if kind is not None:
        arrived.setdefault((region.key, kind), set()).add(row)


def _by_stack(row: Row, region: Region) -> Optional[str]:
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


def _is_in_task(row: Row) -> bool:
    task = None if row.known is None else errors.known(lambda: row.known.task)
    return task is not None and errors.known(lambda: task.kind) == "explicit"


def _count(row: Row, count: int, is_open: bool,
           changed: Dict[Tuple[WaitState, Arrivals], WaitState]) -> None:
    """COUNT threads, or more if IS_OPEN, have arrived where a thread waits, in whose memory it may
    be another number. Equal WaitStates stay one."""
    told, size = row.wait.arrivals, errors.known(row.team_size)
    if not row.wait.is_barrier or not size:
        return
    is_same = told is not None and told.arrived == count
    key = row.wait, Arrivals(count, size, derived=is_open or not is_same)
    if key not in changed:
        changed[key] = row.wait.but(arrivals=key[1])
    row.wait = changed[key]
