# SPDX-License-Identifier: MIT
"""What one thread does at a stop and what it waits for, whoever is the witness, and how
reports call threads: by the debugger's number and by their numbers in their teams.

The names of states are those of the report's section 15.9 without their prefix, and these:

    "in_call"      in the kernel, or in MPI, for a function that user code has called
    "starting"     being created by the runtime, or released from its pool: in a body soon
    "creating_task"  inside the call that creates an explicit task
    "wait_region"  waits in its pool for the next region
    "leaving"      has left the body and is released from the barrier that ends the region
    "not_openmp"   a thread that the runtime does not know
    None           not known
"""

from __future__ import annotations

from openmp_inspect.core import debug, errors, escaped, text
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import code_owner, symbol_names

if TYPE_CHECKING:
    from typing import Callable, Dict, List, Optional
    from openmp_inspect.host.interface import Process
    from openmp_inspect.core.escaped import Text
    from openmp_inspect.model.objects import Thread
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.model.sync import Barrier
    from openmp_inspect.code.places import Place

    ObjectAt = Callable[[int], Optional[Name]]


class Holder(NamedTuple):
    """Who has what a thread waits for."""

    name: Optional[str]  # the thread as the report calls it
    short: Optional[str]  # the same in fewer words
    number: Optional[int]  # the debugger's
    lwp: Optional[int]
    derived: bool = False  # not recorded
    since: Optional[Place] = None  # of the call that acquired it, if that is known
    task: Optional[int] = None  # the number of the one that acquired it, if that is suspended


class Arrivals(NamedTuple):
    """How many threads have arrived at a barrier, of how many."""

    arrived: int
    size: int
    derived: bool = False  # not counted by the runtime


INFERRED = ("kernel", "stacks", "source")  # witnesses
_BARRIER = "wait_barrier"
_EXPLICIT = "explicit"
_LOCKS = ("wait_critical", "wait_lock", "wait_nest_lock", "wait_mutex")
_WORDS = {
    "work_serial": "work",
    "work_parallel": "work",
    "work_reduction": "reduction",
    "overhead": "runtime",
    "undefined": "not OpenMP",  # any more
    "not_openmp": "not OpenMP",
}
_WAITS_FOR = {
    "wait_barrier_implicit": "implicit",
    "wait_taskwait": "child tasks",
    "wait_taskgroup": "tasks of its group",
    "wait_atomic": "atomic",
    "wait_ordered": "its turn",
}


class WaitState:
    """Threads alike share one: it is not changed once it is made. `name`: of the state; `wait_id`:
    as the runtime has it, None for the critical section without a name, 0 for none; `variable`: the
    program's, by which the lock is known there, where the runtime has another address, or 0;
    `witness`: "recorded", "runtime", "kernel" or "stacks"; `what`: the thing that is waited for, in
    words, or None; `holder`: a Holder or None; `arrivals`: Arrivals or None; `barrier`: the
    sync.Barrier or None; `call`: of "in_call", the function; `failed`: why the state is not known,
    in words, or None."""

    __slots__ = ("name", "wait_id", "variable", "witness", "what", "holder", "arrivals", "barrier",
                 "call", "failed")

    def __init__(self, name: Optional[str], wait_id: Optional[int] = 0, witness: str = "runtime", *,
                 variable: int = 0, what: Optional[Text] = None, holder: Optional[Holder] = None,
                 arrivals: Optional[Arrivals] = None, barrier: Optional[Barrier] = None,
                 call: Optional[str] = None, failed: Optional[str] = None) -> None:
        self.name, self.wait_id, self.witness = name, wait_id, witness
        self.variable, self.what, self.holder = variable, escaped.name(what), holder
        self.arrivals, self.barrier = arrivals, barrier
        self.call, self.failed = call, failed

    @property
    def derived(self) -> bool:
        """Whether it is inferred, neither recorded nor in the runtime's own memory."""
        return self.witness in INFERRED

    @property
    def full_name(self) -> Optional[str]:
        """The name of the state, of a barrier with the kind that `what` says."""
        if not self.is_barrier:
            return self.name
        return _BARRIER if self.what is None else _BARRIER + (
            "_explicit" if self.what == _EXPLICIT else "_implicit")

    @property
    def inferred(self) -> List[str]:
        """Which of its state, owner and arrived, as JSON has them, were inferred."""
        found = []
        if self.derived or self.full_name != self.name:
            found.append("state")
        if self.holder is not None and self.holder.derived:
            found.append("owner")
        if self.arrivals is not None and self.arrivals.derived:
            found.append("arrived")
        return found

    @property
    def is_lock(self) -> bool:
        """Whether somebody holds what is waited for."""
        return self.name is not None and is_lock(self.name)

    @property
    def is_barrier(self) -> bool:
        return self.name is not None and is_barrier(self.name)

    @property
    def is_wait(self) -> bool:
        """Whether it is for something that OpenMP knows."""
        return self.name is not None and self.name.startswith("wait_") and \
            self.name != "wait_region"

    @property
    def words(self) -> str:
        """The state, marked "~" where it is inferred."""
        if self.name is None:
            return self.failed or "?"
        words = "in %s" % self.call if self.name == "in_call" else words_of(self.name)
        return ("~" if self.derived else "") + words

    def waits_for(self, short: bool = False) -> Name:
        """What is waited for, who has it and how many have arrived, in words; holders are
        named by one number if SHORT. "-" for nothing, or nothing known."""
        if self.name is None:
            return Name("-" if self.failed else "?")
        words = [] if self.what is None else [self.what.raw]
        if self.holder is not None and self.holder.name is not None:
            words.append(_held_by(self.holder, short))
        if self.arrivals is not None:
            words.append("%s%d of %d arrived" % (
                "~" if self.arrivals.derived else "", self.arrivals.arrived, self.arrivals.size))
        return Name(", ".join(words) or "-")


# The states that say the same of all threads.
IDLE = WaitState("idle")
NOT_OPENMP = WaitState("not_openmp")
UNKNOWN = WaitState(None)


def words_of(name: str) -> str:
    """The name of a state of the report, in words."""
    if name.startswith(_BARRIER):
        return "wait barrier"
    return _WORDS.get(name) or name.replace("_", " ")


def is_lock(name: str) -> bool:
    """Whether a state of this name waits for something that somebody holds."""
    return name in _LOCKS or name == "wait_atomic"


def is_barrier(name: str) -> bool:
    """Whether a state of this name is that of a thread which waits at a barrier."""
    return name.startswith(_BARRIER)


def thing(process: Process, name: Optional[str], wait_id: Optional[int],
          object_at: ObjectAt) -> Optional[Name]:
    """What a thread waits for in the state of this NAME, as far as its WAIT_ID says, in words
    or None. A WAIT_ID of None is the critical section without a name. OBJECT_AT names objects by
    their addresses, as stitched_stack.object_at()."""
    if name == "wait_critical":
        return escaped.name(_critical(process, wait_id))
    if name in _LOCKS:
        return object_at(wait_id) or Name("%#x" % wait_id) if wait_id else None
    return None if name is None else escaped.name(_WAITS_FOR.get(name))


def _held_by(holder: Holder, short: bool) -> str:
    mark = "~" if holder.derived else ""
    if short:
        return "%sheld by %s%s" % (mark, holder.short, "" if holder.task is None
                                   else " in task %d" % holder.task)
    since = None if holder.derived else holder.since
    return "%sheld by %s%s" % (mark, holder.name, " since %s:%d" % (
        text.file_name(since.file), since.line) if since and since.file and since.line else "")


def _critical(process: Process, wait_id: Optional[int]) -> Optional[str]:
    if wait_id is None or (wait_id and code_owner.is_runtime(process, wait_id)):
        return "unnamed"
    if not wait_id:
        return None
    name = symbol_names.critical(process, wait_id)
    return "%#x" % wait_id if name is None else section(name)  # the program may be stripped


def section(name: str) -> str:
    """A critical section in words by its name, "" if it has none."""
    return '"%s"' % name if name else "unnamed"


class Names:
    """Lives during one command. NUMBERS: the debugger's by kernel ids; OBJECT_AT: as for
    thing()."""

    def __init__(self, snapshot: Optional[Snapshot], numbers: Dict[int, int],
                 object_at: ObjectAt) -> None:
        self.object_at = object_at
        self._snapshot = snapshot
        self._numbers = numbers

    def of(self, known: Thread, derived: bool = False) -> Holder:
        """The Holder that a model's Thread is; its name is None where it cannot be read."""
        try:
            number = self._numbers.get(known.lwp)
            short = "LWP %d" % known.lwp if number is None else text.thread(number)
        except errors.OmpdError:
            debug.ignored()
            return Holder(None, None, None, None, derived)
        path = errors.known(lambda: known.path)  # none of an idle thread
        name = "%s (%s)" % (short, text.thread_path(path)) if path else short
        return Holder(name, short, number, known.lwp, derived)

    def at(self, lwp: int, derived: bool = False) -> Holder:
        """The Holder that a thread is with this kernel id, which OpenMP may not know."""
        snapshot = self._snapshot
        known = None if snapshot is None else errors.known(lambda: snapshot.thread_of(lwp))
        found = None if known is None else self.of(known, derived)
        if found is not None and found.name is not None:
            return found
        number = self._numbers.get(lwp)
        short = "LWP %d" % lwp if number is None else text.thread(number)
        return Holder(short, short, number, lwp, derived)
