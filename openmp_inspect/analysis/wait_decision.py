# SPDX-License-Identifier: MIT
"""Decides the WaitState of a thread, by its Finding and by what all threads together show."""

from __future__ import annotations

from openmp_inspect.core import errors
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.stacks import file_locks
from openmp_inspect.analysis import finding, wait_state
from openmp_inspect.analysis.wait_state import Arrivals, WaitState

if TYPE_CHECKING:
    from typing import Dict, Optional, Tuple
    from openmp_inspect.core.escaped import Text
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.model.sync import Barrier
    from openmp_inspect.stacks.user_frames import Walker
    from openmp_inspect.analysis.finding import Finding
    from openmp_inspect.analysis.wait_state import Holder, Names


class Joint(NamedTuple):
    """What other threads show of a wait: who has what is waited for, and how many have arrived,
    None for not known. `is_counted`: of those that have arrived the runtime's number is taken."""

    holder: Optional[Holder] = None
    arrivals: Optional[Arrivals] = None
    is_counted: bool = True


ALONE = Joint()


class Decision:
    """Lives during one command. NAMES: a wait_state.Names; WALKER: a user_frames.Walker."""

    def __init__(self, snapshot: Optional[Snapshot], walker: Walker, names: Names) -> None:
        self._snapshot, self._walker, self._names = snapshot, walker, names
        self._found: Dict[Finding, Finding] = {}
        self._barriers: Dict[int, Optional[Barrier]] = {}  # by the id of a Finding
        self._states: Dict[Tuple[int, Joint], WaitState] = {
            (id(one), ALONE): state for one, state in (
                (finding.IDLE, wait_state.IDLE), (finding.NOT_OPENMP, wait_state.NOT_OPENMP),
                (finding.UNKNOWN, wait_state.UNKNOWN))}
        for one in (finding.IDLE, finding.NOT_OPENMP, finding.UNKNOWN):
            self._found[one] = one

    def one(self, found: Finding) -> Finding:
        """The one object for all Findings that are equal to it; all else here takes these."""
        return self._found.setdefault(found, found)

    def barrier(self, found: Finding) -> Optional[Barrier]:
        """The barrier in which a thread waits, or None."""
        key = id(found)
        if key not in self._barriers:
            self._barriers[key] = found.region.barrier_for(found.kind, found.name) \
                if found.name is not None and found.is_barrier and \
                found.region is not None else None
        return self._barriers[key]

    def arrivals(self, found: Finding) -> Optional[Arrivals]:
        """How many threads have arrived there by the runtime's own count, or None."""
        barrier = self.barrier(found)
        return None if barrier is None or not barrier.team_size else \
            Arrivals(barrier.arrived, barrier.team_size)

    def holder(self, found: Finding) -> Optional[Holder]:
        """Who has what a thread waits for, by the runtime, records or libc, or None."""
        libc = found.libc
        if libc is not None and libc.kind == "mutex":
            return self._names.at(libc.owner)
        if libc is not None and libc.processes:
            words = file_locks.holder(self._walker.process, libc.processes)
            return wait_state.Holder(words, words, None, None, derived=True)
        if not found.is_lock or not found.wait_id or self._snapshot is None:
            return None
        lock = self._snapshot.lock_at(found.wait_id, found.name)
        owner = None if lock is None else lock.owner
        if lock is None or owner is None:
            return None
        task = errors.known(lambda: lock.suspended_task)
        return self._names.of(owner)._replace(
            since=self._walker.call(lock.codeptr),
            task=None if task is None else errors.known(lambda: task.id))

    def state(self, found: Finding, joint: Joint = ALONE) -> WaitState:
        """The WaitState of threads with this Finding: one object for those that are alike."""
        key = id(found), joint
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = WaitState(
                found.name, found.wait_id, found.witness, variable=found.variable,
                what=self._what(found), holder=joint.holder or self.holder(found),
                arrivals=self.arrivals(found) if joint.is_counted else joint.arrivals,
                barrier=self.barrier(found), call=found.call, failed=found.failed)
        return state

    def _what(self, found: Finding) -> Optional[Text]:
        """What is waited for, in words, or None."""
        libc = found.libc
        if libc is not None and libc.kind == "mutex":
            return libc.name or self._names.object_at(libc.address) or "%#x" % libc.address
        if libc is not None and (libc.name or libc.thing) is not None:
            return libc.name or libc.thing
        if libc is not None and libc.kind == "join":
            return "thread %s" % self._names.at(libc.owner).name
        if found.is_barrier and found.region is None and found.kind == "end":
            return "end of teams"  # of whose league LLVM's runtime has no region
        if found.name == "wait_target":
            number = self._snapshot.only_device if found.device is None and self._snapshot is not None \
                else found.device
            return Name("a device" if number is None else "device %d" % number)
        said = found.said if found.is_barrier and found.region is not None else None
        return said or wait_state.thing(self._walker.process, found.name, found.variable or found.wait_id,
                                        self._names.object_at)
