# SPDX-License-Identifier: MIT
"""What threads did last, as their flight recorders have it, merged in time: "ompd history"."""

from __future__ import annotations

from openmp_inspect.core import errors, json_output, text
from openmp_inspect.core.errors import OmpdError, UserError
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.host import interface
from openmp_inspect.bindings import abi5
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.analysis import wait_state
from openmp_inspect.report import explanations, thread_times
from openmp_inspect.stacks import stitched_stack

if TYPE_CHECKING:
    from typing import Any, Collection, Dict, List, Optional, Tuple
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from openmp_inspect.host.interface import Process
    from openmp_inspect.core.escaped import Name
    from openmp_inspect.bindings.query import EventFacts
    from openmp_inspect.code.places import Place

_MOST = 40  # events that are shown where nobody says how many
EVERY = 1 << 31
_NONE = ('No history is kept of this program: start it with "ompd-run --history", or with '
         "OMP_OMPD=history and the hooks preloaded.")
_HEAD = ["Seconds", "Thread", "Event", "Waited", "Where"]
_KIND = abi5.EVENT_KIND
_CLASS = _KIND["class"]
_WORDS = {"region_begin": "begins region %d", "region_end": "ends region %d",
          "join": "joins region %d", "task_create": "creates task %d",
          "task_begin": "begins task %d", "task_end": "ends task %d"}
_SIMPLE = {_KIND[name]: words for name, words in _WORDS.items()}
# By OpenMP's numbers of kinds.
_SYNC = {1: "a barrier", 2: "a barrier", 3: "a barrier", 4: "a barrier", 5: "taskwait",
         6: "the end of taskgroup", 7: "a reduction", 8: "the end of a construct",
         9: "the end of the region", 10: "the end of teams"}
_MUTEX = {1: "wait_lock", 2: "wait_lock", 3: "wait_nest_lock", 4: "wait_nest_lock",
          5: "wait_critical", 6: "wait_atomic", 7: "wait_ordered"}
_NOUNS = {"wait_lock": "lock ", "wait_nest_lock": "nest lock ", "wait_critical": "critical ",
          "wait_atomic": "atomic", "wait_ordered": "ordered"}
_WORK = {1: ("a loop", "iteration"), 2: ("sections", "section"), 3: ("single", ""),
         4: ("single", ""), 5: ("workshare", ""), 6: ("distribute", "iteration"),
         7: ("a taskloop", "iteration"), 8: ("scope", "")}
_TARGET = {1: "target", 2: "target enter data", 3: "target exit data", 4: "target update"}
_NOWAIT = 8  # added to these
_DEVICES = {0xffffffff: "host", 0xfffffffe: "device not known"}
_CANCELLED = ("parallel", "sections", "a loop", "taskgroup")  # by bits
_LEAST_WAIT = 1e-6  # seconds that are worth a number


class _Row(NamedTuple):
    """`seconds`: before the stop, or before the last event of a core; None: not known. `so_far`:
    how long a wait that is not over has lasted, in seconds, likewise."""

    thread: int
    event: EventFacts
    seconds: Optional[float]
    so_far: Optional[float]


class _History(NamedTuple):
    """The last events; `now`: the time of the stop, in seconds, None in a core; `unread`: threads
    whose events cannot be read, by the debugger's numbers."""

    rows: List[_Row]
    now: Optional[float]
    unread: List[int]


def most(word: Optional[str], usual: int = _MOST) -> int:
    """How many events are wanted by what somebody has typed, or None: as many as is USUAL; UserError."""
    if word is not None and not (word.isascii() and word.isdigit() and 0 < int(word[:9])):
        raise UserError("-last takes a number of events, 1 or more.")
    return usual if word is None else int(word[:9])


def facts(here: Space, threads: Optional[Collection[int]], last: int) -> List[Dict[str, Any]]:
    """An object for each of the LAST events of these THREADS, by the debugger's numbers (None: of
    all), in time; UserError where none are kept."""
    with explanations.explained(here.process), Snapshot.of(here) as snapshot, \
            here.process.selection_kept():
        return [_facts(stitched_stack.of(here), row) for row in _history(snapshot, threads, last).rows]


def lines(here: Space, threads: Optional[Collection[int]], last: int) -> List[str]:
    """The table; otherwise the same."""
    with explanations.explained(here.process), Snapshot.of(here) as snapshot, \
            here.process.selection_kept():
        rows, now, unread = _history(snapshot, threads, last)
        stacks = stitched_stack.of(here)
        table = text.fitted([_HEAD, *(_cells(stacks, row) for row in rows)]) if rows else \
            ["There are no events."]
    remarks = []
    if rows and now is None:
        remarks.append("Seconds are counted back from the last event.")
    if unread:
        remarks.append("The events of %s cannot be read." % _named(unread))
    return table + list(map(text.remark, remarks))


def _history(snapshot: Snapshot, threads: Optional[Collection[int]], last: int) -> _History:
    events: List[Tuple[int, EventFacts]] = []
    unread: List[int] = []
    problem: Optional[OmpdError] = None
    is_kept = False
    for lwp, thread in snapshot.process.threads():
        if lwp not in snapshot.by_lwp or threads is not None and thread.num not in threads:
            continue
        try:
            of_thread = snapshot.by_lwp[lwp].history
        except OmpdError as error:
            unread.append(thread.num)
            problem = error
            continue
        is_kept = is_kept or of_thread is not None
        events += [(thread.num, event) for event in of_thread or ()]
    if not is_kept:
        raise problem or UserError(_nothing_kept(snapshot, threads))
    now = _now(snapshot.process)
    events.sort(key=_order)
    ends = [event.time + (event.waited or 0) for _, event in events if event.time is not None]
    end = max(ends, default=0) / 1e9 if now is None else now
    return _History([_row(number, event, end, now) for number, event in events[-last:]], now, unread)


def _nothing_kept(snapshot: Snapshot, threads: Optional[Collection[int]]) -> str:
    of_all = (errors.known(lambda: thread.history)  # pylint: disable=W0640
              for thread in snapshot.by_lwp.values())
    if threads is not None and any(history is not None for history in of_all):
        return "No history is kept of %s." % _named(threads)
    return _NONE


def _named(threads: Collection[int]) -> str:
    return "thread%s %s" % ("" if len(threads) == 1 else "s", text.threads(sorted(threads)))


def _row(number: int, event: EventFacts, end: float, now: Optional[float]) -> _Row:
    seconds = None if event.time is None else event.time / 1e9 - end
    so_far = -seconds if event.open and seconds is not None and now is not None else None
    return _Row(number, event, seconds, so_far)


def _order(one: Tuple[int, EventFacts]) -> Tuple[int, int, int]:
    number, event = one
    return event.time or 0, number, event.number


def _now(process: Process) -> Optional[float]:
    return None if process.origin == interface.CORE else process.monotonic()


def _cells(stacks: StitchedStacks, row: _Row) -> List[str]:
    place = _place(stacks, row.event)
    return ["-" if row.seconds is None else "%.6f" % row.seconds, text.thread(row.thread),
            text.worded(_words(stacks, row.event)), _waited(row),
            "-" if place is None else text.place(place)]


def _waited(row: _Row) -> str:
    event = row.event
    if event.open:
        return "-" if row.so_far is None else "%s so far" % _duration(row.so_far)
    return "-" if not event.waited or event.waited < _LEAST_WAIT * 1e9 else \
        _duration(event.waited / 1e9)


def _duration(seconds: float) -> str:
    if seconds >= 1:
        return thread_times.duration(seconds)
    return "%.1f ms" % (seconds * 1e3) if seconds >= 1e-3 else "%.1f us" % (seconds * 1e6)


def _place(stacks: StitchedStacks, event: EventFacts) -> Optional[Place]:
    return stacks.walker.place_before(event.codeptr)


def _words(stacks: StitchedStacks, event: EventFacts) -> str:
    """`acquires lock grid`."""
    number = event.kind & ~_CLASS
    group = event.kind & _CLASS
    if event.kind in _SIMPLE:
        return _SIMPLE[event.kind] % event.object
    if event.kind == _KIND["cancel"]:
        return "cancels " + ", ".join(name for bit, name in enumerate(_CANCELLED)
                                      if event.object >> bit & 1)
    if group == _KIND["sync"]:
        return ("waits at " if event.open else "leaves ") + _SYNC.get(number, "a barrier")
    if group == _KIND["target"]:
        return "%s %s (%s)" % (
            "is in" if event.open else "leaves", _TARGET.get(number & ~_NOWAIT, "target"),
            _DEVICES.get(event.object, "device %d" % event.object))
    if group == _KIND["work"]:
        name, of = _WORK.get(number, ("work", ""))
        return "begins " + name + (" of " + text.count(event.object, of)
                                   if of and event.object else "")
    if group not in (_KIND["mutex"], _KIND["release"]) or number not in _MUTEX:
        return "does something that this version does not know"
    verb = "releases " if group == _KIND["release"] else \
        "waits for " if event.open else "acquires "
    thing = _name(stacks, event)
    return verb + _NOUNS[_MUTEX[number]] + ("" if thing is None else thing.raw)


def _name(stacks: StitchedStacks, event: EventFacts) -> Optional[Name]:
    """Of a lock or critical section."""
    state = _MUTEX.get(event.kind & ~_CLASS)
    if state not in ("wait_lock", "wait_nest_lock", "wait_critical") or not event.object:
        return None
    return wait_state.thing(stacks.process, state, event.object, stacks.object_at)


def _facts(stacks: StitchedStacks, row: _Row) -> Dict[str, Any]:
    event = row.event
    names = {number: name for name, number in _KIND.items() if name != "class"}
    kind = names.get(event.kind) or names.get(event.kind & _CLASS)
    is_address = kind in ("mutex", "release")
    return dict({
        "thread": row.thread, "number": event.number, "event": kind,
        "kind": event.kind & ~_CLASS if event.kind & _CLASS else None,
        "object": None if is_address else event.object,
        "address": json_output.address(event.object) if is_address else None,
        "name": json_output.exact(_name(stacks, event)) if is_address else None,
        "words": _words(stacks, event),
        "seconds": row.seconds, "open": None if event.open is None else bool(event.open),
        "waited_seconds": None if event.waited is None else event.waited / 1e9},
        **json_output.place_facts(_place(stacks, event)))
