# SPDX-License-Identifier: MIT
"""The tree of parallel regions that threads are in: "ompd parallel"."""

from __future__ import annotations

import contextlib

from openmp_inspect.core import cached, debug, errors, json_output, text, tree
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.stacks import stitched_stack
from openmp_inspect.report import explanations

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Hashable, Iterator, List, Optional, Sequence, Tuple
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.host import interface
    from openmp_inspect.model.objects import Region, Thread
    from openmp_inspect.code.places import Place
    from openmp_inspect.stacks.stitched_stack import StitchedStacks

    Threads = Dict[int, interface.Thread]  # by kernel id
    Regions = List[Tuple[Region, str]]  # with the lines drawn before each

_CELL = 36  # the most that a column of a wide table takes, but for rows that need more


def facts(here: Space) -> List[Dict[str, Any]]:
    """An object for each region; UserError where they are not known."""
    with _regions(here) as (_, regions, stacks):
        return [_facts(region, stacks) for region, _lead in regions]


def lines(here: Space) -> List[str]:
    """The tree; UserError likewise."""
    with _regions(here) as (snapshot, regions, stacks):
        rows = [_row(region, lead, stacks) for region, lead in regions]
        leads = [tree.continued(lead) for _region, lead in regions]
        return text.fitted(rows, _CELL, leads) + _remark(snapshot, rows)


@contextlib.contextmanager
def _regions(here: Space) -> Iterator[Tuple[Snapshot, Regions, StitchedStacks]]:
    """The snapshot, [(region, lead)], and the stacks."""
    with explanations.explained(here.process), Snapshot.of(here) as snapshot:
        yield snapshot, list(_tree(snapshot)), stitched_stack.of(here)


def _remark(snapshot: Snapshot, rows: Sequence[Sequence[str]]) -> List[str]:
    for thread in snapshot.threads:
        try:
            thread.number  # pylint: disable=pointless-statement
        except errors.OmpdError as error:
            debug.ignored()
            if error.kind == "unavailable" and thread.state != "idle":
                return [text.remark("Some threads are in regions that began before tracking "
                                    "did.")]
    return [] if rows else ["No thread is in a parallel region."]


def _tree(snapshot: Snapshot) -> Iterator[Tuple[Region, str]]:
    """(region, the lines drawn before it), each below the one it is nested in."""
    if not snapshot.tracking:
        raise errors.OmpdError("needs_state_tracking", "ompd_get_threads")

    def above(region: Region) -> Optional[Hashable]:
        parent = errors.known(lambda: region.parent)
        return None if parent is None else parent.key

    roots, children = tree.grow(snapshot.regions(), lambda region: region.key, above)
    return tree.walk(roots, lambda region: children.get(region.key, []))


def _row(region: Region, lead: str, stacks: StitchedStacks) -> List[str]:
    return ["%sregion%s" % (lead, "" if region.id is None else " %d" % region.id),
            _told(lambda: _place(region, stacks)),
            "%s: %s" % (_told(lambda: text.count(region.size, "thread")),
                        _told(lambda: _members(region, stacks.threads))),
            _told(lambda: "encountered by thread %s" % _number(region.master, stacks.threads))]


def _place(region: Region, stacks: StitchedStacks) -> str:
    place, derived = _construct(region, stacks)
    if place is None:
        return "not tracked"
    return ("~" if derived else "") + text.place(place)


def _construct(region: Region, stacks: StitchedStacks) -> Tuple[Optional[Place], bool]:
    """(Place of the construct, whether it is inferred from the stack of a thread in it because
    it is not recorded)."""
    function = cached.optional(lambda: region.function, "needs_state_tracking")
    if function is not None:
        return stacks.walker.construct(function), False
    with stacks.process.selection_kept():
        place = stacks.construct(region)
    return place, place is not None


def _facts(region: Region, stacks: StitchedStacks) -> Dict[str, Any]:
    threads = stacks.threads
    place, derived = errors.known(lambda: _construct(region, stacks)) or (None, False)
    enclosing = errors.known(lambda: region.parent)
    team = errors.known(lambda: region.team) or []
    master = errors.known(lambda: region.master.lwp)
    answer = {"id": errors.known(lambda: region.id),
              "kind": errors.known(lambda: region.kind),
              "enclosing": None if enclosing is None else errors.known(lambda: enclosing.id),
              "size": errors.known(lambda: region.size),
              "requested": errors.known(lambda: region.requested),
              "shortfall": (errors.known(lambda: region.details) or {}).get("shortfall"),
              "cancelled": errors.known(lambda: region.cancelled),
              "threads": [threads[t.lwp].num for t in team if t.lwp in threads],
              "master": threads[master].num if master in threads else None}
    answer.update(json_output.place_facts(place), derived=derived)
    return answer


def _told(cell: Callable[[], str]) -> str:
    try:
        return cell()
    except errors.OmpdError as error:
        return errors.short(error)


def _members(region: Region, threads: Threads) -> str:
    found = [threads[t.lwp].num for t in region.team if t.lwp in threads]
    return text.threads(found) or "-"


def _number(thread: Thread, threads: Threads) -> str:
    return text.thread(threads[thread.lwp].num) if thread.lwp in threads else "LWP %d" % thread.lwp
