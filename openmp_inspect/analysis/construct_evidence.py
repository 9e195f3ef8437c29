# SPDX-License-Identifier: MIT
"""Evidence of what constructs ask of their team: iterations of doacross loops that are not
posted, iterations, sections and tasks that nobody has begun, teams that are too small.

Of a doacross loop with a static schedule the runtime keeps what each thread has posted last, and
the records what a thread waits for. For instance, of 3 threads in chunks of 1:

    thread  waits for  which posts      has posted  so
    0       2          thread 2         -           confirmed
    1       3          thread 0         0           confirmed
    2       4          thread 1         1           confirmed
"""

from __future__ import annotations

from openmp_inspect.core import errors
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.model import checkup
from openmp_inspect.code import libc_names
from openmp_inspect.analysis import checks
from openmp_inspect.analysis.evidence_items import MOST_READ

if TYPE_CHECKING:
    from typing import Callable, Dict, Iterable, List, Optional, Sequence, Tuple
    from openmp_inspect.model.objects import Region, Thread
    from openmp_inspect.analysis.evidence_items import Evidence, Node
    from openmp_inspect.analysis.team_evidence import Teams
    from openmp_inspect.analysis.thread_rows import ThreadRow

    Clause = Callable[[Region], Optional[int]]

_STATIC, _GUIDED = 1, 3  # omp_sched_t
# Functions beside those that sleep for some time in which a thread is that polls. In other calls it
# waits for something else than what has not begun.
_POLLS = ("sched_yield", "pthread_yield", "poll", "select")
_REASONS = {"levels": "max-active-levels-var", "limit": "thread-limit-var", "dynamic": "dyn-var"}
_MOST_TASKS = 1  # of those that could begin


def add_iteration(evidence: Evidence, row: ThreadRow, node: Node, region: Optional[Region],
                  nodes: Dict[Optional[int], Node]) -> bool:
    """The wait of a thread in a doacross loop, of which these are row, Node and Region; NODES: by
    kernel id. False: it is in no such loop."""
    loop = _loop(row.known)
    if region is None or not loop.get("dimensions"):
        return False
    awaited = loop.get("awaited")
    poster = None if awaited is None else _poster(loop, region, awaited)
    thing, new = evidence.node(("iteration", (region.key, awaited if poster else None)), "thing",
                               "iteration", "runtime")
    evidence.waits(node, thing, row.wait.witness, awaited is not None and poster is not None and
                   loop["dimensions"] == 1 and _has_not_posted(poster, loop, awaited))
    if not new:
        return True
    thing.region, thing.team = region, evidence.team(region)
    needed = None if poster is None else nodes.get(errors.known(lambda: poster.lwp))
    if needed is None or awaited is None:
        thing.flags.add("whoever")
    else:
        thing.name = Name("iteration %d" % awaited)
        thing.flags.add("held")
        evidence.needs(thing, needed, "runtime")
    return True


def add_turns(evidence: Evidence, teams: Teams) -> None:
    """Whoever of a team does not wait for its turn in an ordered loop, or for an iteration of which
    nobody knows who posts it, also from inside a region of its own, and members that are not known:
    one of these has to come first."""
    for thing in [node for node in evidence.nodes.values()
                  if node.what in ("ordered", "iteration") and "whoever" in node.flags]:
        region = thing.region
        if region is None:
            continue
        for node in teams.all_members(region):
            row = node.row
            if row is None or row.wait.name != "wait_ordered" or row.region_key != region.key:
                evidence.needs(thing, node, "runtime")


def _loop(thread: Optional[Thread]) -> Dict[str, int]:
    """As Thread.loop, of a model's Thread or None."""
    return (None if thread is None else errors.known(lambda: thread.loop)) or {}


def _poster(loop: Dict[str, int], region: Region, iteration: int) -> Optional[Thread]:
    """The model's Thread that executes an ITERATION of a static schedule, or None."""
    size = errors.known(lambda: region.size)
    chunk, total = loop.get("chunk"), loop.get("end")
    if loop.get("schedule") != _STATIC or not size or chunk is None or not total or \
            not 0 <= iteration < total:
        return None
    if chunk:
        number = iteration // chunk % size
    else:
        each, more = divmod(total, size)  # the first ones have one more
        number = iteration // (each + 1) if iteration < more * (each + 1) else \
            more + (iteration - more * (each + 1)) // each
    team: Sequence[Thread] = errors.known(lambda: region.team) or ()
    for thread in team:
        if errors.known(lambda thread=thread: thread.number) == number:
            return thread
    return None


def _has_not_posted(poster: Thread, loop: Dict[str, int], iteration: int) -> bool:
    """Whether the thread that executes an ITERATION is in the same LOOP and before that."""
    its = _loop(poster)
    return its.get("address") == loop.get("address") and its.get("posted", -1) < iteration


def add_unbegun(evidence: Evidence, regions: Iterable[Tuple[Region, List[Node]]], clause: Clause,
                ready_tasks: Optional[Callable[[Region], List[Node]]],
                asks_others: Callable[[ThreadRow], bool]) -> None:
    """What has not begun while all members of a team are busy. REGIONS: [(Region, [Node])] of
    the innermost ones; CLAUSE as checkup.team() wants it; READY_TASKS: returns Nodes of
    tasks that could begin, or is None; ASKS_OTHERS as poll_evidence has it."""
    for region, nodes in regions:
        if len(nodes) != errors.known(lambda region=region: region.size) or \
                not all(map(_may_poll, nodes)):
            continue
        unbegun = _share(evidence, region, nodes) + _shortfall(evidence, region, clause)
        if ready_tasks is not None:
            unbegun += ready_tasks(region)[:_MOST_TASKS]
        flags = ("confirmed",) * bool(unbegun and all(
            node.what == "asleep" or node.row is not None and asks_others(node.row)
            for node in nodes[:MOST_READ]))
        for thing in unbegun:
            for node in nodes:
                evidence.needs(thing, node, "runtime").flags.update(flags)


def _may_poll(node: Node) -> bool:
    """Whether a thread is busy in user code, and may look there for what others do."""
    return node.what == "works" or node.what == "asleep" and (
        libc_names.is_nap(node.call) or node.call in _POLLS)


def _share(evidence: Evidence, region: Region, nodes: List[Node]) -> List[Node]:
    left = max((_left(node) for node in nodes), default=0)
    return [] if left <= 0 else [_lack(
        evidence, "share", region, "%d iteration%s or section%s that no thread has begun" % (
            left, "s" * (left > 1), "s" * (left > 1)), "runtime")]


def _left(node: Node) -> int:
    """How many iterations no thread has begun, where a thread is in a loop whose schedule hands
    them out."""
    loop = _loop(None if node.row is None else node.row.known)
    if not all(name in loop for name in ("schedule", "next", "end", "increment")) or \
            not _STATIC < loop["schedule"] <= _GUIDED:
        return 0
    step = _signed(loop["increment"])
    distance = _signed(loop["end"]) - _signed(loop["next"])
    return max(0, -(-distance // step)) if step else 0


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


def _shortfall(evidence: Evidence, region: Region, clause: Clause) -> List[Node]:
    short = errors.known(lambda: checks.shortfall(checkup.team(region, clause)))
    if short is None:
        return []
    name = "%d threads were asked for" % short.asked
    reason = _REASONS.get(short.why)
    return [_lack(evidence, "team", region, name + (
        ", and %s allows %d" % (reason, short.size) if reason else ""),
        "stacks" if short.inferred else "recorded")]


def _lack(evidence: Evidence, what: str, region: Region, name: str, witness: str) -> Node:
    thing, _ = evidence.node((what, region.key), "thing", what, witness)
    thing.region, thing.name = region, Name(name)
    return thing
