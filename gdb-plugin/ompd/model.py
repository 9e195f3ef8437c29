# SPDX-License-Identifier: MIT
"""An OpenMP program at one stop, as Python objects; commands see nothing below this.

A Snapshot is used inside one command, in a `with` statement that gives all handles back at
its end. Attributes are asked for when they are first looked at and then kept. One that
cannot be had raises OmpdError, each time with the same code.

Dialects hand out handles that are opaque here, and answer these questions about them:

    threads()                    handles of all threads
    thread_of(lwp)               handle of the thread with this kernel id, or None
    lwp(t)  state(t)             kernel id; (name of the state, wait id)
    number(t)                    in its innermost region
    region_of(t)  task_of(t)     handles
    region_key(r)                equal for equal regions, and hashable
    region_id(r)  size(r)        unique id; threads in the team
    function(r)                  address of the outlined body
    enclosing(r)  master(r)      handles
    team(r)                      thread handles by rising number, those that have begun
    implicit_tasks(r)            task handles alike
    task_id(k)  task_function(k)  frames(k)  parent(k)  level(k)  is_implicit(k)
    thread_key(t)  task_key(k)   as region_key
    tracking()                   whether the program records what it does
    recorded                     whether waits and ids are known, not only what the runtime
                                 keeps for itself
    release()                    gives every handle back

What a dialect may know beyond that, and what it says otherwise, is in query.py. Threads,
regions and tasks are in objects.py, locks and barriers in sync.py.
"""

from ompd import sync
from ompd.errors import OmpdError
from ompd.facts import NOT_HELD, fact, optional
from ompd.objects import Region, Task, Thread

# State of a thread -> the kind of lock that it waits for.
_WAITED_FOR = {"wait_lock": "simple", "wait_nest_lock": "nest", "wait_critical": "critical"}


class Snapshot:
    def __init__(self, session):
        self._session = session
        self._query = session.query()
        self._regions = {}
        self._threads = {}
        self._tasks = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._query.release()

    @fact
    def tracking(self):
        return self._query.tracking()

    @fact
    def recorded(self):
        """Whether waits are recorded, not only what the runtime needs for itself."""
        return self._query.recorded

    @property
    def unread(self):
        """The OmpdError that says why records that are there cannot be read, or None."""
        return None if self.recorded else self._query.unread

    @fact
    def threads(self):
        """Every OpenMP thread, idle ones included."""
        if not self._query.bulk:
            return [self.thread(handle) for handle in self._query.threads()]
        found, regions = [], {}
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
    def by_lwp(self):
        """Threads by kernel id; those whose id cannot be had are left out. Of one that has
        used several runtimes it is that of the last in a region of which it is."""
        result = {}
        for thread in self.threads:
            try:
                if thread.lwp not in result or thread.region is not None:
                    result[thread.lwp] = thread
            except OmpdError:
                pass
        return result

    @fact
    def has_several_runtimes(self):
        """Whether threads have used more than one, as far as is known."""
        return self._query.has_several_runtimes()

    @fact
    def runtimes(self):
        """query.RuntimeFacts of all runtimes, where the library lists them."""
        return optional(self._query.runtimes, *NOT_HELD) or []

    @fact
    def kinds(self):
        """{kernel id: (kind, number, handle for thread())} of all threads, where bulk; those
        whose id is not known stand under None. Threads of one kind differ in nothing but
        their numbers; a kind of None says nothing."""
        return self._query.kinds()

    def thread_of(self, lwp):
        """The Thread with this kernel id, or None; looks at no other thread."""
        handle = self._query.thread_of(lwp)
        return None if handle is None else self.thread(handle)

    @property
    def lwps(self):
        """The kernel ids of all threads, as the process has them."""
        return self.kinds if self.bulk else self.by_lwp

    def regions(self):
        """Every region that some thread is in, the older ones first as far as is known."""
        for thread in self.threads:
            try:
                if thread.region is not None:
                    thread.region.chain  # pylint: disable=pointless-statement
            except OmpdError:
                pass  # the row of this thread tells
        return sorted(self._regions.values(), key=lambda region: region.id or 0)

    def region(self, handle):
        """The one Region object for a handle."""
        return self._item(Region, self._regions, self._query.region_key, handle)

    def thread(self, handle):
        """The one Thread object for a handle."""
        return self._item(Thread, self._threads, self._query.thread_key, handle)

    def task(self, handle):
        """The one Task object for a handle."""
        return self._item(Task, self._tasks, self._query.task_key, handle)

    def _item(self, kind, known, key_of, handle):
        try:
            key = key_of(handle)
        except OmpdError:
            return kind(self, handle, object())  # it is just ending: equal to itself
        if key not in known:
            known[key] = kind(self, handle, key)
        return known[key]

    @property
    def incomplete(self):
        """Whether the process claims more objects than the library would list so far."""
        return self._query.incomplete

    @property
    def bulk(self):
        """Whether threads tell where they are without a call for each."""
        return self._query.bulk

    @fact
    def tasks(self):
        """Every initial and explicit Task that is known, and the implicit ones that are
        current. With a library that does not list tasks only those of threads and what
        generated them."""
        found = {}
        for handle in self._query.tasks() or ():
            task = self.task(handle)
            found[task.key] = task
        for thread in self.threads:
            try:
                task = thread.task
                while task is not None and task.key not in found:
                    found[task.key] = task
                    task = task.parent
            except OmpdError:
                pass  # the thread is just changing its task
        return list(found.values())

    @fact
    def dependences(self):
        """[(predecessor Task, successor Task, address, (kind of the one, of the other))]."""
        found = optional(self._query.dependences, *NOT_HELD) or []
        return [(self.task(one), self.task(other), address, kinds)
                for one, other, address, kinds in found]

    @fact
    def locks(self):
        """Locks, critical sections and atomics that were used, held or not."""
        found = optional(self._query.locks, *NOT_HELD) or []
        return [sync.Lock(self, facts) for facts in found]

    @fact
    def _locks_by_address(self):
        return {lock.address: lock for lock in self.locks}

    def lock_at(self, address, state=None):
        """The Lock whose waiters have this wait id, or None. Where locks are not recorded
        their STATE has to say what kind of lock it is."""
        known = self._locks_by_address
        if address not in known and not self.recorded and state in _WAITED_FOR:
            try:
                facts = self._query.lock(address, _WAITED_FOR[state])
                known[address] = sync.Lock(self, facts)
            except OmpdError:
                known[address] = None  # what is there is no lock, or cannot be read
        return known.get(address)

    @fact
    def barriers(self):
        """Barriers in which somebody waits."""
        found = optional(self._query.barriers, *NOT_HELD) or []
        return [sync.Barrier(self, facts) for facts in found]

    @fact
    def _barriers_by_region(self):
        found = {}
        for barrier in self.barriers:
            found.setdefault(barrier.region.key, []).append(barrier)
        return found

    def barriers_of(self, region):
        """The Barriers of its team in which somebody waits: two in a program that hangs."""
        return self._barriers_by_region.get(region.key, [])

    def verdicts(self, evidence, count, size):
        """As query.Optional.verdicts() has it."""
        return self._query.verdicts(evidence, count, size)

    def icvs(self, item=None):
        """[(name, scope, value)] of a Thread, Region or Task, or of the whole process."""
        if item is None:
            return self._query.icvs("address_space", None)
        kind = {Thread: "thread", Region: "parallel", Task: "task"}[type(item)]
        return self._query.icvs(kind, item.handle)

    def control_vars(self):
        """["OMP_NAME=value"], or None when the runtime has not recorded them."""
        return self._query.control_vars()

    def tool(self):
        """How a tool inside the process is served, as query.Optional.tool() has it."""
        return self._query.tool()

    def openmp_version(self):
        """What the runtime says it implements, as text, or None."""
        return self._query.openmp_version()
