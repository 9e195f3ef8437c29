# SPDX-License-Identifier: MIT
"""Evidence of OpenMP's locks, critical sections and atomic ones: who waits for which, and who has
it."""

from __future__ import annotations

import os

from openmp_inspect.core import debug, errors, escaped
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import call_site, code_owner, entry_points, image_symbols, symbol_names
from openmp_inspect.analysis import wait_state
from openmp_inspect.analysis.evidence_items import LOCKS

if TYPE_CHECKING:
    from typing import Dict, Hashable, List, Optional, Sequence
    from openmp_inspect.host.interface import Process, Sleep
    from openmp_inspect.model.objects import Thread
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.model.sync import Lock
    from openmp_inspect.analysis.evidence_items import Edge, Evidence, Node
    from openmp_inspect.analysis.thread_rows import ThreadRow

_UNREAD = "which locks are waited for could not be read"


class Locks:
    """Adds to EVIDENCE; THREADS: the Node of each thread, by kernel id."""

    def __init__(self, evidence: Evidence, snapshot: Snapshot,
                 threads: Dict[Optional[int], Node]) -> None:
        self._evidence, self._process = evidence, evidence.stacks.process
        self._snapshot = snapshot
        self._recorded = snapshot.recorded
        self._witness = "recorded" if self._recorded else "runtime"
        self._threads = threads

    def add_wait(self, row: ThreadRow, node: Node, state: str, asleep: Optional[Sleep]) -> None:
        """The lock that a thread waits for, which may not be known."""
        evidence = self._evidence
        wait = row.wait.wait_id
        address = wait or (0 if asleep is None else asleep.address)
        # Of the critical section without a name the address may be missing: there is one.
        key = ("lock", address or wait) if address or wait is None else ("unread", row.lwp)
        thing, new = evidence.node(key, "thing", LOCKS[state], "runtime")
        lock = errors.known(lambda: self._snapshot.lock_at(wait, state)) if wait else None
        owner = errors.known(lambda: lock.owner) if lock is not None else None
        # In the lock's queue, which LLVM's runtime keeps.
        is_queued = row.wait.witness == "runtime" and key[0] == "lock"
        is_there = asleep is not None and asleep.address == address
        # A thread may acquire a nest lock of its own again, in libgomp not one of another task.
        own = thing.what == "nest_lock" and owner == row.known and (
            code_owner.foreign_runtime(self._process) or
            errors.known(lambda: lock and lock.suspended_task) is None)
        confirmed = is_there or is_queued or self._recorded and owner is not None and not own
        witness = "recorded" if self._recorded else "kernel" if is_there else row.wait.witness
        evidence.waits(node, thing, witness, confirmed)
        if is_queued or is_there:
            thing.flags.add("held")
        if not new:
            return
        thing.name = row.wait.what
        if key[0] == "unread" and _UNREAD not in evidence.unknown:
            evidence.unknown.append(_UNREAD)
        self.add_facts(thing, row.wait.variable or address, lock, state)
        if owner is None and row.wait.holder is not None and row.wait.holder.lwp is not None:
            self.add_holder(thing, row.wait.holder.lwp, "source")
            thing.acquired = row.wait.holder.since

    def add_mutex(self, node: Node, sleep: Sleep) -> None:
        """A thread that sleeps in libgomp's mutex, which is all that a lock and a critical
        section are; the call was a jump, and left no frame."""
        address = sleep.address
        process = self._process
        section = symbol_names.critical(process, address) is not None or \
            code_owner.is_runtime(process, address)
        state = "wait_critical" if section else "wait_lock"
        thing, new = self._evidence.node(("lock", address), "thing", LOCKS[state], "kernel")
        self._evidence.waits(node, thing, "kernel", True)
        if new:
            thing.address = address
            thing.name = wait_state.thing(self._process, state, address, self._evidence.stacks.object_at)
            thing.flags.update(("held", "whoever"))

    def add_facts(self, thing: Node, address: int, lock: Optional[Lock], state: str) -> None:
        """What is known of a new THING, of whose waiters this is the state."""
        owner = errors.known(lambda: lock.owner) if lock is not None else None
        thing.address, thing.lock = address or None, lock
        thing.flags.add("held" if owner is not None else "whoever")
        life = None if lock is None else lock.life
        if life == "destroyed":
            thing.flags.add("destroyed")
        elif life == "unseen" and state in ("wait_lock", "wait_nest_lock"):
            thing.flags.add("unmade")
        if lock is not None and owner is not None:
            self._add_owner(thing, lock, owner)

    def _add_owner(self, thing: Node, lock: Lock, owner: Thread) -> None:
        try:
            edge = self.add_holder(thing, owner.lwp, self._witness)
        except errors.OmpdError as error:
            debug.ignored()
            if error.kind != "stale_handle":
                thing.flags.add("whoever")
                return
            node, _ = self._evidence.node(("ended", owner.key), "thread", "ended", "recorded")
            edge = thing.holder = self._evidence.needs(thing, node, self._witness)
        if edge is None:
            return
        edge.lock, edge.owner = lock, owner
        edge.task = errors.known(lambda: lock.suspended_task)
        if edge.task is not None:
            edge.flags.add("suspended")
            region = errors.known(lambda: owner.region)
            if region is not None:  # another member may resume it, if it is untied
                thing.team = self._evidence.team(region)

    def add_holder(self, thing: Node, lwp: int, witness: str) -> Optional[Edge]:
        """A THING needs the thread with this kernel id. One that the debugger does not have has
        ended, or it is not known who that is: then whoever there is may have it. In a child of fork
        libc has the id that the first thread had in the parent."""
        node = self._threads.get(lwp)
        process = self._process
        if node is None and (not process.knows_kernel_ids or witness == "libc" and
                             process.is_forked() is not False):
            thing.flags.add("whoever")
            return None
        if node is None:
            node, _ = self._evidence.node(("thread", lwp), "thread", "ended", "kernel")
            node.name = Name("%d" % lwp)
        thing.holder = self._evidence.needs(thing, node, witness)
        return thing.holder

    def add_held(self, most: Optional[int]) -> None:
        """What threads hold and nobody waits for, as recorded; of more than MOST that are alike one."""
        alike: Dict[Hashable, List[Lock]] = {}
        for lock in self._snapshot.locks:
            if lock.wait_state is not None and ("lock", lock.address) not in self._evidence.nodes:
                alike.setdefault(lock.likeness, []).append(lock)
        for locks in alike.values():
            others = 0 if most is None or len(locks) <= most else len(locks) - 1
            for lock in [min(locks, key=lambda lock: lock.address)] if others else locks:
                self._add_held(lock, others)

    def _add_held(self, lock: Lock, others: int) -> None:
        owner, state = errors.known(lambda: lock.owner), lock.wait_state
        if owner is None or state is None:
            return
        thing, _ = self._evidence.node(("lock", lock.address), "thing", LOCKS[state], "recorded")
        thing.address, thing.lock, thing.others = lock.address, lock, others
        thing.name = wait_state.thing(self._process, state, lock.address, self._evidence.stacks.object_at)
        self._add_owner(thing, lock, owner)

    def doubt_owners(self) -> None:
        """Owners that are recorded may not be those that have the locks where a library releases and
        acquires past the hooks, and where a thread is about to report."""
        owned = [edge for edge in self._evidence.edges.values() if edge.lock is not None]
        if not self._recorded or not owned:
            return
        library = image_symbols.past_hooks(self._process)
        if library is not None:
            self._evidence.unknown.append("what %s does with locks, which calls the runtime itself" %
                                          escaped.shown(os.path.basename(library)))
        elif not self._are_reports_due():
            return
        for edge in owned:
            edge.witness = "stacks"

    def _are_reports_due(self) -> bool:
        """LLVM's runtime reports who acquires a lock a moment later, and not that the owner before
        has released it; of one that tests a lock, and works, nothing else tells. A thread in code
        that it has called may be about to report."""
        kinds = errors.known(lambda: self._snapshot.runtime_kinds) or {}
        return bool(code_owner.foreign_runtime(self._process) or "libomp" in kinds.values()) and \
            any(node.what == "works" and node.row is not None and
                (node.row.place is None or node.row.place.called)
                for node in self._threads.values())

    def find_returned(self, ends: Dict[Node, Node]) -> None:
        """Holders whose frame that acquired a lock is gone: it was below that of the user code
        which waits now, or in the body of a region that has ended. ENDS: the end of a region at
        which each thread is that is at one."""
        for edge in self._evidence.edges.values():
            lock, owner = edge.lock, edge.owner
            if lock is None or owner is None:
                continue
            task = errors.known(lambda: lock.owner_task)  # pylint: disable=W0640
            current = errors.known(lambda: owner.task)  # pylint: disable=W0640
            if edge.to in ends and task is not None and task == current:
                edge.flags.add("returned")
            else:
                edge.flags.update(_flags_of_acquisition(self._process, lock, owner))


def _flags_of_acquisition(process: Process, lock: Lock, owner: Thread) -> Sequence[str]:
    """Of the need for a lock whose owner waits: what became of the function that acquired it. Nothing
    is known where the function that waits has left its frame, by a jump into the runtime: it may
    be that one."""
    acquired, here, place = (errors.known(ask) for ask in (
        lambda: lock.frame, lambda: owner.frame, lambda: owner.codeptr))
    if not acquired or not here or acquired > here:
        return ()
    if place and entry_points.name_of(call_site.called_at(process, place)) is None:
        return ()
    if acquired < here:
        return ("returned",)
    if not lock.codeptr or not place:
        return ()
    # Two calls of one function, or of two, have the same frame. What is inlined does not count:
    # it is a part of the function, as the constructor of a guard that releases the lock.
    if lock.codeptr == place:
        return ("one_call",)
    before, now = (symbol_names.function_start(process, pc - 1) for pc in (lock.codeptr, place))
    return ("returned",) if before and now and before != now else ()
