# SPDX-License-Identifier: MIT
"""Where the time of a program goes, of time_sums.Sums: a screen, sentences, and facts for programs."""

from __future__ import annotations

import os

from openmp_inspect.core import escaped, text
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.analysis import time_samples

if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional
    from openmp_inspect.analysis.time_samples import Construct
    from openmp_inspect.analysis.time_sums import Finding, Row, Sums

_HEAD = ["WAIT%", " WORK%", "CONSTRUCT", "WHERE", "NOTE"]
_WORDS = {time_samples.BARRIER: "barrier", time_samples.LOCK: "critical or lock"}
_LEAST = 0.0005  # of the time, that is worth a row
_MOSTLY = 0.5
_FEWEST = 30  # samples of work that say something of each thread's
_CLOSE = 0.05  # shares that are one number
_CELL = 28


def screen(sums: Sums, program: Optional[str], pid: int, by_work: bool = False,
           most: Optional[int] = None) -> List[str]:
    """MOST lines at most."""
    if not sums.known:
        return ["Nothing has been seen of process %d yet." % pid]
    rows = [row for row in (sums.by_work() if by_work else sums.by_waits())
            if sums.share(row.waits + row.works) >= _LEAST]
    lines = [text.remark(_heading(sums, program, pid)), text.remark(_shares(sums))]
    table = text.fitted([_HEAD, *(_cells(sums, row) for row in rows)], most=_CELL) if rows else []
    return [line for block in (*lines, *table) for line in block.split("\n")][:most]


def _heading(sums: Sums, program: Optional[str], pid: int) -> str:
    """Whose looks these are, how they are made, and what they cost."""
    assert sums.first is not None and sums.last is not None
    looks, seconds = max(sums.samples - 1, 1), sums.seconds or 1.0
    stopped, spent = sums.last.stopped - sums.first.stopped, sums.last.spent - sums.first.spent
    return "%s%d: %s in %.1f s, %s; they take %s of a processor" % (
        "%s " % Name(os.path.basename(program)) if program else "", pid, text.count(sums.samples, "look"),
        sums.seconds, "stopped %.1f ms for each, %s" % (1000 * stopped / looks, _percent(stopped / seconds))
        if stopped else "without a stop", _percent(spent / seconds))


def _shares(sums: Sums) -> str:
    """`2 threads on 2 processors, have 1.97: work 55 %, critical or lock 45 %`"""
    assert sums.last is not None
    threads = [one for one in sums.last.threads if one.kind != time_samples.OUTSIDE]
    ran = sum(sums.ran(one.lwp) or 0.0 for one in threads)
    return "%s%s, have %.2f: %s" % (
        text.count(len(threads), "thread"), "" if sums.last.processors is None else " on " + text.count(
            int(sums.last.processors), "processor"), ran, ", ".join(
                "%s %s" % (_WORDS.get(kind, kind), _percent(sums.share(sums.kinds[kind])))
                for kind in time_samples.KINDS if sums.kinds[kind]))


def _cells(sums: Sums, row: Row) -> List[str]:
    construct = row.construct
    place = "%s ()" % escaped.short(construct.function) if construct.function else ""
    if construct.line:
        place = text.source_line(construct.file, construct.line)
    mark = "~" if row.inferred > _MOSTLY * row.waits else ""
    return [_number(sums.share(row.waits), mark), " " + _number(sums.share(row.works)),
            str(Name(construct.words)), place or "-", _note(sums, row)]


def _note(sums: Sums, row: Row) -> str:
    if row.construct.is_lock:
        return _held_words(sums, row) if row.held else ""
    if not row.latest:
        return ""
    said, lwp = [], max(row.late, key=lambda one: row.late[one])
    if row.late[lwp] > _MOSTLY * row.latest:
        said.append("last: %s, %s" % (sums.name(lwp), _percent(row.late[lwp] / row.latest)))
    if row.works >= _FEWEST:
        said.append("slowest/mean %.2f" % (max(row.work.values()) * row.sizes / row.latest / row.works))
    return "; ".join(said)


def sentences(sums: Sums) -> List[str]:
    return [_SENTENCES[one.kind](sums, one) for one in sums.findings()]


def _uneven(sums: Sums, found: Finding) -> str:
    assert found.row is not None
    row = found.row
    waits = row.waits / sums.samples / max(row.sizes / row.latest - 1, 1)
    return "%s: the others wait %s, %s of that for thread %s%s." % (
        _construct(row.construct), _of_all(sums, waits), _percent(found.late), found.thread,
        ", which has %s of the work there" % _percent(found.work) if found.work else "")


def _held(sums: Sums, found: Finding) -> str:
    assert found.row is not None
    return "%s is %s; threads wait %s for it." % (
        _construct(found.row.construct), _held_words(sums, found.row), _of_all(sums, found.price))


def _wanted(sums: Sums, found: Finding) -> str:
    assert found.row is not None
    return "Threads wait %s for %s." % (_of_all(sums, found.price), _construct(found.row.construct))


def _held_words(sums: Sums, row: Row) -> str:
    """`held 55 % of the time`, or `held 55 to 77 %`, as it is not always seen whether it still is."""
    least, most = row.held / sums.samples, (row.held + row.unseen) / sums.samples
    return "held %s of the time" % (_percent(least) if most - least < _CLOSE else
                                    "%.0f to %s" % (100 * least, _percent(most)))


def _delayed(_sums: Sums, found: Finding) -> str:
    said = text.count(found.threads, "thread")
    if found.processors is not None:
        shared = found.threads > found.processors
        said += " %s %s%s" % ("share" if shared else "on", text.count(int(found.processors), "processor"),
                              "" if shared else ", which others use, too")
    return "%s: %s of the time runnable and not running." % (said, _percent(found.price))


def _serial(_sums: Sums, found: Finding) -> str:
    function = found.row.construct.function if found.row is not None else ""
    return "%s of the time one of %d threads works, outside a region%s." % (
        _percent(found.held), found.threads, ": %s ()" % escaped.short(function) if function else "")


_SENTENCES = {"uneven": _uneven, "held": _held, "wanted": _wanted, "delayed": _delayed, "serial": _serial}


def facts(sums: Sums, program: Optional[str], pid: int) -> Dict[str, Any]:
    """The same for programs; shares are of the time of all threads, from 0 to 1."""
    first, last = sums.first, sums.last
    return {
        "pid": pid, "program": program, "looks": sums.samples, "seconds": round(sums.seconds, 3),
        "stopped_seconds": round(last.stopped - first.stopped, 6) if first and last else 0.0,
        "processors": last.processors if last else None,
        "shares": {kind: round(sums.share(count), 4) for kind, count in sorted(sums.kinds.items())},
        "constructs": [_facts(sums, row) for row in sums.by_waits() if row.waits or row.works],
        "threads": [{"thread": lwp, "path": one.last.path or None, "ran": sums.ran(lwp),
                     "delayed": sums.delayed(lwp)} for lwp, one in sums.threads.items()],
        "findings": [{"id": one.kind, "price": round(one.price, 4), "sentence": sentence}
                     for one, sentence in zip(sums.findings(), sentences(sums))]}


def _facts(sums: Sums, row: Row) -> Dict[str, Any]:
    construct = row.construct
    return {"construct": construct.words, "function": construct.function or None,
            "file": construct.file or None, "line": construct.line or None,
            "wait": round(sums.share(row.waits), 4), "work": round(sums.share(row.works), 4),
            "inferred": round(row.inferred / row.waits, 4) if row.waits else 0.0,
            "held": [round(count / sums.samples, 4) for count in (row.held, row.held + row.unseen)]
                    if construct.is_lock else None,
            "late": {"%d" % lwp: round(count / row.latest, 4) for lwp, count in row.late.items()},
            "work_of": {"%d" % lwp: round(count / row.works, 4) for lwp, count in row.work.items()}}


def _construct(construct: Construct) -> str:
    words = str(Name(construct.words))
    return "%s at %s" % (words, text.source_line(construct.file, construct.line)) if construct.line else words


def _of_all(sums: Sums, share: float) -> str:
    return "%.1f of %.1f s" % (share * sums.seconds, sums.seconds)


def _percent(share: float) -> str:
    return "%.*f %%" % (share < 0.01, 100 * share)


def _number(share: float, mark: str = "") -> str:
    return ("%s%.1f" % (mark, 100 * share)).rjust(5)
