# SPDX-License-Identifier: MIT
"""What threads have added up by place (query.SumFacts), as sums of regions, barriers, locks and tasks,
and what of it costs most. Of numbers alone: nothing here asks a process.

For instance a region of two threads, run once, whose length is 30 ms:

    member 0   work 10 ms, arrived after 10 ms, began at once      waits at its end: 2 x 30 - 10 - 30 = 20 ms
    member 1   work 29 ms, arrived after 29 ms, began after 1 ms   the most work: 1, 29 of 39 ms
"""

from __future__ import annotations

import collections

from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.bindings import abi5

if TYPE_CHECKING:
    from typing import Any, Callable, Counter, Dict, Hashable, Iterable, List, Optional, Tuple
    from openmp_inspect.bindings.query import SumFacts

_KIND = abi5.SUM_KIND
_ORDERED = 7  # of OpenMP's kinds of mutexes
_NS = 1e9
_MOSTLY = 0.5
_MORE = 1.1  # times the mean, with all exceptions
_EXPLAINS = 0.33  # of waits: others are for want of processors
_FEWEST = 10  # times that are worth a sentence
_MOST_FINDINGS = 5


class Limits(NamedTuple):
    """From where on something is worth a sentence: shares of the time of all that was recorded, but for
    `uneven`, which is of the mean."""

    waits: float = 0.05  # of threads' time
    uneven: float = 1.25
    held: float = 0.50
    task: float = 2e-6  # seconds that a task takes, about what several threads need to create one
    tasks: float = 1e5  # in a second of each thread
    region: float = 50e-6  # seconds that a region takes
    regions: float = 0.10
    threads: float = 100.0  # that are made a second
    made: int = 200  # in all


LIMITS = Limits()


class Work:
    """Of the members of teams, by their numbers in them: seconds. `executed`: without the time in which
    they were kept from running, as far as that is known of a thread at all; and so many times what one is
    as a rule, as a thread that was kept from running a few times has not more to do."""

    def __init__(self) -> None:
        self.by_member: Dict[int, float] = collections.defaultdict(float)
        self.executed: Dict[int, float] = collections.defaultdict(float)
        self._typical: Dict[int, float] = collections.defaultdict(float)

    def add(self, one: SumFacts, share: float) -> None:
        self.by_member[one.number] += _seconds(one.time)
        self.executed[one.number] += _seconds(one.time) * share
        self._typical[one.number] += _seconds(one.typical) * one.times * share

    def uneven(self, limit: float, waited: float) -> Optional[Tuple[int, float]]:
        """(who, its share of the work) where one member always has so many times the mean, and that
        explains what was WAITED."""
        total, rule = sum(self.executed.values()), sum(self._typical.values())
        who, most = max(self.executed.items(), key=lambda one: one[1], default=(0, 0.0))
        is_rule = self._typical[who] >= max(limit * rule / max(len(self._typical), 1), _MOSTLY * most)
        is_more = most * len(self.executed) >= _MORE * total > 0
        is_why = self.by_member[who] * len(self.by_member) - self.total >= _EXPLAINS * waited
        return (who, most / total) if is_rule and is_more and is_why else None

    @property
    def total(self) -> float:
        return sum(self.by_member.values())

    @property
    def mean(self) -> float:
        return self.total / len(self.by_member) if self.by_member else 0.0

    @property
    def most(self) -> Tuple[int, float]:
        """(who, how much); of none (0, 0.0)."""
        return max(self.by_member.items(), key=lambda one: one[1], default=(0, 0.0))

    @property
    def least(self) -> float:
        return min(self.by_member.values(), default=0.0)


class BarrierSum:
    """`codeptr` 0: the end of the region. `work` before it; `waited` seconds of all threads."""

    def __init__(self, codeptr: int) -> None:
        self.codeptr, self.count, self.waited, self.longest = codeptr, 0, 0.0, 0.0
        self.work = Work()


class RegionSum:
    """`count`: regions that are over, of which `seconds` is the time, `longest` that of one, and
    `threads` the number of all, and `began_late` how long they took to begin, seconds of all."""

    def __init__(self, codeptr: int) -> None:
        self.codeptr, self.count, self.threads, self.seconds, self.longest = codeptr, 0, 0, 0.0, 0.0
        self.work = Work()
        self.end = BarrierSum(0)
        self.began_late = 0.0
        self.barriers: Dict[int, BarrierSum] = {}

    @property
    def waited(self) -> float:
        """At its end and at the barriers within, seconds of all threads."""
        return self.end.waited + sum(one.waited for one in self.barriers.values())


class MutexSum:
    """`kind`: OpenMP's number. `wait_id` 0: there are several. `codeptr`: from where it is acquired most
    often. `contended` and `held` seconds are None where that is not recorded."""

    def __init__(self, kind: int) -> None:
        self.kind, self.codeptr, self.wait_id, self.count, self.holder = kind, 0, 0, 0, 0
        self.waited = self.longest = 0.0
        self.contended: Optional[int] = 0
        self.held: Optional[float] = 0.0
        self._most = 0

    def add(self, one: SumFacts) -> None:
        if one.times >= self._most:
            self._most, self.codeptr = one.times, one.codeptr
        self.wait_id = 0 if one.several or not one.object else one.object
        self.count += one.times
        self.waited += _seconds(one.waited)
        if _seconds(one.longest) > self.longest:
            self.longest, self.holder = _seconds(one.longest), one.holder
        self.contended = None if self.contended is None or one.contended is None else \
            self.contended + one.contended
        self.held = None if self.held is None or one.time is None else self.held + one.time / _NS


class TaskSum:
    """Tasks of one construct: by members' numbers how many they have `created` and `executed`; seconds
    without waits and tasks inside."""

    def __init__(self, codeptr: int) -> None:
        self.codeptr, self.seconds, self.longest = codeptr, 0.0, 0.0
        self.created: Counter[int] = collections.Counter()
        self.executed: Counter[int] = collections.Counter()

    @property
    def count(self) -> int:
        return sum(self.executed.values())


class Finding(NamedTuple):
    """`kind` is a row of sum_tables; `price` the share of the time, by which they are sorted; `who`: as
    Work.uneven()."""

    kind: str
    price: float
    of: Any  # what it is about: a RegionSum, (RegionSum, BarrierSum), MutexSum, TaskSum or None
    who: Tuple[int, float] = (0, 0.0)


class Sums:
    """Of all FACTS of a process; `seconds` from the first to the last event, `made` threads in all, and
    `lost` events for which there was no room. EXECUTES: by kernel ids, the shares of the time in which
    threads could run that they did, 1 where that is not known."""

    def __init__(self, facts: Iterable[SumFacts], executes: Optional[Dict[int, float]] = None) -> None:
        self._executes, self._share = executes or {}, 1.0
        self.regions: Dict[int, RegionSum] = {}
        self.mutexes: Dict[Hashable, MutexSum] = {}
        self.tasks: Dict[int, TaskSum] = {}
        self.taskwaits: Dict[int, BarrierSum] = {}
        self.made = self.lost = 0
        self._first: Optional[int] = None
        self._last = 0
        for one in facts:
            add = self._ADD.get(one.kind)
            if add is not None:
                add(self, one)
            elif one.kind >= _KIND["mutex"]:
                self._add_mutex(one)
        for region in self.regions.values():
            # No more than one that is not over may have arrived at.
            region.end.waited = max(region.end.waited, 0.0) if region.count else 0.0
            region.end.count = region.count
        self.seconds = max(self._last - (self._first or 0), 0) / _NS

    def region(self, codeptr: int) -> RegionSum:
        return self.regions.setdefault(codeptr, RegionSum(codeptr))

    def _add_threads(self, one: SumFacts) -> None:
        self._share = self._executes.get(one.number, 1.0)
        self.made += one.times
        self.lost += one.contended or 0
        if one.time is not None and one.waited is not None:
            self._first = one.time if self._first is None else min(self._first, one.time)
            self._last = max(self._last, one.waited)

    def _add_region(self, one: SumFacts) -> None:
        region = self.region(one.codeptr)
        region.count += one.times
        region.threads += one.contended or 0
        region.seconds += _seconds(one.time)
        region.longest = max(region.longest, _seconds(one.longest))
        region.end.waited += _seconds(one.waited)

    def _add_member(self, one: SumFacts) -> None:
        region = self.region(one.codeptr)
        region.end.work.add(one, self._share)
        region.work.by_member[one.number] += _seconds(one.time)
        region.began_late += _seconds(one.waited)
        region.end.waited -= _seconds(one.waited) + _seconds(one.contended)

    def _add_barrier(self, one: SumFacts) -> None:
        region = self.region(one.region)
        barrier = region.barriers.setdefault(one.codeptr, BarrierSum(one.codeptr))
        _add_waits(barrier, one)
        barrier.work.add(one, self._share)
        region.work.by_member[one.number] += _seconds(one.time)

    def _add_taskwait(self, one: SumFacts) -> None:
        _add_waits(self.taskwaits.setdefault(one.codeptr, BarrierSum(one.codeptr)), one)

    def _add_mutex(self, one: SumFacts) -> None:
        kind = one.kind - _KIND["mutex"]
        is_one = one.object and not one.several and kind != _ORDERED
        self.mutexes.setdefault((kind, one.object if is_one else 0, 0 if is_one else one.codeptr),
                                MutexSum(kind)).add(one)

    def _add_created(self, one: SumFacts) -> None:
        self.tasks.setdefault(one.codeptr, TaskSum(one.codeptr)).created[one.number] += one.times

    def _add_task(self, one: SumFacts) -> None:
        task = self.tasks.setdefault(one.codeptr, TaskSum(one.codeptr))
        task.executed[one.number] += one.times
        task.seconds += _seconds(one.time)
        task.longest = max(task.longest, _seconds(one.longest))

    _ADD: Dict[int, Callable[[Sums, SumFacts], None]] = {
        _KIND["threads"]: _add_threads, _KIND["region"]: _add_region, _KIND["member"]: _add_member,
        _KIND["barrier"]: _add_barrier, _KIND["taskwait"]: _add_taskwait,
        _KIND["task_created"]: _add_created, _KIND["task"]: _add_task}

    def by(self, waits: bool) -> List[RegionSum]:
        """The regions, those first that take most time, or at which most WAITS are."""
        return sorted(self.regions.values(), key=lambda one: (
            -one.waited if waits else -one.seconds, -one.seconds, one.codeptr))

    # Sentences

    def findings(self, limits: Limits = LIMITS) -> List[Finding]:
        """The costliest ones first; none of what has happened a few times."""
        if not self.seconds:
            return []
        found = [one for region in self.regions.values()
                 for one in (*self._uneven(region, limits), *self._short(region, limits))]
        found += [one for mutex in self.mutexes.values() for one in self._held(mutex, limits)]
        found += [one for task in self.tasks.values() for one in self._small(task, limits)]
        if self.made >= limits.made and self.made / self.seconds >= limits.threads:
            found.append(Finding("made", 0.0, None))
        return sorted(found, key=lambda one: -one.price)[:_MOST_FINDINGS]

    def size(self) -> float:
        """Threads of the largest team, in the mean of its place."""
        return max((one.threads / one.count for one in self.regions.values() if one.count), default=1.0)

    def _of_threads(self, seconds: float) -> float:
        return seconds / (self.seconds * self.size())

    def _uneven(self, region: RegionSum, limits: Limits) -> List[Finding]:
        if region.began_late > region.waited:
            return []  # who begins late has less to do for that
        found = ((one, one.work.uneven(limits.uneven, one.waited))
                 for one in (region.end, *region.barriers.values())
                 if one.count >= _FEWEST and self._of_threads(one.waited) >= limits.waits)
        return [Finding("uneven", self._of_threads(one.waited), (region, one), who)
                for one, who in found if who is not None]

    def _short(self, region: RegionSum, limits: Limits) -> List[Finding]:
        share = region.seconds / self.seconds
        is_short = region.count >= _FEWEST and region.seconds / region.count < limits.region
        return [Finding("short", share, region)] if is_short and share >= limits.regions else []

    def _held(self, mutex: MutexSum, limits: Limits) -> List[Finding]:
        price = self._of_threads(mutex.waited)
        is_held = mutex.wait_id and mutex.held is not None and mutex.held >= limits.held * self.seconds
        return [Finding("held" if is_held else "wanted", price, mutex)] \
            if mutex.count >= _FEWEST and price >= limits.waits else []

    def _small(self, task: TaskSum, limits: Limits) -> List[Finding]:
        is_small = task.count >= _FEWEST and task.seconds / task.count < limits.task
        return [Finding("small", self._of_threads(task.count * limits.task), task)] \
            if is_small and self._of_threads(task.count) >= limits.tasks else []


def _add_waits(barrier: BarrierSum, one: SumFacts) -> None:
    barrier.count += one.times
    barrier.waited += _seconds(one.waited)
    barrier.longest = max(barrier.longest, _seconds(one.longest))


def _seconds(nanoseconds: Optional[int]) -> float:
    return (nanoseconds or 0) / _NS
