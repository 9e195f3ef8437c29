# SPDX-License-Identifier: MIT
"""Who holds which lock and who waits for it: "ompd locks"."""

from __future__ import annotations

import contextlib

from openmp_inspect.core import json_output, text
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.analysis import evidence, thread_table
from openmp_inspect.report import explanations, node_words, thread_times

if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.analysis.evidence_items import Edge, Evidence, Node

_HEAD = ["Lock", "Kind", "Held by", "Since", "Wanted by"]
_CELL = 24  # the most that a column of a wide table takes, but for rows that need more
_MOST_ALIKE = 16  # rows that say the same of another address; of more there is one
_LISTED = (*node_words.LOCKISH, "ordered")
_RUNNING = "What running threads wait for is not shown."
_UNRECORDED = "Acquisitions are not recorded: locks that nobody waits for are not listed."


class LockRow(NamedTuple):
    """`thing`: the Node of a lock; `holds`: Edges to who holds it; `waits`: from who waits, or
    polls."""

    thing: Node
    holds: List[Edge]
    waits: List[Edge]


def facts(here: Space) -> List[Dict[str, Any]]:
    """An object for each lock; UserError where they are not known."""
    with _rows(here, None) as (_, rows):
        return list(map(_facts, rows))


def lines(here: Space) -> List[str]:
    """The table; UserError likewise."""
    with _rows(here, _MOST_ALIKE) as (found, rows):
        recorded = "recorded" in found.process
        table = text.fitted([_HEAD, *(_cells(row, recorded) for row in rows)], most=_CELL) if rows else [
            "No thread holds a lock, or waits for one." if recorded else "No thread waits for a lock."]
        return table + [text.remark(_RUNNING)] * bool(found.running()) + \
            [text.remark(_UNRECORDED)] * (not recorded)


@contextlib.contextmanager
def _rows(here: Space, most: Optional[int]) -> Iterator[Tuple[Evidence, List[LockRow]]]:
    """The Evidence and the rows, those with most waiters first. MOST: as evidence.py has it."""
    with explanations.explained(here.process), Snapshot.of(here) as snapshot, \
            here.process.selection_kept():
        found = evidence.with_all_locks(snapshot, thread_table.all_rows(snapshot.space, snapshot), most)
        rows = {node.number: LockRow(node, [], []) for node in found.nodes.values()
                if node.kind == "thing" and (node.what in _LISTED or node.readers)}
        for edge in found.edges.values():
            if edge.kind in ("waits", "polls") and edge.to.number in rows:
                rows[edge.to.number].waits.append(edge)
            elif edge.kind == "needs" and edge.from_.number in rows and \
                    edge.from_.what != "ordered" and edge.to.kind == "thread":
                rows[edge.from_.number].holds.append(edge)
        yield found, sorted(rows.values(), key=_order)


def _order(row: LockRow) -> Tuple[int, int, str]:
    return -len(row.waits), row.thing.address or 0, _name(row.thing).raw


def _cells(row: LockRow, recorded: bool) -> List[str]:
    place = node_words.acquired_at(row.thing)
    named = text.style("variable", text.worded(_name(row.thing)))
    others = row.thing.others
    return [named + (" and %d more" % others if others else ""), _kind(row.thing),
            ", ".join(map(_holder, row.holds)) or _holders(row.thing, recorded),
            "-" if place is None else text.place(place),
            _waiters(row.waits)]


def _holders(thing: Node, recorded: bool) -> str:
    """Of a lock that no thread is known to hold."""
    if thing.readers:
        return text.count(thing.readers, "reader")
    return "-" if recorded and thing.lock is not None and thing.lock.count == 0 else "?"


def _waiters(waits: Sequence[Edge]) -> str:
    """The numbers of those who wait, or poll, and for how long all of them have."""
    rows = [(edge.from_.row, edge.kind == "polls") for edge in waits]
    times = thread_times.waited_words(
        None if row is None else thread_times.waited(row, polls) for row, polls in rows)
    return ", ".join(filter(None, (
        node_words.thread_numbers(edge.from_ for edge in waits), times))) or "-"


def _name(thing: Node) -> Name:
    named = thing.object if thing.readers else \
        thing.name if thing.name and thing.name != "-" else None
    return named or Name(thing.what if thing.what == "ordered" else
                         "%#x" % thing.address if thing.address else "?")


def _kind(thing: Node) -> str:
    if thing.readers:
        return "read-write lock"
    return thing.noun if thing.what == "mutex" else thing.what.replace("_", " ")


def _holder(edge: Edge) -> str:
    times = edge.from_.lock.count if edge.from_.lock is not None else None
    held = _held(edge)
    return ", ".join(filter(None, (
        node_words.inferred_mark(edge) + node_words.who(edge.to) + node_words.in_task(edge),
        "%d times" % times if times is not None and times > 1 else "",
        "" if held is None else thread_times.waited_words((held,))[len("for "):])))


def _held(edge: Edge) -> Optional[thread_times.Waited]:
    """How long at least, of an Edge from a lock to who holds it."""
    row = edge.to.row if edge.from_.lock is not None else None
    return None if row is None else thread_times.held(row)


def _facts(row: LockRow) -> Dict[str, Any]:
    thing = row.thing
    lock, named = thing.lock, _name(thing).raw
    return dict({"kind": _kind(thing), "name": None if named.startswith(("0x", "?")) else named,
                 "address": json_output.address(thing.address),
                 "count": None if lock is None else lock.count,
                 "life": None if lock is None else lock.life,
                 "owners": [{"thread": node_words.number(edge.to), "source": edge.witness,
                             "held_seconds": thread_times.seconds(_held(edge))}
                            for edge in row.holds],
                 "waiters": sorted(number for number in (
                     node_words.number(edge.from_) for edge in row.waits) if number is not None)},
                **json_output.place_facts(node_words.acquired_at(thing)))
