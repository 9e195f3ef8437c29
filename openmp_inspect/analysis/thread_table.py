# SPDX-License-Identifier: MIT
"""All threads at a stop, in one pass: first what each shows by itself, then what follows from all
together, then the WaitState of each."""

from __future__ import annotations

from openmp_inspect.core import debug, errors
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import code_owner
from openmp_inspect.stacks import acquired_locks, stitched_stack
from openmp_inspect.analysis import barrier_arrival, critical_holder, finding, joint_facts, \
    ordered_holder, thread_place, tree_arrival, wait_decision, wait_inference
from openmp_inspect.analysis.observations import Observations
from openmp_inspect.analysis.thread_rows import ThreadRow
from openmp_inspect.analysis.wait_state import Arrivals

if TYPE_CHECKING:
    from typing import Dict, Hashable, List, Optional, Tuple
    from openmp_inspect.host.interface import Thread as HostThread
    from openmp_inspect.bindings.query import ThreadKind
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.model.objects import Region, Thread
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from openmp_inspect.analysis.finding import Finding

_NOBODY = (None, None, None)


def all_rows(here: Space, snapshot: Optional[Snapshot]) -> List[ThreadRow]:
    """[ThreadRow] of the debugger's threads, and of those that only the runtime knows, made once
    for a command. Without a SNAPSHOT only what the debugger knows."""
    return here.made((all_rows, snapshot), lambda: _all_rows(here, snapshot))


def _all_rows(here: Space, snapshot: Optional[Snapshot]) -> List[ThreadRow]:
    table = ThreadTable(stitched_stack.of(here), snapshot)
    with here.process.selection_kept():
        return table.rows()


class ThreadTable:
    """Lives during one command. ASSUME_STOPPED: all threads are, whatever the debugger says."""

    def __init__(self, stacks: StitchedStacks, snapshot: Optional[Snapshot],
                 assume_stopped: bool = False) -> None:
        observed = self._observed = Observations(stacks, snapshot, assume_stopped)
        self._snapshot = snapshot
        runtimes = code_owner.runtimes(stacks.process)
        self._has_several = snapshot is not None and len(runtimes.gomp | runtimes.kmp) > 1
        self._places = thread_place.PlaceFinder(observed.stacks, observed.walker,
                                           snapshot is not None and snapshot.recorded)
        self._inference = wait_inference.Inference(snapshot, observed)
        self._decision = wait_decision.Decision(snapshot, observed.walker, observed.names)

    def one(self, thread: HostThread) -> ThreadRow:
        """The ThreadRow of a thread, with no more than that thread itself shows."""
        lwp = self._observed.process.kernel_id(thread)
        known = None if self._snapshot is None else \
            self._innermost(lwp, thread) or self._snapshot.thread_of(lwp)
        row = ThreadRow(self._observed, lwp, thread, known)
        self._observe(row)
        row.wait = self._decision.state(row.finding)
        return row

    def rows(self) -> List[ThreadRow]:
        """[ThreadRow] of all."""
        rows = self._listed()
        if self._snapshot is None:
            for row in rows:
                row.wait = self._decision.state(row.finding)
            return rows
        facts = _Gathering(rows, self._snapshot, self._inference, self._decision).facts
        rows += self._unlisted()
        for row in rows:
            row.wait = self._decision.state(facts.finding(row), facts.joint(row))
            if row in facts.places:
                row.place = facts.places[row]
        return rows

    # What each shows by itself

    def _listed(self) -> List[ThreadRow]:
        """The debugger's threads, observed."""
        snapshot, observed = self._snapshot, self._observed
        kinds: Optional[Dict[Optional[int], ThreadKind]] = None
        by_lwp: Dict[int, Thread] = {}
        if snapshot is not None and snapshot.recorded and snapshot.bulk:
            kinds = snapshot.kinds
        elif snapshot is not None:
            by_lwp = snapshot.by_lwp
        seen: Dict[Hashable, ThreadRow] = {}
        found = []
        for lwp, thread in observed.threads:  # this loop is a hot one
            kind, member, known = (None, None, by_lwp.get(lwp)) if kinds is None else \
                kinds.get(lwp, _NOBODY)
            inner = self._innermost(lwp, thread) if self._has_several else None
            if inner is not None:
                kind, member, known = None, None, inner
            row = ThreadRow(observed, lwp, thread, known)
            found.append(row)
            first = seen.get(kind) if kind is not None and observed.is_stopped(thread) else None
            if first is not None and not (first.finding is finding.IDLE and
                                          self._inference.has_left(row, "idle")):
                row.alike, row.member = first, member
                row.finding, row.place = first.finding, first.place
                continue
            self._observe(row)
            if kind is not None and _is_of_kind(row):
                seen[kind] = row
        return found

    def _innermost(self, lwp: Optional[int], thread: HostThread) -> Optional[Thread]:
        """As stitched_stack.innermost(); None, too, of one that runs."""
        return self._observed.stitched.innermost(thread, lwp) \
            if self._has_several and self._observed.is_stopped(thread) else None

    def _observe(self, row: ThreadRow) -> None:
        stopped, known = row.stopped, row.known
        has_left = False
        if stopped:
            row.place = self._places.of(row.thread, known)
            state = None if known is None else errors.known(lambda: known.state)
            has_left = state is not None and self._inference.has_left(row, state)
        if has_left:
            row.place = self._observed.stacks.place(row.thread)
        if known is not None or self._observed.placed:
            row.finding = self._decision.one(self._inference.of(row, stopped, has_left))

    def _unlisted(self) -> List[ThreadRow]:
        """Threads that the runtime knows and the debugger does not: ended, or not seen yet. Until
        its first instructions after fork() have run, a child remembers its parent's."""
        snapshot, found = self._snapshot, []
        if snapshot is None or not self._observed.placed:
            return []
        seen = self._observed.process.kernel_ids_of_others().union(self._observed.numbers)
        if snapshot.recorded and snapshot.bulk and snapshot.kinds.keys() <= seen:
            return []
        for thread in snapshot.threads:
            lwp = errors.known(lambda: thread.lwp)  # pylint: disable=cell-var-from-loop
            if lwp not in seen:
                row = ThreadRow(self._observed, lwp, None, thread)
                row.finding = self._decision.one(self._inference.of(row, False))
                found.append(row)
        return found


def _is_of_kind(row: ThreadRow) -> bool:
    """Whether what a thread shows goes for the others of its kind, too: threads inside the runtime
    for the same call differ in their numbers only, unless one's own stack says what it does
    there."""
    found = row.finding
    if found.derived or found.name == "overhead":
        return False
    if found is finding.IDLE:
        return True
    known = row.known
    try:
        return row.place is not None and known is not None and bool(known.codeptr) and \
            (known.region is None or bool(known.region.size and known.region.chain))
    except errors.OmpdError:
        debug.ignored()
        return False


# What follows from all together


class _Gathering:
    """Makes the `facts`, of ROWS with their findings."""

    def __init__(self, rows: List[ThreadRow], snapshot: Snapshot,
                 inference: wait_inference.Inference, decision: wait_decision.Decision) -> None:
        self._rows, self._snapshot, self._decision = rows, snapshot, decision
        facts = self.facts = joint_facts.JointFacts(decision)
        alone = {id(row.finding): row.finding for row in rows}.values()
        if any(one.derived for one in alone):
            barrier_arrival.gather(rows, inference, facts)
        if not (snapshot.recorded and snapshot.bulk) or tree_arrival.has_nested(rows, snapshot):
            tree_arrival.gather(rows, snapshot, decision, inference, facts)
        self._find_holders()
        if any(one.name == "wait_ordered" for one in alone):
            self._find_ordered()
        if any(one is finding.NOT_OPENMP or one.failed is not None for one in alone):
            self._find_starting()
        self._check_arrivals()

    def _find_holders(self) -> None:
        def is_taken(one: Finding) -> bool:
            wait = one.wait_id
            lock = None if wait is None else self._snapshot.lock_at(wait, one.name)
            return lock is None or lock.count != 0 and lock.owner is None

        waiting: Dict[ThreadRow, Optional[int]] = {
            row: row.finding.wait_id for row in self._rows
            if row.finding.name == "wait_critical" and row.finding.wait_id != 0 and
            is_taken(row.finding)}
        inside = critical_holder.of_sections(self._rows, waiting)
        for row, wait in waiting.items():
            if wait in inside:
                self.facts.holders[row] = inside[wait].as_holder()
        locked = {row: row.finding.variable or row.finding.wait_id for row in self._rows
                  if row.finding.name == "wait_lock" and row.finding.wait_id and
                  is_taken(row.finding)}
        walker = next((row.stacks.walker for row in locked), None)
        held = {} if walker is None else acquired_locks.holders(walker, [
            (row, row.thread) for row in self._rows if row.thread is not None and row.stopped and
            row.place is not None], set(locked.values()))
        for row, lock in locked.items():
            if walker is not None and lock in held:
                owner, call = held[lock]
                self.facts.holders[row] = owner.as_holder(walker.place_before(call))

    def _find_ordered(self) -> None:
        waiting = [row for row in self._rows if row.finding.name == "wait_ordered"]
        inside = ordered_holder.of_regions(self._rows, waiting)
        for row in waiting:
            if row.region_key in inside:
                self.facts.holders[row] = inside[row.region_key].as_holder()

    def _find_starting(self) -> None:
        """Threads without a frame of user code that the runtime does not know. While a team lacks
        members they are these. One that the runtime has started is else on its way out, or one
        that was not used yet."""
        others = [row for row in self._rows if row.thread is not None and row.place is None and
                  row.stopped and (row.finding is finding.NOT_OPENMP or
                                   row.finding.failed is not None)]
        is_missing = bool(others) and self._lacks_members()
        for row in others:
            call = row.call
            if call.runtime or is_missing and call.bare:
                self.facts.add(row, finding.STARTING if is_missing else finding.INSIDE)

    def _lacks_members(self) -> bool:
        """Whether a team has fewer members than it will have."""
        regions = {}
        for thread in errors.known(lambda: self._snapshot.threads) or ():
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

    def _check_arrivals(self) -> None:
        """Where more threads are seen to wait than the runtime has counted, some of them have not
        arrived or have been released: then no number is right. Nor is it where members are
        missing, who may be those that have arrived. A library of another vendor counts none, but
        knows the states of all."""
        alike: Dict[int, List[ThreadRow]] = {}
        others = self.facts.findings
        for row in self._rows:
            alike.setdefault(id(others.get(row, row.finding)), []).append(row)
        waiting: Dict[Hashable, List[ThreadRow]] = {}
        for some in alike.values():
            found = self.facts.finding(some[0])
            if not found.is_barrier:
                continue
            barrier = self._decision.barrier(found)
            for row in some:
                key: Tuple[Hashable, ...] = (barrier,) if barrier is not None else \
                    (row.region_key, found.name == "wait_barrier_implicit")
                waiting.setdefault(key, []).append(row)
        for some in waiting.values():
            self._check(some)

    def _check(self, some: List[ThreadRow]) -> None:
        """The same of those that wait at one barrier."""
        facts, snapshot = self.facts, self._snapshot
        found = facts.finding(some[0])
        arrivals = facts.arrivals.get(some[0], self._decision.arrivals(found))
        if arrivals is not None and (arrivals.arrived < len(some) or
                                     _lacks_members(some[0].region)):
            facts.arrivals.update(dict.fromkeys(some))
        elif self._decision.barrier(found) is None and snapshot.recorded and not snapshot.bulk:
            size = errors.known(some[0].team_size)
            if size:
                facts.arrivals.update(dict.fromkeys(some, Arrivals(len(some), size)))


def _lacks_members(region: Optional[Region]) -> bool:
    return region is not None and bool(errors.known(lambda: region.lacks_members))
