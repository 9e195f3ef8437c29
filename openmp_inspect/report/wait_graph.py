# SPDX-License-Identifier: MIT
"""Who waits for whom as a graph of few nodes: threads that do the same, at the same place, with
the same links are one.

    threads 1-63 wait at a barrier     thread 64 works     1-63 -> barrier -> 64
    threads wait for as many locks     nothing is alike    as many nodes
"""

from __future__ import annotations

from openmp_inspect.core import text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.analysis.evidence_items import INFERRED
from openmp_inspect.report import node_words

if TYPE_CHECKING:
    from typing import Any, Dict, Hashable, Iterable, List, Set, Tuple
    from openmp_inspect.analysis.evidence_items import Edge, Evidence, Node

    Groups = List[List[Node]]

_MOST_PLACES = 8  # at which threads with the same links are kept apart
_MOST_NODES = 160
_SEVERE = ("crashed", "endless")


def facts(found: Evidence) -> Dict[str, Any]:
    """An object with `nodes`, `edges` between them, and how many nodes are `left_out` of a graph
    that is too large. Call while the snapshot lives."""
    edges = [edge for edge in found.edges.values() if edge.kind != "member"]
    links: Dict[Node, Set[Hashable]] = {}
    for edge in edges:
        inferred = edge.witness in INFERRED
        links.setdefault(edge.from_, set()).add((edge.kind, edge.to.number, inferred))
        links.setdefault(edge.to, set()).add((edge.kind, -edge.from_.number, inferred))
    for node in found.nodes.values():
        if node.what in _SEVERE:
            links.setdefault(node, set())
    groups = _groups(links)
    return {"nodes": [_node_facts(number, nodes)
                      for number, nodes in enumerate(groups[:_MOST_NODES])],
            "edges": _edge_facts(edges, groups[:_MOST_NODES]),
            "left_out": max(len(groups) - _MOST_NODES, 0)}


def _groups(links: Dict[Node, Set[Hashable]]) -> Groups:
    """Nodes that are drawn as one. Those with more links come first: they are what is kept of a
    graph that is too large."""
    alike: Dict[Hashable, Dict[str, List[Node]]] = {}
    for node, own in links.items():
        key: Hashable = node.number
        if node.kind == "thread":
            key = node.what, node.call, frozenset(own)
        alike.setdefault(key, {}).setdefault(_place(node), []).append(node)
    found: Groups = []
    for places in alike.values():
        found += places.values() if len(places) <= _MOST_PLACES else \
            [[node for nodes in places.values() for node in nodes]]
    if len(found) > _MOST_NODES:
        found.sort(key=lambda nodes: -len(links[nodes[0]]))
    return found


def _place(node: Node) -> str:
    """Where it is, in words, or nothing."""
    row = node.row
    if row is not None:
        return text.place(row.place) if row.place is not None else ""
    if node.task is not None:
        if node.tasks is not None:
            node.tasks.place(node.task)
        return text.place(node.task.place) if node.task.place is not None else ""
    acquired = node_words.acquired_at(node)
    if acquired is not None:
        return "since %s" % text.place(acquired)
    where = None if node.region is None else node.stacks.place_of(node.region)
    return "" if where is None else "%s at %s" % (
        node_words.directive(where), node_words.line_words(where))


def _node_facts(number: int, nodes: List[Node]) -> Dict[str, Any]:
    node = nodes[0]
    places = dict.fromkeys(map(_place, nodes))
    return {"id": number, "kind": node.kind, "what": node.what, "count": len(nodes),
            "name": _name(nodes), "state": _state(nodes),
            "place": next(iter(places)) if len(places) == 1 else "at %d places" % len(places),
            "threads": sorted(node.row.thread.num for node in nodes
                              if node.row is not None and node.row.thread is not None)}


def _name(nodes: List[Node]) -> str:
    node = nodes[0]
    if node.kind == "thread":
        if node.row is None or node.row.thread is None:
            return node_words.who(node)
        whose = node_words.whose(nodes)
        return whose if "thread" in whose else "%s %s" % (
            "thread" if len(nodes) == 1 else "threads", whose)
    if node.kind == "task":
        return "task" if node.task is None else "task %d" % node.task.number
    return node.noun if node.kind == "team" else node_words.name(node)


def _state(nodes: List[Node]) -> str:
    """What a thread does, or how many threads have arrived at a thing; or nothing."""
    node = nodes[0]
    if node.kind != "thread":
        return "%d arrived" % node.arrived if node.arrived is not None else ""
    said = {"waits": "waits", "crashed": "crashed", "ended": "has ended",
            "absent": "does not exist", "unknown": "not known"}.get(node.what) or \
        node_words.doing(node)[0]
    return node_words.plural(said, nodes)


def _edge_facts(edges: Iterable[Edge], groups: Groups) -> List[Dict[str, Any]]:
    """Edges between GROUPS. That one thing needs another is left out where a thread says so: it is
    needed by the one and waits for the other."""
    numbers = {node: number for number, nodes in enumerate(groups) for node in nodes}
    found: Dict[Tuple[int, int, str], bool] = {}
    for edge in edges:
        if edge.from_ in numbers and edge.to in numbers:
            key = numbers[edge.from_], numbers[edge.to], _relation(edge)
            found[key] = found.get(key, False) or edge.witness in INFERRED
    pairs = {(from_, to) for from_, to, _ in found}
    threads = [number for number, nodes in enumerate(groups) if nodes[0].kind == "thread"]
    return [{"from": from_, "to": to, "relation": _plural(relation, groups[from_]),
             "inferred": inferred} for (from_, to, relation), inferred in found.items()
            if from_ in threads or to in threads or
            not any((from_, one) in pairs and (one, to) in pairs for one in threads)]


def _plural(relation: str, nodes: List[Node]) -> str:
    return {"waits for": "wait for", "polls": "poll"}.get(relation, relation) \
        if len(nodes) > 1 else relation


def _relation(edge: Edge) -> str:
    if edge.kind != "needs":
        return "polls" if edge.kind == "polls" else "waits for"
    return "held by" if edge.from_.what in node_words.LOCKISH else "needs"
