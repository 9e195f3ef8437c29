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

What a dialect may know beyond that, and what it says otherwise, is in query.py.
"""

from ompd import query, sync
from ompd.errors import OmpdError


class fact:  # pylint: disable=invalid-name
    """An attribute that is computed once, its OmpdError included. What stands in the
    object's dictionary under its name already is not computed."""

    def __init__(self, compute):
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner, name):
        self._name = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        kept = instance.__dict__.setdefault("_facts", {})
        if self._name not in kept:
            try:
                kept[self._name] = self._compute(instance)
            except OmpdError as error:
                kept[self._name] = error
        value = kept[self._name]
        if isinstance(value, OmpdError):
            raise value
        return value


def optional(compute, *none_when):
    """COMPUTE's result, or None when it answers one of these codes."""
    try:
        return compute()
    except OmpdError as error:
        if error.kind in none_when:
            return None
        raise


# What an attribute answers None for: the runtime holds nothing of the kind.
NOT_HELD = ("unavailable", "unsupported", "needs_state_tracking")


class Item:
    """What has a handle in a snapshot. Equal when it is the same object of the target."""

    def __init__(self, snapshot, handle, key):
        self.snapshot = snapshot
        self.handle = handle
        self.key = key
        self._query = snapshot._query

    def __eq__(self, other):
        return type(other) is type(self) and other.key == self.key

    def __hash__(self):
        return hash(self.key)


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
        """Threads by kernel id; those whose id cannot be had are left out."""
        result = {}
        for thread in self.threads:
            try:
                result[thread.lwp] = thread
            except OmpdError:
                pass
        return result

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

    def lock_at(self, address):
        """The Lock whose waiters have this wait id, or None."""
        return self._locks_by_address.get(address)

    @fact
    def barriers(self):
        """Barriers in which somebody waits."""
        found = optional(self._query.barriers, *NOT_HELD) or []
        return [sync.Barrier(self, facts) for facts in found]

    @fact
    def _barriers_by_region(self):
        return {barrier.region.key: barrier for barrier in self.barriers}

    def barrier_of(self, region):
        return self._barriers_by_region.get(region.key)

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


class Thread(Item):
    @fact
    def lwp(self):
        return self._query.lwp(self.handle)

    @fact
    def _state(self):
        state, wait = self._query.state(self.handle)
        if state == "wait_lock":  # OpenMP 5.x has one word for both kinds
            lock = self.snapshot.lock_at(wait)
            if lock is not None and lock.kind == "nest":
                state = "wait_nest_lock"
        return state, wait

    @fact
    def state(self):
        """Name of the state as in the report's section 15.9, without the prefix."""
        return self._state[0]

    @fact
    def wait_id(self):
        return self._state[1]

    @fact
    def number(self):
        return self._query.number(self.handle)

    @fact
    def region(self):
        """The innermost Region, or None."""
        handle = optional(lambda: self._query.region_of(self.handle), "unavailable")
        return None if handle is None else self.snapshot.region(handle)

    @fact
    def task(self):
        """The current Task, or None for an idle thread."""
        handle = optional(lambda: self._query.task_of(self.handle), "unavailable")
        return None if handle is None else self.snapshot.task(handle)

    @fact
    def level(self):
        """As omp_get_level() in the current task; None for an idle thread."""
        if self.state == "idle":
            return None
        level = self._query.thread_level(self.handle)
        if level is not None:
            return level
        return None if self.task is None else self.task.level

    @fact
    def codeptr(self):
        """Return address in user code of the construct that it is inside the runtime for,
        0 while it is in user code, None when that is not known."""
        return self._query.codeptr(self.handle)

    @fact
    def frame(self):
        """Stack pointer of the user code at that call, 0 and None alike."""
        return self._query.frame(self.handle)

    @fact
    def pthread(self):
        """The pthread_t, or None."""
        return optional(lambda: self._query.pthread(self.handle), *NOT_HELD)

    @fact
    def path(self):
        """(number, team size) from the outermost team to its own; None for a number that
        cannot be told."""
        if self.region is None:
            return [(self.number, 1)]
        return self.region.way + [(self.number, self.region.size)]


class Region(Item):
    @fact
    def id(self):
        """The unique number, or None where the runtime does not number its regions."""
        return optional(lambda: self._query.region_id(self.handle), "needs_state_tracking",
                        "unsupported")

    @fact
    def codeptr(self):
        """Return address of the call that opened it, or None."""
        return self._query.region_codeptr(self.handle)

    @fact
    def kind(self):
        """"parallel", "teams", or None."""
        return self._query.region_kind(self.handle)

    @fact
    def encountering_task(self):
        """The Task that met the construct, or None."""
        handle = self._query.encountering_task(self.handle)
        return None if handle is None else self.snapshot.task(handle)

    @fact
    def size(self):
        return self._query.size(self.handle)

    @fact
    def function(self):
        return self._query.function(self.handle)

    @fact
    def parent(self):
        """The enclosing Region, or None."""
        handle = optional(lambda: self._query.enclosing(self.handle), "unavailable")
        return None if handle is None else self.snapshot.region(handle)

    @fact
    def master(self):
        """The Thread that met the construct."""
        return self.snapshot.thread(self._query.master(self.handle))

    @fact
    def team(self):
        """Threads by rising number; those that have not begun are missing."""
        return [self.snapshot.thread(handle) for handle in self._query.team(self.handle)]

    @fact
    def implicit_tasks(self):
        return [self.snapshot.task(h) for h in self._query.implicit_tasks(self.handle)]

    @fact
    def way(self):
        """(number, team size) of the threads that met this region and those around it,
        outermost first: what a member's path begins with."""
        chain = self.chain
        return [(inner.master_number, outer.size)
                for inner, outer in zip(chain, chain[1:])][::-1]

    @fact
    def chain(self):
        """This region and those around it, innermost first."""
        found, seen = [self], {self.key}
        while found[-1].parent is not None:
            found.append(found[-1].parent)
            if found[-1].key in seen:
                raise OmpdError("error", "ompd_get_enclosing_parallel_handle")
            seen.add(found[-1].key)
        return found

    @fact
    def barrier(self):
        """The Barrier of its team in which somebody waits, or None."""
        return self.snapshot.barrier_of(self)

    @fact
    def master_number(self):
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


def _of_facts(name):
    """An attribute that is a field of the dialect's TaskFacts."""
    def get(self):
        return getattr(self._known, name)
    return property(get)


def _item_of_facts(name, kind):
    def get(self):
        handle = getattr(self._known, name)
        return None if handle is None else getattr(self.snapshot, kind)(handle)
    return property(get)


class Task(Item):
    @fact
    def id(self):
        """The unique number, or None where the runtime does not number its tasks."""
        return optional(lambda: self._query.task_id(self.handle), "needs_state_tracking",
                        "unsupported")

    @fact
    def function(self):
        """Address of the outlined body, or None for an initial task."""
        return optional(lambda: self._query.task_function(self.handle), "unavailable")

    @fact
    def frames(self):
        """(exit, enter): where the runtime called the body, where the body called it."""
        return self._query.frames(self.handle)

    @fact
    def parent(self):
        """The task that generated this one, or None for an initial task."""
        handle = optional(lambda: self._query.parent(self.handle), "unavailable")
        return None if handle is None else self.snapshot.task(handle)

    @fact
    def level(self):
        return self._query.level(self.handle)

    @fact
    def implicit(self):
        """Whether it is no explicit task."""
        return self._query.is_implicit(self.handle)

    @fact
    def kind(self):
        """"initial", "implicit", "explicit", or None."""
        if self._known.kind is not None:
            return self._known.kind
        implicit = optional(lambda: self.implicit, *NOT_HELD)
        if implicit is None:
            return None
        return ("implicit" if self.function else "initial") if implicit else "explicit"

    @fact
    def state(self):
        """"created" (not begun; whether it could is not known), "ready", "waiting" (for
        tasks of Snapshot.dependences), "running", "suspended", "completed", "detached"
        (the event is not fulfilled), or None."""
        return optional(lambda: self._query.task_state(self.handle), *NOT_HELD)

    @fact
    def _known(self):
        return optional(lambda: self._query.task_facts(self.handle), *NOT_HELD) or \
            query.NO_TASK_FACTS

    flags = property(lambda self: self._known.flags or frozenset())
    codeptr = _of_facts("codeptr")
    serial = _of_facts("serial")
    event = _of_facts("event")
    dependence_count = _of_facts("dependences")
    thread = _item_of_facts("thread", "thread")
    region = _item_of_facts("region", "region")
    scheduling = _item_of_facts("scheduling", "task")
