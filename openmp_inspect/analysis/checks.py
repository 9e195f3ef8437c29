# SPDX-License-Identifier: MIT
"""The checks of "ompd doctor": pure, of checkup.Facts. One that cannot be answered is
unknown, not passed.

    4 threads of a team, processors 0-1 allowed, no quota      oversubscribed, 4 of 2
    the same, a core                                           unknown: a core has no /proc
    the same, recorded, num-procs-var 2                        oversubscribed, 4 of 2
"""

from __future__ import annotations

import math
import os
import re

from openmp_inspect.core import text, thread_limits
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.model import checkup
from openmp_inspect.analysis import ignored_settings

if TYPE_CHECKING:
    from typing import Callable, Dict, FrozenSet, List, Optional, Tuple, Union
    from openmp_inspect.core.thread_limits import Limit
    from openmp_inspect.model.checkup import Facts, Team
    Value = Union[int, str, None]

FOUND, PASSED, UNKNOWN = "found", "passed", "unknown"
_FULL = 0.75  # of a stack
_MANY = 2  # threads of pools for each processor
_ENDLESS_SPIN = 10**9  # rounds
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_OPENMP = regex(r"(GOMP|omp|__kmpc)_[a-z]")
_CANCEL = ("GOMP_cancel", "GOMP_cancellation_point", "__kmpc_cancel", "__kmpc_cancellationpoint")
_AGAIN, _DEPTH = 100, 16  # times that a range is mapped, by all, and constructs within each other of a thread
_MPI_PLAIN = ("MPI_Init", "mpi_init_", "mpi_init_f08_")
_MPI_THREADS = ("MPI_Init_thread", "mpi_init_thread_", "mpi_init_thread_f08_")
_NO_PROC = {checkup.CORE: "a core has no /proc", checkup.PROCESS: "no live process of this machine",
            checkup.NEXT_RUN: "not running"}


class Check(NamedTuple):
    outcome: str
    value: Value = None
    limit: Value = None
    why: str = ""  # unknown: the reason; found: which of several cases
    names: Tuple[str, ...] = ()  # files or processors that it is about
    inferred: bool = False
    number: int = 0
    id: str = ""


_PASSED = Check(PASSED)


def all_checks(facts: Facts) -> List[Check]:
    """One Check of each number, in their order, but for those that are not about this program."""
    made = ((number, name, judge(facts)) for number, (name, judge) in enumerate(_CHECKS, 1))
    return [check._replace(number=number, id=name) for number, name, check in made if check is not None]


def _unknown(why: str) -> Check:
    return Check(UNKNOWN, why=why)


# Runtimes


def _runtimes(facts: Facts) -> Check:
    if facts.runtimes is None:
        return _unknown("the libraries are not loaded yet" if facts.of == checkup.NEXT_RUN
                        else "the libraries are not known")
    if len(facts.runtimes) < 2:
        return _PASSED
    names = tuple("%s (%s)" % (one.name, ", ".join(one.users)) if one.users else one.name
                  for one in facts.runtimes)
    counts = [one.threads for one in facts.runtimes]
    known = [str(one) for one in counts if one is not None]
    why = " and ".join(known) if len(known) == len(counts) else ""
    return Check(FOUND, len(counts), 1, why, names)


# Threads and processors


def _setting(facts: Facts, name: str, icv: str = "", default: str = "") -> str:
    """An ICV, or the variable of the environment that sets it, or the DEFAULT."""
    value = facts.icvs.get(icv) or (facts.settings or {}).get(name) or default
    return value.strip()


def _is_bound(facts: Facts) -> bool:
    """Whether the runtime binds threads, so that a mask is not all that the process may use."""
    places = ("OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY")
    return any(_setting(facts, name) for name in places) or \
        _setting(facts, "OMP_PROC_BIND", "bind-var", "false").lower() != "false"


def _union(facts: Facts, threads: FrozenSet[int]) -> FrozenSet[int]:
    """Processors that these threads may use, or all threads if none of them is known."""
    masks = facts.masks or {}
    some = [masks[lwp] for lwp in threads if lwp in masks] or list(masks.values())
    return frozenset().union(*some)


def _processors(facts: Facts, threads: FrozenSet[int], value: int) -> Tuple[Optional[int], bool]:
    """(how many processors these threads have at most, whether that is all that limits VALUE of
    them). No THREADS: those of the next region. Where the runtime binds it, it may have those that
    its threads have, and maybe more."""
    limits: List[int] = []
    exact = facts.masks is not None and facts.quota is not None
    if facts.masks and (threads or not _is_bound(facts)):
        limits.append(len(_union(facts, threads)))
    else:
        exact = exact and value <= len(_union(facts, threads))
        known = facts.icvs.get("num-procs-var", "")
        limits += [int(known)] if known.isdigit() else []
        limits += [facts.machine] if facts.machine is not None else []
    if facts.quota is not None and facts.quota != math.inf:
        limits.append(math.ceil(facts.quota))
    return (max(1, min(limits)), exact) if limits else (None, False)


def _compared(facts: Facts, value: int, threads: FrozenSet[int], why: str) -> Check:
    limit, exact = _processors(facts, threads, value)
    if limit is not None and value > limit:
        quota = math.inf if facts.quota is None else facts.quota
        granted = quota != math.inf and math.ceil(quota) == limit
        return Check(FOUND, value, limit, why, ("%g" % quota,) if granted else ())
    return Check(PASSED, value, limit) if exact or value == 1 else _unknown(
        "threads are bound" if facts.masks and facts.quota is not None else _NO_PROC[facts.of])


def _largest(facts: Facts) -> Optional[Team]:
    return max(facts.teams, key=lambda team: team.size) if facts.teams else None


def _next_size(facts: Facts) -> Optional[int]:
    """What the next region without a num_threads clause asks for."""
    first = _setting(facts, "OMP_NUM_THREADS", "nthreads-var").split(",")[0].strip()
    return int(first) if first.isdigit() and 0 < int(first) <= checkup.NO_LIMIT else None


def _idle_pools(facts: Facts) -> Optional[Check]:
    """Where several threads have each so many idle threads that they would be in each other's way."""
    pools = facts.pools
    if pools is None or pools.owners < 2 or not pools.idle:
        return None
    found = _compared(facts, len(pools.threads), pools.threads, "pools of %d" % pools.owners)
    value, limit = len(pools.threads), found.limit
    return found._replace(names=("%d" % pools.idle,)) if found.outcome == FOUND and \
        isinstance(limit, int) and value >= _MANY * limit else None


def _oversubscribed(facts: Facts) -> Check:
    team = _largest(facts)
    several = [one for one in facts.teams or () if one.size > 1 and not one.active_around]
    threads = frozenset().union(*(one.threads for one in several))
    if team is not None and len(threads) > team.size:
        return _compared(facts, len(threads), threads, "%d" % len(several))
    pools = _idle_pools(facts)
    if pools is not None:
        return pools
    if team is not None:
        clause = team.nthreads is not None and team.size != team.nthreads
        return _compared(facts, team.size, team.threads, "clause" if clause else "team")
    if facts.teams is None and facts.of != checkup.NEXT_RUN:
        return _unknown("the runtime cannot be read")
    size = _next_size(facts)
    if size is not None:
        return _compared(facts, size, frozenset(), "next")
    if facts.of == checkup.NEXT_RUN and facts.quota is not None and facts.masks:
        # Without a setting it takes as many as there are processors, whatever the quota is.
        return _compared(facts, len(_union(facts, frozenset())), frozenset(), "next")
    return _unknown("the size of the next team is not known")


def _spinning(facts: Facts) -> Optional[str]:
    """The setting that has threads wait by spinning, "" without one, None if not known."""
    settings, policy = facts.settings, facts.icvs.get("wait-policy-var", "").lower()
    if policy == "active":
        return "OMP_WAIT_POLICY=active"
    if settings is None:
        return "" if policy == "passive" else None
    if settings.get("OMP_WAIT_POLICY", "").strip().lower() == "active" and not policy:
        return "OMP_WAIT_POLICY=active"
    for name, words in (("GOMP_SPINCOUNT", ("infinite", "infinity")),
                        ("KMP_BLOCKTIME", ("infinite",)), ("KMP_LIBRARY", ("turnaround",))):
        word = settings.get(name, "").strip().lower()
        if word in words or name == "GOMP_SPINCOUNT" and _count(word) >= _ENDLESS_SPIN:
            return "%s=%s" % (name, settings[name].strip())
    return ""


def _count(word: str) -> int:
    found = re.match(r"(\d{1,18})\s*([kmgt]?)\Z", word)
    return int(found.group(1)) * _UNITS[found.group(2)] if found else 0


def _busy_waiting(facts: Facts) -> Check:
    setting = _spinning(facts)
    if setting is None:
        return _unknown("its environment cannot be read")
    if not setting:
        return _PASSED
    waiting = facts.waiting
    if waiting is not None and waiting.asleep and not waiting.spinning:
        return Check(PASSED, setting)
    if waiting is not None and waiting.spinning and waiting.alone:
        return Check(FOUND, setting, waiting.spinning, "alone")
    shared = _oversubscribed(facts)  # else spinning costs nobody else's time
    return Check(shared.outcome, setting, why=shared.why)


def _crowded(masks: Dict[int, FrozenSet[int]], others: FrozenSet[int]) -> Optional[Check]:
    """Threads that are bound to one processor, and those among them that are not OpenMP's, but work."""
    bound: Dict[int, List[int]] = {}
    for lwp, mask in masks.items():
        if len(mask) == 1:
            bound.setdefault(min(mask), []).append(lwp)
    foreign = {at: sum(lwp in others for lwp in some) for at, some in bound.items() if len(some) > 1}
    at = max(foreign, key=lambda one: foreign[one], default=0)
    return Check(FOUND, len(bound[at]), 1, "%d" % foreign[at], ("%d" % at,)) \
        if foreign.get(at) else None


def _origin(facts: Facts, allowed: FrozenSet[int]) -> Tuple[str, ...]:
    """Whether the process has what is ALLOWED from its parent, which may have changed since."""
    if facts.parent is None:
        return ()
    name, own = facts.parent
    return ("as its parent %s" % name,) if own == allowed else \
        ("unlike its parent %s" % name,) if own > allowed else ()


def _affinity(facts: Facts) -> Check:
    if not facts.masks:
        return _unknown(_NO_PROC[facts.of])
    crowded = _crowded(facts.masks, facts.others) if facts.machine != 1 else None
    if crowded is not None:
        return crowded
    team = _largest(facts)
    if team is None and _is_bound(facts):
        return _unknown("no region has begun")
    size = team.size if team is not None else _next_size(facts) or 1
    threads = team.threads if team is not None else frozenset(facts.masks)
    allowed = _union(facts, threads)
    if size > 1 and len(allowed) == 1 and facts.machine != 1:
        return Check(FOUND, 1, facts.machine, "one", (str(min(allowed)), *_origin(facts, allowed)))
    pinned = [min(facts.masks[lwp]) for lwp in threads
              if len(facts.masks.get(lwp, ())) == 1]
    most = max(pinned, key=pinned.count, default=None)
    if team is not None and most is not None and pinned.count(most) > 1 and \
            len(threads) <= len(_union(facts, frozenset(facts.masks))):
        return Check(FOUND, pinned.count(most), 1, "shared", (str(most),))
    return _PASSED


def _nested(facts: Facts) -> Check:
    if facts.teams is None:
        return _unknown("not running" if facts.of == checkup.NEXT_RUN else
                        "the runtime cannot be read")
    active = [team for team in facts.teams if team.size > 1]
    depth = max((team.active_around + 1 for team in active), default=0)
    if depth < 2:
        return _PASSED
    threads = frozenset().union(*(team.threads for team in active))
    # The thread that encountered a region is a member of both teams.
    count = 1 + sum(team.size - 1 for team in active)
    return _compared(facts, count, threads, "%d" % depth)


# What was asked for


def _smaller(facts: Facts) -> Check:
    if facts.teams is None:
        return _smaller_next(facts)
    doubt = False
    for team in facts.teams:
        short = shortfall(team)
        if short is not None:
            return Check(FOUND, short.size, short.asked, short.why, inferred=short.inferred)
        doubt = doubt or team.shortfall is None and not team.clause and (
            team.thread_limit is None or team.thread_limit < checkup.NO_LIMIT or
            bool(team.dynamic or _reason(team)))
    return _unknown("what regions asked for is not recorded") if doubt else _PASSED


class Shortfall(NamedTuple):
    size: int
    asked: int
    why: str  # "levels", "limit", "dynamic", "other"
    inferred: bool


def shortfall(team: Team) -> Optional[Shortfall]:
    """How a team is smaller than it was asked to be; None if it is not, or nobody knows."""
    asked = team.requested or team.clause or team.nthreads
    why = _reason(team) if team.shortfall is None else team.shortfall.replace("none", "")
    if not why and team.clause and team.shortfall is None:
        why = "dynamic" if team.dynamic else "other"
    if not why and team.clause == 0 and team.dynamic:
        why = "dynamic"
    if not why or not asked or team.size >= asked:
        return None
    return Shortfall(team.size, asked, why, team.shortfall is None)


def _reason(team: Team) -> str:
    """What has made a team smaller than it was asked to be, where its ICVs show it; else a
    num_threads clause may have asked for as few, which records have, or the source where it is
    a number."""
    if team.max_active_levels is not None and team.size == 1 and \
            team.active_around >= team.max_active_levels:
        return "levels"
    return "limit" if team.thread_limit == team.size else ""


def _smaller_next(facts: Facts) -> Check:
    if facts.of != checkup.NEXT_RUN:
        return _unknown("the runtime cannot be read")
    asked = _next_size(facts)
    limit = _setting(facts, "OMP_THREAD_LIMIT")
    if asked is not None and limit.isdigit() and 0 < int(limit) < asked:
        return Check(FOUND, int(limit), asked, "limit")
    return _unknown("no region has begun")


def stack_size(facts: Facts) -> Optional[int]:
    """Bytes of the next thread's stack; a number without a unit counts KiB."""
    setting = _setting(facts, "OMP_STACKSIZE") or _setting(facts, "GOMP_STACKSIZE")
    found = re.match(r"(\d{1,15})\s*([bkmg]?)\Z", setting.lower())
    return int(found.group(1)) << " bkmg".index(found.group(2) or "k") * 10 - 10 if found else \
        facts.stack_limit


def _too_large(facts: Facts, sizes: List[int]) -> Optional[Check]:
    """What is found where the body of a region alone fills most of a stack, or None."""
    bodies = [image.body for image in facts.images.values() if image is not None and image.body]
    size = min(sizes) if sizes else stack_size(facts) if facts.of == checkup.NEXT_RUN else None
    body = max(bodies, key=lambda body: body.frame, default=None)
    return None if body is None or not size or body.frame <= _FULL * size else \
        Check(FOUND, body.frame, size, "body", (body.name,), inferred=True)


def _stack(facts: Facts) -> Check:
    stacks = [stack for stack in facts.stacks if stack.size > 0]
    large = _too_large(facts, [stack.size for stack in stacks])
    if large is not None:
        return large
    if not stacks:
        return _unknown("not running" if facts.of == checkup.NEXT_RUN else
                        "the stack of no thread that the runtime has made is known")
    worst = max(stacks, key=lambda stack: stack.used / stack.size)
    if worst.used <= _FULL * worst.size:
        return Check(PASSED, worst.used, worst.size)
    return Check(FOUND, worst.used, worst.size, "%d" % worst.thread)


def _fork(facts: Facts) -> Check:
    if facts.of == checkup.NEXT_RUN:
        return _unknown("not running")
    # Those that have begun may have ended, unless only one thread is left of a process.
    gone = max(((team.gone if facts.forked and facts.threads == 1 else team.unbegun) or 0
                for team in facts.teams or ()), default=0)
    if facts.forked is False:
        return _PASSED
    if gone:
        return Check(FOUND, gone, 0)
    if sum(one.threads or 0 for one in facts.runtimes or ()) > 1 and facts.threads > 1:
        return _PASSED
    return _unknown("its parent may have opened a region" if facts.forked else
                    "whether it is a child of fork is not recorded")


def _callers(facts: Facts) -> List[str]:
    """Files that are seen to call a runtime."""
    return [path for path, image in facts.images.items()
            if image is not None and any(map(_OPENMP.match, image.undefined))]


def _users(facts: Facts) -> List[str]:
    """The same; the program if there are none."""
    return _callers(facts) or list(facts.images)[:1]


def _cancellation(facts: Facts) -> Check:
    users = facts.importing(_CANCEL)
    known = "cancel-var" in facts.icvs or facts.settings is not None
    if _setting(facts, "OMP_CANCELLATION", "cancel-var").lower() == "true":
        return _PASSED
    if not users:
        unread = None in facts.images.values() or not facts.images or \
            not any(image is not None and image.undefined for image in facts.images.values())
        return _unknown("the program's symbols cannot be read") if unread else _PASSED
    if not known:
        return _unknown("cancel-var is not known")
    return Check(FOUND, "false", "true", names=tuple(map(os.path.basename, users)))


# What can be seen


def _debug_info(facts: Facts) -> Check:
    unread = facts.unread or facts.without_lines
    if unread:
        return Check(FOUND, unread, why="unread")
    if facts.of == checkup.NEXT_RUN and not _callers(facts) and \
            any(image is not None and image.undefined for image in facts.images.values()):
        return _unknown("the program itself calls no OpenMP runtime")
    users = _users(facts)
    images = [(path, facts.images[path]) for path in users]
    for why, bare in (("stripped", [path for path, image in images
                                    if image and not image.has_symbols and not image.has_lines]),
                      ("no -g", [path for path, image in images
                                 if image and not image.has_lines])):
        if bare:
            return Check(FOUND, len(bare), 0, why, tuple(map(os.path.basename, bare)))
    if not images or any(image is None for _, image in images):
        return _unknown("the program's file cannot be read")
    return _PASSED


def _hooks(facts: Facts) -> Check:
    switch = _setting(facts, "OMP_OMPD", default="not set" if facts.settings is not None else "")
    if facts.of == checkup.NEXT_RUN:
        loaded = "libompd-hooks" in _setting(facts, "LD_PRELOAD")
        words = {"on", "history", "orders"}.intersection(switch.lower().split(":"))
        on = words or _setting(facts, "OMP_DEBUG").lower() == "enabled"
        return Check(FOUND, switch, "on", "off") if loaded and not on else _PASSED
    if facts.hooks is None:
        return _unknown("the runtime cannot be read")
    if facts.hooks in ("no_hooks", "yes"):
        return _PASSED
    off = facts.hooks == "off" and switch
    return Check(FOUND, switch if off else None, "on" if off else None, facts.hooks)


def _mpi(facts: Facts) -> Check:
    """MPI_Init alone grants MPI_THREAD_SINGLE, with which a process may have one thread."""
    threaded, plain = facts.importing(_MPI_THREADS), facts.importing(_MPI_PLAIN)
    if not threaded and not plain:
        return _unknown("the program's file cannot be read") if \
            not facts.images or None in facts.images.values() else _PASSED
    several = any(team.size > 1 for team in facts.teams or ())
    if facts.mpi_level and facts.mpi_level > 0:
        return _PASSED
    if threaded:
        return _unknown("what MPI_Init_thread has granted is not known")
    users = set(_users(facts))
    if several or users & set(plain):
        return Check(FOUND, 0, 1, names=tuple(map(os.path.basename, plain)))
    return _PASSED


def _ignored(facts: Facts) -> Check:
    if facts.settings is None:
        return _unknown("its environment cannot be read")
    found = ignored_settings.found(facts.settings, facts.families)
    return Check(FOUND, len(found), 0, names=tuple(found), inferred=True) if found else _PASSED


def _thread_limit(facts: Facts) -> Check:
    """The next region's threads, beside those that there are, against what the kernel allows."""
    size = _next_size(facts)
    if facts.limits is None or size is None:
        return _unknown(_NO_PROC[facts.of] if facts.limits is None else
                        "the size of the next team is not known")
    stack = stack_size(facts) or 0
    more = size - max(sum(one.threads or 0 for one in facts.runtimes or ()), 1)
    tightest = min(facts.limits, key=lambda one: one.room(stack), default=None)
    if tightest is None or more <= tightest.room(stack):
        return _PASSED
    return Check(FOUND, more, tightest.room(stack), tightest.name, (limit_words(tightest),))


def _orders(facts: Facts) -> Optional[Check]:
    """None of programs that do not record them. Of LLVM's runtime the hooks see no releases."""
    orders = facts.orders
    if orders is None:
        return None
    if orders.cycles:
        return Check(FOUND, len(orders.cycles), 0, "" if orders.is_all else "cut", orders.cycles)
    if ignored_settings.KMP in facts.families:
        return _unknown("releases of LLVM's runtime are not recorded")
    return _PASSED if orders.is_all else _unknown("more orders of locks than are kept")


def _devices(facts: Facts) -> Optional[Check]:
    """None where devices are not known, as of the next one. omp_get_num_devices() is the host."""
    offload = _setting(facts, "OMP_TARGET_OFFLOAD").lower()
    if facts.devices is None:
        return None
    if facts.settings is None:
        return _unknown("its environment cannot be read")
    count, default = facts.devices.number, _setting(facts, "OMP_DEFAULT_DEVICE", "default-device-var")
    if not count:
        return _PASSED if offload == "disabled" else Check(
            FOUND, 0, 1, offload, tuple(map(os.path.basename, facts.importing(checkup.TARGETS))))
    return Check(FOUND, int(default), count) if default.isdecimal() and int(default) > count else _PASSED


def _mapped(facts: Facts) -> Optional[Check]:
    """More often than constructs that are about one range are likely to be within each other at once."""
    devices, limit = facts.devices, max(_AGAIN, _DEPTH * facts.threads)
    if devices is None:
        return None
    if devices.mapped is None or devices.mapped.times < limit:
        return _PASSED if devices.is_all else _unknown("not all that is mapped is known")
    found = devices.mapped
    return Check(FOUND, found.times, limit, str(found.device), (found.name,), inferred=True)


def limit_words(limit: Limit) -> str:
    """How much of a limit is used."""
    words = "%s of %s of address space" % (text.size(limit.used), text.size(limit.most)) \
        if limit.name == thread_limits.SPACE else "%d of %d threads" % (limit.used, limit.most)
    return "%s%s, %s" % (limit.name, limit.path and " of " + limit.path, words)


_CHECKS: Tuple[Tuple[str, Callable[[Facts], Optional[Check]]], ...] = (
    ("two-runtimes", _runtimes), ("oversubscribed", _oversubscribed),
    ("busy-waiting", _busy_waiting), ("affinity", _affinity), ("nested", _nested),
    ("smaller-team", _smaller), ("stack", _stack), ("fork", _fork),
    ("cancellation", _cancellation), ("debug-info", _debug_info), ("not-recording", _hooks),
    ("mpi-threads", _mpi), ("ignored-settings", _ignored),
    ("thread-limit", _thread_limit), ("lock-orders", _orders), ("devices", _devices),
    ("mapped-again", _mapped))
