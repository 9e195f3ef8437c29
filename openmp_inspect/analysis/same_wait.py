# SPDX-License-Identifier: MIT
"""Whether a thread that waits at two looks has been in one wait all the time. For instance

    looks at the end of a region     region, barriers passed by its team     the same wait
    4711                             0x55e0c0, 12      0x55e0c0, 12          yes
    4712                             0x55e0c0, 12      0x55e0c0, 913         no

Where neither the runtime nor the records number what ends a wait, the kernel knows how often a thread
has given up its processor: one that is not woken does so twice for each stop, to stop and to go on
sleeping."""

from __future__ import annotations

from openmp_inspect.core import debug, errors
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import signal_handlers
from openmp_inspect.analysis import thread_rows

if TYPE_CHECKING:
    from typing import Dict, Hashable, Optional, Tuple
    from openmp_inspect.host.interface import Process, Thread as HostThread
    from openmp_inspect.model.objects import Thread
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from openmp_inspect.analysis.evidence_items import Evidence, Node
    from openmp_inspect.analysis.thread_rows import ThreadRow

_SWITCHES = 2  # for each stop of one that sleeps
_RAN = 0.01  # seconds on a processor
_LOCK = 64  # bytes of a lock with its queue


class Progress(NamedTuple):
    """What changes from one construct to the next, each None if it is not known."""

    region: Optional[Hashable]  # another one after a barrier, too, where regions have no numbers
    task: Optional[Hashable]
    barriers: Optional[int]  # of its region, that it has entered
    loop: Optional[Dict[str, int]]

    @property
    def instance(self) -> Tuple[Hashable, Optional[int]]:
        """Of the barrier that it has entered last, as far as it is known."""
        return self.region, self.barriers


def progress(known: Optional[Thread]) -> Progress:
    """That of a model's Thread."""
    if known is None:
        return Progress(None, None, None, None)
    region, task = errors.known(lambda: known.region), errors.known(lambda: known.task)
    return Progress(region and region.key, task and task.key,
                    errors.known(lambda: known.barriers_entered), errors.known(lambda: known.loop))


class Wait(NamedTuple):
    """`is_numbered`: its progress tells it from a later one."""

    progress: Progress
    is_numbered: bool
    word: Optional[Tuple[int, int]]  # that it sleeps on, and its value
    since: Optional[int]  # when it began, in nanoseconds
    switches: Optional[int]  # how often it has given up its processor
    seconds: Optional[float]  # that it had one

    def flag(self, process: Process, then: Optional[Wait], stops: int) -> Optional[str]:
        """"same_place" or "moved", or None where neither is known: what it was THEN, so many STOPS
        ago, None: no wait."""
        if then is None or self.progress[:3] != then.progress[:3]:
            return "moved"
        if self.since is not None and then.since is not None:  # else it may have executed tasks
            return "same_place" if self.since == then.since else "moved"
        is_numbered = self.is_numbered and then.is_numbered
        if self.word != then.word and not is_numbered:
            return "moved"
        if self.word is None and not is_numbered:
            return None
        if self.switches is None or then.switches is None:
            return "same_place" if is_numbered else None
        if self.switches - then.switches <= _SWITCHES * stops:
            return "same_place"
        # A handler of a signal wakes it, too.
        return None if is_numbered or signal_handlers.caught(process) else "moved"

    def has_run(self, then: Wait) -> bool:
        """Whether it has seen since THEN whether it is over: more than the stops took."""
        return self.seconds is not None and then.seconds is not None and \
            self.seconds - then.seconds >= _RAN

    @property
    def instance(self) -> Optional[Tuple[Hashable, Optional[int]]]:
        """What a member of a team that executes tasks there shares with those that sleep on."""
        return self.progress.instance if self.is_numbered else None


def call(stacks: StitchedStacks, thread: Optional[HostThread], lock: int) -> Optional[Tuple[int, int, bytes]]:
    """The return address and stack pointer of the call that a thread's user code is inside of, and what
    the runtime has in the LOCK that it waits for, by its address, or 0; None where it cannot be read."""
    try:
        found = stacks.walker.user_frame(thread)
        return None if found is None else \
            (found.pc, found.sp, _memory_of(stacks.process, lock) if lock else b"")
    except HostError:
        debug.ignored()
        return None


def _memory_of(process: Process, lock: int) -> bytes:
    """LLVM's runtime has a pointer to its queue there, or the lock."""
    data = process.read(lock, process.pointer_size)
    try:
        return data + process.read(int.from_bytes(data, "little"), _LOCK)
    except HostError:
        debug.ignored()
        return data


def of_all(found: Evidence) -> Dict[Node, Wait]:
    """The Wait of each thread that waits. Call while the snapshot lives."""
    return {edge.from_: _of(edge.from_.row, edge.to) for edge in found.edges.values()
            if edge.kind == "waits" and edge.from_.row is not None}


def _of(row: ThreadRow, thing: Node) -> Wait:
    now, sleep, began = progress(row.known), row.sleep, row.wait_times
    # LLVM's runtime has no number of a region's barriers.
    is_numbered = now.region is not None and (
        thing.what == "region_end" or thing.what == "barrier" and (
            now.barriers is not None or not thread_rows.is_of_llvm(row.process, row.known)))
    word = sleep[:2] if sleep is not None and sleep.address else None
    since = None if began is None or row.lwp is None or row.wait.derived else \
        began.since.get(row.lwp)
    switches = None if row.thread is None else row.process.switches(row.thread)
    times = None if row.thread is None else row.process.times(row.thread)
    return Wait(now, is_numbered, word, since, switches, times and times.processor)
