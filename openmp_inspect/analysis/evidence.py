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

import functools

from openmp_inspect.core import errors, escaped
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import call_site, code_owner, entry_points, image_symbols, libc_names, \
    signal_handlers, symbol_names
from openmp_inspect.stacks import crash_site, helper_threads, libc_waits, region_clauses, \
    shared_stack, stitched_stack
from openmp_inspect.analysis import barrier_evidence, construct_evidence, critical_holder, \
    libc_things, lock_evidence, open_tasks, poll_evidence, task_evidence, task_rows, \
    team_evidence, wait_state
from openmp_inspect.analysis.evidence_items import LOCKS, Evidence, Node

if TYPE_CHECKING:
    from typing import Callable, Dict, Hashable, List, Optional, Sequence, Tuple
    from openmp_inspect.host.interface import Crash, Process, Sleep
    from openmp_inspect.model.objects import Region
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.stacks.libc_waits import LibcWait
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from openmp_inspect.analysis.thread_rows import ThreadRow

_LEFT = (*LOCKS.values(), "mutex")  # what fork() copies with an owner that it does not
# What a handler may end.
_HANDLED = ("lock", "nest_lock", "mutex", "event", "semaphore", "other", "endless")
_BY_STATE = {"idle": "idle", "wait_region": "idle", "wait_target": "asleep"}
_TASK_WAITS = {"wait_taskwait": "taskwait", "wait_taskgroup": "taskgroup"}
_CONTENDED = 0xFFFFFFFF  # the value of libgomp's mutexes that somebody sleeps for


def collect(snapshot: Snapshot, rows: Sequence[ThreadRow], with_tasks: bool = True,
            twice: bool = False) -> Evidence:
    """The Evidence of the process at this stop, ROWS being those of
    thread_table.py. Tasks are many, and take time: unless WITH_TASKS it is not said
    which of them somebody waits for. TWICE: it is compared with another look."""
    return _Collector(snapshot, with_tasks).all(rows, twice)


def with_all_locks(snapshot: Snapshot, rows: Sequence[ThreadRow],
                   most: Optional[int] = None) -> Evidence:
    """The same without tasks, and with locks and critical sections that nobody waits for, but
    some thread holds: one for more than MOST that differ by their addresses alone."""
    collector = _Collector(snapshot, False)
    found = collector.all(rows, False)
    collector.add_held(rows, most)
    return found


def of_crash(stacks: StitchedStacks, rows: Sequence[ThreadRow]) -> Evidence:
    """That of a program that has crashed, of which no runtime can be read."""
    found, crash = Evidence(stacks), stacks.process.crash()
    for row in rows:
        node, _ = found.node(("thread", row.lwp), "thread", "works", "kernel")
        node.row = row
        if crash is not None and row.lwp == crash.lwp:
            _mark_crash(stacks.process, node, crash, 0)
    return found


class _Collector:
    def __init__(self, snapshot: Snapshot, with_tasks: bool) -> None:
        self._stacks, self._process = stitched_stack.of(snapshot.space), snapshot.process
        self._with_tasks = with_tasks
        self._snapshot = snapshot
        self._recorded = snapshot.recorded
        self._has_mpi = helper_threads.is_mpi_program(snapshot.process)
        self._evidence = Evidence(self._stacks)
        self._threads: Dict[Optional[int], Node] = {}  # by kernel id
        self._of_others = {0: False}  # whether other processes have a lock, by its address
        self._by_number: Dict[int, Node] = {}  # the debugger's
        self._locks = lock_evidence.Locks(self._evidence, snapshot, self._threads)
        self._tasks = task_evidence.Tasks(self._evidence, self._by_number)
        self._teams = team_evidence.Teams(self._evidence, self._threads, self._is_forked())
        self._barriers = barrier_evidence.Barriers(self._evidence, snapshot, self._threads,
                                                   self._teams)
        self._polls = poll_evidence.Polls(self._evidence, snapshot, self._threads, self._locks,
                                          self._tasks)

    def all(self, rows: Sequence[ThreadRow], twice: bool) -> Evidence:
        evidence = self._evidence
        other = self._process.differing_file() or self._process.missing_file()
        if other is not None:
            evidence.unknown.append(other)
        if self._with_tasks:
            self._tasks.list_by(lambda: open_tasks.OpenTasks(
                task_rows.TaskRows(self._snapshot, rows)))
            evidence.has_tasks = self._tasks.has_any
        with self._process.selection_kept():
            for row in rows:
                self._add_thread(row)
            crash = self._process.crash()
            if crash is not None:
                self._add_crash(crash)
            self._add_strays()
            for node in list(self._threads.values()):
                if node.what == "works" and node.row is not None:
                    self._add_wait(node.row, node)
            self._polls.add_locks()
            is_polled = self._with_tasks and self._polls.add_words(twice)
            libc_things.add_holders(evidence)
        self._barriers.relate(self._tasks)
        construct_evidence.add_turns(evidence, self._teams)
        self._locks.doubt_owners()
        self._locks.find_returned(self._barriers.ends())
        self._add_unbegun(twice)
        self._tasks.relate()
        self._teams.relate()
        kinds = {node.what for node in evidence.nodes.values()}
        if self._snapshot.damaged is None and not self._snapshot.incomplete and \
                all(row.stopped for row in rows) and not (
                    "waits" in kinds and self._process.shares_memory()) and \
                not code_owner.has_devices(self._process):  # which act, too
            evidence.process.add("complete")
        if not kinds.isdisjoint(_LEFT) and self._is_forked():
            evidence.process.add("forked")
        if (is_polled or not kinds.isdisjoint(_HANDLED)) and \
                signal_handlers.may_have(self._process, self._is_interpreting):
            evidence.process.add("handled")
        if self._process.is_torn:
            evidence.process.add("torn")
        if self._recorded:
            evidence.process.add("recorded")
        else:
            evidence.unknown.append("lock owners are not recorded")
        return evidence

    def _is_interpreting(self) -> bool:
        """Whether the first thread may be in CPython, which has functions in Python handle signals
        there, but while it waits for the GIL."""
        first = self._threads.get(self._process.pid)
        if first is None or first.row is None:
            return True
        with self._process.selection_kept():
            return not first.row.takes_gil and \
                self._stacks.walker.is_interpreting(first.row.thread)

    def _is_forked(self) -> Optional[bool]:
        forks = errors.known(self._snapshot.forks)
        return self._process.is_forked() if forks is None else forks > 0

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
            _mark_crash(self._process, node, crash, self._stack_size())

    def _add_strays(self) -> None:
        for lwp, owner in shared_stack.owners(self._stacks.walker).items():
            if lwp in self._threads:
                self._threads[lwp].flags.add("stray")
                self._threads[lwp].stack_owner = owner

    def _stack_size(self) -> int:
        """Bytes of new threads' stacks, 0 if that is not known."""
        size = next((icv.value.raw for icv in errors.known(self._snapshot.icvs) or ()
                     if icv.name == "stacksize-var"), "")
        return int(size) if size.isdigit() else 0

    def _add_wait(self, row: ThreadRow, node: Node) -> None:
        """What a thread does, and what it waits for. While a debugger lets it run beside others that
        it has stopped, two reads of it may not fit together."""
        if not row.stopped and (self._process.is_stopped or row.lwp in self._process.unstopped()):
            node.what = "unknown"
            node.flags.add("running")
            return
        sleep = row.sleep if row.stopped else None
        asleep = sleep if sleep is not None and sleep.address != 0 and (
            row.takes_gil if sleep.timed else row.is_confirmed) else None
        node.flags.update(["confirmed"] * (asleep is not None))
        any(does(self, row, node, sleep, asleep) for does in self._DOES)
        if node.what not in ("waits", "idle"):
            node.flags.discard("confirmed")

    # Each says what a thread does, and is True, or does not know. SLEEP: in the kernel; ASLEEP: the same
    # where the word that it sleeps on is as it was, or None.

    def _is_idle(self, row: ThreadRow, node: Node, sleep: Optional[Sleep], _: Optional[Sleep]) -> bool:
        if row.wait.name in _BY_STATE:
            node.what = _BY_STATE[row.wait.name]
            return True
        if sleep is None or row.known is not None or not self._has_mpi or helper_threads.library_of(
                row.thread, self._stacks.walker) is None:
            return False
        node.what, node.witness = "idle", "stacks"
        node.flags.add("confirmed")
        return True

    def _goes_on(self, row: ThreadRow, node: Node, _: Optional[Sleep], asleep: Optional[Sleep]) -> bool:
        """It works as soon as it is given a processor; so does one that starts, but who makes the team
        may wait for members."""
        if row.wait.name != "starting":
            return row.stopped and row.wait.name is not None and row.wait.name.startswith("wait_") and \
                row.is_released and self._snapshot.damaged is None
        if asleep is not None and not row.is_released:
            self._barriers.add_start(row, node)
        return True

    def _waits(self, row: ThreadRow, node: Node, _: Optional[Sleep], asleep: Optional[Sleep]) -> bool:
        state = row.wait.name or ""
        if not state.startswith("wait_") or row.alike is not None and row.stopped and row.is_in_user_code:
            return False  # as wait_inference.Inference.has_left()
        if state in LOCKS and self._is_lock_of_others(row, asleep):
            node.what, node.call = "asleep", row.call.name
            node.name = Name("for a lock in memory that other processes share")
            return True
        if not self._add_state(row, node, state, asleep):
            return False
        node.what = "waits"
        return True

    def _sleeps(self, row: ThreadRow, node: Node, _: Optional[Sleep], asleep: Optional[Sleep]) -> bool:
        if asleep is None:
            return False
        if not self._barriers.add_start(row, node) and not self._tasks.add_event(row, node, asleep):
            if not (row.call.runtime and self._stacks.walker.in_llvm(row.thread)):
                self._add_sleep(row, node, asleep)
            elif row.region is None:
                self._add_end_of_league(row, node)
        return True

    def _is_in_kernel(self, row: ThreadRow, node: Node, sleep: Optional[Sleep], _: Optional[Sleep]) -> bool:
        if sleep is None:
            return False
        if libc_waits.is_mpi(row.call.name):
            node.what, node.call = "mpi", row.call.name
        elif not row.call.runtime or sleep.address and self._snapshot.damaged is not None:
            node.what, node.call = "asleep", row.call.name
            if (sleep.lock or sleep.awaited) is not None and row.wait.what is not None:
                node.name = Name("for " + row.wait.waits_for().raw)
        return True  # else the runtime asks the kernel as it works

    def _is_in_call(self, row: ThreadRow, node: Node, _: Optional[Sleep], __: Optional[Sleep]) -> bool:
        """By its stack: the kernel does not say that it sleeps."""
        if libc_waits.is_mpi(row.wait.call):
            node.what, node.call = "mpi", row.wait.call
        elif row.wait.name == "in_call":
            node.what, node.call = "asleep", row.wait.call
        elif self._is_endless(row):
            node.what = "endless"
        elif self._has_mpi and row.stopped and libc_waits.is_mpi(row.call.name):
            node.what, node.call = "mpi", row.call.name  # it polls
        return True

    # The first that knows: what OpenMP has of a thread goes before what the kernel says, that before
    # its stack.
    _DOES: Tuple[Callable[..., bool], ...] = _is_idle, _goes_on, _waits, _sleeps, _is_in_kernel, _is_in_call

    def _is_endless(self, row: ThreadRow) -> bool:
        position = row.position
        return position is not None and row.stopped and \
            libc_waits.is_endless(row.process, position[0])

    def _add_sleep(self, row: ThreadRow, node: Node, sleep: Sleep) -> None:
        """A thread that sleeps, and OpenMP does not know what for."""
        evidence = self._evidence
        wait = None
        if row.position is None or not code_owner.is_runtime(self._process, row.position[0]):
            wait = row.libc_wait
        static = symbol_names.static_object_at(self._process, sleep.address)
        node.call = row.call.name
        if self._is_woken_from_outside(sleep, wait, static):
            node.what = "asleep"
            return
        node.what = "waits"
        if wait is None and sleep.value == _CONTENDED:
            self._locks.add_mutex(node, sleep)
            return
        if wait is None and len(self._threads) == 1 and entry_points.is_region(node.call) and \
                self._process.is_forked() is not False:
            self._add_alone(node)
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
            thing.name = escaped.name(static if symbol_names.guarded(static) else node.call)
            thing.flags.add("whoever")
            libc_things.add_names(thing, row, wait)
            return
        if kind == "mutex":
            thing.name = escaped.name(
                wait.name or self._stacks.object_at(address) or "%#x" % address)
            libc_things.add_names(thing, row, wait)
        elif image_symbols.may_cancel(self._process):  # of threads, only those that are joined remain
            thing.flags.add("whoever")
        self._locks.add_holder(thing, wait.owner, witness)

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

    def _is_lock_of_others(self, row: ThreadRow, asleep: Optional[Sleep]) -> bool:
        """Whether other processes have the lock that a thread waits for, too, and may release it;
        which of their threads has it is not known."""
        address = row.wait.wait_id or (0 if asleep is None else asleep.address)
        if address not in self._of_others:
            self._of_others[address] = self._process.is_private(address) is False
        return self._of_others[address]

    def _is_shared(self, sleep: Sleep, static: Optional[str]) -> bool:
        """Whether other processes may have the word that a thread sleeps on. STATIC: the object
        there, or None: one of the program's data is its own."""
        return static is None and not self._process.is_private(sleep.address)

    def _add_end_of_league(self, row: ThreadRow, node: Node) -> None:
        """A thread of no team that sleeps in LLVM's runtime, in a call that has made a league: it waits
        for the league's other teams, which that runtime has in no region. It may be released."""
        place = row.place
        called = None if place is None or not place.called or place.address is None else \
            entry_points.find(call_site.called_at(self._process, place.address, place.jumped))
        if called is None or called.construct != "teams":
            return
        thing, _ = self._evidence.node(("region_end", row.lwp), "thing", "region_end", "runtime")
        thing.name = Name(called.construct)
        thing.flags.add("whoever")
        self._evidence.waits(node, thing, "stacks", False)
        node.what = "waits"
        node.flags.discard("confirmed")

    def _add_alone(self, node: Node) -> None:
        """The only thread of the process waits in the runtime for others of a new team."""
        absent, _ = self._evidence.node(("absent", None), "thread", "absent", "kernel")
        thing, _ = self._evidence.node(("region_end", None), "thing", "region_end", "runtime")
        thing.flags.add("held")
        self._evidence.waits(node, thing, "kernel", True)
        self._evidence.needs(thing, absent, "kernel")

    # What OpenMP knows a thread to wait for; False: not enough to name it

    def _add_state(self, row: ThreadRow, node: Node, state: str, asleep: Optional[Sleep]) -> bool:
        if state in LOCKS:
            self._locks.add_wait(row, node, state, asleep)
            return True
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

    # What nobody waits for

    def add_held(self, rows: Sequence[ThreadRow], most: Optional[int]) -> None:
        """What threads hold: as recorded, else the critical sections that stacks show."""
        if self._recorded:
            self._locks.add_held(most)
        else:
            self._add_sections(rows)

    def _add_sections(self, rows: Sequence[ThreadRow]) -> None:
        known = {thing.name for thing in self._evidence.nodes.values() if thing.what == "critical"}
        inside = [row for row in rows if row.stopped and row.place is not None and
                  not row.wait.is_barrier]
        with self._process.selection_kept():
            for row in inside[:critical_holder.MOST_STACKS]:
                for section in sorted(critical_holder.sections(row)):
                    name = Name(wait_state.section(section))
                    if name in known or row.wait.what == name or row.lwp not in self._threads:
                        continue
                    thing, _ = self._evidence.node(("section", section), "thing", "critical",
                                                   "source")
                    thing.name = name
                    self._evidence.needs(thing, self._threads[row.lwp], "source")

    # What has not begun

    def _add_unbegun(self, twice: bool) -> None:
        """Programs that make progress have much that has not begun: without a second look it is
        evidence only where nobody is on a processor but to poll."""
        if not twice and any(node.what == "works" and "loops" not in node.flags
                             for node in self._threads.values()):
            return
        regions: Dict[Hashable, Tuple[Region, List[Node]]] = {}
        for node in self._threads.values():
            region = None if node.row is None else node.row.region
            if region is not None:
                regions.setdefault(region.key, (region, []))[1].append(node)
        construct_evidence.add_unbegun(self._evidence, regions.values(), functools.partial(
                                           region_clauses.threads, self._stacks),
                                       self._tasks.ready if self._with_tasks else None,
                                       poll_evidence.asks_others)


def _mark_crash(process: Process, node: Node, crash: Crash, usual: int) -> None:
    """Of the Node of the thread that has crashed; USUAL: bytes of new threads' stacks, or 0."""
    node.what, node.crash = "crashed", crash
    node.flags.update(crash.flags)
    known = None if node.row is None else node.row.known
    if node.row is not None and _is_plain(node.row):
        node.flags.add("plain")
    stack = known and errors.known(lambda: known.stack)
    if stack and _is_in_guard(crash.address, stack):
        node.flags.add("overflow")
    size = None if known is None else errors.known(lambda: known.stack_size)
    node.stack = (process.stack_limit() or 0) if "initial" in crash.flags else \
        usual if size is None else size


def _is_plain(row: ThreadRow) -> bool:
    """Whether a runtime has not made a thread: it is the first one in all of its teams, or in none, or
    has begun in a function of none."""
    known = row.known
    path = errors.known(lambda: known.path) if known is not None else \
        () if row.is_openmp is False else None
    if path is None and row.thread is not None:
        began = crash_site.start_of(row.process, row.thread) or 0
        name, _ = row.process.symbol_at(began)
        return name is not None and not (
            code_owner.is_runtime(row.process, began) or code_owner.is_openmp(name))
    return path is not None and all(number == 0 for number, _ in path)


def _is_in_guard(address: Optional[int], stack: Dict[str, int]) -> bool:
    """Whether an address, or None, is in the guard of a stack, of which the dict STACK has "low"
    and "guard" if they are known. An array that is larger than what is left of a stack reaches
    beyond its guard, into that of another thread."""
    if address is None or not {"low", "guard"} <= stack.keys():
        return False
    return 0 <= (address & (1 << 64) - 1) - stack["low"] < stack["guard"]
