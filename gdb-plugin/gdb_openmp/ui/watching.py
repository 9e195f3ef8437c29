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

import gdb

from openmp_inspect.core import debug, errors, proc_files
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.core.errors import HostError
from openmp_inspect.code import code_owner, libc_names, symbol_names
from openmp_inspect.stacks import stitched_stack
from openmp_inspect.analysis import evidence, thread_table
from gdb_openmp.host import frames, inferiors, process, thread_state, timed_run
from gdb_openmp.ui import session

if TYPE_CHECKING:
    from typing import Collection, List, Optional, Tuple
    from openmp_inspect.model.objects import Thread
    from openmp_inspect.analysis.evidence_items import Evidence, Node
    from openmp_inspect.analysis.thread_rows import Row
    from gdb_openmp.host.gdb_types import GdbInferior, GdbThread

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
_YIELD, _CLOCKS = ("sched_yield", "thrd_yield"), ("time", "clock_gettime", "gettimeofday")


def seconds(word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        debug.ignored()
        value = -1.0
    if not 0 < value <= _LONGEST:
        raise gdb.GdbError('"-watch" takes a number of seconds, not "%s".' % word)
    return value


class Look:
    """What each thread does that does not wait for another one: {kernel id: _State}; the
    _Samples of those that work."""

    def __init__(self, found: Evidence, inferior: GdbInferior, length: float) -> None:
        self.length = length
        self.threads = {row.lwp: _state(row, node, inferior) for row, node in _threads(found)}
        self.waits = {row.lwp: _awaited(row) for row, _ in _threads(found, ("waits",))}
        working = [(row.lwp, row.thread) for row, node in _threads(found)
                   if node.what == "works" and row.thread is not None]
        self.samples = {lwp: _Samples(inferior, thread)
                        for lwp, thread in working[:_MOST_SAMPLED]}

    def let_run(self) -> None:
        """The program runs for the length, with stops if a thread works."""
        stops = _STOPS if self.samples else 1
        began = time.monotonic()
        with timed_run.TimedRuns() as runs:
            for _ in range(stops):
                if not runs.run(self.length / stops):
                    self.length = time.monotonic() - began
                    return
                with inferiors.selection_kept():
                    for one in self.samples.values():
                        one.take()


class _Samples:
    """What a thread had in registers and on its stack at several stops."""

    def __init__(self, inferior: GdbInferior, thread: GdbThread) -> None:
        self._inferior, self._thread = inferior, thread
        self._seconds = _processor_time(inferior, thread)
        self._values: List[int] = []
        self._asks = False  # libc or the kernel for what may change

    def take(self) -> None:
        if not self._thread.is_valid():
            return
        seconds = _processor_time(self._inferior, self._thread)
        if seconds is None or self._seconds is None or seconds - self._seconds < _RAN:
            return  # it has not run
        self._seconds = seconds
        value = thread_state.of(self._thread)
        newest = frames.newest()
        if value is None or newest is None:
            return
        self._values.append(value)
        name = libc_names.plain(symbol_names.of_frame(process.Frame(newest)) or "")
        self._asks = self._asks or name in _CLOCKS or \
            code_owner.of(process.Frame(newest)) == code_owner.SYSTEM and name not in _YIELD

    def repeat(self) -> bool:
        taken = len(self._values)
        return taken >= _LEAST_SAMPLES and not self._asks and \
            taken - len(set(self._values)) >= _REPEATED * taken


class _State(NamedTuple):
    frame: Optional[Tuple[Optional[int], int]]  # function and stack pointer, of the user's
    what: str
    call: Optional[str]  # what it sleeps in
    runtime: bool  # whether that does it
    seconds: Optional[float]  # that it had a processor
    progress: object  # what changes where it comes from one construct to the next
    value: Optional[int]  # of registers and stack of one that sleeps


def _threads(found: Evidence, what: Collection[str] = ("works", "asleep", "mpi")
             ) -> List[Tuple[Row, Node]]:
    return [(node.row, node) for node in found.nodes.values()
            if node.row is not None and node.what in what][:_MOST_THREADS]


def _state(row: Row, node: Node, inferior: GdbInferior) -> _State:
    frame = None
    try:
        found = stitched_stack.current().walker.user_frame(row.thread)
        if found is not None:
            frame = symbol_names.start_of(found.frame), found.sp
    except HostError:
        debug.ignored()
    runtime = node.what != "works" and row.call.runtime
    value = None if node.what != "asleep" or row.thread is None else \
        thread_state.of(row.thread, asleep=True)
    return _State(frame, node.what, node.call, runtime, _processor_time(inferior, row.thread),
                  _progress(row.known), value)


def _progress(known: Optional[Thread]) -> Optional[Tuple[object, ...]]:
    """The region and the task of a model's Thread, which are others after a barrier where they
    are not numbered, its barriers, and how far the loop is that it is in."""
    if known is None:
        return None
    region, task, entered, loop = (errors.known(ask) for ask in (
        lambda: known.region, lambda: known.task, lambda: known.barriers_entered,
        lambda: known.loop))
    return region and region.key, task and task.key, entered, loop


def _awaited(row: Row) -> Tuple[object, ...]:
    """What changes from one wait of a thread to the next, each None if it is not known: the word
    on which it sleeps, that of a barrier counts; its region, task and number of barriers."""
    asleep = row.sleep[:2] if row.sleep is not None and row.sleep.address else None
    return (asleep, *(_progress(row.known) or ())[:3])


def _processor_time(inferior: GdbInferior, thread: Optional[GdbThread]) -> Optional[float]:
    found = None if thread is None else \
        proc_files.run_time(inferior.pid, inferiors.lwp(thread))
    return None if found is None else found / 1e9


def first_look(inferior: GdbInferior, length: float) -> Look:
    """The Look before the program has run for LENGTH seconds more; GdbError where gdb cannot let it
    run, and stop it."""
    if not inferiors.is_live_here(inferior):
        raise gdb.GdbError('"ompd why -watch" needs a live process of this machine.')
    if gdb.parameter("non-stop"):
        raise gdb.GdbError('"ompd why -watch" lets all threads run and stops them all: it needs '
                           '"set non-stop off" before the program is started.')
    with session.sentences(), session.snapshot() as snapshot, inferiors.selection_kept():
        found = evidence.collect(snapshot, thread_table.all_rows(snapshot))
        look = Look(found, inferior, length)
    look.let_run()
    session.need_program()
    return look


def compare(before: Look, found: Evidence, inferior: GdbInferior) -> None:
    """Marks the threads of the second look that are where they were, or are not, and those that
    repeat themselves. One that sleeps with other values in registers or on its stack has got
    on. One that was found asleep once and has hardly had a processor polls. Who
    waits for others again, none of whom was busy all the time, has got on."""
    busiest = 0.0
    for row, node in _threads(found):
        then, now = before.threads.get(row.lwp), _state(row, node, inferior)
        if then is None or now.frame is None:
            continue
        used = None if now.seconds is None or then.seconds is None else \
            now.seconds - then.seconds
        busiest = max(busiest, used or 0.0)
        repeats = node.what == then.what == "works" and now.progress == then.progress and \
            row.lwp in before.samples and before.samples[row.lwp].repeat()
        stays = repeats or now.frame == then.frame and now.progress == then.progress
        least = _BUSY if node.what == "works" else _NAPPING
        brief = used is None or used < least * before.length
        if node.what != "works":
            # Else it has worked, and called that again; a runtime that makes threads or frees
            # memory is soon done with it.
            stays = stays and brief and not row.call.runtime
        elif stays and brief:
            if then.what == "works" or then.runtime:
                continue  # it was not given a processor
            node.what, node.call = then.what, then.call  # it polls
        elif used is not None:
            node.name = "%.1f s of CPU in %.1f s%s" % (
                used, before.length, ", ever the same values" if repeats else
                ", in one function, ever other values" if stays else "")
        if stays and node.what != "works":
            repeats = libc_names.is_nap(node.call)
            # It counts how often it was there, or one wait is not over, which ends by itself.
            stays = now.value == then.value and not (
                libc_names.is_timed(node.call) and node.what == then.what and (used or 0.0) < _RAN)
        node.flags.update(["repeats"] * repeats, ["same_place" if stays else "moved"])
    for row, node in _threads(found, ("waits",)):
        facts = zip(before.waits.get(row.lwp, ()), _awaited(row))
        moved = busiest < _BUSIEST * before.length and any(
            then is not None and now is not None and then != now for then, now in facts)
        if moved:
            found.waits_no_more(node)
        node.flags.add("moved" if moved else "same_place")
