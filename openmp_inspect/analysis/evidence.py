# SPDX-License-Identifier: MIT
"""What is known of who waits for what at this stop, put together for libompd to judge: the
rows of "ompd threads", locks, barriers and tasks of the snapshot, and what threads sleep on in
the kernel.

A wait is confirmed when the thread sleeps in the kernel on a word that still has the value it
went to sleep with, or when the lock that it waits for has a recorded owner: the hooks take
that back before the lock is released, and record a wait before it begins. A thread that
merely seems to wait may have been released, and not have run yet: where the word says so, it
does not wait.
"""

from __future__ import annotations

from openmp_inspect.core import debug, errors, escaped
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import processes
from openmp_inspect.code import code_owner, entry_points, libc_names, signal_handlers, symbol_names
from openmp_inspect.stacks import helper_threads, libc_waits, region_clauses, stitched_stack
from openmp_inspect.analysis import barrier_evidence, construct_evidence, critical_holder, \
    libc_things, open_tasks, spinning, task_evidence, task_rows, team_evidence, tested_lock, \
    wait_state
from openmp_inspect.analysis.evidence_items import Evidence, Node

if TYPE_CHECKING:
    from typing import Dict, Hashable, List, Optional, Sequence, Tuple
    from openmp_inspect.host.interface import Crash, Sleep
    from openmp_inspect.model.objects import Region, Thread
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.model.sync import Lock
    from openmp_inspect.stacks.libc_waits import LibcWait
    from openmp_inspect.analysis.evidence_items import Edge
    from openmp_inspect.analysis.tested_lock import TestedLock
    from openmp_inspect.analysis.thread_rows import ThreadRow

_LOCKS = {"wait_lock": "lock", "wait_nest_lock": "nest_lock", "wait_critical": "critical",
          "wait_atomic": "atomic"}
_LEFT = (*_LOCKS.values(), "mutex")  # what fork() copies with an owner that it does not
_HANDLED = ("lock", "nest_lock", "mutex", "event", "semaphore")  # what a handler may end
_TASK_WAITS = {"wait_taskwait": "taskwait", "wait_taskgroup": "taskgroup"}
_UNREAD = "which locks are waited for could not be read"
_MOST_SPINNING = 16  # threads whose code is read
_CONTENDED = 0xFFFFFFFF  # the value of libgomp's mutexes that somebody sleeps for


def collect(snapshot: Snapshot, rows: Sequence[ThreadRow], with_tasks: bool = True,
            twice: bool = False) -> Evidence:
    """The Evidence of the process at this stop, ROWS being those of
    thread_table.py. Tasks are many, and take time: unless WITH_TASKS it is not said
    which of them somebody waits for. TWICE: it is compared with another look."""
    return _Collector(snapshot, with_tasks).all(rows, twice)


def with_all_locks(snapshot: Snapshot, rows: Sequence[ThreadRow]) -> Evidence:
    """The same without tasks, and with locks and critical sections that nobody waits for, but
    some thread holds."""
    collector = _Collector(snapshot, False)
    found = collector.all(rows, False)
    collector.add_held(rows)
    return found


class _Collector:
    def __init__(self, snapshot: Snapshot, with_tasks: bool) -> None:
        self._process = processes.current()
        self._with_tasks = with_tasks
        self._snapshot = snapshot
        self._recorded = snapshot.recorded
        self._witness = "recorded" if self._recorded else "runtime"
        self._has_mpi = helper_threads.is_mpi_program()
        self._evidence = Evidence()
        self._threads: Dict[Optional[int], Node] = {}  # by kernel id
        self._by_number: Dict[int, Node] = {}  # the debugger's
        self._tasks = task_evidence.Tasks(self._evidence, self._by_number)
        self._teams = team_evidence.Teams(self._evidence, self._threads)
        self._barriers = barrier_evidence.Barriers(self._evidence, snapshot, self._threads,
                                                   self._teams)

    def all(self, rows: Sequence[ThreadRow], twice: bool) -> Evidence:
        evidence = self._evidence
        other = self._process.differing_file()
        if other is not None:
            evidence.unknown.append(other)
        if self._with_tasks:
            self._tasks.list_by(lambda: open_tasks.OpenTasks(
                task_rows.TaskRows(self._snapshot, rows)))
        with processes.current().selection_kept():
            for row in rows:
                self._add_thread(row)
            crash = self._process.crash()
            if crash is not None:
                self._add_crash(crash)
            for node in list(self._threads.values()):
                if node.what == "works" and node.row is not None:
                    self._add_wait(node.row, node)
            free = [(node.row, node) for node in self._threads.values()
                    if node.row is not None and node.what in ("works", "asleep")]
            for row, node in free:
                for one in tested_lock.held(row, self._snapshot, self._recorded):
                    self._add_polled(node, one)
            working = [(row, node) for row, node in free if node.what == "works"]
            spins = [self._add_spinning(row, node, twice)
                     for row, node in working[:_MOST_SPINNING * self._with_tasks]]
            libc_things.add_holders(evidence)
        self._barriers.relate(self._tasks)
        construct_evidence.add_turns(evidence, self._threads.values())
        self._doubt_owners()
        self._find_returned()
        self._add_unbegun(twice)
        self._tasks.relate()
        self._teams.relate()
        if all(row.stopped for row in rows):
            evidence.process.add("complete")
        things = {node.what for node in evidence.nodes.values() if node.kind == "thing"}
        if not things.isdisjoint(_LEFT) and self._is_forked():
            evidence.process.add("forked")
        if (any(spins) or not things.isdisjoint(_HANDLED)) and signal_handlers.may_have():
            evidence.process.add("handled")
        if self._recorded:
            evidence.process.add("recorded")
        else:
            evidence.unknown.append("lock owners are not recorded")
        return evidence

    def _is_forked(self) -> bool:
        forks = errors.known(self._snapshot.forks)
        return bool(self._process.is_forked() if forks is None else forks)

    # Threads

    def _add_thread(self, row: ThreadRow) -> None:
        if row.thread is None:
            return  # the runtime has not heard that it ended
        node, _ = self._evidence.node(("thread", row.lwp), "thread", "works", "kernel")
        node.row = row
        self._threads[row.lwp] = node
        self._by_number[row.thread.num] = node

    def _add_crash(self, crash: Crash) -> None:
        node = self._threads.get(crash.lwp)
        if node is not None:
            node.what, node.crash = "crashed", crash
            node.flags.update(crash.flags)
            known = None if node.row is None else node.row.known
            stack = known and errors.known(lambda: known.stack)
            if stack and _is_in_guard(crash.address, stack):
                node.flags.add("overflow")
            size = None if known is None else errors.known(lambda: known.stack_size)
            node.stack = self._stack_size() if size is None else size

    def _stack_size(self) -> int:
        """Bytes of new threads' stacks, 0 if that is not known."""
        size = next((icv.value for icv in errors.known(self._snapshot.icvs) or ()
                     if icv.name == "stacksize-var"), "")
        return int(size) if size.isdigit() else 0

    def _add_wait(self, row: ThreadRow, node: Node) -> None:
        """What a thread does, and what it waits for."""
        state = row.wait.name or ""
        sleep = row.sleep if row.stopped else None
        asleep = None
        if sleep is not None and sleep.address != 0 and (
                row.takes_gil if sleep.timed else row.is_confirmed):
            asleep = sleep
            node.flags.add("confirmed")
        if state == "idle":
            node.what = "idle"
            return
        if sleep is not None and row.known is None and self._is_helper(row):
            node.what, node.witness = "idle", "stacks"
            node.flags.add("confirmed")
            return
        if state == "starting" or state.startswith("wait_") and row.stopped and row.is_released:
            return  # it works as soon as it is given a processor
        if state.startswith("wait_") and self._add_state(row, node, state, asleep):
            node.what = "waits"
        elif asleep is not None and not self._barriers.add_start(row, node) and not (
                row.call.runtime and code_owner.foreign_runtime()):  # for a mutex of its own
            self._add_sleep(row, node, asleep)
        elif sleep is not None and asleep is None:
            if libc_waits.is_mpi(row.call.name):
                node.what, node.call = "mpi", row.call.name
            elif not row.call.runtime:  # which asks the kernel as it works
                node.what, node.call = "asleep", row.call.name
                if sleep.lock is not None and row.wait.what is not None:
                    node.name = "for " + escaped.shown(row.wait.waits_for())
        elif libc_waits.is_mpi(row.wait.call):
            node.what, node.call = "mpi", row.wait.call
        elif state == "in_call":  # by its stack: the kernel does not say what it sleeps on
            node.what, node.call = "asleep", row.wait.call
        elif sleep is None and self._is_endless(row):
            node.what = "endless"
        elif self._has_mpi and row.stopped and libc_waits.is_mpi(row.call.name):
            node.what, node.call = "mpi", row.call.name  # it polls
        if node.what not in ("waits", "idle"):
            node.flags.discard("confirmed")

    def _is_helper(self, row: ThreadRow) -> bool:
        return self._has_mpi and helper_threads.library_of(
            row.thread, stitched_stack.current().walker) is not None

    def _is_endless(self, row: ThreadRow) -> bool:
        position = row.position
        return position is not None and row.stopped and \
            libc_waits.is_endless(position[0])

    def _add_sleep(self, row: ThreadRow, node: Node, sleep: Sleep) -> None:
        """A thread that sleeps, and OpenMP does not know what for."""
        evidence = self._evidence
        wait = None
        if row.position is None or not code_owner.is_runtime(row.position[0]):
            wait = row.libc_wait
        static = symbol_names.static_object_at(sleep.address)
        node.call = row.call.name
        if self._is_woken_from_outside(sleep, wait, static):
            node.what = "asleep"
            return
        node.what = "waits"
        if wait is None and len(self._threads) == 1 and \
                entry_points.is_region(node.call):
            self._add_alone(node)
            return
        if wait is None and sleep.value == _CONTENDED:
            self._add_mutex(node, sleep)
            return
        kind = wait.kind if wait is not None else "other"
        may_be_posted = node.call is None or libc_names.is_posted(node.call)
        if kind != "mutex" and may_be_posted and not row.call.runtime and \
                not symbol_names.guarded(static):
            kind = "semaphore"
        address = sleep.address if wait is None else wait.address
        thing, new = evidence.node((kind, address), "thing", kind, "libc")
        witness = "libc"
        if self._is_of_other(sleep, wait, static):  # whose id may be one of another namespace
            node.flags.discard("confirmed")
            witness = "stacks"
        evidence.waits(node, thing, witness, True)
        if libc_waits.is_mpi(node.call):
            node.what = "mpi"
        if not new:
            return
        thing.address = address
        thing.flags.add("held")
        if wait is not None:
            thing.noun, thing.arrivals = wait.noun, wait.arrivals
        if wait is None or kind in ("other", "semaphore"):
            thing.name = static if symbol_names.guarded(static) else node.call
            thing.flags.add("whoever")
            libc_things.add_names(thing, row, wait)
            return
        if kind == "mutex":
            thing.name = wait.name or stitched_stack.object_at(address) or "%#x" % address
            libc_things.add_names(thing, row, wait)
        self._add_holder(thing, wait.owner, witness)

    def _is_woken_from_outside(self, sleep: Sleep, wait: Optional[LibcWait],
                               static: Optional[str]) -> bool:
        """Whether who may wake a thread may be another process. STATIC: the object that it sleeps
        on, or None."""
        if wait is not None and wait.kind == "mutex":  # no other than its owner may release it
            return self._is_of_other(sleep, wait, static) and \
                self._process.process_of(wait.owner) != 0
        return not sleep.private and (wait is None or wait.kind != "join") and \
            self._is_shared(sleep, static)

    def _is_of_other(self, sleep: Sleep, wait: Optional[LibcWait], static: Optional[str]) -> bool:
        """Whether what a thread waits for is a mutex that another process has."""
        return wait is not None and wait.kind == "mutex" and \
            wait.owner not in self._threads and self._is_shared(sleep, static)

    def _is_shared(self, sleep: Sleep, static: Optional[str]) -> bool:
        """Whether other processes may have the word that a thread sleeps on. STATIC: the object
        there, or None: one of the program's data is its own."""
        return static is None and not self._process.is_private(sleep.address)

    def _add_mutex(self, node: Node, sleep: Sleep) -> None:
        """A thread that sleeps in libgomp's mutex, which is all that a lock and a critical
        section are; the call was a jump, and left no frame."""
        address = sleep.address
        section = symbol_names.critical(address) is not None or code_owner.is_runtime(address)
        state = "wait_critical" if section else "wait_lock"
        thing, new = self._evidence.node(("lock", address), "thing", _LOCKS[state], "kernel")
        self._evidence.waits(node, thing, "kernel", True)
        if new:
            thing.address = address
            thing.name = wait_state.thing(state, address, stitched_stack.object_at)
            thing.flags.update(("held", "whoever"))

    def _add_alone(self, node: Node) -> None:
        """The only thread of the process waits in the runtime for others of a new team."""
        absent, _ = self._evidence.node(("absent", None), "thread", "absent", "kernel")
        thing, _ = self._evidence.node(("region_end", None), "thing", "region_end", "runtime")
        thing.flags.add("held")
        self._evidence.waits(node, thing, "kernel", True)
        self._evidence.needs(thing, absent, "kernel")

    def _add_holder(self, thing: Node, lwp: int, witness: str) -> Optional[Edge]:
        """A THING needs the thread with this kernel id. One that the debugger does not have has
        ended, or it is not known who that is: then whoever there is may have it."""
        node = self._threads.get(lwp)
        if node is None and not self._process.knows_kernel_ids:
            thing.flags.add("whoever")
            return None
        if node is None:
            node, _ = self._evidence.node(("thread", lwp), "thread", "ended", "kernel")
            node.name = "%d" % lwp
        thing.holder = self._evidence.needs(thing, node, witness)
        return thing.holder

    # What OpenMP knows a thread to wait for; False: not enough to name it

    def _add_state(self, row: ThreadRow, node: Node, state: str, asleep: Optional[Sleep]) -> bool:
        if state in _LOCKS:
            return self._add_lock(row, node, state, asleep)
        if state.startswith("wait_barrier"):
            return self._barriers.add_wait(row, node, asleep is not None)
        if state in _TASK_WAITS:
            return self._tasks.add_wait(row, node, _TASK_WAITS[state], asleep is not None)
        if state == "wait_ordered":
            region = row.region
            if construct_evidence.add_iteration(self._evidence, row, node, region, self._threads):
                return True
            thing, _ = self._evidence.node(("ordered", region and region.key), "thing",
                                           "ordered", "runtime")
            thing.flags.add("whoever")
            thing.region = region
            if region is not None:
                thing.team = self._evidence.team(region)
            self._evidence.waits(node, thing, row.wait.witness, asleep is not None)
            return True
        return False

    def _add_lock(self, row: ThreadRow, node: Node, state: str, asleep: Optional[Sleep]) -> bool:
        evidence = self._evidence
        wait = row.wait.wait_id
        address = wait or (0 if asleep is None else asleep.address)
        # Of the critical section without a name the address may be missing: there is one.
        key = ("lock", address or wait) if address or wait is None else ("unread", row.lwp)
        thing, new = evidence.node(key, "thing", _LOCKS[state], "runtime")
        lock = errors.known(lambda: self._snapshot.lock_at(wait, state)) if wait else None
        owner = errors.known(lambda: lock.owner) if lock is not None else None
        # In the lock's queue, which LLVM's runtime keeps.
        is_queued = row.wait.witness == "runtime" and key[0] == "lock"
        is_there = asleep is not None and asleep.address == address
        # A thread may acquire a nest lock of its own again, in libgomp not one of another task.
        own = thing.what == "nest_lock" and owner == row.known and (
            code_owner.foreign_runtime() or
            errors.known(lambda: lock and lock.suspended_task) is None)
        confirmed = is_there or is_queued or self._recorded and owner is not None and not own
        witness = "recorded" if self._recorded else "kernel" if is_there else row.wait.witness
        evidence.waits(node, thing, witness, confirmed)
        if is_queued or is_there:
            thing.flags.add("held")
        if not new:
            return True
        thing.name = row.wait.what
        if key[0] == "unread" and _UNREAD not in evidence.unknown:
            evidence.unknown.append(_UNREAD)
        self._add_lock_facts(thing, address, lock, state)
        if owner is None and row.wait.holder is not None and row.wait.holder.lwp is not None:
            self._add_holder(thing, row.wait.holder.lwp, "source")
        return True

    def _add_lock_facts(self, thing: Node, address: int, lock: Optional[Lock],
                        state: str) -> None:
        """What is known of a new THING, of whose waiters this is the state."""
        owner = errors.known(lambda: lock.owner) if lock is not None else None
        thing.address, thing.lock = address or None, lock
        thing.flags.add("held" if owner is not None else "whoever")
        life = None if lock is None else lock.life
        if life == "destroyed":
            thing.flags.add("destroyed")
        elif self._recorded and lock is not None and life in (None, "unseen") and \
                state in ("wait_lock", "wait_nest_lock"):
            thing.flags.add("unmade")
        if lock is not None and owner is not None:
            self._add_owner(thing, lock, owner)

    def _add_polled(self, node: Node, found: TestedLock) -> None:
        address, lock, owner = found.address, found.lock, found.owner
        state = (None if lock is None else lock.wait_state) or found.state or "wait_lock"
        thing, new = self._evidence.node(("lock", address), "thing", _LOCKS[state], "runtime")
        self._evidence.polls(node, thing, found.witness)
        if not new:
            return
        thing.name = wait_state.thing(state, address, stitched_stack.object_at)
        thing.flags.add("held")
        self._add_lock_facts(thing, address, lock, state)
        holder = None if owner is not None or self._recorded else \
            tested_lock.inferred_holder(address)
        lwp = next((lwp for lwp, one in self._process.threads() if one == holder), None)
        if lwp is not None:
            self._add_holder(thing, lwp, "stacks")

    def _add_spinning(self, row: ThreadRow, node: Node, twice: bool) -> bool:
        """The explicit task of a thread that works, and its successors: if the thread is in a loop
        that only reads, or TWICE, as another look tells what it does. Whether there are any."""
        known = row.known
        task = None if known is None else errors.known(lambda: known.task)
        if task is None or not row.stopped or errors.known(lambda: task.kind) != "explicit":
            return False
        words = spinning.polled_words_alone(row)
        if words:
            node.flags.add("loops")
            node.name = "~only reads %s in a loop" % words
        return bool(words or twice) and self._tasks.add_successors(task.key)

    def _add_owner(self, thing: Node, lock: Lock, owner: Thread) -> None:
        try:
            edge = self._add_holder(thing, owner.lwp, self._witness)
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

    def add_held(self, rows: Sequence[ThreadRow]) -> None:
        """What threads hold and nobody waits for: as recorded, else the critical sections that
        stacks show."""
        if not self._recorded:
            self._add_sections(rows)
            return
        for lock in self._snapshot.locks:
            owner = errors.known(lambda lock=lock: lock.owner)
            state = lock.wait_state
            if owner is None or state is None:
                continue
            thing, new = self._evidence.node(("lock", lock.address), "thing", _LOCKS[state],
                                             "recorded")
            if new:
                thing.address, thing.lock = lock.address, lock
                thing.name = wait_state.thing(state, lock.address, stitched_stack.object_at)
                self._add_owner(thing, lock, owner)

    def _add_sections(self, rows: Sequence[ThreadRow]) -> None:
        known = {thing.name for thing in self._evidence.nodes.values() if thing.what == "critical"}
        inside = [row for row in rows if row.stopped and row.place is not None and
                  not row.wait.is_barrier]
        with self._process.selection_kept():
            for row in inside[:critical_holder.MOST_STACKS]:
                for section in sorted(critical_holder.sections(row)):
                    name = wait_state.section(section)
                    if name in known or row.wait.what == name or row.lwp not in self._threads:
                        continue
                    thing, _ = self._evidence.node(("section", section), "thing", "critical",
                                                   "source")
                    thing.name = name
                    self._evidence.needs(thing, self._threads[row.lwp], "source")

    def _doubt_owners(self) -> None:
        """LLVM's runtime reports who acquires a lock a moment later, and not that the owner before
        has released it; of one that tests a lock, and works, nothing else tells. A thread in code
        that it has called may be about to report."""
        if not self._recorded or not code_owner.foreign_runtime():
            return
        if not any(node.what == "works" and node.row is not None and
                   (node.row.place is None or node.row.place.called)
                   for node in self._threads.values()):
            return
        for edge in self._evidence.edges.values():
            if edge.lock is not None:
                edge.witness = "stacks"

    def _find_returned(self) -> None:
        """Holders whose frame that acquired a lock is gone: it was below that of the user code
        which waits now, or in the body of a region that has ended."""
        ends = self._barriers.ends()
        for edge in self._evidence.edges.values():
            lock, owner = edge.lock, edge.owner
            if lock is None or owner is None:
                continue
            task = errors.known(lambda: lock.owner_task)  # pylint: disable=W0640
            current = errors.known(lambda: owner.task)  # pylint: disable=W0640
            if edge.to in ends and task is not None and task == current:
                edge.flags.add("returned")
            else:
                edge.flags.update(_flags_of_acquisition(lock, owner))

    # What has not begun

    def _add_unbegun(self, twice: bool) -> None:
        """Programs that make progress have much that has not begun: without a second look it is
        evidence only where nobody is on a processor."""
        if not twice and any(node.what == "works" for node in self._threads.values()):
            return
        regions: Dict[Hashable, Tuple[Region, List[Node]]] = {}
        for node in self._threads.values():
            region = None if node.row is None else node.row.region
            if region is not None:
                regions.setdefault(region.key, (region, []))[1].append(node)
        construct_evidence.add_unbegun(self._evidence, regions.values(), region_clauses.threads,
                                       self._tasks.ready if self._with_tasks else None)


def _flags_of_acquisition(lock: Lock, owner: Thread) -> Sequence[str]:
    """Of the need for a lock whose owner waits: what became of the function that acquired it."""
    acquired, here, place = (errors.known(ask) for ask in (
        lambda: lock.frame, lambda: owner.frame, lambda: owner.codeptr))
    if not acquired or not here or acquired > here:
        return ()
    if acquired < here:
        return ("returned",)
    if not lock.codeptr or not place:
        return ()
    # Two calls of one function, or of two, have the same frame. What is inlined does not count:
    # it is a part of the function, as the constructor of a guard that releases the lock.
    if lock.codeptr == place:
        return ("one_call",)
    before, now = (symbol_names.function_start(pc - 1) for pc in (lock.codeptr, place))
    return ("returned",) if before and now and before != now else ()


def _is_in_guard(address: Optional[int], stack: Dict[str, int]) -> bool:
    """Whether an address, or None, is in the guard of a stack, of which the dict STACK has "low"
    and "guard" if they are known. An array that is larger than what is left of a stack reaches
    beyond its guard, into that of another thread."""
    if address is None or not {"low", "guard"} <= stack.keys():
        return False
    return 0 <= (address & (1 << 64) - 1) - stack["low"] < stack["guard"]
