# SPDX-License-Identifier: MIT
"""Evidence of barriers and ends of regions: who is at which, and whom it needs.

libgomp keeps how many have arrived, not who: those that are seen inside calls of barriers are
compared with that number.
"""

from __future__ import annotations

from openmp_inspect.core import errors
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import code_owner, places
from openmp_inspect.analysis import evidence_items, thread_rows

if TYPE_CHECKING:
    from typing import Dict, Hashable, List, Optional, Tuple
    from openmp_inspect.host.interface import Process
    from openmp_inspect.model.objects import Region
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.model.sync import Barrier
    from openmp_inspect.analysis.evidence_items import Edge, Evidence, Node
    from openmp_inspect.analysis.task_evidence import Tasks
    from openmp_inspect.analysis.team_evidence import Teams
    from openmp_inspect.analysis.thread_rows import ThreadRow

    _Counts = Dict[Tuple[Hashable, str], Barrier]  # by a region's key, and one of _KINDS

_KINDS = ("barrier", "region_end")


class Barriers:
    """Adds to EVIDENCE; THREADS: the Node of each thread, by kernel id."""

    def __init__(self, evidence: Evidence, snapshot: Snapshot,
                 threads: Dict[Optional[int], Node], teams: Teams) -> None:
        self._evidence, self._process = evidence, evidence.stacks.process
        self._teams = teams
        self._snapshot = snapshot
        self._recorded = snapshot.recorded
        self._threads = threads
        # By the key of a region, and one of _KINDS.
        self._at: Dict[Tuple[Hashable, str], List[Edge]] = {}
        self._regions: Dict[Hashable, Region] = {}

    def ends(self) -> Dict[Node, Node]:
        """The end of a region at which each thread is that is at one."""
        return {edge.from_: edge.to for edges in self._at.values() for edge in edges
                if edge.to.what == "region_end"}

    def add_wait(self, row: ThreadRow, node: Node, asleep: bool) -> bool:
        """The barrier or end of a region at which a thread is. False: its region is not known."""
        region = row.region
        if region is None:
            return False
        known = None if row.wait.barrier is None else row.wait.barrier.kind
        unread = row.place is places.UNREAD and not known
        ends = known == "end" if known else unread or row.place is None or not row.place.called
        kind = "region_end" if row.wait.name == "wait_barrier_implicit" and ends else "barrier"
        thing = self._barrier(region, kind)
        # In LLVM's runtime one that has been released may sleep on for a while.
        confirmed = asleep and not unread and \
            not (row.wait.derived and thread_rows.is_of_llvm(self._process, row.known))
        edge = self._evidence.waits(node, thing, row.wait.witness, confirmed)
        self._at.setdefault((region.key, kind), []).append(edge)
        return True

    def add_start(self, row: ThreadRow, node: Node) -> bool:
        """A thread that sleeps inside the runtime, in a region of which not all members are
        there: libgomp begins a region with a barrier that it does not count. One that makes a
        thread for the region may sleep in libc, for another one that does."""
        region, name = row.region, row.wait.name
        if row.thread is None or region is None or name not in evidence_items.STARTS:
            return False
        newest = self._evidence.stacks.walker.stack(row.thread).newest
        if newest is None or not newest.is_runtime or code_owner.is_hooks(newest.frame) and \
                row.known != errors.known(lambda: region.master):
            return False  # or the hooks let it go on once the region has a record
        if len(errors.known(lambda: region.team) or ()) >= (
                errors.known(lambda: region.size) or 0):
            return False
        node.what = "waits"
        edge = self._evidence.waits(node, self._barrier(region, "region_end"), "kernel", True)
        self._at.setdefault((region.key, "region_end"), []).append(edge)
        return True

    def _barrier(self, region: Region, kind: str) -> Node:
        thing, new = self._evidence.node((kind, region.key), "thing", kind, "runtime")
        if new:
            thing.region, thing.team = region, self._evidence.team(region)
            self._regions[region.key] = region
            if errors.known(lambda: region.cancelled):
                thing.flags.add("cancelled")
        return thing

    def relate(self, tasks: Tasks) -> None:
        """What each of them needs."""
        counts: _Counts = {}
        self._add_ends_of_lone()
        barriers = errors.known(lambda: self._snapshot.barriers)
        for barrier in barriers or ():
            # Those of constructs within the region are implicit ones, too, as far as is recorded.
            ends = barrier.kind == "end" if barrier.kind else \
                barrier.state == "wait_barrier_implicit"
            kind = "region_end" if ends else "barrier"
            counts[barrier.region.key, kind] = barrier
            if not self._recorded:
                self._barrier(barrier.region, kind).arrived = barrier.arrived
        if barriers is not None and not self._recorded and not self._snapshot.incomplete:
            self._release(counts)
        for key, region in self._regions.items():
            for kind in _KINDS:
                if (kind, key) in self._evidence.nodes:
                    self._add_missing(region, kind, counts, tasks)
            self._add_mismatch(key, counts)
            self._mark_directives(key)

    def _add_ends_of_lone(self) -> None:
        """Of regions that only one thread of the process is in, whatever that does."""
        for node in self._threads.values():
            region = None if node.row is None else node.row.region
            if region is not None and self._teams.missing(region) > 0 and \
                    len(self._teams.members(region)) == 1:
                self._barrier(region, "region_end")

    def _release(self, counts: _Counts) -> None:
        """Where more threads are inside calls of barriers than libgomp counts, those that do not
        sleep are on their way in or out:

            4 threads of 4 in GOMP_barrier, 0 arrived      the barrier has just released them"""
        for key, region in self._regions.items():
            both = [(key, kind) for kind in _KINDS]
            arrived = sum(counts[one].arrived for one in both if one in counts)
            if sum(len(self._at.get(one, ())) for one in both) <= arrived or \
                    _is_of_llvm(self._process, region):
                continue
            for one in both:
                edges = self._at.get(one, [])
                self._at[one] = [edge for edge in edges if "confirmed" in edge.flags]
                for edge in edges:
                    if "confirmed" not in edge.flags:
                        self._evidence.waits_no_more(edge.from_)

    def _add_missing(self, region: Region, kind: str, counts: _Counts, tasks: Tasks) -> None:
        """Whom a barrier needs: members of the team that are not at it. The runtime's count
        of those that have arrived says whether it is these."""
        evidence = self._evidence
        thing = evidence.nodes[kind, region.key]
        edges = self._at.get((region.key, kind), [])
        barrier = counts.get((region.key, kind))
        size = errors.known(lambda: region.size)
        is_counted = not errors.known(lambda: region.lacks_members) and (
            not self._recorded or not _is_of_llvm(self._process, region) or self._is_whole(region))
        arrived = barrier.arrived if barrier is not None and is_counted else None
        exact = arrived == len(edges)
        witness = "recorded" if self._recorded else "runtime" if exact else "stacks"
        is_unmet = arrived is not None and arrived < (size or 0)
        awake = [edge for edge in edges if "confirmed" not in edge.from_.flags]
        may_run = exact and is_unmet and bool(awake) and tasks.may_run(region)
        for edge in edges if exact else ():
            edge.witness = "runtime"
            if is_unmet and not (may_run and edge in awake):
                edge.flags.add("confirmed")  # nobody has been released, or executes a task there
        if is_unmet or any("confirmed" in edge.flags for edge in edges):
            thing.flags.add("held")
        there = {edge.from_.number for edge in edges}
        for node in self._teams.members(region):
            if node.number not in there:
                evidence.needs(thing, node, witness)
        master = self._threads.get(errors.known(lambda: region.master.lwp))
        lost = self._teams.lost(region, master is not None and master.number in there and
                                "confirmed" in master.flags)
        if lost is not None:
            evidence.needs(thing, lost, lost.witness)
        if edges and len(there) == size and not tasks.add_last(thing, region) and \
                _is_of_llvm(self._process, region):
            # It has released them, and wakes those that sleep one after the other.
            for edge in edges:
                evidence.waits_no_more(edge.from_)

    def _is_whole(self, region: Region) -> bool:
        """Whether LLVM's runtime and the records know of each member how many barriers it has left;
        not of one that is in a region within. With libgomp's count it is enough that so many threads
        are recorded to wait: who has arrived is recorded to, before."""
        inside = sum(node.row is not None and node.row.region_key == region.key
                     for node in self._threads.values())
        return bool(inside == errors.known(lambda: region.size))

    def _mark_directives(self, key: Hashable) -> None:
        """Threads that sleep at one barrier, each at a directive of its own. One that was released
        from the barrier before, and has not run yet, is not confirmed."""
        at = {(edge.from_.row.place.file, edge.from_.row.place.line)
              for edge in self._at.get((key, "barrier"), ())
              if edge.from_.row is not None and edge.from_.row.place is not None and
              edge.from_.row.wait.what == "explicit" and
              {"confirmed"} <= edge.flags & edge.from_.flags and edge.from_.row.place.line}
        if len(at) > 1:
            self._evidence.nodes["barrier", key].flags.add("mixed")

    def _add_mismatch(self, key: Hashable, counts: _Counts) -> None:
        """Who has arrived at one barrier does not come to the other one of the same team."""
        within, end = (self._evidence.nodes.get((kind, key)) for kind in _KINDS)
        if within is None or end is None:
            return
        if self._recorded:
            sure = all(any("confirmed" in edge.flags for edge in self._at.get((key, kind), ()))
                       for kind in _KINDS)
        else:
            sure = all((key, kind) in counts for kind in _KINDS)
        if sure:
            witness = "recorded" if self._recorded else "runtime"
            self._evidence.needs(within, end, witness)
            self._evidence.needs(end, within, witness)


def _is_of_llvm(process: Process, region: Region) -> bool:
    """Whether a model's Region is that of LLVM's runtime."""
    return thread_rows.is_of_llvm(process, errors.known(lambda: region.master))
