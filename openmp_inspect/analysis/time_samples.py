# SPDX-License-Identifier: MIT
"""What each thread of a process does at one moment, for sums over many: its state, as thread_table.py
has it, the construct that it is in, and how long it has had a processor.

    work           the innermost construct around it, or the lock that it holds
    wait barrier   the construct that ends with that barrier
    wait lock      the lock, wherever it is acquired
"""

from __future__ import annotations

from openmp_inspect.core import errors, escaped, text
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.code import symbol_names
from openmp_inspect.stacks import barrier_source, labels, stitched_stack
from openmp_inspect.stacks.gap_matcher import function_of
from openmp_inspect.analysis import labelled_stacks, thread_table, wait_state

if TYPE_CHECKING:
    from typing import Callable, Dict, Hashable, List, Optional, Tuple
    from openmp_inspect.core.escaped import Text
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.code.places import Place
    from openmp_inspect.model.sync import Lock
    from openmp_inspect.analysis.thread_rows import ThreadRow

WORK, BARRIER, LOCK, TASKS, ORDERED, IDLE, CALL, RUNTIME, OUTSIDE, UNKNOWN = KINDS = (
    "work", "barrier", "lock", "task wait", "ordered", "idle", "in calls", "runtime", "not OpenMP",
    "unknown")
WAITS = BARRIER, LOCK, TASKS, ORDERED
# By the names of states; what begins with "wait_barrier" is BARRIER.
_KINDS = {
    "work_serial": WORK, "work_parallel": WORK, "work_reduction": WORK, "idle": IDLE,
    "wait_region": IDLE, "wait_critical": LOCK, "wait_lock": LOCK, "wait_nest_lock": LOCK,
    "wait_mutex": LOCK, "wait_atomic": LOCK, "wait_taskwait": TASKS, "wait_taskgroup": TASKS,
    "wait_ordered": ORDERED, "in_call": CALL, "wait_target": CALL,
    "not_openmp": OUTSIDE, None: UNKNOWN}
_LOCKS = {"wait_critical": "critical", "wait_lock": "lock", "wait_nest_lock": "nest lock",
          "wait_mutex": "mutex", "wait_atomic": "atomic"}
_SENTINEL = regex(r".*?(#pragma omp|!\$omp) ")
SERIAL = "outside a region"
_MOST_LOCKS = 4096  # that are read for a sample


class Construct(NamedTuple):
    """`words`: without a sentinel. `is_lock`: that, or a critical section, wherever it is acquired;
    `is_known`: which one it is."""

    words: str
    function: str = ""
    file: str = ""
    line: int = 0
    is_lock: bool = False
    is_known: bool = True


class ThreadSample(NamedTuple):
    """`path`: its numbers in its teams; `team`: a number that its team has in this Sample, 0: none;
    `has_holder`: who holds what it waits for is known; `ran`, `delayed`: seconds that it has had a
    processor, and that it could run but had none."""

    lwp: int
    path: str
    kind: str
    construct: Construct
    team: int = 0
    size: int = 1  # of its team
    is_inferred: bool = False
    has_holder: bool = False
    ran: Optional[float] = None
    delayed: Optional[float] = None


class Sample(NamedTuple):
    """`at`: seconds of a clock; `stopped`: for how long the process has been stopped till then, `spent`:
    the processor time of whoever looks; `processors` that it may use, None: not known."""

    at: float
    stopped: float
    spent: float
    processors: Optional[float]
    threads: List[ThreadSample]


def is_recorded(here: Space) -> bool:
    """Whether the process of a Space records what its threads do. Errors as of Snapshot.of()."""
    with Snapshot.of(here) as snapshot:
        return snapshot.recorded and snapshot.bulk


class HeldLocks:
    """Who holds which lock, of a process that is looked at again and again. `are_many`: there have been too
    many to read all: of those that nobody waits for it is not known."""

    def __init__(self) -> None:
        self.are_many = False

    def all(self, snapshot: Snapshot) -> List[Lock]:
        found = [] if self.are_many else snapshot.locks
        self.are_many |= len(found) > _MOST_LOCKS
        return found


def of_threads(here: Space, due: Optional[float], locks: HeldLocks) -> List[ThreadSample]:
    """Those of all threads now; OmpdError, NoLibrary or HostError. DUE: when the process was to be looked
    at, by its clock. Whoever looks takes a processor for it: a thread that has none, for some 0.1 ms, is
    one that others may begin to wait for. Where that is recorded they work till then."""
    with Snapshot.of(here) as snapshot, here.process.selection_kept():
        return [sample for _, sample in of_rows(snapshot, due, locks)]


def of_rows(snapshot: Snapshot, due: Optional[float], locks: HeldLocks
            ) -> List[Tuple[ThreadRow, ThreadSample]]:
    """The same with the rows of the thread table."""
    return _Look(snapshot, due, locks).samples()


class _Look:
    def __init__(self, snapshot: Snapshot, due: Optional[float], locks: HeldLocks) -> None:
        self._rows = thread_table.all_rows(snapshot.space, snapshot)
        times = None if due is None else errors.known(lambda: snapshot.wait_times)
        self._began_late = set() if due is None or times is None else \
            {lwp for lwp, since in times.since.items() if since > due * 1e9}
        self._stacks = stitched_stack.of(snapshot.space)
        self._recorded = snapshot.recorded and snapshot.bulk
        self._kinds = snapshot.kinds if self._recorded else {}
        self._of_barriers: Dict[Hashable, Construct] = {}  # by what threads that wait there have in common
        # The lock of a thread that it acquired last.
        self._held = self._find_held(locks.all(snapshot) if self._recorded else [])

    def _find_held(self, locks: List[Lock]) -> Dict[int, Construct]:
        """By kernel id; where acquisitions are not recorded those of locks that others wait for."""
        found: Dict[int, Construct] = {}
        for lock in locks:
            owner, state = lock.owner, lock.wait_state
            lwp = None if owner is None else errors.known(lambda owner=owner: owner.lwp)
            if lwp is not None and state is not None:
                found[lwp] = _lock(state, wait_state.thing(self._stacks.process,
                    state, lock.address, self._stacks.object_at),
                    self._stacks.walker.call(lock.codeptr))
        for row in self._rows:
            holder = row.wait.holder
            if holder is not None and holder.lwp is not None and row.wait.name in _LOCKS:
                found[holder.lwp] = self._awaited_lock(row)
        return found

    def samples(self) -> List[Tuple[ThreadRow, ThreadSample]]:
        teams: Dict[Hashable, int] = {}
        found = []
        for row in self._rows:
            if row.lwp is None or row.thread is None:
                continue
            kind, region, known = _kind(row), row.region, row.known
            size = 1 if region is None or kind == IDLE else \
                errors.known(lambda region=region: region.size) or 1
            team = 0 if region is None or size == 1 else teams.setdefault(region.key, len(teams) + 1)
            path = None if known is None or not team else errors.known(lambda known=known: known.path)
            times = row.process.times(row.thread)
            construct = self._barrier(row) if kind == BARRIER else self._construct(row, kind, team != 0)
            if kind == BARRIER and row.lwp in self._began_late:
                kind = WORK
            found.append((row, ThreadSample(
                row.thread.num, text.thread_path(path) if path else "", kind, construct, team, size,
                row.wait.derived, row.wait.holder is not None, None if times is None else times.processor,
                None if times is None else times.delayed)))
        return found

    def _barrier(self, row: ThreadRow) -> Construct:
        """As _construct(), once for those that wait in one call for one region."""
        found = self._kinds.get(row.lwp)
        key = None if found is None or found.kind is None else (found.kind, row.wait.full_name)
        if key is None or key not in self._of_barriers:
            construct = self._construct(row, BARRIER, True)
            if key is None:
                return construct
            self._of_barriers[key] = construct
        return self._of_barriers[key]

    def _construct(self, row: ThreadRow, kind: str, is_parallel: bool) -> Construct:
        if kind in (IDLE, OUTSIDE, UNKNOWN):
            return Construct("")
        if kind == LOCK:
            return self._awaited_lock(row)
        if kind in (WORK, CALL) and row.lwp in self._held:
            return self._held[row.lwp]
        place = self._place(row)
        if kind == BARRIER:
            what = row.wait.what if not self._recorded else \
                barrier_source.words(self._stacks.walker, place) or row.wait.what
            ended = None if what is None else barrier_source.ended(escaped.exact(what))
            if ended is not None:
                file, _, line = ended[1].rpartition(":")
                return _at(ended[0], place)._replace(file=file, line=int(line))
            if what == "explicit" or row.wait.full_name == "wait_barrier":  # within a region, of any kind
                return _at("barrier", place)
        if kind in (TASKS, ORDERED):
            return _at((row.wait.name or "").replace("wait_", ""), place)
        found = self._recorded_construct(row) if self._recorded else self._labelled(row)
        if found is not None:
            return found
        return _at("parallel" if is_parallel else SERIAL, place)._replace(line=0)

    def _awaited_lock(self, row: ThreadRow) -> Construct:
        return _lock(row.wait.name or "", row.wait.what, self._place(row))

    def _place(self, row: ThreadRow) -> Optional[Place]:
        """Where a thread is, or the call of the runtime that it is inside of."""
        known = row.known
        call = errors.known(lambda: known.codeptr) if self._recorded and known is not None else None
        return self._stacks.walker.call(call) or row.place

    def _labelled(self, row: ThreadRow) -> Optional[Construct]:
        """The innermost construct by the stack."""
        for label in labelled_stacks.of(self._stacks).own_labels(row.thread) if row.stopped else ():
            if label.place is not None and label.place.line:
                words = _SENTINEL.sub("", label.said)
                return _at(words, label.place, words.startswith("critical"))
        return None

    def _recorded_construct(self, row: ThreadRow) -> Optional[Construct]:
        """The explicit task or the region that a thread is in."""
        task = errors.known(lambda: row.known and row.known.task)
        if task is not None and errors.known(lambda: task.kind) == "explicit":
            return self._of_body(function_of(task), labels.task)
        region = row.region
        if region is None:
            return None
        return self._of_body(function_of(region), labels.region) or _at(
            "parallel", self._stacks.walker.call(errors.known(lambda: region.codeptr)))

    def _of_body(self, body: Optional[int], words_of: Callable[..., Tuple[Optional[str], Optional[Place]]]
                 ) -> Optional[Construct]:
        process = self._stacks.process
        if not body:
            return None
        words, place = words_of(process, None, self._stacks.walker.construct(body),
                                symbol_names.source_path(process, body))
        return _at(_SENTINEL.sub("", words or "task"), place)


def _kind(row: ThreadRow) -> str:
    if row.is_openmp is False:
        return OUTSIDE
    return BARRIER if row.wait.is_barrier else _KINDS.get(row.wait.name, RUNTIME)


def _lock(state: str, what: Optional[Text], place: Optional[Place]) -> Construct:
    """That of a thread which is in this STATE for it; WHAT: its name as wait_state.thing() has it."""
    name = "" if what is None or what == wait_state.section("") else escaped.exact(what)
    words = _LOCKS.get(state, "lock")
    if name:
        words += " (%s)" % name.strip('"') if state == "wait_critical" else " " + name
    return _at(words, place, True)._replace(is_known=what is not None or state == "wait_atomic")


def _at(words: str, place: Optional[Place], is_lock: bool = False) -> Construct:
    if place is None:
        return Construct(words, is_lock=is_lock)
    return Construct(words, escaped.exact(place.function or ""), "" if place.file is None else
                     text.file_base(place.file).raw, place.line or 0, is_lock)

