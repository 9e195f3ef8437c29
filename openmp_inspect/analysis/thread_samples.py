# SPDX-License-Identifier: MIT
"""What a thread that works has in registers, on its stack and in the variables that its loop reads, at
several stops: does it come back to the same values?

    while (!ready) ;                    24 stops, ready is 0 at each     repeats
    while (!is_done (&job)) ;           24 stops, 4 states               repeats
    for (...) sum += a[i][k] * b[k][j]; 24 stops, 24 states              computes, or loops without end
    while (time(NULL) < end) ;          in libc at some stops            what it asks for may change

A stop counts if the thread has run since the one before. How long does not matter: of a hundred
threads on two processors each is at its loop again after a time slice."""

from __future__ import annotations

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import call_site, code_owner, entry_points, entry_waits, libc_names, \
    symbol_names
from openmp_inspect.analysis import thread_values

if TYPE_CHECKING:
    from typing import Dict, List, Optional, Sequence, Set
    from openmp_inspect.host.interface import Process, Thread, Times
    from openmp_inspect.stacks.stitched_stack import StitchedStacks

_RAN = 0.001  # seconds on a processor between two stops: less is the stop itself
_SLICES = 2  # the same
_LEAST = 8
_REPEATED = 0.25  # of the samples have been seen before: no loop that counts comes to that
# Of libc, and tell nothing new; of the vdso, which is not a library, and do.
_IDLE = ("sched_yield", "thrd_yield", "pthread_spin_lock", "pthread_spin_trylock",
         "pthread_mutex_trylock")
_CLOCKS = ("time", "clock_gettime", "gettimeofday")


class Samples:
    """`asks`: it asks libc or the kernel for what may change, or waits there; `creates`: it creates
    tasks. WORDS: {address: bytes} of what its loop reads, if that is all that it does. Of threads whose
    values are not COMPARED only these are, for which it need not stop."""

    def __init__(self, process: Process, thread: Thread, words: Dict[int, int], compared: bool) -> None:
        self._before = process.times(thread)
        self.is_compared = compared
        self._own: List[int] = []
        self._all: List[int] = []
        self._words = words
        self._read: Set[bytes] = set()
        self._runs = 0
        self.asks = self.creates = False

    def take(self, stacks: StitchedStacks, thread: Thread) -> None:
        """A sample of it at the stop of these STACKS. Call in selection_kept()."""
        process = stacks.process
        try:
            self._read.add(b"".join(process.read(*word) for word in self._words.items()))
            times = process.times(thread)
            if not _has_run(times, self._before):
                return
            self._before = times
            self._runs += 1
            if self.is_compared:
                self._compare(stacks, thread)
        except HostError:
            debug.ignored()
            self.asks = True  # for all that is known

    def _compare(self, stacks: StitchedStacks, thread: Thread) -> None:
        value = thread_values.of(stacks, thread)
        newest = stacks.walker.stack(thread).newest
        if value is None or newest is None:
            return
        self._own.append(value.own)
        self._all.append(hash(value))
        name = libc_names.plain(symbol_names.of_frame(newest.frame) or "")
        sleep = stacks.process.registers().sleep(thread)
        called = _called(stacks, thread) if newest.is_runtime else None
        self.creates = self.creates or entry_points.creates_task(called)
        self.asks = self.asks or self.creates or name in _CLOCKS or \
            bool(sleep is not None and sleep.address) or \
            newest.owner == code_owner.SYSTEM and name not in _IDLE or \
            entry_waits.state_in(called) is not None

    @property
    def has_run(self) -> bool:
        """Whether it has been seen often enough to tell."""
        return self._runs >= _LEAST

    def repeat(self, words: Dict[int, int]) -> bool:
        """Whether it came back to the same values. WORDS: as at first, now."""
        if self._words and self._words == words:
            return self._runs > 0 and len(self._read) == 1
        return not self.asks and _repeat(self._all)

    def stays(self) -> bool:
        """Whether one that spins in a wait came back to the same registers and stack, where it has
        what it waits for."""
        return _repeat(self._own)

    def differ(self) -> bool:
        """Whether it did not, and nobody else has changed what it has in common with others."""
        return not self.asks and len(self._own) >= _LEAST and self.may_compute()

    def may_compute(self) -> bool:
        """Whether it is not known that it comes back to the same registers and stack."""
        return not _repeat(self._own)


def _called(stacks: StitchedStacks, thread: Thread) -> Optional[str]:
    """The function of the runtime that the user's code has called."""
    user = stacks.walker.user_frame(thread)
    return None if user is None else call_site.called_at(stacks.process, user.pc)


def _has_run(now: Optional[Times], before: Optional[Times]) -> bool:
    if now is None or before is None:
        return False
    return now.processor - before.processor >= _RAN or \
        (now.slices or 0) - (before.slices or 0) > _SLICES


def _repeat(values: Sequence[int]) -> bool:
    return len(values) >= _LEAST and len(values) - len(set(values)) >= _REPEATED * len(values)
