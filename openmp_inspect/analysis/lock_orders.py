# SPDX-License-Identifier: MIT
"""Orders of locks that may deadlock, of a recorded run that did not.

An order is a lock that was acquired while others were held. Some that follow each other in a cycle
may deadlock if different threads have met them in one region between the same barriers, and
no lock was held by two of them, which would have kept them apart:

    thread 1  a, then b        thread 2  b, then a        may deadlock
    thread 1  g, a, then b     thread 2  g, b, then a     may not: both hold g
    thread 1  a, then b; then b, then a                   nobody knows
"""

from __future__ import annotations

from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Dict, FrozenSet, Iterator, List, Sequence, Set, Tuple
    from openmp_inspect.bindings.query import OrderFacts

LONGEST = 4  # of a cycle, as so many threads are kept of an order
_MOST_STEPS = 20000
_DEEPEST = 64


class Acquisition(NamedTuple):
    """One order in a cycle: WANTED was acquired while HELD was, which the order before it acquires."""

    held: OrderFacts
    wanted: OrderFacts


class _Order(NamedTuple):
    wanted: OrderFacts
    held: Dict[int, OrderFacts]  # by the ids of locks
    threads: FrozenSet[int]


class Cycles(NamedTuple):
    found: List[Tuple[Acquisition, ...]]
    is_all: bool


def cycles(rows: Sequence[OrderFacts]) -> Cycles:
    """Each set of locks once, those that were recorded first in front."""
    by_id = {row.order: row for row in rows if not row.thread}
    moments: Dict[Tuple[int, int], Dict[int, Set[int]]] = {}
    for row in rows:
        if row.thread:
            moments.setdefault((row.region, row.barrier), {}).setdefault(row.order, set()).add(row.thread)
    found: Dict[FrozenSet[int], Tuple[Acquisition, ...]] = {}
    steps = [_MOST_STEPS]
    for moment in moments.values():
        orders = [_Order(by_id[number], _held(by_id, by_id[number]), frozenset(threads))
                  for number, threads in sorted(moment.items()) if number in by_id]
        holding: Dict[int, List[_Order]] = {}
        for order in orders:
            for lock in order.held:
                holding.setdefault(lock, []).append(order)
        for first in orders:
            for chain in _closed(holding, [first], steps):
                found.setdefault(frozenset(one.wanted.lock for one in chain), tuple(
                    Acquisition(one.held[before.wanted.lock], one.wanted)
                    for before, one in zip([chain[-1], *chain], chain)))
    return Cycles(list(found.values()), steps[0] > 0)


def _held(by_id: Dict[int, OrderFacts], order: OrderFacts) -> Dict[int, OrderFacts]:
    """What was held; empty where the records do not make sense."""
    held: Dict[int, OrderFacts] = {}
    while order.parent:
        if order.parent not in by_id or len(held) == _DEEPEST:
            return {}
        order = by_id[order.parent]
        held[order.lock] = order
    return held


def _closed(holding: Dict[int, List[_Order]], chain: List[_Order],
            steps: List[int]) -> Iterator[List[_Order]]:
    """Chains in which each order holds what the one before wants, and the first what the last one does.
    HOLDING: orders by what they hold."""
    last = chain[-1].wanted.lock
    if len(chain) > 1 and last in chain[0].held:
        yield chain
        return
    for order in holding.get(last, ()) if len(chain) < LONGEST else ():
        steps[0] -= 1
        if steps[0] < 0:
            return
        if all(order.held.keys().isdisjoint(one.held) for one in chain) and \
                _have_own([one.threads for one in chain] + [order.threads], frozenset()):
            yield from _closed(holding, [*chain, order], steps)


def _have_own(threads: Sequence[FrozenSet[int]], used: FrozenSet[int]) -> bool:
    """Whether each can have a thread of its own."""
    return not threads or any(_have_own(threads[1:], used | {one}) for one in threads[0] - used)
