# SPDX-License-Identifier: MIT
"""Threads, regions and tasks of a snapshot.Snapshot."""

from __future__ import annotations

from functools import partial

from openmp_inspect.core.cached import NOT_HELD, fact, optional
from openmp_inspect.core.errors import OmpdError, known
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.bindings import query

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, FrozenSet, Hashable, List, Optional, Tuple, Union
    from openmp_inspect.bindings.query import Frames, Handle, State
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.model.sync import Barrier


class PathStep(NamedTuple):
    number: Optional[int]  # of a thread in its team; None where that is not known
    team_size: int


class SnapshotItem:
    """What has a handle in a snapshot. Equal when it is the same object of the target."""

    def __init__(self, snapshot: Snapshot, handle: Handle, key: Hashable) -> None:
        self.snapshot = snapshot
        self.handle = handle
        self.key = key
        self._query = snapshot._query

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SnapshotItem) and type(other) is type(self) and other.key == self.key

    def __hash__(self) -> int:
        return hash(self.key)

    def _asked(self, question: Callable[[Handle], Handle]) -> Optional[Handle]:
        """The answer to a QUESTION about its handle, or None where there is no such object."""
        return optional(partial(question, self.handle), "unavailable")


def _numbers(details: Dict[str, Union[int, str, None]]) -> Dict[str, int]:
    return {name: value for name, value in details.items() if isinstance(value, int)}


class Thread(SnapshotItem):
    @fact
    def lwp(self) -> int:
        """The kernel id, as the process has it."""
        return self._query.lwp(self.handle)

    @fact
    def _state(self) -> State:
        state, wait = self._query.state(self.handle)
        if state == "wait_lock":  # OpenMP 5.x has one word for both kinds
            lock = self.snapshot.lock_at(wait)
            if lock is not None and lock.kind == "nest":
                state = "wait_nest_lock"
        return query.State(state, wait)

    @fact
    def state(self) -> str:
        """Name of the state as in the report's section 15.9, without the prefix."""
        return self._state[0]

    @fact
    def wait_id(self) -> int:
        """The address of what it waits for, or 0."""
        return self._state[1]

    @fact
    def number(self) -> int:
        """As omp_get_thread_num() in it."""
        return self._query.number(self.handle)

    @fact
    def region(self) -> Optional[Region]:
        """The innermost Region, or None."""
        handle = self._asked(self._query.region_of)
        return None if handle is None else self.snapshot.region(handle)

    @fact
    def task(self) -> Optional[Task]:
        """The current Task, or None for an idle thread."""
        handle = self._asked(self._query.task_of)
        return None if handle is None else self.snapshot.task(handle)

    @fact
    def level(self) -> Optional[int]:
        """As omp_get_level() in it: the steps of its path but those of leagues; None for an idle
        thread."""
        if self.state == "idle":
            return None
        if self.region is not None:
            return sum(region.kind != "teams" for region in self.region.chain)
        return None if known(lambda: self.number) is None else 0

    @fact
    def runtime(self) -> Optional[int]:
        """The number of the runtime that it is in a team of, or None."""
        return optional(lambda: self._query.runtime_of(self.handle), *NOT_HELD)

    @property
    def runtime_kind(self) -> Optional[str]:
        """"libgomp" or "libomp", of the runtime that it is in a team of, or None."""
        kinds = self.snapshot.runtime_kinds
        return kinds.get(self.runtime) if len(kinds) != 1 else next(iter(kinds.values()))

    @fact
    def barrier_kind(self) -> Optional[str]:
        """Of the barrier of its team in which it waits: "within" the region or at its "end";
        None when that is not known."""
        kind = self._query.barrier(self.handle)
        return None if kind == "none" else kind

    @fact
    def futexes(self) -> Optional[query.Futexes]:
        """The words that it may sleep on between the bodies of regions, or None."""
        return self._query.futexes(self.handle)

    @fact
    def barriers_entered(self) -> Optional[int]:
        """How many barriers of its region it has entered so far, or None."""
        return self._query.barriers_entered(self.handle)

    @fact
    def lock_tests(self) -> Optional[query.LockTests]:
        """The tests of a lock in a row that have failed, where that is recorded, or None."""
        return self._query.lock_tests(self.handle)

    @fact
    def target(self) -> Optional[query.TargetFacts]:
        """The innermost target construct that it is in, where that is recorded, or None."""
        return self._query.target(self.handle)

    @fact
    def codeptr(self) -> Optional[int]:
        """Return address in user code of the construct that it is inside the runtime for,
        0 while it is in user code, None when that is not known."""
        return self._query.codeptr(self.handle)

    @fact
    def frame(self) -> Optional[int]:
        """Stack pointer of the user code at that call, 0 and None alike."""
        return self._query.frame(self.handle)

    @fact
    def pthread(self) -> Optional[int]:
        """The pthread_t, or None."""
        return optional(lambda: self._query.pthread(self.handle), *NOT_HELD)

    @fact
    def stack(self) -> Dict[str, int]:
        """{"low", "high", "guard": number} of its stack as far as is known."""
        return _numbers(self._query.details("stack", self.handle))

    @fact
    def stack_size(self) -> Optional[int]:
        """Bytes of its stack without the guard, or None."""
        known = self.stack
        return known["high"] - known["low"] - known["guard"] \
            if {"low", "high", "guard"} <= known.keys() else None

    @fact
    def history(self) -> Optional[List[query.EventFacts]]:
        """Its last events, oldest first; None where none are kept."""
        return self._query.history(self.handle)

    @fact
    def loop(self) -> Dict[str, int]:
        """{name: number} of the loop that it is in, provided that it is in one."""
        return _numbers(self._query.details("loop", self.handle))

    @fact
    def path(self) -> List[PathStep]:
        """From the outermost team to its own."""
        if self.region is None:
            return [PathStep(self.number, 1)]
        return self.region.way + [PathStep(self.number, self.region.size)]


class Region(SnapshotItem):
    @fact
    def id(self) -> Optional[int]:
        """The unique number, or None where the runtime does not number its regions."""
        return optional(lambda: self._query.region_id(self.handle), "needs_state_tracking",
                        "unsupported")

    @fact
    def codeptr(self) -> Optional[int]:
        """Return address of the call that opened it, or None."""
        return self._query.region_codeptr(self.handle)

    @fact
    def kind(self) -> Optional[str]:
        """"parallel", "teams", or None."""
        return self._query.region_kind(self.handle)

    @fact
    def encountering_task(self) -> Optional[Task]:
        """The Task that encountered the construct, or None."""
        handle = self._query.encountering_task(self.handle)
        return None if handle is None else self.snapshot.task(handle)

    @fact
    def size(self) -> int:
        """Threads in its team."""
        return self._query.size(self.handle)

    @fact
    def function(self) -> int:
        """Address of the outlined body."""
        return self._query.function(self.handle)

    @fact
    def parent(self) -> Optional[Region]:
        """The enclosing Region, or None."""
        handle = self._asked(self._query.enclosing)
        return None if handle is None else self.snapshot.region(handle)

    @fact
    def master(self) -> Thread:
        """The encountering Thread, which is number 0 of the team."""
        return self.snapshot.thread(self._query.master(self.handle))

    @fact
    def team(self) -> List[Thread]:
        """Threads by rising number; those that have not begun are missing."""
        return [self.snapshot.thread(handle) for handle in self._query.team(self.handle)]

    @fact
    def lacks_members(self) -> bool:
        """Whether members of a nested team have ended, or have not begun. The last thing that they
        do is to arrive: then the count of its barrier may be theirs."""
        return self.parent is not None and len(self.team) < self.size

    @fact
    def cancelled(self) -> Optional[bool]:
        """Whether it is cancelled, or None."""
        return self._query.cancelled(self.handle)

    @fact
    def parted(self) -> Optional[Tuple[int, int, int]]:
        """As Query.parted()."""
        return self._query.parted(self.handle)

    @fact
    def requested(self) -> Optional[int]:
        """What its num_threads clause asked for, 0 without one, or None."""
        return self._query.requested(self.handle)

    @fact
    def details(self) -> Dict[str, Union[int, str, None]]:
        """What explains the size of its team: numbers by name, and "shortfall", a word."""
        return self._query.details("team", self.handle)

    @fact
    def implicit_tasks(self) -> List[Task]:
        """By the numbers of their threads; those that have not begun are missing."""
        return [self.snapshot.task(h) for h in self._query.implicit_tasks(self.handle)]

    @fact
    def way(self) -> List[PathStep]:
        """The encountering threads of this region and of those around it, outermost first:
        what a member's path begins with."""
        chain = self.chain
        return [PathStep(inner.master_number, outer.size)
                for inner, outer in zip(chain, chain[1:])][::-1]

    @fact
    def chain(self) -> List[Region]:
        """This region and those around it, innermost first."""
        found, seen = [self], {self.key}
        while found[-1].parent is not None:
            found.append(found[-1].parent)
            if found[-1].key in seen:
                raise OmpdError("error", "ompd_get_enclosing_parallel_handle")
            seen.add(found[-1].key)
        return found

    @fact
    def barrier(self) -> Optional[Barrier]:
        """The Barrier of its team in which somebody waits, that at its end if there are two;
        or None."""
        return self.barriers[-1] if self.barriers else None

    @fact
    def barriers(self) -> List[Barrier]:
        """Barriers of its team in which somebody waits: within the region, at its end."""
        return sorted(self.snapshot.barriers_of(self),
                      key=lambda barrier: barrier.state == "wait_barrier_implicit")

    def barrier_for(self, kind: Optional[str], state: str) -> Optional[Barrier]:
        """The Barrier in which a thread waits that is in one of this KIND (None when that is
        not known) and in STATE, or None."""
        found = self.barriers
        if len(found) > 1 and kind is None:
            kind = "within" if state != "wait_barrier_implicit" else None
            return next((barrier for barrier in found if kind and barrier.kind == kind), None)
        return next((barrier for barrier in found
                     if kind is None or barrier.kind in (kind, None)), None)

    @fact
    def master_number(self) -> Optional[int]:
        """The number that the master has in the enclosing region, or None. Where only a
        thread's innermost number can be asked for, a complete team stands in order."""
        parent = self.parent
        number = None if parent is None else self._query.encountering_number(self.handle)
        if number is not None:
            return number
        if parent is None or len(parent.team) != parent.size:
            return None
        for number, thread in enumerate(parent.team):
            if thread.lwp == self.master.lwp:
                return number
        return None


def _of_facts(name: str) -> Any:
    """An attribute that is a field of TaskFacts."""
    def get(self: Task) -> Any:
        return getattr(self.facts, name)
    return property(get)


def _item_of_facts(name: str, kind: str) -> Any:
    """An attribute whose handle is a field of TaskFacts: the Snapshot's object of this KIND."""
    def get(self: Task) -> Any:
        handle = getattr(self.facts, name)
        return None if handle is None else getattr(self.snapshot, kind)(handle)
    return property(get)


class Task(SnapshotItem):
    @fact
    def id(self) -> Optional[int]:
        """The unique number, or None where the runtime does not number its tasks."""
        return optional(lambda: self._query.task_id(self.handle), "needs_state_tracking",
                        "unsupported")

    @fact
    def function(self) -> Optional[int]:
        """Address of the outlined body, or None for an initial task."""
        return optional(lambda: self._query.task_function(self.handle), "unavailable")

    @fact
    def frames(self) -> Frames:
        """Stack pointers where the runtime called the body, and where the body called it."""
        return self._query.frames(self.handle)

    @fact
    def parent(self) -> Optional[Task]:
        """The task that generated this one, or None for an initial task."""
        handle = self._asked(self._query.parent)
        return None if handle is None else self.snapshot.task(handle)

    @fact
    def level(self) -> int:
        """As omp_get_level() in it."""
        return self._query.level(self.handle)

    @fact
    def implicit(self) -> bool:
        """Whether it is no explicit task."""
        return self._query.is_implicit(self.handle)

    @fact
    def kind(self) -> Optional[str]:
        """"initial", "implicit", "explicit", or None."""
        if self.facts.kind is not None:
            return self.facts.kind
        implicit = optional(lambda: self.implicit, *NOT_HELD)
        if implicit is None:
            return None
        return ("implicit" if self.function else "initial") if implicit else "explicit"

    @fact
    def state(self) -> Optional[str]:
        """"created" (not begun; whether it could is not known), "ready", "waiting" (for
        tasks of Snapshot.dependences), "running", "suspended", "completed", "detached"
        (the event is not fulfilled), or None."""
        return optional(lambda: self._query.task_state(self.handle), *NOT_HELD)

    @fact
    def facts(self) -> query.TaskFacts:
        """What a survey of all tasks tells; the same object for tasks that are alike."""
        return optional(lambda: self._query.task_facts(self.handle), *NOT_HELD) or \
            query.NO_TASK_FACTS

    @property
    def flags(self) -> FrozenSet[str]:
        """Names of ompt_task_flag_t, without prefix, as far as is known."""
        return self.facts.flags or frozenset()

    @fact
    def serial(self) -> Optional[int]:
        """Its number among the tasks of its parent, or None."""
        return optional(lambda: self._query.task_serial(self.handle), *NOT_HELD)

    codeptr: Optional[int] = _of_facts("codeptr")
    event: Optional[int] = _of_facts("event")
    dependence_count: Optional[int] = _of_facts("dependences")
    thread: Optional[Thread] = _item_of_facts("thread", "thread")
    region: Optional[Region] = _item_of_facts("region", "region")
    scheduling: Optional[Task] = _item_of_facts("scheduling", "task")

    @property
    def device(self) -> Optional[int]:
        """The number of the device that a target task is for, or None."""
        at = self.facts.device
        return None if at is None else self.snapshot.device_numbers.get(at)
