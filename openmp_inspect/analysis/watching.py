# SPDX-License-Identifier: MIT
"""Two looks at a live process: does a thread that others wait for get any further?

In between it is interrupted some times. A thread that ran, and has the same values in registers
and on its stack as at another of these stops, is in a loop that ends by what another one does:

    while (!ready) ;                    24 stops, 4 states       repeats
    for (...) sum += a[i][k] * b[k][j]; 24 stops, 24 states      computes, or loops without end
    while (time(NULL) < end) ;          in libc at some stops    what it asks for may change
"""

from __future__ import annotations

import time

from openmp_inspect.core import debug, errors
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.core.errors import HostError, UserError
from openmp_inspect.core.escaped import Name
from openmp_inspect.host import processes
from openmp_inspect.code import code_owner, libc_names, symbol_names
from openmp_inspect.stacks import stitched_stack
from openmp_inspect.analysis import poll_evidence, thread_values

if TYPE_CHECKING:
    from typing import Collection, List, Optional, Tuple
    from openmp_inspect.host.interface import Thread as HostThread
    from openmp_inspect.bindings.query import LockTests
    from openmp_inspect.model.objects import Thread
    from openmp_inspect.analysis.evidence_items import Evidence, Node
    from openmp_inspect.analysis.thread_rows import ThreadRow

_LONGEST = 3600
_MOST_THREADS = 64  # whose frames are compared
_BUSY = 0.05  # of the time that passed, on a processor: less is no loop
_BUSIEST = 0.5  # the same: others may wait for it each time
_NAPPING = 0.1  # the same of one that was asleep at the second look: less is polling
_STOPS = 24
_MOST_SAMPLED = 16  # threads whose values are compared
_RAN = 0.001  # seconds on a processor between two stops: less is the stop itself
_LEAST_SAMPLES = 8
_REPEATED = 0.25  # of the samples have been seen before: no loop that counts comes to that
# Of libc, and tell nothing new; of the vdso, which is not a library, and do.
_IDLE = ("sched_yield", "thrd_yield", "pthread_spin_lock", "pthread_spin_trylock",
         "pthread_mutex_trylock")
_CLOCKS = ("time", "clock_gettime", "gettimeofday")


def seconds(word: str) -> float:
    """The length that a person has typed; UserError where that is none."""
    try:
        value = float(word)
    except ValueError:
        debug.ignored()
        value = -1.0
    if not 0 < value <= _LONGEST:
        raise UserError('"-watch" takes a number of seconds, not "%s".' % word)
    return value


class Look:
    """What each thread does that does not wait for another one: {kernel id: _State}; the
    _Samples of those that work. FOUND: the Evidence of the process, which will run for LENGTH
    seconds. Call in selection_kept(), while the snapshot lives."""

    def __init__(self, found: Evidence, length: float) -> None:
        self._length = length
        self._threads = {row.lwp: _state(row, node) for row, node in _threads(found)}
        self._waits = {row.lwp: _awaited(row) for row, _ in _threads(found, ("waits",))}
        working = [(row.lwp, row.thread) for row, node in _threads(found)
                   if node.what == "works" and row.thread is not None]
        self._samples = {lwp: _Samples(_processor_time(thread))
                         for lwp, thread in working[:_MOST_SAMPLED]}

    def let_run(self) -> None:
        """The program runs for the length, with stops if a thread works; then it is stopped."""
        stops = _STOPS if self._samples else 1
        began = time.monotonic()
        process = processes.current()
        with process.timed_runs() as run:
            for _ in range(stops):
                if not run(self._length / stops):
                    self._length = time.monotonic() - began
                    return
                with process.selection_kept():
                    threads = dict(process.threads())
                    for lwp, one in self._samples.items():
                        if lwp in threads:
                            one.take(threads[lwp])

    def compare(self, found: Evidence) -> None:
        """Marks the threads of a second look that are where they were, or are not, and those that
        repeat themselves. Who waits for others again, none of whom was busy all the time, has got
        on. Call as it was made."""
        busiest = 0.0
        for row, node in _threads(found):
            then, now = self._threads.get(row.lwp), _state(row, node)
            if then is not None and now.frame is not None:
                busiest = max(busiest, now.since(then) or 0.0)
                self._mark(row, node, then, now)
                _confirm_poll(node, then, now)
        for row, node in _threads(found, ("waits",)):
            facts = zip(self._waits.get(row.lwp, ()), _awaited(row))
            moved = busiest < _BUSIEST * self._length and any(
                then is not None and now is not None and then != now for then, now in facts)
            if moved:
                found.waits_no_more(node)
            node.flags.add("moved" if moved else "same_place")

    def _mark(self, row: ThreadRow, node: Node, then: _State, now: _State) -> None:
        """One that does not wait for another one. If it sleeps with other values in registers or
        on its stack it has made progress. If it was found asleep once and has hardly had a
        processor it polls."""
        used = now.since(then)
        repeats = node.what == then.what == "works" and now.progress == then.progress and \
            row.lwp in self._samples and self._samples[row.lwp].repeat()
        stays = repeats or now.frame == then.frame and now.progress == then.progress
        least = _BUSY if node.what == "works" else _NAPPING
        brief = used is None or used < least * self._length
        if node.what == "mpi" and not brief:
            return  # it polls in one call, or makes many
        if node.what != "works":
            # Else it has worked, and called that again; a runtime that makes threads or frees
            # memory is soon done with it.
            stays = stays and brief and not row.call.runtime
        elif stays and brief:
            if then.what == "works" or then.runtime:
                return  # it was not given a processor
            node.what, node.call = then.what, then.call  # it polls
        elif used is not None:
            values = ", in one function" if stays else ""
            if stays and row.lwp in self._samples and not self._samples[row.lwp].asks:
                values += ", always new values"
            if repeats:
                reads = poll_evidence.read_words(row)
                values = ", always the same values" + (", " + reads if reads else "")
            node.name = Name("%.1f s of CPU in %.1f s%s" % (used, self._length, values))
        if stays and node.what != "works":
            repeats = libc_names.is_nap(node.call)
            # It counts how often it was there, or one wait is not over, which ends by itself.
            stays = now.value == then.value and not (
                libc_names.is_timed(node.call) and node.what == then.what and (used or 0.0) < _RAN)
        node.flags.update(["repeats"] * repeats, ["same_place" if stays else "moved"])


class _Samples:
    """What a thread had in registers and on its stack at several stops. SECONDS that it had a
    processor before, or None. `asks`: it asks libc or the kernel for what may change."""

    def __init__(self, seconds: Optional[float]) -> None:
        self._seconds = seconds
        self._values: List[int] = []
        self.asks = False

    def take(self, thread: HostThread) -> None:
        seconds = _processor_time(thread)
        if seconds is None or self._seconds is None or seconds - self._seconds < _RAN:
            return  # it has not run
        self._seconds = seconds
        try:
            value = thread_values.of(thread)
            newest = stitched_stack.current().walker.stack(thread).newest
            if value is None or newest is None:
                return
            self._values.append(value)
            name = libc_names.plain(symbol_names.of_frame(newest.frame) or "")
            self.asks = self.asks or name in _CLOCKS or \
                newest.owner == code_owner.SYSTEM and name not in _IDLE
        except HostError:
            debug.ignored()
            self.asks = True  # for all that is known

    def repeat(self) -> bool:
        taken = len(self._values)
        return taken >= _LEAST_SAMPLES and not self.asks and \
            taken - len(set(self._values)) >= _REPEATED * taken


class _State(NamedTuple):
    frame: Optional[Tuple[Optional[int], int]]  # function and stack pointer, of the user's
    what: str
    call: Optional[str]  # what it sleeps in
    runtime: bool  # whether that does it
    seconds: Optional[float]  # that it had a processor
    progress: object  # what changes where it comes from one construct to the next
    value: Optional[int]  # of registers and stack of one that sleeps
    tests: Optional[LockTests]

    def since(self, then: _State) -> Optional[float]:
        """Seconds that it had a processor since THEN."""
        return None if self.seconds is None or then.seconds is None else \
            self.seconds - then.seconds


def _threads(found: Evidence, what: Collection[str] = ("works", "asleep", "mpi")
             ) -> List[Tuple[ThreadRow, Node]]:
    return [(node.row, node) for node in found.nodes.values()
            if node.row is not None and node.what in what][:_MOST_THREADS]


def _state(row: ThreadRow, node: Node) -> _State:
    frame, known = None, row.known
    try:
        found = stitched_stack.current().walker.user_frame(row.thread)
        if found is not None:
            frame = symbol_names.start_of(found.frame), found.sp
    except HostError:
        debug.ignored()
    runtime = node.what != "works" and row.call.runtime
    value = None if node.what != "asleep" or row.thread is None else \
        thread_values.of(row.thread, asleep=True)
    return _State(frame, node.what, node.call, runtime, _processor_time(row.thread),
                  _progress(row.known), value,
                  None if known is None else errors.known(lambda: known.lock_tests))


def _confirm_poll(node: Node, then: _State, now: _State) -> None:
    """Whether a thread goes on to test the same locks in vain. What has begun with the same test
    is one row, and grows if it goes on."""
    before, after = then.tests, now.tests
    goes_on = before is not None and after is not None and before.lock == after.lock and \
        before.since == after.since is not None and before.failed < after.failed
    for edge in node.polls:
        if goes_on if edge.witness == "recorded" else "repeats" in node.flags:
            edge.flags.add("confirmed")


def _progress(known: Optional[Thread]) -> Optional[Tuple[object, ...]]:
    """The region and the task of a model's Thread, which are others after a barrier where they
    are not numbered, its barriers, and how far the loop is that it is in."""
    if known is None:
        return None
    region, task, entered, loop = (errors.known(ask) for ask in (
        lambda: known.region, lambda: known.task, lambda: known.barriers_entered,
        lambda: known.loop))
    return region and region.key, task and task.key, entered, loop


def _awaited(row: ThreadRow) -> Tuple[object, ...]:
    """What changes from one wait of a thread to the next, each None if it is not known: the word
    on which it sleeps, that of a barrier counts; its region, task and number of barriers."""
    asleep = row.sleep[:2] if row.sleep is not None and row.sleep.address else None
    return (asleep, *(_progress(row.known) or ())[:3])


def _processor_time(thread: Optional[HostThread]) -> Optional[float]:
    times = None if thread is None else processes.current().times(thread)
    return None if times is None else times.processor
