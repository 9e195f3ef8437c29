# SPDX-License-Identifier: MIT
"""All threads at a stop, with what follows from all together: who of a team has
arrived, who is in a section, who is still being created."""

from __future__ import annotations

from openmp_inspect.core import debug, errors
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import processes
from openmp_inspect.bindings import spaces
from openmp_inspect.analysis import barrier_arrival, critical_holder, ordered_holder, thread_rows, \
    tree_arrival
from openmp_inspect.analysis.wait_state import Arrivals, WaitState

if TYPE_CHECKING:
    from typing import Dict, Hashable, List, Optional
    from openmp_inspect.model.objects import Region
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.analysis.wait_inference import Inference

_STARTING = WaitState("starting", 0, "stacks")
_INSIDE = WaitState("overhead", 0, "stacks")


def all_rows(snapshot: Optional[Snapshot]) -> List[thread_rows.Row]:
    """[thread_rows.Row] of the debugger's threads, and of those that only the runtime knows, made
    once for a command. Without a SNAPSHOT only what the debugger knows."""
    return spaces.current().made((all_rows, snapshot), lambda: _rows(snapshot))


def _rows(snapshot: Optional[Snapshot]) -> List[thread_rows.Row]:
    rows = thread_rows.Rows(snapshot)
    with processes.current().selection_kept():
        found = rows.listed()
        if snapshot is not None:
            _settle(found, snapshot, rows.inference)
            found += rows.unlisted()
    return found


def _settle(rows: List[thread_rows.Row], snapshot: Snapshot, inference: Inference) -> None:
    barrier_arrival.settle(rows, inference)
    if not (snapshot.recorded and snapshot.bulk):
        tree_arrival.settle(rows, snapshot, inference)
        _find_holders(rows, snapshot)
    ordered_holder.settle(rows)
    _find_starting(rows, snapshot, inference)
    _check_arrivals(rows, snapshot)


def _find_holders(rows: List[thread_rows.Row], snapshot: Snapshot) -> None:
    def is_taken(wait: Optional[int]) -> bool:
        lock = None if wait is None else snapshot.lock_at(wait, "wait_critical")
        return lock is None or lock.count != 0

    inside = critical_holder.of_sections(rows, is_taken)
    for row in rows if inside else ():
        holder = inside.get(row.wait.wait_id) if row.wait.name == "wait_critical" else None
        if holder is not None:
            row.wait = row.wait.but(holder=holder.as_holder(derived=True))


def _find_starting(rows: List[thread_rows.Row], snapshot: Snapshot, inference: Inference) -> None:
    """Threads without a frame of user code that the runtime does not know. While a team lacks
    members they are these. One that the runtime has started is else on its way out, or one
    that was not used yet."""
    others = [row for row in rows if row.thread is not None and row.place is None and
              row.stopped and (row.wait.name == "not_openmp" or row.wait.failed is not None)]
    if not others:
        return
    missing = _missing(snapshot)
    for row in others:
        call = inference.call(row)
        if call.runtime or missing and call.bare:
            row.wait = _STARTING if missing else _INSIDE


def _missing(snapshot: Snapshot) -> bool:
    """Whether a team has fewer members than it will have."""
    regions = {}
    for thread in errors.known(lambda: snapshot.threads) or ():
        region = errors.known(lambda: thread.region)  # pylint: disable=cell-var-from-loop
        if region is not None:
            regions[region.key] = region
    for region in regions.values():
        try:
            if len(region.team) < region.size:
                return True
        except errors.OmpdError:
            debug.ignored()
    return False


def _check_arrivals(rows: List[thread_rows.Row], snapshot: Snapshot) -> None:
    """Where more threads are seen to wait than the runtime has counted, some of them have not
    arrived or have been released: then no number is right. Nor is it where members are missing,
    who may be those that have arrived. A library of another vendor counts none, but knows the
    states of all."""
    alike: Dict[WaitState, List[thread_rows.Row]] = {}
    waiting: Dict[Hashable, List[thread_rows.Row]] = {}
    for row in rows:
        alike.setdefault(row.wait, []).append(row)
    for wait, some in alike.items():
        if wait.is_barrier and wait.barrier is not None:
            waiting.setdefault(wait.barrier, []).extend(some)
        elif wait.is_barrier:
            for row in some:
                key = row.region_key, wait.name == "wait_barrier_implicit"
                waiting.setdefault(key, []).append(row)
    for found in waiting.values():
        wait = found[0].wait
        if wait.arrivals is not None and (wait.arrivals.arrived < len(found) or
                                          _lacks_members(found[0].region)):
            _set_arrivals(found, None)
        elif wait.barrier is None and snapshot.recorded and not snapshot.bulk:
            size = errors.known(found[0].team_size)
            if size:
                _set_arrivals(found, Arrivals(len(found), size))


def _lacks_members(region: Optional[Region]) -> bool:
    return region is not None and bool(errors.known(lambda: region.lacks_members))


def _set_arrivals(rows: List[thread_rows.Row], arrivals: Optional[Arrivals]) -> None:
    changed = {}
    for row in rows:
        if row.wait not in changed:
            changed[row.wait] = row.wait.but(arrivals=arrivals)
        row.wait = changed[row.wait]
