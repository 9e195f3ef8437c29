# SPDX-License-Identifier: MIT
"""The questions that model.Snapshot asks about one process at one stop: an abstract class,
of which each dialect of OMPD has its own.

Handles are opaque to who asks. Every question may raise OmpdError; its `kind` is the return
code of the library. "unavailable" says that there is no such object.
"""

from __future__ import annotations

import abc

from openmp_inspect.core.errors import OmpdError
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import (Any, Dict, FrozenSet, Hashable, Iterable, Iterator, List, Optional,
                        Sequence, Tuple, Union)
    from openmp_inspect.core.escaped import Name
    # Of a thread, region or task; valid until Query.release(). Each dialect has its own type.
    Handle = Any



class State(NamedTuple):
    name: str  # without the prefix omp_state_
    wait_id: int  # 0 where it waits for nothing that has an address


class Frames(NamedTuple):
    """Stack pointers of a task; 0 is none."""

    exit: int  # of the runtime's frame that called the body
    enter: int  # of the body's frame that called the runtime


class Futexes(NamedTuple):
    """Addresses of words on which a thread of a team sleeps out of a body; None: not known."""

    barrier: Optional[int]  # at a barrier of its team
    dock: Optional[int]  # while it waits for its next region
    docked: int  # threads that have arrived at the dock


class WaitTimes(NamedTuple):
    """Nanoseconds of the CLOCK_MONOTONIC that the process has."""

    since: Dict[int, int]  # kernel id -> when the wait began in which the thread is
    latest: Optional[int]  # the latest time that is known; it is later now


class LockTests(NamedTuple):
    """The tests of a lock in a row that have failed, with no wait in between."""

    lock: int  # its address
    failed: int
    since: Optional[int]  # when the first was, as in WaitTimes


class TargetFacts(NamedTuple):
    """The innermost target construct that a thread is in, as it has recorded it."""

    construct: str  # "region", "enter_data", "exit_data", "update"
    device: Optional[int]  # None: the host, or not known
    codeptr: int  # return address of its call
    since: Optional[int]  # as in WaitTimes


class EventFacts(NamedTuple):
    """One that a thread has recorded of itself. `time` and `waited` are nanoseconds, or None;
    `kind` is one of abi5.EVENT_KIND, with what OpenMP adds to it; `open`: whether a wait is not
    over, None of what is none."""

    number: int  # of its thread
    time: Optional[int]  # of CLOCK_MONOTONIC; of a wait when it began
    waited: Optional[int]
    object: int  # an id, or a wait id
    codeptr: int  # return address in user code, or 0
    kind: int
    open: Optional[int]


class OrderFacts(NamedTuple):
    """A lock that was acquired after that of the order `parent`, which was held; 0: no other was. With
    a `thread` that has done so in a `region`, after so many barriers there; 0: of each order once."""

    order: int
    parent: int
    lock: int  # identifies it while it lives
    address: int  # its wait id
    codeptr: int  # return address of the first such call
    thread: int
    region: int
    barrier: int
    kind: str


class SumFacts(NamedTuple):
    """What all that happened at one place adds up to, of one thread: `kind` is one of abi5.SUM_KIND, with
    what OpenMP adds to it, and ompd-ext.h says what the numbers are of each. Times are nanoseconds, or
    None; addresses are in user code, or 0."""

    kind: int
    number: int  # of the thread in its team
    times: int  # `count`
    time: Optional[int]
    waited: Optional[int]
    longest: Optional[int]
    contended: Optional[int]
    typical: Optional[int]  # of the work before one barrier, or end: the geometric mean
    codeptr: int
    region: int  # the codeptr of its region
    object: int  # the wait id of a mutex
    several: bool  # or it was one of several
    holder: int


class ThreadFacts(NamedTuple):
    handle: Handle
    key: Hashable
    # Attributes of model.Thread. State and wait_id are left out where more than the thread
    # has to be looked at; "region" is a handle.
    attributes: Dict[str, Any]


class ThreadKind(NamedTuple):
    """Threads of one `kind` are in the same state, for the same thing, inside the same call
    of the same region. A kind of None says nothing."""

    kind: Optional[Hashable]
    number: int
    handle: Handle


class TaskFacts(NamedTuple):
    """What is known of a task beyond its handle; None is what is not."""

    kind: Optional[str] = None  # "initial", "implicit", "explicit"
    state: Optional[str] = None
    flags: Optional[FrozenSet[str]] = None
    codeptr: Optional[int] = None
    event: Optional[int] = None
    dependences: Optional[int] = None
    thread: Optional[Handle] = None
    region: Optional[Handle] = None
    parent: Optional[Handle] = None
    scheduling: Optional[Handle] = None
    device: Optional[int] = None  # DeviceFacts.descriptor of a target task's device


NO_TASK_FACTS = TaskFacts()


class DependenceKinds(NamedTuple):
    predecessor: str
    successor: str


class DependenceFacts(NamedTuple):
    predecessor: Handle
    successor: Handle
    address: int
    kinds: DependenceKinds


class LockFacts(NamedTuple):
    address: int
    kind: Optional[str]
    times_held: Optional[int]
    codeptr: Optional[int]
    frame: Optional[int]
    life: Optional[str]
    owner: Optional[Handle]
    owner_task: Optional[Handle]
    waiters: Sequence[Handle]


class BarrierFacts(NamedTuple):
    region: Handle
    team_size: Optional[int]
    members: int
    arrived: int
    state: Optional[str]
    kind: Optional[str]
    codeptr: Optional[int]


class RuntimeFacts(NamedTuple):
    """A runtime of the process. The versions are those of GCC that have its layout."""

    number: int
    kind: Optional[str]  # "libgomp" or "libomp"
    recorded: Optional[str]  # "yes", or why not: "no_hooks", "off", "other", "not_called"
    threads: Optional[int]
    first_version: Optional[int]
    last_version: Optional[int]
    file: Optional[str]  # as the target has it; "" is the program
    entry: Optional[int] = None  # the address of code in it
    damaged: Optional[int] = None  # address of an object in its memory that was overwritten


class DeviceFacts(NamedTuple):
    """A device that target regions can be executed on. What is not known is None."""

    number: int  # as in the device clause
    runtime: int
    state: Optional[str]  # "unused", "ready", "finalised"
    name: Optional[int]  # address of a string
    plugin: Optional[int]  # address of code of its plugin
    descriptor: Optional[int]  # address of the structure that the runtime describes it with


class MappingFacts(NamedTuple):
    """A range of the host's memory of which a device has a copy. What is not known is None."""

    device: int
    runtime: int
    host: int
    bytes: int
    address: Optional[int]  # that the copy has on the device
    references: Optional[int]
    held: Optional[int]  # of these
    forever: Optional[int]  # 1: it stays mapped, without a count
    source: Optional[int]  # address of clang's ";variable;file;line;column;;"
    codeptr: Optional[int]  # return address of the call of the construct that has mapped it


class Icv(NamedTuple):
    name: str
    scope: str
    value: Name


class EvidenceLink(NamedTuple):
    role: int
    evidence: int  # its index


class Verdicts(NamedTuple):
    records: Sequence[Any]  # structures of ompd-ext.h
    links: Sequence[EvidenceLink]


class Query(abc.ABC):
    """Abstract is what every dialect answers. What the others return here is what is known
    with a library that has no such routine."""

    @abc.abstractmethod
    def release(self) -> None:
        """Gives every handle back to the library."""

    @abc.abstractmethod
    def tracking(self) -> bool:
        """Whether the program records what it does."""

    @property
    @abc.abstractmethod
    def recorded(self) -> bool:
        """Whether waits and ids are known, not only what the runtime keeps for itself."""

    # Threads

    @abc.abstractmethod
    def threads(self) -> Sequence[Handle]:
        """Handles of all threads, idle ones included."""

    @abc.abstractmethod
    def thread_of(self, lwp: int) -> Optional[Handle]:
        """The thread with this kernel id, or None."""

    @abc.abstractmethod
    def thread_key(self, thread: Handle) -> Hashable:
        """Equal for handles of one thread."""

    @abc.abstractmethod
    def lwp(self, thread: Handle) -> int:
        """Its kernel id."""

    @abc.abstractmethod
    def state(self, thread: Handle) -> State:
        """What it does, and what it waits for."""

    @abc.abstractmethod
    def number(self, thread: Handle) -> int:
        """Its number in its innermost region."""

    @abc.abstractmethod
    def region_of(self, thread: Handle) -> Handle:
        """Its innermost region."""

    @abc.abstractmethod
    def task_of(self, thread: Handle) -> Handle:
        """Its current task."""

    # Regions

    @abc.abstractmethod
    def region_key(self, region: Handle) -> Hashable:
        """Equal for handles of one region."""

    @abc.abstractmethod
    def region_id(self, region: Handle) -> int:
        """Its unique number."""

    @abc.abstractmethod
    def size(self, region: Handle) -> int:
        """Threads in its team."""

    @abc.abstractmethod
    def function(self, region: Handle) -> int:
        """Address of the outlined body."""

    @abc.abstractmethod
    def enclosing(self, region: Handle) -> Handle:
        """The region around it."""

    @abc.abstractmethod
    def master(self, region: Handle) -> Handle:
        """The primary thread of its team."""

    @abc.abstractmethod
    def team(self, region: Handle) -> Sequence[Handle]:
        """Threads by rising number, those that have begun."""

    @abc.abstractmethod
    def implicit_tasks(self, region: Handle) -> Sequence[Handle]:
        """Implicit tasks by the numbers of their threads, those that have begun."""

    # Tasks

    @abc.abstractmethod
    def task_key(self, task: Handle) -> Hashable:
        """Equal for handles of one task."""

    @abc.abstractmethod
    def task_id(self, task: Handle) -> int:
        """Its unique number."""

    @abc.abstractmethod
    def task_function(self, task: Handle) -> int:
        """Address of the outlined body."""

    @abc.abstractmethod
    def frames(self, task: Handle) -> Frames:
        """Where its body was called, and where it has called the runtime."""

    @abc.abstractmethod
    def parent(self, task: Handle) -> Handle:
        """The task that generated it."""

    @abc.abstractmethod
    def level(self, task: Handle) -> int:
        """As omp_get_level() in it."""

    @abc.abstractmethod
    def is_implicit(self, task: Handle) -> bool:
        """Whether it is no explicit task."""

    # What not every library knows

    incomplete = False  # the process has more objects than the library is willing to list
    bulk = False  # facts of all threads come in one call
    unread: Optional[OmpdError] = None  # why records that are there cannot be read

    def runtimes(self) -> Sequence[RuntimeFacts]:
        """All runtimes, where the library lists them."""
        return []

    def has_several_runtimes(self) -> bool:
        """Whether threads have used more than one of them, as far as is known."""
        return False

    def in_several(self) -> Dict[int, List[Handle]]:
        """Of threads that several runtimes have in a region each: what each has, by kernel id."""
        return {}

    def runtime_of(self, thread: Handle) -> Optional[int]:
        """The number of the runtime in a team of which the thread is, or None."""
        return None

    def thread_facts(self) -> Iterable[ThreadFacts]:
        """Of all threads, where bulk; attributes that are not there have to be asked for."""
        return []

    def kinds(self) -> Dict[Optional[int], ThreadKind]:
        """All threads by kernel id, where bulk; those whose id is not known are under None."""
        return {}

    def wait_times(self) -> WaitTimes:
        """Of all threads, where that is recorded."""
        return WaitTimes({}, None)

    def codeptr(self, thread: Handle) -> Optional[int]:
        """Return address of the call for which the thread is inside the runtime; 0: it is in
        user code; None: not known."""
        return None

    def barrier(self, thread: Handle) -> Optional[str]:
        """The kind of the barrier of its team that it has entered and that has not released
        it: "within" the region or at its "end"; "none", or None when that is not known."""
        return None

    def futexes(self, thread: Handle) -> Optional[Futexes]:
        """The words that it may sleep on between the bodies of regions, or None."""
        return None

    def barriers_entered(self, thread: Handle) -> Optional[int]:
        """How many barriers of its region it has entered so far, or None."""
        return None

    def lock_tests(self, thread: Handle) -> Optional[LockTests]:
        """Those of a thread that does not wait, or None, also where they are not recorded."""
        return None

    def target(self, thread: Handle) -> Optional[TargetFacts]:
        """None: it is in no target construct, or that is not recorded."""
        return None

    def frame(self, thread: Handle) -> Optional[int]:
        """Stack pointer of the user code at the call of codeptr(); 0 and None alike."""
        return None

    def pthread(self, thread: Handle) -> Optional[int]:
        """Its pthread_t, or None."""
        return None

    def region_codeptr(self, region: Handle) -> Optional[int]:
        """Return address of the call that began it, or None."""
        return None

    def region_kind(self, region: Handle) -> Optional[str]:
        """"parallel", "teams", or None."""
        return None

    def encountering_task(self, region: Handle) -> Optional[Handle]:
        """The task that encountered the construct, or None."""
        return None

    def encountering_number(self, region: Handle) -> Optional[int]:
        """The number of the encountering thread in the enclosing region, or None."""
        return None

    def task_facts(self, task: Handle) -> TaskFacts:
        """What else is known of a task."""
        return NO_TASK_FACTS

    def task_survey(self) -> Iterator[Tuple[Handle, Hashable, TaskFacts]]:
        """Each of tasks() with its key and facts, where facts of all come in one call. Tasks
        that differ in nothing else share the object of their facts."""
        for task in self.tasks() or ():
            yield task, self.task_key(task), self.task_facts(task)

    def task_serial(self, task: Handle) -> Optional[int]:
        """Its number among those of its parent, or None."""
        return None

    def task_state(self, task: Handle) -> Optional[str]:
        """As model.Task.state."""
        return None

    def tasks(self) -> Optional[Sequence[Handle]]:
        """All initial and explicit tasks, or None."""
        return None

    def dependences(self) -> Sequence[DependenceFacts]:
        """Dependences between tasks that are not complete."""
        return []

    def locks(self) -> Sequence[LockFacts]:
        """Locks, critical sections and atomics that were used."""
        return []

    def lock(self, address: int, kind: str) -> LockFacts:
        """The lock of a known KIND at an ADDRESS; its waiters may not be known."""
        raise OmpdError("unsupported", "ompd_ext_get_lock")

    def devices(self) -> Tuple[Sequence[DeviceFacts], bool]:
        """All devices but the host, and whether that is all that there is to know. "unavailable": the
        program has not asked for them yet; "unsupported": where this runtime has them is not known."""
        raise OmpdError("unsupported", "ompd_ext_get_devices")

    def mappings(self) -> Tuple[Sequence[MappingFacts], bool]:
        """What is mapped to them, likewise."""
        raise OmpdError("unsupported", "ompd_ext_get_mappings")

    def barriers(self) -> Sequence[BarrierFacts]:
        """Barriers in which some thread waits."""
        return []

    def cancelled(self, region: Handle) -> Optional[bool]:
        """Whether a region is cancelled, or None."""
        return None

    def parted(self, region: Handle) -> Optional[Tuple[int, int, int]]:
        """The first barrier of a region that threads have called from two places, and both return
        addresses; None: there is none, or it is not known."""
        return None

    def requested(self, region: Handle) -> Optional[int]:
        """What the num_threads clause asked for, 0 without one, or None."""
        return None

    def details(self, name: str, item: Handle) -> Dict[str, Union[int, str, None]]:
        """What is known of the "team" of a region, or of the "loop" or the "stack" of a
        thread, by the names of ompd-ext.h; why a team is smaller than it was asked to be
        ("shortfall") is a word. Costs reads of its own."""
        return {}

    def history(self, thread: Handle) -> Optional[List[EventFacts]]:
        """The last events of a thread, oldest first; None where none are kept."""
        return None

    def sums(self) -> Optional[List[SumFacts]]:
        """Those that the process keeps; None where it keeps none."""
        return None

    def forks(self) -> Optional[int]:
        """Forks between the process that began to record and this one, or None."""
        return None

    def orders(self) -> Optional[Tuple[Sequence[OrderFacts], bool]]:
        """In which orders locks have been acquired, and whether these are all; None: none are recorded."""
        return None

    def verdicts(self, evidence: bytes, count: int, size: int) -> Verdicts:
        """What follows from an array of COUNT structures of SIZE bytes."""
        raise OmpdError("unsupported", "ompd_ext_get_verdicts")

    def icvs(self, scope: str, handle: Optional[Handle]) -> List[Icv]:
        """What belongs to an object; SCOPE is "address_space", whose handle is None,
        "thread", "parallel" or "task"."""
        return []

    def control_vars(self) -> Optional[List[Tuple[Name, Name]]]:
        """[(name, value)], or None."""
        return None

    def tool(self) -> Optional[str]:
        """How a tool inside the process is served: "none", "ompt" (OpenMP 5.x), "ompt_2" (the
        2016 report), "runtime" (by the runtime itself, not by the hooks), or None."""
        return None
