# SPDX-License-Identifier: MIT
"""Sums over samples of all threads: where their time goes, who comes last, which locks are held. Of
samples alone: nothing here asks a process.

For instance two threads, three samples, in a loop that ends at heat.c:22:

    1 works at heat.c:22     1 waits for 22         1 waits for 22      row heat.c:22: 3 works, 3 waits;
    2 works at heat.c:22     2 works at heat.c:22   2 waits for 22      2 was late once, 1 never
"""

from __future__ import annotations

import collections
import math

from openmp_inspect.core.escaped import Name
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.analysis import time_samples
from openmp_inspect.analysis.time_samples import BARRIER, CALL, IDLE, LOCK, OUTSIDE, SERIAL, WAITS, WORK

if TYPE_CHECKING:
    from typing import Any, Counter, Dict, Hashable, List, Optional, Tuple
    from openmp_inspect.analysis.time_samples import Construct, Sample, ThreadSample

_MOST_ROWS = 1024
_MOST_THREADS = 4096  # of which it is known what each does
_FEWEST = 30  # samples that are worth a sentence
_WAITS = 0.10  # of the time of threads in regions: less is not worth one
_MUCH = 0.25  # the same where it is not known how long a lock is held
_HELD = 0.50  # of the time
_UNEVEN = 1.25  # times the mean of the team's work
_LATE = 0.60  # of what is waited for, is one thread's
_SIGMA = 3.0  # deviations from chance
_DELAYED = 0.20  # of the time that threads could run
_SERIAL = 0.30  # of the time
_MOSTLY = 0.75  # of that in one function
_BUSY = 0.10  # of the time: a thread that counts
_MOST_FINDINGS = 3
_CRITICAL = "critical"
# Of a ThreadSample with its Construct, but for the times.
_TYPES = [int, str, str, str, str, str, int, bool, bool, int, int, bool, bool]


class Row:
    """One construct, or one lock. Numbers of threads' samples: `works`, `waits`, and `inferred` of the
    latter; by thread `work`, and `late`, for whom others waited, in parts of one for each sample. Of
    samples: `held` in which somebody has the lock, `unseen` in which somebody waits for it and it is not
    known who has it, if anybody still has."""

    def __init__(self, construct: Construct) -> None:
        self.construct = construct
        self.works = self.waits = self.inferred = self.held = self.unseen = 0
        self.work: Counter[int] = collections.Counter()
        self.late: Dict[int, float] = {}
        self.latest = 0  # samples in which somebody was late
        self.sizes = 0  # of the teams, in these


class Thread(NamedTuple):
    first: ThreadSample
    last: ThreadSample
    began: float
    ended: float


class Finding(NamedTuple):
    """`kind`: "uneven", "held", "wanted", "delayed" or "serial". `price`: the share of threads' time that
    it takes, by which they are sorted."""

    kind: str
    price: float
    row: Optional[Row] = None
    thread: str = ""
    late: float = 0.0
    work: float = 0.0
    held: float = 0.0
    threads: int = 0
    processors: Optional[float] = None


class Sums:
    def __init__(self) -> None:
        self.samples = 0
        self.kinds: Counter[str] = collections.Counter()  # of threads that OpenMP knows
        self.rows: Dict[Hashable, Row] = {}
        self._sections: Dict[Hashable, Optional[str]] = {}  # the one that is called for at a place
        self.work: Counter[int] = collections.Counter()  # samples of threads that work
        self.threads: Dict[int, Thread] = {}
        self.serial = 0  # samples in which one thread works outside regions, and others are idle
        self.first: Optional[Sample] = None
        self.last: Optional[Sample] = None

    def add(self, sample: Sample) -> None:
        self.samples += 1
        self.first, self.last = self.first or sample, sample
        there: Dict[Row, List[ThreadSample]] = {}
        threads = [one for one in sample.threads if self._is_seen(one, sample.at) and one.kind != OUTSIDE]
        for one in threads:
            self.kinds[one.kind] += 1
            self.work[one.lwp] += one.kind == WORK
            row = self._row(one.construct) if one.construct.words else None
            if row is not None:
                there.setdefault(row, []).append(one)
        for row, some in there.items():
            _count(row, some)
            _find_late(row, some, threads)
        self.serial += _is_serial(threads)

    def _is_seen(self, one: ThreadSample, at: float) -> bool:
        """Keeps what the kernel says of a thread; False of one too many."""
        known = self.threads.get(one.lwp)
        if known is not None:
            self.threads[one.lwp] = known._replace(
                last=one if one.path or not known.last.path else one._replace(path=known.last.path),
                ended=at)
        elif len(self.threads) < _MOST_THREADS:
            self.threads[one.lwp] = Thread(one, one, at, at)
        return one.lwp in self.threads

    def _row(self, construct: Construct) -> Optional[Row]:
        """That of a CONSTRUCT: by its line, or by the lock."""
        key = self._key(construct)
        row = self.rows.get(key)
        if row is None and len(self.rows) < _MOST_ROWS:
            row = self.rows[key] = Row(construct)
        elif row is not None and not construct.is_lock and \
                len(construct.words) > len(row.construct.words):
            row.construct = construct  # as `parallel for`, of which the barrier says `for`
        return row

    def _key(self, construct: Construct) -> Hashable:
        place = construct.function, construct.file, construct.line
        if not construct.is_lock:
            return place[1:] if construct.line else (construct.words, construct.function)
        if not construct.words.startswith(_CRITICAL):
            return construct.words
        # A call is about one section: it may not be known which at each sample, but is at others.
        if construct.is_known and len(self._sections) < _MOST_ROWS:
            seen = self._sections.setdefault(place, construct.words)
            self._sections[place] = seen if seen == construct.words else None
        known = construct.words if construct.is_known else self._sections.get(place)
        return known or (construct.words, *place)

    @property
    def seconds(self) -> float:
        return 0.0 if self.first is None or self.last is None else self.last.at - self.first.at

    @property
    def known(self) -> int:
        """How many samples of threads there are."""
        return sum(self.kinds.values())

    def share(self, count: float) -> float:
        """Of the time of all threads that OpenMP knows."""
        return count / self.known if self.known else 0.0

    def by_waits(self) -> List[Row]:
        return sorted(self.rows.values(), key=lambda row: (-row.waits, -row.works))

    def by_work(self) -> List[Row]:
        return sorted(self.rows.values(), key=lambda row: (-row.works, -row.waits))

    def ran(self, lwp: int) -> Optional[float]:
        """The share of the time that a thread had a processor."""
        return self._times(lwp)[0]

    def delayed(self, lwp: int) -> float:
        """The share that it could run but had none."""
        return self._times(lwp)[1] or 0.0

    def _times(self, lwp: int) -> Tuple[Optional[float], Optional[float]]:
        one = self.threads.get(lwp)
        if one is None or one.ended <= one.began:
            return None, None
        length = one.ended - one.began
        ran, delayed = ((last - first) / length if first is not None and last is not None else None
                        for first, last in ((one.first.ran, one.last.ran),
                                            (one.first.delayed, one.last.delayed)))
        return ran, delayed

    # Sentences

    def findings(self) -> List[Finding]:
        """The costliest ones first; none of few samples."""
        if self.samples < _FEWEST:
            return []
        found = [self._of_barrier(row) if not row.construct.is_lock else self._of_lock(row)
                 for row in self.rows.values() if self.share(row.waits) >= _WAITS]
        found += [self._of_processors(), self._of_serial()]
        return sorted((one for one in found if one is not None),
                      key=lambda one: -one.price)[:_MOST_FINDINGS]

    def _of_barrier(self, row: Row) -> Optional[Finding]:
        """Who comes last, if it executes more than the others: one that is merely let run less has no
        more to do."""
        if row.latest < _FEWEST / 2:
            return None
        lwp = max(row.late, key=lambda one: row.late[one])
        late, size = row.late[lwp] / row.latest, row.sizes / row.latest
        chance = row.latest / size
        # By records work is known by regions alone.
        work = {one: count * self._executes(one) for one, count in (row.work or self.work).items()}
        if late >= _LATE and row.late[lwp] >= chance + _SIGMA * math.sqrt(chance) and \
                work.get(lwp, 0.0) * size >= _UNEVEN * sum(work.values()) > 0:
            return Finding("uneven", self.share(row.waits), row, self.name(lwp), late,
                           row.work[lwp] / row.works if row.works else 0.0)
        return None

    def _executes(self, lwp: int) -> float:
        """The share of the time in which a thread can run that it does."""
        ran, delayed = self._times(lwp)
        return ran / (ran + delayed) if ran and delayed is not None else 1.0

    def _of_lock(self, row: Row) -> Optional[Finding]:
        held, price = row.held / self.samples, self.share(row.waits)
        return Finding("held", price, row, held=held) if held >= _HELD else \
            Finding("wanted", price, row) if price >= _MUCH else None

    def _of_processors(self) -> Optional[Finding]:
        times = [self._times(lwp) for lwp, one in self.threads.items() if one.last.kind != OUTSIDE]
        busy = [(ran, delayed) for ran, delayed in times
                if ran is not None and delayed is not None and ran + delayed >= _BUSY]
        could = sum(ran + delayed for ran, delayed in busy)
        share = sum(delayed for _, delayed in busy) / could if could else 0.0
        assert self.last is not None
        return None if share < _DELAYED else Finding(
            "delayed", share, threads=len(busy), processors=self.last.processors)

    def _of_serial(self) -> Optional[Finding]:
        share, size = self.serial / self.samples, round(self.known / self.samples)
        row = max((row for row in self.rows.values() if row.construct.words == SERIAL and
                   row.works > _MOSTLY * self.serial), key=lambda row: row.works, default=None)
        return None if share < _SERIAL or size < 2 else Finding(
            "serial", share * (size - 1) / size, row, held=share, threads=size)

    def name(self, lwp: int) -> str:
        """A thread as `27230 (1/2)`."""
        path = self.threads[lwp].last.path
        return "%d (%s)" % (lwp, Name(path)) if path else "%d" % lwp


def _count(row: Row, some: List[ThreadSample]) -> None:
    for one in some:
        if one.kind in WAITS:
            row.waits += 1
            row.inferred += one.is_inferred
        elif one.kind in (WORK, CALL):
            row.works += 1
            row.work[one.lwp] += 1
    if row.construct.is_lock:
        is_held = any(one.kind in (WORK, CALL) or one.has_holder for one in some)
        row.held += is_held
        row.unseen += not is_held and any(one.kind == LOCK for one in some)


def _find_late(row: Row, some: List[ThreadSample], threads: List[ThreadSample]) -> None:
    """Who of a team has not arrived where others wait."""
    for team in {one.team for one in some if one.kind == BARRIER and one.team}:
        others = [one for one in threads if one.team == team and one.kind not in (BARRIER, IDLE)]
        for one in others:
            row.late[one.lwp] = row.late.get(one.lwp, 0.0) + 1 / len(others)
        if others:
            row.latest += 1
            row.sizes += others[0].size


def _is_serial(threads: List[ThreadSample]) -> bool:
    """Whether one works outside regions, and the others wait for one; it may not sleep in a call."""
    busy = [one for one in threads if one.kind != IDLE]
    return len(threads) > 1 == len(busy) and busy[0].kind == WORK and busy[0].team == 0


def sample(found: Any) -> Sample:
    """What was a Sample before it was JSON; TypeError, ValueError, LookupError or ArithmeticError of what was
    none."""
    at, stopped, spent, processors, threads = found
    if not all(map(_is_number, (at, stopped, spent, processors or 0))):
        raise ValueError("no sample")
    return time_samples.Sample(at, stopped, spent, processors, list(map(_thread, threads)))


def _thread(found: Any) -> ThreadSample:
    construct = time_samples.Construct(*found[3])
    one = time_samples.ThreadSample(*found)._replace(construct=construct)
    if list(map(type, (*one[:3], *construct, *one[4:8]))) != _TYPES or one.kind not in time_samples.KINDS \
            or one.size < 1 or not all(part is None or _is_number(part) for part in one[8:]):
        raise ValueError("no thread")
    return one


def _is_number(found: Any) -> bool:
    return isinstance(found, (int, float)) and math.isfinite(found)
