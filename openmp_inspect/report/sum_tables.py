# SPDX-License-Identifier: MIT
"""Where the time went, as the process has added it up: "ompd regions" and "ompd locks -sums"."""

from __future__ import annotations

import contextlib

from openmp_inspect.core import debug, json_output, text
from openmp_inspect.core.errors import UserError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.analysis import wait_state
from openmp_inspect.analysis.region_sums import Sums
from openmp_inspect.report import explanations
from openmp_inspect.stacks import barrier_source, stitched_stack

if TYPE_CHECKING:
    from typing import Any, Counter, Dict, Iterator, List, Optional
    from openmp_inspect.host.interface import Process
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from openmp_inspect.code.places import Place
    from openmp_inspect.analysis.region_sums import BarrierSum, Finding, MutexSum, RegionSum, TaskSum, Work

_NONE = ('No sums are kept of this program: start it with "ompd-run --sums", or with OMP_OMPD=sums and '
         "the hooks preloaded.")
_HEAD = ["Seconds", "Times", "Waited", "Work of each: least, mean, most", "Construct", "Where"]
_TASKS = ["Seconds", "Tasks", "Each", "Longest", "Created by", "Executed by", "Where"]
_LOCKS = ["Waited", "Acquired", "Contended", "Longest", "Held", "Lock", "Where"]
_UNSEEN = "Static loops without a barrier, and atomics that compilers make instructions of, are not seen."
_LOST = "%d events are in no sum, as there were more places than each thread has room for."
# By OpenMP's numbers: the state of who waits, and the noun.
_MUTEX = {1: ("wait_lock", "lock"), 3: ("wait_nest_lock", "nest lock"), 5: ("wait_critical", "critical"),
          6: ("wait_atomic", "atomic"), 7: ("wait_ordered", "ordered")}
_LATE = 0.02  # of the time of its threads: how late these began is shown
_SHOWN = 3  # rows of a summary
_LISTED = 4  # numbers of threads in a cell


@contextlib.contextmanager
def _sums(here: Space) -> Iterator[Sums]:
    """UserError where none are kept."""
    process = here.process
    with explanations.explained(process), Snapshot.of(here) as snapshot, process.selection_kept():
        found = snapshot.sums()
        if found is None:
            raise UserError(_NONE)
        yield Sums(found, _executes(process))


def _executes(process: Process) -> Dict[int, float]:
    """As region_sums.Sums takes it."""
    times = ((lwp, process.times(thread)) for lwp, thread in process.threads())
    return {lwp: one.processor / (one.processor + one.delayed) for lwp, one in times
            if one is not None and one.processor and one.delayed is not None}


def is_by_waits(word: Optional[str]) -> bool:
    """Of what -by is given, or None; UserError."""
    if word not in (None, "time", "wait"):
        raise UserError('-by takes "time" or "wait".')
    return word == "wait"


def region_lines(here: Space, by: Optional[str]) -> List[str]:
    """Tables of regions and tasks, BY "wait" or "time", and sentences."""
    by_waits = is_by_waits(by)
    with _sums(here) as sums:
        stacks = stitched_stack.of(here)
        rows = [row for region in sums.by(by_waits) for row in _rows(stacks, region)]
        lines = text.fitted([_HEAD, *rows]) if rows else ["There was no region."]
        tasks = sorted(sums.tasks.values(), key=lambda one: -one.seconds)
        if tasks:
            lines += text.fitted([_TASKS, *(_task_cells(stacks, one) for one in tasks)])
        return lines + list(map(text.remark, (*_sentences(stacks, sums), *_remarks(sums))))


def lock_lines(here: Space) -> List[str]:
    with _sums(here) as sums:
        stacks = stitched_stack.of(here)
        mutexes = _by_waits(sums)
        lines = text.fitted([_LOCKS, *(_lock_cells(stacks, sums, one) for one in mutexes)]) if mutexes else \
            ["No lock was acquired."]
        return lines + list(map(text.remark, _remarks(sums)))


def summary_lines(here: Space) -> List[str]:
    """What costs most, and some rows of each table."""
    with _sums(here) as sums:
        stacks = stitched_stack.of(here)
        rows = [next(_rows(stacks, region)) for region in sums.by(False)[:_SHOWN]]
        locks = [one for one in _by_waits(sums)[:_SHOWN] if one.waited >= _LATE * sums.seconds]
        tasks = sorted(sums.tasks.values(), key=lambda one: -one.seconds)[:1]
        lines = ["where the time went, %s until the last event" % _seconds(sums.seconds),
                 *_sentences(stacks, sums)]
        for head, cells in ((_HEAD, rows), (_LOCKS, [_lock_cells(stacks, sums, one) for one in locks]),
                            (_TASKS, [_task_cells(stacks, one) for one in tasks])):
            lines += text.fitted([head, *cells]) if cells else []
        return lines


def region_facts(here: Space, by: Optional[str]) -> Dict[str, Any]:
    """The same for programs; times are seconds, those of waits of all threads together."""
    by_waits = is_by_waits(by)
    with _sums(here) as sums:
        stacks = stitched_stack.of(here)
        return {"seconds": sums.seconds, "threads_made": sums.made, "lost": sums.lost,
                "regions": [dict(_place_facts(stacks, one.codeptr), count=one.count, seconds=one.seconds,
                                 longest_seconds=one.longest, threads=one.threads,
                                 work=_work_facts(one.work), waited_seconds=one.waited,
                                 late_seconds=one.began_late,
                                 barriers=[_barrier_facts(stacks, barrier) for barrier in _barriers(one)])
                            for one in sums.by(by_waits)],
                "tasks": [dict(_place_facts(stacks, one.codeptr), count=one.count, seconds=one.seconds,
                               longest_seconds=one.longest, created=_numbers(one.created),
                               executed=_numbers(one.executed)) for one in sums.tasks.values()],
                "taskwaits": [_barrier_facts(stacks, one) for one in sums.taskwaits.values()],
                "findings": _finding_facts(stacks, sums)}


def lock_facts(here: Space) -> List[Dict[str, Any]]:
    with _sums(here) as sums:
        stacks = stitched_stack.of(here)
        return [dict(_place_facts(stacks, one.codeptr),
                     kind=_MUTEX[one.kind][1] if one.kind in _MUTEX else None,
                     name=_lock_name(stacks, one), address=json_output.address(one.wait_id), count=one.count,
                     contended=one.contended, waited_seconds=one.waited, longest_seconds=one.longest,
                     held_seconds=one.held, held_share=_held_share(sums, one),
                     holder=_place_facts(stacks, one.holder)) for one in _by_waits(sums)]


def costs(here: Space) -> List[Dict[str, Any]]:
    """What takes the time of a process, as objects with a "sentence"; none where no sums are kept,
    or none can be read."""
    try:
        with _sums(here) as sums:
            return _finding_facts(stitched_stack.of(here), sums)
    except UserError:
        debug.ignored()
        return []


def _sentences(stacks: StitchedStacks, sums: Sums) -> List[str]:
    return [_SENTENCES[one.kind](stacks, sums, one) for one in sums.findings()]


def _finding_facts(stacks: StitchedStacks, sums: Sums) -> List[Dict[str, Any]]:
    return [{"id": one.kind, "price": one.price, "sentence": sentence}
            for one, sentence in zip(sums.findings(), _sentences(stacks, sums))]


def _uneven(stacks: StitchedStacks, _sums: Sums, found: Finding) -> str:
    region, barrier = found.of
    who, share = found.who
    return "%s: thread %d of the team has %s of the work, the others wait %s." % (
        _at(stacks, "end of parallel" if not barrier.codeptr else _barrier_words(stacks, barrier),
            barrier.codeptr or region.codeptr), who, _percent(share),
        _seconds(barrier.waited))


def _short(stacks: StitchedStacks, sums: Sums, found: Finding) -> str:
    region = found.of
    return "%s runs %d times a second for %s each: one region around several would save most of it." % (
        _at(stacks, "parallel", region.codeptr), region.count / sums.seconds,
        _seconds(region.seconds / region.count))


def _held(stacks: StitchedStacks, sums: Sums, found: Finding) -> str:
    mutex = found.of
    return "%s is held %s of the time; threads wait %s for it." % (
        _at(stacks, _lock_words(stacks, mutex), mutex.codeptr), _percent(mutex.held / sums.seconds),
        _seconds(mutex.waited))


def _wanted(stacks: StitchedStacks, sums: Sums, found: Finding) -> str:
    return "Threads wait %s in %s for %s." % (
        _seconds(found.of.waited), _seconds(sums.seconds),
        _at(stacks, _lock_words(stacks, found.of), found.of.codeptr))


def _small(stacks: StitchedStacks, sums: Sums, found: Finding) -> str:
    task = found.of
    return "%s: %d tasks in %s take %s each, less than creating one costs: fewer and larger ones." % (
        _at(stacks, "task", task.codeptr), task.count, _seconds(sums.seconds),
        _seconds(task.seconds / task.count))


def _made(_stacks: StitchedStacks, sums: Sums, _found: Finding) -> str:
    sizes = sorted({round(one.threads / one.count) for one in sums.regions.values() if one.count})
    said = ": teams have %s threads" % " and ".join(map(str, sizes)) if 1 < len(sizes) <= _LISTED else ""
    return "%d threads were made, %d a second%s." % (sums.made, sums.made / sums.seconds, said)


_SENTENCES = {"uneven": _uneven, "short": _short, "held": _held, "wanted": _wanted, "small": _small,
              "made": _made}


def _remarks(sums: Sums) -> List[str]:
    return ["Times are of %.3f s, until the last event." % sums.seconds, _UNSEEN,
            *[_LOST % sums.lost] * (sums.lost > 0)]


def _rows(stacks: StitchedStacks, region: RegionSum) -> Iterator[List[str]]:
    yield [_seconds(region.seconds), str(region.count), _seconds(region.waited), _work(region.work),
           "parallel", _where(stacks, region.codeptr)]
    if region.began_late >= _LATE * sum((region.work.total, region.waited, region.began_late)):
        yield ["", str(region.threads), _seconds(region.began_late), "-", "  begin", ""]
    for barrier in _barriers(region):
        at = barrier.codeptr
        cells = ["  " + _barrier_words(stacks, barrier), _where(stacks, at)] if at else ["  end", ""]
        yield ["", str(barrier.count), _seconds(barrier.waited), _work(barrier.work), *cells]


def _barriers(region: RegionSum) -> List[BarrierSum]:
    """Where there are several, the end among them."""
    return [*sorted(region.barriers.values(), key=lambda one: -one.waited), region.end] \
        if region.barriers else []


def _work(work: Work) -> str:
    """`0.10 0.20 0.30 s (1)`"""
    return "%s, %s, %s (%d)" % (_seconds(work.least), _seconds(work.mean), _seconds(work.most[1]),
                                work.most[0]) if work.total else "-"


def _task_cells(stacks: StitchedStacks, task: TaskSum) -> List[str]:
    return [_seconds(task.seconds), str(max(task.count, sum(task.created.values()))),
            _seconds(task.seconds / task.count) if task.count else "-", _seconds(task.longest),
            _members(task.created), _members(task.executed), _where(stacks, task.codeptr)]


def _members(counts: Counter[int]) -> str:
    """`0: 1000, 1: 12`"""
    said = ["%d: %d" % one for one in counts.most_common(_LISTED)]
    return ", ".join(said + ["..."] * (len(counts) > _LISTED)) or "-"


def _lock_cells(stacks: StitchedStacks, sums: Sums, mutex: MutexSum) -> List[str]:
    longest = "%s%s" % (_seconds(mutex.longest), ", held at %s" % _line(stacks, mutex.holder)
                        if mutex.holder and _line(stacks, mutex.holder) else "") if mutex.longest else "-"
    held, share = "?" if mutex.held is None else _seconds(mutex.held), _held_share(sums, mutex)
    held += "" if share is None else ", " + _percent(share)
    contended = "?" if mutex.contended is None else str(mutex.contended)
    return [_seconds(mutex.waited), str(mutex.count), contended, longest, held, _lock_words(stacks, mutex),
            _where(stacks, mutex.codeptr)]


def _held_share(sums: Sums, mutex: MutexSum) -> Optional[float]:
    """Of the time; several may be held at once."""
    return mutex.held / sums.seconds if mutex.held is not None and mutex.wait_id and sums.seconds else None


def _by_waits(sums: Sums) -> List[MutexSum]:
    return sorted(sums.mutexes.values(), key=lambda one: (-one.waited, -one.count, one.codeptr))


def _lock_words(stacks: StitchedStacks, mutex: MutexSum) -> str:
    noun = _MUTEX.get(mutex.kind, ("", "mutex"))[1]
    name = _lock_name(stacks, mutex)
    if not mutex.wait_id and noun.endswith("lock"):
        return "several %ss" % noun
    return noun if name is None or noun == "atomic" else text.worded(
        "%s (%s)" % (noun, name) if noun == "critical" else "%s %s" % (noun, name))


def _lock_name(stacks: StitchedStacks, mutex: MutexSum) -> Optional[str]:
    state = _MUTEX.get(mutex.kind, ("", ""))[0]
    if state not in ("wait_lock", "wait_nest_lock", "wait_critical") or not mutex.wait_id:
        return None
    found = wait_state.thing(stacks.process, state, mutex.wait_id, stacks.object_at)
    return None if found is None or found == wait_state.section("") else found.raw.strip('"')


def _barrier_words(stacks: StitchedStacks, barrier: BarrierSum) -> str:
    """`for`, of a barrier at its end."""
    said = barrier_source.words(stacks.walker, _place(stacks, barrier.codeptr))
    ended = None if said is None else barrier_source.ended(said)
    return "barrier" if ended is None else "end of %s" % ended[0]


def _place(stacks: StitchedStacks, codeptr: int) -> Optional[Place]:
    return stacks.walker.call(codeptr)


def _where(stacks: StitchedStacks, codeptr: int) -> str:
    place = _place(stacks, codeptr)
    return "-" if place is None else text.place(place)


def _line(stacks: StitchedStacks, codeptr: int) -> str:
    place = _place(stacks, codeptr)
    return text.source_line(place.file, place.line) if place and place.file and place.line else ""


def _at(stacks: StitchedStacks, words: str, codeptr: int) -> str:
    line = _line(stacks, codeptr)
    return "%s at %s" % (words, line) if line else words


def _place_facts(stacks: StitchedStacks, codeptr: int) -> Dict[str, Any]:
    return dict(json_output.place_facts(_place(stacks, codeptr)), codeptr=json_output.address(codeptr))


def _barrier_facts(stacks: StitchedStacks, barrier: BarrierSum) -> Dict[str, Any]:
    return dict(_place_facts(stacks, barrier.codeptr), is_end=not barrier.codeptr, count=barrier.count,
                waited_seconds=barrier.waited, longest_seconds=barrier.longest,
                work=_work_facts(barrier.work))


def _work_facts(work: Work) -> Dict[str, Any]:
    return {"%d" % number: seconds for number, seconds in sorted(work.by_member.items())}


def _numbers(counts: Counter[int]) -> Dict[str, int]:
    return {"%d" % number: count for number, count in sorted(counts.items())}


def _percent(share: float) -> str:
    return "%.0f %%" % (100 * share)


def _seconds(seconds: float) -> str:
    for unit, size, least in (("s", 1.0, 0.1), ("ms", 1e-3, 1e-4), ("us", 1e-6, 1e-7)):
        if seconds >= least:
            return "%.*f %s" % (3 if unit == "s" else 1, seconds / size, unit)
    return "%.0f ns" % (seconds * 1e9) if seconds > 0 else "0"
