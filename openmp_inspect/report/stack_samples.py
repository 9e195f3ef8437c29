# SPDX-License-Identifier: MIT
"""The stacks of all threads at one moment, for `ompd record`: as merged_stacks.py has them, with what a
thread waits for, and who holds it, as the innermost step."""

from __future__ import annotations

from openmp_inspect.core import escaped
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.analysis import time_samples
from openmp_inspect.analysis.time_samples import BARRIER, IDLE, LOCK, ORDERED, TASKS, WORK
from openmp_inspect.report import merged_stacks

if TYPE_CHECKING:
    from typing import Dict, List, Optional
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.code.places import Place
    from openmp_inspect.analysis.thread_rows import ThreadRow
    from openmp_inspect.analysis.time_samples import ThreadSample

_IDLE, _END = "<idle>", "<end of "
_ALONE = {TASKS: "waits for its tasks", ORDERED: "waits for its turn"}


class ThreadStack(NamedTuple):
    """`number`: the debugger's, of a thread; `path`: its numbers in its teams; `steps` from main on."""

    number: int
    path: str
    steps: List[str]


def of_threads(here: Space, due: Optional[float], locks: time_samples.HeldLocks) -> List[ThreadStack]:
    """Those of all threads now, as time_samples.of_threads(); UserError, too."""
    with Snapshot.of(here) as snapshot, here.process.selection_kept():
        rows = time_samples.of_rows(snapshot, due, locks)
    steps = {number: leaf["steps"] for leaf in merged_stacks.facts(here, [sample.lwp for _, sample in rows])
             for number in leaf["threads"]}
    places = {row.lwp: row.place for row, _ in rows}
    return [ThreadStack(sample.lwp, sample.path, _with_wait(steps.get(sample.lwp, []), row, sample, places))
            for row, sample in rows]


def _with_wait(steps: List[str], row: ThreadRow, sample: ThreadSample,
               places: Dict[Optional[int], Optional[Place]]) -> List[str]:
    if sample.kind == IDLE:
        return [_IDLE]
    words = _waits(row, sample, places)
    inside = steps[-1] if steps[-1:] and steps[-1].startswith("<") else ""
    if words is None:
        is_late = sample.kind == WORK and inside.startswith(_END)
        return [*steps[:-1], inside[len(_END):-1]] if is_late else steps
    if sample.kind == BARRIER and inside.startswith(_END):
        words = "waits at the " + inside[1:-1]
    return [*(steps[:-1] if inside else steps), "<%s>" % words]


def _waits(row: ThreadRow, sample: ThreadSample,
           places: Dict[Optional[int], Optional[Place]]) -> Optional[str]:
    words = sample.construct.words
    if sample.kind == BARRIER:
        return "waits at a barrier" if words in ("", "barrier") else "waits at the end of " + words
    if sample.kind != LOCK:
        return _ALONE.get(sample.kind)
    holder = row.wait.holder
    place = None if holder is None else holder.since or places.get(holder.lwp)
    return "waits for %s%s" % (words or "a lock", "" if place is None or not place.function else
                               ", held by %s ()" % escaped.exact(place.function))
