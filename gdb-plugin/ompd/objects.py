# SPDX-License-Identifier: MIT
"""Threads, regions and tasks of a model.Snapshot."""

from ompd import query
from ompd.errors import OmpdError
from ompd.facts import NOT_HELD, Item, fact, optional


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
    def runtime(self):
        """The number of the runtime that it is in a team of, or None."""
        return optional(lambda: self._query.runtime_of(self.handle), *NOT_HELD)

    @fact
    def barrier_kind(self):
        """Of the barrier of its team in which it waits: "within" the region or at its "end";
        None when that is not known."""
        kind = self._query.barrier(self.handle)
        return None if kind == "none" else kind

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
    def stack(self):
        """{"low", "high", "guard": number} of its stack as far as is known."""
        return self._query.details("stack", self.handle)

    @fact
    def loop(self):
        """{name: number} of the loop that it is in, provided that it is in one."""
        return self._query.details("loop", self.handle)

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
    def cancelled(self):
        """Whether it is cancelled, or None."""
        return self._query.cancelled(self.handle)

    @fact
    def requested(self):
        """What its num_threads clause asked for, 0 without one, or None."""
        return self._query.requested(self.handle)

    @fact
    def details(self):
        """{name: number} of what explains the size of its team."""
        return self._query.details("team", self.handle)

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
        """The Barrier of its team in which somebody waits, that at its end if there are two;
        or None."""
        return self.barriers[-1] if self.barriers else None

    @fact
    def barriers(self):
        """Barriers of its team in which somebody waits: within the region, at its end."""
        return sorted(self.snapshot.barriers_of(self),
                      key=lambda barrier: barrier.state == "wait_barrier_implicit")

    def barrier_for(self, kind, state):
        """The Barrier in which a thread waits that is in one of this KIND (None when that is
        not known) and in STATE, or None."""
        found = self.barriers
        if len(found) > 1 and kind is None:
            kind = "within" if state != "wait_barrier_implicit" else None
            return next((barrier for barrier in found if kind and barrier.kind == kind), None)
        return next((barrier for barrier in found
                     if kind is None or barrier.kind in (kind, None)), None)

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
