# SPDX-License-Identifier: MIT
"""Locks and barriers of a snapshot.Snapshot."""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Hashable, List, Optional
    from openmp_inspect.bindings.query import BarrierFacts, LockFacts
    from openmp_inspect.model.objects import Task, Thread
    from openmp_inspect.model.snapshot import Snapshot


# The state of a thread that waits for a lock, by the lock's kind.
WAIT_STATES = {"simple": "wait_lock", "nest": "wait_nest_lock", "critical": "wait_critical",
               "atomic": "wait_atomic"}


class Lock:
    """A lock ("simple" or "nest"), "critical" section or "atomic". `count` is how often it
    is held, None when that is not known; `codeptr` the return address of the call that
    acquired it, `frame` the stack pointer there. `life` is "made", "destroyed" or "unseen" as
    the program was seen to treat it; None where that is not recorded."""

    def __init__(self, snapshot: Snapshot, facts: LockFacts) -> None:
        self._snapshot = snapshot
        self._facts = facts
        self.address = facts.address
        self.kind = facts.kind
        self.count = facts.times_held
        self.codeptr = facts.codeptr
        self.frame = facts.frame
        self.life = facts.life

    @property
    def wait_state(self) -> Optional[str]:
        """The state of threads that wait for it, or None where its kind is not known."""
        return WAIT_STATES.get(self.kind or "")

    @property
    def likeness(self) -> Hashable:
        """The same for locks that differ by their addresses alone, and are held alike."""
        facts = self._facts
        return (self.kind, facts.owner, facts.owner_task, self.codeptr, self.count,
                self.kind not in ("simple", "nest") and self.address)

    @property
    def owner(self) -> Optional[Thread]:
        """The Thread that holds it, or None."""
        return None if self._facts.owner is None else self._snapshot.thread(self._facts.owner)

    @property
    def owner_task(self) -> Optional[Task]:
        """The Task in which it was acquired, or None."""
        task = self._facts.owner_task
        return None if task is None else self._snapshot.task(task)

    @property
    def suspended_task(self) -> Optional[Task]:
        """The owner_task where its thread has suspended it and executes another one, or None."""
        owner, task = self.owner, self.owner_task
        if owner is None or task is None or owner.task is None or owner.task == task:
            return None
        return task if task.state == "suspended" else None

    @property
    def waiters(self) -> List[Thread]:
        """Threads that wait for it, as far as is known."""
        return [self._snapshot.thread(handle) for handle in self._facts.waiters]


class Barrier:
    """A barrier in which somebody waits: `arrived` of `team_size` (None when not known);
    `members` are the threads for which its region is the innermost one. `kind` is "within"
    the region or at its "end", None when that is not known; `codeptr` the return address of
    the construct, None where those that wait have encountered different ones. `state` is
    None when they wait in barriers of different kinds."""

    def __init__(self, snapshot: Snapshot, facts: BarrierFacts) -> None:
        self.region = snapshot.region(facts.region)
        self.team_size = facts.team_size
        self.members = facts.members
        self.arrived = facts.arrived
        self.state = facts.state
        self.kind = facts.kind
        self.codeptr = facts.codeptr

    def is_met_by(self, inside: int, in_tasks: int) -> bool:
        """Whether the arrival count is accounted for by the threads that are INSIDE the
        runtime for no other reason, alone or with those that run tasks there."""
        return self.arrived in (inside, inside + in_tasks)
