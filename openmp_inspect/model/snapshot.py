# SPDX-License-Identifier: MIT
"""An OpenMP program at one stop, as Python objects; commands see nothing below this.

There is one Snapshot at a stop, for all commands: attributes are asked for when they are first
looked at and then kept. One that cannot be had raises OmpdError, each time with the same code. A
command uses it in a `with` statement, within which its handles are valid.

What it asks, and who answers, is in bindings/query.py. Threads, regions and tasks are in
objects.py, locks and barriers in sync.py.
"""

from __future__ import annotations

import contextlib

from openmp_inspect.core import cached, debug
from openmp_inspect.core.cached import NOT_HELD, fact, optional
from openmp_inspect.core.errors import OmpdError, known
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.bindings import spaces
from openmp_inspect.model import sync
from openmp_inspect.model.objects import Region, Task, Thread

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Hashable, Iterator, List, Optional, Sequence, \
        Tuple, Type, TypeVar, Union
    from openmp_inspect.core.escaped import Name
    from openmp_inspect.bindings.query import DependenceKinds, DeviceFacts, Handle, Icv, MappingFacts, \
        OrderFacts, RuntimeFacts, SumFacts, TaskFacts, ThreadKind, Verdicts, WaitTimes
    Kind = TypeVar("Kind", Thread, Region, Task)

_MOST_TASKS = 1000  # with more, which may be 10^5, a snapshot is not kept for the next command

# State of a thread -> the kind of lock that it waits for; an atomic construct has none in memory.
_WAITED_FOR = {state: kind for kind, state in sync.WAIT_STATES.items() if kind != "atomic"}


class Dependence(NamedTuple):
    predecessor: Task
    successor: Task
    address: int
    kinds: DependenceKinds


def _makes_sense(ask: Any) -> bool:
    """Whether what the function ASK finds in memory is possible; ASK is typed as in known()."""
    try:
        ask()
    except OmpdError as error:
        debug.ignored()
        return error.kind != "error"
    return True


class Snapshot:
    """That of a Space; NoLibrary or OmpdError if there is none."""

    def __init__(self, space: spaces.Space) -> None:
        self.space = space
        self.process = space.process
        self._query = space.session.query()
        self._regions: Dict[Hashable, Region] = {}
        self._threads: Dict[Hashable, Thread] = {}
        self._tasks: Dict[Hashable, Task] = {}

    @staticmethod
    @contextlib.contextmanager
    def of(here: spaces.Space) -> Iterator[Snapshot]:
        """The one of a Space at this stop."""
        with here.in_use():
            snapshot = here.kept(Snapshot)
            yield snapshot
            if len(snapshot._tasks) > _MOST_TASKS:
                here.give_back()

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(self, *_: object) -> None:
        self.forget()

    def forget(self) -> None:
        """Gives all handles back."""
        self._query.release()
        # Tasks lead to the snapshot and it to them: they are freed at once.
        self._tasks.clear()
        cached.forget(self, "tasks", "dependences")

    @fact
    def tracking(self) -> bool:
        """Whether the program records what it does."""
        return self._query.tracking()

    @fact
    def recorded(self) -> bool:
        """Whether waits are recorded, not only what the runtime needs for itself."""
        return self._query.recorded

    @property
    def unread(self) -> Optional[OmpdError]:
        """The OmpdError that says why records that are there cannot be read, or None."""
        return None if self.recorded else self._query.unread

    @fact
    def threads(self) -> List[Thread]:
        """Every OpenMP thread, idle ones included."""
        if not self._query.bulk:
            return [self.thread(handle) for handle in self._query.threads()]
        found: List[Thread] = []
        regions: Dict[int, Region] = {}
        for handle, key, facts in self._query.thread_facts():
            region = facts.get("region")
            if region is not None:
                if id(region) not in regions:
                    regions[id(region)] = self.region(region)
                facts["region"] = regions[id(region)]
            thread = self._threads.get(key)
            if thread is None:
                thread = self._threads[key] = Thread(self, handle, key)
            thread.__dict__.update(facts)
            found.append(thread)
        return found

    @fact
    def by_lwp(self) -> Dict[int, Thread]:
        """Threads by kernel id; those whose id cannot be had are left out. Of one that has
        used several runtimes it is that of the last in a region of which it is."""
        result: Dict[int, Thread] = {}
        for thread in self.threads:
            try:
                if thread.lwp not in result or thread.region is not None:
                    result[thread.lwp] = thread
            except OmpdError:
                debug.ignored()
        return result

    @fact
    def in_several(self) -> Dict[int, List[Thread]]:
        """Threads by kernel id that are in regions of several runtimes, each as these have it. Which
        of the regions is the inner one is shown by its stack alone: see stitched_stack.py."""
        return {lwp: list(map(self.thread, some))
                for lwp, some in self._query.in_several().items()}

    @fact
    def has_several_runtimes(self) -> bool:
        """Whether threads have used more than one, as far as is known."""
        return self._query.has_several_runtimes()

    @fact
    def runtimes(self) -> List[RuntimeFacts]:
        """All runtimes, where the library lists them."""
        return list(optional(self._query.runtimes, *NOT_HELD) or ())

    @fact
    def damaged(self) -> Optional[RuntimeFacts]:
        """The runtime that has threads of which its memory says what cannot be, since that was
        overwritten, or None. What a thread has recorded is not read there."""
        if not known(lambda: self.recorded) and _makes_sense(lambda: self.threads) and all(
                _makes_sense(lambda thread=thread: thread.state) for thread in self.threads):
            return None
        return next((one for one in known(lambda: self.runtimes) or ()
                     if one.damaged is not None), None)

    @fact
    def runtime_kinds(self) -> Dict[Optional[int], Optional[str]]:
        """{number: "libgomp" or "libomp"} of those that threads have used."""
        return {one.number: one.kind for one in self.runtimes if one.threads}

    @fact
    def kinds(self) -> Dict[Optional[int], ThreadKind]:
        """As Query.kinds()."""
        return self._query.kinds()

    @fact
    def wait_times(self) -> WaitTimes:
        """As Query.wait_times()."""
        return self._query.wait_times()

    def thread_of(self, lwp: int) -> Optional[Thread]:
        """The Thread with this kernel id, or None; looks at no other thread."""
        handle = self._query.thread_of(lwp)
        return None if handle is None else self.thread(handle)

    @property
    def lwps(self) -> Union[Dict[Optional[int], ThreadKind], Dict[int, Thread]]:
        """The kernel ids of all threads, as the process has them."""
        return self.kinds if self.bulk else self.by_lwp

    def regions(self) -> List[Region]:
        """Every region that some thread is in, the older ones first as far as is known."""
        for thread in self.threads:
            try:
                if thread.region is not None:
                    thread.region.chain  # pylint: disable=pointless-statement
            except OmpdError:
                debug.ignored()  # the row of this thread shows it
        return sorted(self._regions.values(), key=lambda region: region.id or 0)

    def region(self, handle: Handle) -> Region:
        """The one Region object for a handle."""
        return self._item(Region, self._regions, self._query.region_key, handle)

    def thread(self, handle: Handle) -> Thread:
        """The one Thread object for a handle."""
        return self._item(Thread, self._threads, self._query.thread_key, handle)

    def task(self, handle: Handle) -> Task:
        """The one Task object for a handle."""
        return self._item(Task, self._tasks, self._query.task_key, handle)

    def _item(self, kind: Type[Kind], known: Dict[Hashable, Kind],
              key_of: Callable[[Handle], Hashable], handle: Handle) -> Kind:
        try:
            key = key_of(handle)
        except OmpdError:
            debug.ignored()
            return kind(self, handle, object())  # it is just ending: equal to itself
        if key not in known:
            known[key] = kind(self, handle, key)
        return known[key]

    @property
    def incomplete(self) -> bool:
        """Whether the process claims more objects than the library would list so far."""
        return self._query.incomplete

    @property
    def bulk(self) -> bool:
        """Whether facts of all threads come in one call."""
        return self._query.bulk

    @fact
    def tasks(self) -> List[Task]:
        """Every initial and explicit Task that is known, and the implicit ones that are
        current. With a library that does not list tasks only those of threads and what
        generated them."""
        found: Dict[Hashable, Task] = self._surveyed() if self._query.bulk else {
            task.key: task for task in map(self.task, self._query.tasks() or ())}
        for thread in self.threads:
            try:
                current = thread.task
                while current is not None and current.key not in found:
                    found[current.key] = current
                    current = current.parent
            except OmpdError:
                debug.ignored()  # the thread is just changing its task
        return list(found.values())

    def _surveyed(self) -> Dict[Hashable, Task]:
        """Tasks by their keys, with what a survey reports of all. There may be many."""
        found: Dict[Hashable, Task] = {}
        reported: Dict[int, Dict[str, Any]] = {}
        for handle, key, facts in self._query.task_survey():
            attributes = reported.get(id(facts))
            if attributes is None:
                attributes = reported[id(facts)] = self._attributes(facts)
            task = self._tasks.get(key)
            if task is None:
                task = self._tasks[key] = Task(self, handle, key)
            task.__dict__.update(attributes)
            found[key] = task
        return found

    def _attributes(self, facts: TaskFacts) -> Dict[str, Any]:
        attributes: Dict[str, Any] = {"facts": facts}
        if facts.kind is not None:
            attributes["kind"] = facts.kind
        if facts.kind == "explicit" and facts.state is not None:
            attributes["state"] = facts.state
        if facts.parent is not None:
            attributes["parent"] = self.task(facts.parent)
        return attributes

    @fact
    def dependences(self) -> List[Dependence]:
        """Dependences between tasks that are not complete, as far as is known."""
        found = optional(self._query.dependences, *NOT_HELD) or []
        known, key_of = self._tasks, self._query.task_key
        return [Dependence(known.get(key_of(one)) or self.task(one),
                           known.get(key_of(other)) or self.task(other), address, kinds)
                for one, other, address, kinds in found]

    @fact
    def locks(self) -> List[sync.Lock]:
        """Locks, critical sections and atomics that were used, held or not."""
        found = optional(self._query.locks, *NOT_HELD) or []
        return [sync.Lock(self, facts) for facts in found]

    @fact
    def _locks_by_address(self) -> Dict[int, Optional[sync.Lock]]:
        return {lock.address: lock for lock in self.locks}

    def lock_at(self, address: int, state: Optional[str] = None) -> Optional[sync.Lock]:
        """The Lock whose waiters have this wait id, or None. Where locks are not recorded
        their STATE has to say what kind of lock it is."""
        known = self._locks_by_address
        if address not in known and not self.recorded and state in _WAITED_FOR:
            try:
                facts = self._query.lock(address, _WAITED_FOR[state])
                known[address] = sync.Lock(self, facts)
            except OmpdError:
                debug.ignored()
                known[address] = None  # what is there is no lock, or cannot be read
        return known.get(address)

    @fact
    def devices(self) -> Tuple[Sequence[DeviceFacts], bool]:
        """As Query.devices()."""
        return self._query.devices()

    @fact
    def device_numbers(self) -> Dict[int, int]:
        """Those of devices, as far as they are known, by the addresses of their descriptors."""
        return {one.descriptor: one.number for one in (known(lambda: self.devices) or ([], True))[0]
                if one.descriptor is not None}

    @fact
    def only_device(self) -> Optional[int]:
        """Its number, where the process is known to have one device."""
        devices, is_all = known(lambda: self.devices) or ([], False)
        numbers = {one.number for one in devices}
        return numbers.pop() if is_all and len(numbers) == 1 else None

    @fact
    def mappings(self) -> Tuple[Sequence[MappingFacts], bool]:
        """As Query.mappings()."""
        return self._query.mappings()

    @fact
    def barriers(self) -> List[sync.Barrier]:
        """Barriers in which somebody waits."""
        found = optional(self._query.barriers, *NOT_HELD) or []
        return [sync.Barrier(self, facts) for facts in found]

    @fact
    def _barriers_by_region(self) -> Dict[Hashable, List[sync.Barrier]]:
        found: Dict[Hashable, List[sync.Barrier]] = {}
        for barrier in self.barriers:
            found.setdefault(barrier.region.key, []).append(barrier)
        return found

    def barriers_of(self, region: Region) -> List[sync.Barrier]:
        """The Barriers of its team in which somebody waits: two in a program that hangs."""
        return self._barriers_by_region.get(region.key, [])

    def verdicts(self, evidence: bytes, count: int, size: int) -> Verdicts:
        """As Query.verdicts()."""
        return self._query.verdicts(evidence, count, size)

    def icvs(self, item: Optional[Union[Thread, Region, Task]] = None) -> List[Icv]:
        """Those of an object, or of the whole process."""
        if item is None:
            return self._query.icvs("address_space", None)
        kind = {Thread: "thread", Region: "parallel", Task: "task"}[type(item)]
        return self._query.icvs(kind, item.handle)

    def control_vars(self) -> Optional[List[Tuple[Name, Name]]]:
        """[(variable, value)], or None when the runtime has not recorded them."""
        return self._query.control_vars()

    def sums(self) -> Optional[List[SumFacts]]:
        """As Query.sums()."""
        return self._query.sums()

    def forks(self) -> Optional[int]:
        """As Query.forks()."""
        return self._query.forks()

    def orders(self) -> Optional[Tuple[Sequence[OrderFacts], bool]]:
        """As Query.orders()."""
        return self._query.orders()

    def tool(self) -> Optional[str]:
        """As Query.tool()."""
        return self._query.tool()
