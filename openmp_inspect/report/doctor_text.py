# SPDX-License-Identifier: MIT
"""What "ompd doctor" has found, in words and for programs."""

from __future__ import annotations

import math

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.core import escaped, screen, text
from openmp_inspect.analysis import checks

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Sequence, Tuple
    from openmp_inspect.analysis.checks import Check

    Next = List[Tuple[str, str]]  # what to type, what for

_NAMES = {"two-runtimes": "two runtimes", "busy-waiting": "busy waiting",
          "smaller-team": "smaller team", "debug-info": "debug info",
          "not-recording": "not recording", "mpi-threads": "MPI threads",
          "ignored-settings": "ignored settings", "thread-limit": "thread limit",
          "lock-orders": "lock orders", "mapped-again": "mapped again"}
_SHORTFALLS = {"levels": "OMP_MAX_ACTIVE_LEVELS", "limit": "OMP_THREAD_LIMIT",
               "dynamic": "OMP_DYNAMIC"}
_MOST_CYCLES = 4
_HOOKS = {"off": "OMP_OMPD is %s", "other": "the runtime does not report to them",
          "not_called": "nothing has called the runtime by way of them",
          "unread": "their records are of a version that this {product} does not know"}


def lines(found: Sequence[Check], costs: Sequence[Dict[str, Any]] = ()) -> List[str]:
    """Lines of a list of checks.Check: what was found, what to type, what is not known; and what takes the
    time, COSTS as sum_tables.costs()."""
    bad = [check for check in found if check.outcome == checks.FOUND]
    unknown = [check for check in found if check.outcome == checks.UNKNOWN]
    made = len(found) - len(unknown)
    head = "doctor: %s" % ("%d of %d checks found something" % (len(bad), len(found)) if bad else
                           "nothing found in %s" % text.count(made, "check"))
    if unknown:
        head += "; %d could not be made" % len(unknown)
    rows = [["" if i else "  %d" % number, "" if i else name(check), words]
            for number, check in enumerate(bad, 1) for i, words in enumerate(_sentences(check))]
    result = [head, *text.fitted(rows)]
    label, to_type = "next", _all_next(bad)
    column = max((len(typed) for typed, _ in to_type), default=0)
    for typed, purpose in to_type:
        result.append(text.labelled(label, "%s  %s" % (typed.ljust(column), purpose)))
        label = ""
    return result + _unknown(unknown) + [text.remark(one["sentence"]) for one in costs]


def name(check: Check) -> str:
    """What it looks for, in two words at most."""
    return _NAMES.get(check.id, check.id)


def _unknown(some: Sequence[Check]) -> List[str]:
    """Checks that could not be made, those of one reason together."""
    reasons: Dict[str, List[str]] = {}
    for check in some:
        reasons.setdefault(check.why, []).append(name(check))
    result, label = [], "unknown"
    for why, names in reasons.items():
        result.append(text.labelled(label, "%s: %s" % (", ".join(names), why)))
        label = ""
    return result


def facts(check: Check) -> Dict[str, Any]:
    """A check as an object for JSON."""
    good = check.outcome == checks.FOUND
    return {"check": check.number, "id": check.id, "outcome": check.outcome,
            "value": check.value, "limit": check.limit, "inferred": check.inferred,
            "sentence": "; ".join(_sentences(check)) if good else check.why or None,
            "next": [typed for typed, _ in _next(check)] if good else []}


def short_facts(check: Check) -> Dict[str, Any]:
    """The same in the object of "ompd why -json"."""
    return {"check": check.number, "id": check.id, "value": check.value, "limit": check.limit}


def sentence(check: Check) -> str:
    """What one has found."""
    return ("~" if check.inferred else "") + escaped.shown(_SENTENCES[check.id](check))


def _sentences(check: Check) -> List[str]:
    """What it has found, of locks one for each cycle."""
    if check.id != "lock-orders":
        return [sentence(check)]
    shown = [sentence(check._replace(names=(cycle,))) for cycle in check.names[:_MOST_CYCLES]]
    more = len(check.names) - len(shown)
    return shown + ["and %d more such orders" % more] * bool(more) + \
        ["not all orders of locks were kept"] * bool(check.why)


def _files(check: Check) -> str:
    shown = check.names[0] if check.names else "the program"
    return shown if len(check.names) < 2 else "%s and %d more files" % (
        shown, len(check.names) - 1)


def _runtimes(check: Check) -> str:
    words = " and ".join(check.names)
    return words + (", with %s threads" % check.why if check.why else "")


def _numbers(check: Check) -> Tuple[int, int]:
    """Value and limit of a check that counts."""
    value, limit = check.value, check.limit
    return value if isinstance(value, int) else 0, limit if isinstance(limit, int) else 0


def _shares(check: Check) -> str:
    value, limit = _numbers(check)
    if check.why.startswith("pools"):
        return "%s threads have pools of their own: %d threads, %s of them idle, for %s" % (
            check.why.rpartition(" ")[2], value, check.names[0], text.count(limit, "processor"))
    words = "the next region takes %s on %s" if check.why == "next" else \
        check.why + " teams at once: %s share %s" if check.why.isdigit() else \
        "%s of the team share %s"
    processors = text.count(limit, "processor") if not check.names else \
        "%s CPUs, the quota of its control group" % check.names[0]
    return words % (text.count(value, "thread"), processors)


def _affinity(check: Check) -> str:
    if check.why.isdigit():
        return "%s threads are bound to processor %s, of which %s that %s not OpenMP's" % (
            check.value, check.names[0], check.why, "works is" if check.why == "1" else "work are")
    if check.why == "shared":
        return "%s threads are bound to processor %s" % (check.value, check.names[0])
    return "all threads may use processor %s only, of %s%s" % (
        check.names[0], check.limit, "".join(", " + one for one in check.names[1:]))


def _smaller(check: Check) -> str:
    reason = _SHORTFALLS.get(check.why)
    value, limit = _numbers(check)
    return "a team has %s where %d were asked for%s" % (
        text.count(value, "thread"), limit, ", by " + reason if reason else "")


def _devices(check: Check) -> str:
    if check.value:
        return "the default device is %s, and there %s %s" % (
            check.value, "is" if check.limit == 1 else "are", text.count(_numbers(check)[1], "device"))
    return "%s has target regions, and there is no device%s" % (
        _files(check), ", which OMP_TARGET_OFFLOAD demands" if check.why == "mandatory" else
        ": the host executes them")


def _debug_info(check: Check) -> str:
    if check.why == "unread":
        return str(check.value)
    return "%s: %s" % (_files(check), "stripped" if check.why == "stripped" else
                       "no debug information")


def _hooks(check: Check) -> str:
    words = _HOOKS.get(check.why, _HOOKS["off"]).replace("{product}", screen.current().product)
    return "the hooks are loaded and record nothing: " + (
        words % (check.value or "not known") if "%" in words else words)


_SENTENCES: Dict[str, Callable[[Check], str]] = {
    "two-runtimes": _runtimes,
    "oversubscribed": _shares,
    "busy-waiting": lambda check: "%s: %s" % (
        check.value, "each thread waits by spinning" if check.why != "alone" else
        "%s by spinning while all others sleep" % text.count(_numbers(check)[1], "thread waits")),
    "affinity": _affinity,
    "nested": lambda check: "%s levels of regions: %s threads share %s" % (
        check.why, check.value, text.count(_numbers(check)[1], "processor")),
    "smaller-team": _smaller,
    "stack": lambda check: "a region in %s () takes %s of a thread's stack of %s" % (
        escaped.short(check.names[0]),
        *map(text.size, _numbers(check))) if check.why == "body" else "thread %s uses %s of %s" % (
            text.thread(int(check.why)), *map(text.size, _numbers(check))),
    "fork": lambda check: "%s of a team %s left behind in the parent: this is a child of fork" % (
        text.count(_numbers(check)[0], "thread"), "was" if check.value == 1 else "were"),
    "cancellation": lambda check: "%s has cancel constructs, and cancellation is off" %
                    _files(check),
    "debug-info": _debug_info,
    "not-recording": _hooks,
    "ignored-settings": lambda check: "the runtime does not take " + ", ".join(check.names),
    "thread-limit": lambda check: "the next region takes %s more, and there may be %s: %s" % (
        text.count(_numbers(check)[0], "thread"), check.limit, check.names[0]),
    "lock-orders": lambda check: "may deadlock: " + check.names[0],
    "devices": _devices,
    "mapped-again": lambda check: "%s is mapped to device %s %s" % (
        check.names[0], check.why, text.count(_numbers(check)[0], "time")),
    "mpi-threads": lambda check: "%s calls MPI_Init, which allows one thread only" %
                   _files(check),
}


def _all_next(bad: Sequence[Check]) -> Next:
    """[(what to type, what for)], each once; for threads that spin on processors that they share
    one line for both. Fewer threads are no help where they are bound to one processor."""
    names = {check.id for check in bad}
    result: Dict[str, str] = {}
    for check in bad:
        if check.id == "oversubscribed" and "affinity" in names:
            continue
        for typed, purpose in _next(check):
            if check.id == "oversubscribed" and "busy-waiting" in names:
                purpose = "with both, every barrier costs time slices"
            result.setdefault(typed, purpose)
    return list(result.items())


def _next(check: Check) -> Next:
    return [(screen.current().typed(words), purpose) for words, purpose in _proposed(check)]


def _proposed(check: Check) -> Next:
    if check.id == "oversubscribed":
        count = check.why.rpartition(" ")[2]
        if count.isdigit():
            return [("OMP_NUM_THREADS=%d" % max(_numbers(check)[1] // int(count), 1),
                     "so that all teams together are as many as there are processors")]
        typed = "num_threads(%s)" if check.why == "clause" else "OMP_NUM_THREADS=%s"
        return [(typed % check.limit, "as many as there are processors")]
    if check.id == "stack":
        value, limit = _numbers(check)
        size = max(2 * value, 4 * limit) / (1 << 20)
        return [("OMP_STACKSIZE=%dM" % math.ceil(size), "in the environment, or less private data")]
    if check.id == "not-recording":
        return [("OMP_OMPD=on", "in its environment" + screen.current().to_record_again)] \
            if check.why == "off" else [("ompd status", "which runtime is recorded")]
    if check.id == "affinity" and check.why.isdigit():
        return [("pthread_setaffinity_np()", "threads have the processors of the one that made them")]
    if check.id == "smaller-team" and check.why in _SHORTFALLS:
        return [("ompd icvs -changed", "what limits the team")]
    return _NEXT.get(check.id, [])


_NEXT = {
    "nested": [("OMP_MAX_ACTIVE_LEVELS=1", "or a num_threads clause for the inner regions")],
    "two-runtimes": [("ompd status", "which threads each of them has")],
    "busy-waiting": [("OMP_WAIT_POLICY=passive", "waiting threads sleep")],
    "affinity": [("OMP_DISPLAY_AFFINITY=true", "prints where each thread may run")],
    "fork": [("omp_pause_resource_all()", "before fork(), or exec in the child")],
    "cancellation": [("OMP_CANCELLATION=true", "in the environment")],
    "debug-info": [("gcc -g", "lines, variables and names")],
    "ignored-settings": [("OMP_DISPLAY_ENV=true", "prints what the runtime has taken")],
    "thread-limit": [("OMP_NUM_THREADS=N", "as many as there may be, or a smaller OMP_STACKSIZE")],
    "lock-orders": [("the same order", "in all threads, or one more lock around both")],
    "devices": [("ompd devices", "which there are, or why there is none")],
    "mapped-again": [("target exit data", "for each target enter data")],
    "mpi-threads": [("MPI_Init_thread()", "with MPI_THREAD_FUNNELED or more")],
}
