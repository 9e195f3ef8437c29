# SPDX-License-Identifier: MIT
"""An OpenMP program at one stop, as Python objects; commands see nothing below this.

A Snapshot is used inside one command, in a `with` statement that gives all handles back at
its end. Attributes are asked for when they are first looked at and then kept. One that
cannot be had raises OmpdError, each time with the same code.

Dialects hand out handles that are opaque here, and answer these questions about them:

    threads()                    handles of all threads
    thread_of(lwp)               handle of the thread with this kernel id; "bad_input"
                                 when it is no OpenMP thread
    lwp(t)  state(t)             kernel id; (name of the state, wait id)
    number(t)                    in its innermost region
    region_of(t)  task_of(t)     handles
    region_key(r)                equal for equal regions, and hashable
    region_id(r)  size(r)        unique id; threads in the team
    function(r)                  address of the outlined body
    enclosing(r)  master(r)      handles
    team(r)                      thread handles by rising number, those that have begun
    implicit_tasks(r)            task handles alike
    task_key(k)                  equal for equal tasks, and hashable
    task_id(k)  task_function(k)  frames(k)  parent(k)  level(k)  is_implicit(k)
    tracking()                   whether the program records what it does
    release()                    gives every handle back
"""

from ompd.errors import OmpdError


class fact:  # pylint: disable=invalid-name
    """An attribute that is computed once, its OmpdError included."""

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


class Snapshot:
    def __init__(self, session):
        self._session = session
        self._query = session.query()
        self._regions = {}

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
        return self._session.recorded

    @fact
    def threads(self):
        """Every OpenMP thread, idle ones included."""
        return [Thread(self, handle) for handle in self._query.threads()]

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

    def thread_of(self, lwp):
        """The Thread with this kernel id, or None; looks at no other thread."""
        handle = optional(lambda: self._query.thread_of(lwp), "bad_input")
        return None if handle is None else Thread(self, handle)

    def regions(self):
        """Every region that some thread is in, the older ones first as far as is known."""
        for thread in self.threads:
            try:
                region = thread.region
                while region is not None:
                    region = region.parent
            except OmpdError:
                pass  # the row of this thread tells
        return sorted(self._regions.values(), key=lambda region: region.id or 0)

    def region(self, handle):
        """The one Region object for a handle."""
        key = self._query.region_key(handle)
        if key not in self._regions:
            self._regions[key] = Region(self, handle, key)
        return self._regions[key]


class Thread:
    def __init__(self, snapshot, handle):
        self.snapshot = snapshot
        self.handle = handle
        self._query = snapshot._query

    @fact
    def lwp(self):
        return self._query.lwp(self.handle)

    @fact
    def _state(self):
        return self._query.state(self.handle)

    @property
    def state(self):
        """Name of the state as in the report's section 15.9, without the prefix."""
        return self._state[0]

    @property
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
        return None if handle is None else Task(self.snapshot, handle)

    @fact
    def level(self):
        """As omp_get_level() in the current task; None for an idle thread."""
        return None if self.task is None else self.task.level

    @fact
    def path(self):
        """(number, team size) from the outermost team to its own; None for a number that
        cannot be told."""
        steps = []
        region, number = self.region, self.number
        while region is not None:
            steps.append((number, region.size))
            number = region.master_number
            region = region.parent
        return steps[::-1] or [(number, 1)]


class Region:
    def __init__(self, snapshot, handle, key):
        self.snapshot = snapshot
        self.handle = handle
        self.key = key
        self._query = snapshot._query

    @fact
    def id(self):
        """The unique number, or None where the runtime does not number its regions."""
        return optional(lambda: self._query.region_id(self.handle), "needs_state_tracking")

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
        return Thread(self.snapshot, self._query.master(self.handle))

    @fact
    def team(self):
        """Threads by rising number; those that have not begun are missing."""
        return [Thread(self.snapshot, handle) for handle in self._query.team(self.handle)]

    @fact
    def implicit_tasks(self):
        return [Task(self.snapshot, h) for h in self._query.implicit_tasks(self.handle)]

    @fact
    def master_number(self):
        """The number that the master has in the enclosing region, or None. The interface
        tells a thread only its innermost number, but a complete team stands in order."""
        parent = self.parent
        if parent is None or len(parent.team) != parent.size:
            return None
        for number, thread in enumerate(parent.team):
            if thread.lwp == self.master.lwp:
                return number
        return None


class Task:
    def __init__(self, snapshot, handle):
        self.snapshot = snapshot
        self.handle = handle
        self._query = snapshot._query

    @fact
    def key(self):
        return self._query.task_key(self.handle)

    @fact
    def id(self):
        return self._query.task_id(self.handle)

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
        return None if handle is None else Task(self.snapshot, handle)

    @fact
    def level(self):
        return self._query.level(self.handle)

    @fact
    def implicit(self):
        return self._query.is_implicit(self.handle)
