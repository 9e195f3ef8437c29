# SPDX-License-Identifier: MIT
"""How long threads have had a processor: a column of "ompd threads", and keys of JSON."""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import processes

if TYPE_CHECKING:
    from typing import Dict, Optional
    from openmp_inspect.host.interface import Thread, Times

_LEAST_SHARE = 0.01  # of a processor, that is worth a word
_UNITS = ("s", 120, 1), ("min", 7200, 60), ("h", 172800, 3600)  # up to so many seconds, of so many


def cell(thread: Optional[Thread]) -> str:
    """`12.31 98%`: a thread's seconds since its start, and its share of the last moment."""
    times = None if thread is None else processes.current().times(thread)
    if times is None:
        return "-"
    share = times.recent or 0.0
    return "%.2f" % times.processor + (" %.0f%%" % (100 * share) if share >= _LEAST_SHARE else "")


def facts(thread: Thread) -> Dict[str, Optional[float]]:
    """The same for JSON."""
    return _facts(processes.current().times(thread))


def of_process() -> Dict[str, Optional[float]]:
    """The same of the process, without what is recent."""
    found = _facts(processes.current().times())
    del found["cpu_recent"]
    return found


def _facts(times: Optional[Times]) -> Dict[str, Optional[float]]:
    processor, recent, elapsed = (None, None, None) if times is None else times
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
