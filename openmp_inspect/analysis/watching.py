# SPDX-License-Identifier: MIT
"""Two looks at a live process: does a thread that others wait for get any further, and do they wait
for the same thing all the time? In between it is interrupted some times, for samples of those that
work."""

from __future__ import annotations

import time

from openmp_inspect.core import debug, errors
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.core.errors import HostError, UserError
from openmp_inspect.code import libc_names, symbol_names
from openmp_inspect.stacks import stitched_stack
from openmp_inspect.analysis import poll_evidence, runtime_hold, same_wait, thread_values
from openmp_inspect.analysis.thread_samples import Samples

if TYPE_CHECKING:
    from typing import Callable, Collection, Dict, List, Optional, Set, Tuple
    from openmp_inspect.host.interface import Process
    from openmp_inspect.bindings.query import LockTests, MappingFacts
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.analysis.evidence_items import Evidence, Node
    from openmp_inspect.analysis.same_wait import Progress, Wait
    from openmp_inspect.analysis.thread_rows import ThreadRow
    from openmp_inspect.analysis.thread_values import Values

_LONGEST = 3600
_MOST_THREADS = 64  # whose frames are compared
_BUSY = 0.05  # of the time that passed, on a processor: less is polling
_NAPPING = 0.1  # the same of one that was asleep at the second look
_LACKS = 0.5  # of the time, in which it could run and had no processor: that is said
_STOPS = 24
_MOST_COMPARED = 16  # threads that work whose values are
_MOST_WAITING = 8  # threads that wait whose calls are
_OF_DEVICE = "wait_target"  # the state of a thread that waits for one
_RAN = 0.001  # seconds on a processor between two looks: less is the stop itself


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
    """What each thread does that does not wait for another one: {kernel id: _State}; the Samples of
    those that work. FOUND: the Evidence of the process, which will run for LENGTH seconds. Call
    while the snapshot lives. `places`: where the threads are that OpenMP
    knows, as a text that is equal as long as none gets any further; None where one has, or none waits."""

    def __init__(self, found: Evidence, length: float) -> None:
        self._length = length
        self.places: Optional[str] = None
        self._stops = 0
        self._threads = {row.lwp: _state(row, node) for row, node in _threads(found)}
        self._waits = {_lwp(node): wait for node, wait in same_wait.of_all(found).items()}
        # Where those are of which it is not recorded since when, and who has been elsewhere since.
        self._calls = {}
        self._spins: Dict[Optional[int], Samples] = {}
        self._elsewhere: Set[Optional[int]] = set()
        self._has_tasks: Set[Optional[int]] = set()  # and whose team has tasks
        for row, _ in _threads(found, ("waits",))[:_MOST_WAITING]:
            if row.lwp in self._waits and self._waits[row.lwp].since is None:
                lock = row.wait.wait_id or 0
                self._calls[row.lwp] = lock, same_wait.call(row.stacks, row.thread, lock)
                if self._waits[row.lwp].word is None and row.thread is not None:
                    self._spins[row.lwp] = Samples(row.process, row.thread, {}, True)
                    if found.has_tasks(self._waits[row.lwp].progress.region):
                        self._has_tasks.add(row.lwp)
        self._seen = set(found.stacks.threads)
        self._known = len(self._seen)  # at first; then those of later stops are seen, too
        self._teams = runtime_hold.Teams(found)
        self._beside = _beside(found)
        self._samples: Dict[Optional[int], Samples] = {}
        for row, node in _threads(found, ("works",)):
            if row.thread is not None:
                self._samples[row.lwp] = Samples(row.process, row.thread, self._threads[row.lwp].words,
                                                 len(self._samples) < _MOST_COMPARED)

    def let_run(self, process: Process, now: Callable[[], Space]) -> None:
        """The program runs for the length, with stops in between; then it is stopped. NOW returns its
        Space at each of these stops."""
        wanted = self._sampled() or {process.pid}  # threads that begin are counted in any case
        began = time.monotonic()
        with process.timed_runs() as run:
            for left in reversed(range(_STOPS)):
                self._stops += 1
                if not run(self._length / _STOPS, wanted if left else ()):
                    self._length = time.monotonic() - began
                    return
                with process.selection_kept():
                    stacks = stitched_stack.of(now())
                    threads = stacks.threads
                    for lwp, one in [*self._samples.items(), *self._spins.items()]:
                        if lwp in threads:
                            one.take(stacks, threads[lwp])
                    self._seen.update(threads)
                    self._teams.take(stacks)
                    for lwp, (lock, call) in self._calls.items():
                        if call is not None and lwp in threads and \
                                same_wait.call(stacks, threads[lwp], lock) != call:
                            self._elsewhere.add(lwp)

    def _sampled(self) -> Set[int]:
        """The threads whose registers and stacks are looked at in between."""
        return {lwp for lwp in (*(lwp for lwp, one in self._samples.items() if one.is_compared),
                                *self._spins, *self._calls, *self._teams.members()) if lwp is not None}

    def compare(self, found: Evidence) -> None:
        """Marks it as compared; the threads of a second look that are where they were, or are not,
        and those that repeat themselves; the waits that go on. Call as it was made."""
        found.process.add("same_place")
        found.begun = len(self._seen.union(found.stacks.threads)) - self._known
        places: List[Tuple[object, ...]] = []
        for row, node in _threads(found):
            then, now = self._threads.get(row.lwp), _state(row, node)
            if row.known is not None:
                places.append((row.lwp, node.what, now.frame, now.progress))
            if then is not None and now.frame is not None:
                self._mark(row, node, then, now)
                _confirm_poll(node, then, now)
        waits = same_wait.of_all(found)
        flags = {node: self._flag(node, wait, found) for node, wait in waits.items()}
        self._teams.mark(found)
        self._compare_beside(found)
        executed = self._executed(found, waits, flags)
        for edge in found.edges.values():
            flag = flags.get(edge.from_) if edge.kind == "waits" else None
            if flag is None or flag == "same_place" and waits[edge.from_].instance in executed:
                continue
            edge.from_.flags.add(flag)
            was = self._waits.get(_lwp(edge.from_))
            if flag == "same_place" and was is not None and waits[edge.from_].has_run(was):
                edge.flags.add("confirmed")  # it spins, and would have left a wait that is over
        places += [(_lwp(node), wait.progress[:3], wait.since) for node, wait in waits.items()]
        moves = any("moved" in node.flags for node in found.nodes.values()
                    if node.row is not None and node.row.known is not None)
        self.places = None if moves or not waits else "\n".join(sorted(map(repr, places)))
        self._stops += 1  # there may be one more, to compare it again

    def _compare_beside(self, found: Evidence) -> None:
        """Names at threads that wait for a device what has moved beside them; the device is not seen."""
        then, now = self._beside, _beside(found)
        if then is None or now is None:
            return
        used = sum(now.seconds[lwp] - then.seconds.get(lwp, 0.0) for lwp in now.seconds)
        mapped = "" if then.mapped is None or now.mapped is None else \
            ", and the same is mapped" if then.mapped == now.mapped else ", and what is mapped has changed"
        for row, node in _threads(found):
            if row.wait.name == _OF_DEVICE:
                node.name = Name("%.1f s of CPU in %.1f s of threads that are not OpenMP's%s" % (
                    used, self._length, mapped))

    def computes(self) -> bool:
        """Whether a thread that works has new values all the time, for all that is known."""
        return any(one.may_compute() for one in self._samples.values())

    def _flag(self, node: Node, wait: Wait, found: Evidence) -> Optional[str]:
        """"same_place", "moved" or None of a Node. One that spins, and may execute tasks meanwhile, does
        the same all the time only if there are none."""
        lwp = _lwp(node)
        if lwp in self._elsewhere:
            return "moved"
        flag = wait.flag(found.stacks.process, self._waits.get(lwp), self._stops)
        spins = flag is None and wait.word is None and lwp in self._spins
        stays = spins and self._spins[lwp].stays() and lwp not in self._has_tasks and \
            not any(one.creates for one in self._samples.values())
        return "same_place" if stays and not found.has_tasks(wait.progress.region) else flag

    def _executed(self, found: Evidence, waits: Dict[Node, Wait],
                  flags: Dict[Node, Optional[str]]) -> Set[object]:
        """The instances of barriers in which a member has executed tasks since, so that nobody there
        waits all the time for the same: it was woken more often than the stops tell, or elsewhere at
        one of them, or waits at one look only."""
        executed: Set[object] = set()
        for row, node in _threads(found, ("works", "asleep", "waits")):
            now, wait, was = same_wait.progress(row.known), waits.get(node), self._waits.get(row.lwp)
            if wait is None or was is None:
                state = self._threads.get(row.lwp)
                before = was.instance if was is not None else \
                    state.progress.instance if state is not None and now.barriers else None
                if (wait is not None or was is not None) and before == now.instance:
                    executed.add(before)
            elif flags[node] != "same_place" and wait.instance == was.instance:
                executed.add(wait.instance)
        return executed - {None}

    def _mark(self, row: ThreadRow, node: Node, then: _State, now: _State) -> None:
        """One that does not wait for another one. If it sleeps with other values in registers or
        on its stack it has made progress. If it was found asleep once and has hardly had a
        processor it polls."""
        used, samples = now.since(then), self._samples.get(row.lwp)
        repeats = node.what == then.what == "works" and now.progress == then.progress and \
            samples is not None and samples.repeat(now.words)
        stays = repeats or now.frame == then.frame and now.progress == then.progress
        brief = used is None or \
            used < (_BUSY if node.what == "works" else _NAPPING) * self._length
        if node.what == "mpi" and not brief:
            return  # it polls in one call, or makes many
        if node.what != "works":
            # Else it has worked, and called that again; a runtime that makes threads or frees
            # memory is soon done with it.
            stays = stays and brief and not row.call.runtime
        elif stays and then.what == "works" and not repeats and \
                not (samples is not None and samples.has_run):
            node.name = Name("too little processor time to tell: %.2f s of %.1f s%s" % (
                used or 0.0, self._length, self._lacked(then, now)))
            return
        elif stays and brief and then.what != "works":
            if then.runtime:
                return  # it was not given a processor
            node.what, node.call = then.what, then.call  # it polls
        elif used is not None:
            values = ", in one function" if stays else ""
            if stays and samples is not None and samples.differ():
                values += ", always new values"
            if repeats:
                reads = poll_evidence.read_words(row)
                values = ", always the same values" + (", " + reads if reads else "")
            node.name = Name("%.1f s of CPU in %.1f s%s%s" % (
                used, self._length, values, self._lacked(then, now)))
        if stays and node.what != "works":
            repeats = libc_names.is_nap(node.call)
            # It counts how often it was there, or one wait is not over, which ends by itself.
            stays = now.value == then.value and not (
                libc_names.is_timed(node.call) and node.what == then.what and (used or 0.0) < _RAN)
        node.flags.update(["repeats"] * repeats, ["same_place" if stays else "moved"])

    def _lacked(self, then: _State, now: _State) -> str:
        """That a thread could run most of the time and had no processor, in words. Without a number, by
        which threads alike would differ."""
        lacked = 0.0 if now.delayed is None or then.delayed is None else now.delayed - then.delayed
        is_most = lacked >= _LACKS * self._length >= (now.since(then) or 0.0)
        return ", most of the time no processor was free" if is_most else ""


class _State(NamedTuple):
    frame: Optional[Tuple[Optional[int], int]]  # function and stack pointer, of the user's
    what: str
    call: Optional[str]  # what it sleeps in
    runtime: bool  # whether that does it
    seconds: Optional[float]  # that it had a processor
    delayed: Optional[float]  # that it could run and had none
    progress: Progress
    value: Optional[Values]  # of one that sleeps
    tests: Optional[LockTests]
    words: Dict[int, int]  # {address: bytes}: all that the loop does of one that works is to read these

    def since(self, then: _State) -> Optional[float]:
        """Seconds that it had a processor since THEN."""
        return None if self.seconds is None or then.seconds is None else \
            self.seconds - then.seconds


class _Beside(NamedTuple):
    seconds: Dict[int, float]  # that threads had a processor which no runtime has, as those of drivers
    mapped: Optional[Tuple[MappingFacts, ...]]  # if all of that is known


def _beside(found: Evidence) -> Optional[_Beside]:
    """What may act for a device, where a thread waits for one, or None."""
    rows = [node.row for node in found.nodes.values() if node.row is not None]
    if all(row.wait.name != _OF_DEVICE for row in rows):
        return None
    snapshot = found.stacks.snapshot
    mapped, is_all = (None if snapshot is None else errors.known(lambda: snapshot.mappings)) or ((), False)
    times = {row.lwp: row.process.times(row.thread) for row in rows
             if row.lwp is not None and row.thread is not None and row.known is None}
    return _Beside({lwp: one.processor for lwp, one in times.items() if one is not None},
                   tuple(mapped) if is_all else None)


def _lwp(node: Node) -> Optional[int]:
    return None if node.row is None else node.row.lwp


def _threads(found: Evidence, what: Collection[str] = ("works", "asleep", "mpi")
             ) -> List[Tuple[ThreadRow, Node]]:
    return [(node.row, node) for node in found.nodes.values()
            if node.row is not None and node.what in what][:_MOST_THREADS]


def _state(row: ThreadRow, node: Node) -> _State:
    frame, known = None, row.known
    try:
        found = row.stacks.walker.user_frame(row.thread)
        if found is not None:
            frame = symbol_names.start_of(found.frame), found.sp
    except HostError:
        debug.ignored()
    runtime = node.what != "works" and row.call.runtime
    value = None if node.what != "asleep" or row.thread is None else \
        thread_values.of(row.stacks, row.thread, asleep=True)
    times = None if row.thread is None else row.process.times(row.thread)
    return _State(frame, node.what, node.call, runtime, None if times is None else times.processor,
                  None if times is None else times.delayed,
                  same_wait.progress(known), value,
                  None if known is None else errors.known(lambda: known.lock_tests),
                  poll_evidence.words_alone(row) if node.what == "works" else {})


def _confirm_poll(node: Node, then: _State, now: _State) -> None:
    """Whether a thread goes on to test the same locks in vain. What has begun with the same test
    is one row, and grows if it goes on."""
    before, after = then.tests, now.tests
    goes_on = before is not None and after is not None and before.lock == after.lock and \
        before.since == after.since is not None and before.failed < after.failed
    for edge in node.polls:
        if goes_on if edge.witness == "recorded" else "repeats" in node.flags:
            edge.flags.add("confirmed")
