# SPDX-License-Identifier: MIT
"""How long threads have had a processor and have waited, for reports and JSON."""

from __future__ import annotations

from openmp_inspect.core import errors
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Dict, Iterable, Optional
    from openmp_inspect.host.interface import Process, Times
    from openmp_inspect.analysis.thread_rows import ThreadRow

_LEAST_WAIT = 1.0  # seconds that are worth words
_LEAST_SHARE = 0.01  # of a processor, that is worth a word
_UNITS = ("s", 120, 1), ("min", 7200, 60), ("h", 172800, 3600)  # up to so many seconds, of so many


class Waited(NamedTuple):
    seconds: float
    is_bound: bool  # it is so long at least, as a core has no time of its own


def cell(row: ThreadRow) -> str:
    """`12.31 98%`: a thread's seconds since its start, and its share of the last moment."""
    times = None if row.thread is None else row.process.times(row.thread)
    if times is None:
        return "-"
    share = times.recent or 0.0
    return "%.2f" % times.processor + (" %.0f%%" % (100 * share) if share >= _LEAST_SHARE else "")


def last_processor(row: ThreadRow) -> Optional[int]:
    """The number of the processor that a thread had last."""
    process = row.process
    return None if row.thread is None else \
        process.facts.last_processor(process.shown_id(row.thread))


def facts(row: ThreadRow) -> Dict[str, Optional[float]]:
    """The same for JSON."""
    return _facts(row.process.times(row.thread))


def of_process(process: Process) -> Dict[str, Optional[float]]:
    """The same of the process, without what is recent."""
    found = _facts(process.times())
    del found["cpu_recent"]
    return found


def waited(row: ThreadRow, polls: bool = False) -> Optional[Waited]:
    """How long a thread has been in the wait that it is in, where that is recorded; or if it POLLS a
    lock, has tested that in vain. Where it is not known when the process stopped, at least until
    the latest moment that is recorded."""
    times, known = row.wait_times, row.known
    if times is None:
        return None
    since = None
    if polls and known is not None:
        tests = errors.known(lambda: known.lock_tests)
        since = None if tests is None else tests.since
    elif row.lwp is not None and row.wait.is_wait and not row.wait.derived:
        target = None if known is None or row.wait.name != "wait_target" else \
            errors.known(lambda: known.target)
        since = times.since.get(row.lwp) if target is None else target.since
    return None if since is None else _until(row.now, times.latest, since)


def held(row: ThreadRow) -> Optional[Waited]:
    """How long at least a thread has had a recorded lock that it holds: since it began to wait, or
    to test a lock in vain, it has acquired none. When it did is not recorded: to read the coarse
    clock at each acquisition takes 8 ns."""
    known = waited(row) or waited(row, True)
    return None if known is None else known._replace(is_bound=True)


def _until(now: Optional[float], latest: Optional[int], since: int) -> Optional[Waited]:
    if now is None and latest is None:
        return None
    seconds = (latest or 0) / 1e9 if now is None else now
    return Waited(max(seconds - since / 1e9, 0.0), now is None)


def waited_words(waits: Iterable[Optional[Waited]]) -> str:
    """`for 12 min`: what is true of all WAITS; nothing of short ones."""
    found = list(waits)
    if None in found:
        return ""
    least = min((wait for wait in found if wait is not None), default=None)
    if least is None or least.seconds < _LEAST_WAIT:
        return ""
    return "for %s%s" % ("at least " if least.is_bound else "", duration(least.seconds))


def wait_facts(row: ThreadRow, polls: bool = False) -> Dict[str, Any]:
    """The same for JSON, and which barrier of its region it waits at. POLLS: of polls."""
    wait = waited(row, polls)
    return {"wait_seconds": seconds(wait),
            "wait_at_least": None if wait is None else wait.is_bound,
            "barrier_number": row.barrier_number}


def seconds(wait: Optional[Waited]) -> Optional[float]:
    return None if wait is None else _rounded(wait.seconds)


def _facts(times: Optional[Times]) -> Dict[str, Optional[float]]:
    processor, recent, elapsed = (None, None, None) if times is None else times[:3]
    return {"cpu_seconds": _rounded(processor), "cpu_recent": _rounded(recent),
            "elapsed_seconds": _rounded(elapsed)}


def _rounded(number: Optional[float]) -> Optional[float]:
    return None if number is None else round(number, 6)


def duration(seconds: float) -> str:
    """`12 s`, `5 min`, `3 h`, `9 days`."""
    for unit, most, size in _UNITS:
        if seconds < most:
            return "%d %s" % (seconds / size, unit)
    return "%d days" % (seconds / 86400)
