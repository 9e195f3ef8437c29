# SPDX-License-Identifier: MIT
"""Where nodes of a directed graph are drawn: whoever waits to the left of what is waited for, and a
simple cycle as a ring of two rows, or of two nodes as one.

    1 -> 2 -> 3 -> 2     columns:  1  2      1 is left of the ring of 2 and 3,
                                      3      which is one column
"""

from __future__ import annotations

from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Dict, List, Sequence, Set, Tuple

    Links = Dict[int, List[int]]

_SWEEPS = 6
_ROW_GAP = 22


class Layout(NamedTuple):
    """`columns` and `tops`: of each node, by its number; `cycles`: nodes of each cycle, or of
    several that hang together; `bends`: where an edge passes the columns between its ends, as
    [(column, how far down)]."""

    columns: List[int]
    tops: List[float]
    cycles: List[List[int]]
    bends: Dict[Tuple[int, int], List[Tuple[int, float]]]


def layout(heights: Sequence[int], edges: Sequence[Tuple[int, int]]) -> Layout:
    """That of nodes with these HEIGHTS, which are numbered from 0."""
    after: Links = {node: [] for node in range(len(heights))}
    for from_, to in dict.fromkeys(edges):
        after[from_].append(to)
    parts = _parts(after)
    offsets, rows = _inside(parts, after)
    columns = _columns(parts, offsets, after)
    cycles = [part for part in parts if len(part) > 1 or part[0] in after[part[0]]]
    chains = _chains(after, columns)
    for (from_, to), chain in chains.items():
        after[from_].remove(to)
        for one, other in zip([from_, *chain], [*chain, to]):
            after.setdefault(one, []).append(other)
    own, added = len(heights), len(columns) - len(heights)
    tops = _tops(columns, rows + [0] * added, [*heights, *[0] * added], after)
    return Layout(columns[:own], tops[:own], cycles, {
        edge: [(columns[node], tops[node]) for node in chain] for edge, chain in chains.items()})


def cycle_of(edges: Sequence[Tuple[int, int]], count: int) -> Dict[int, int]:
    """{node: the number of the cycle that it is in} of COUNT nodes."""
    return numbered(layout([1] * count, edges).cycles)


def numbered(cycles: Sequence[Sequence[int]]) -> Dict[int, int]:
    """The same of the `cycles` of a Layout."""
    return {node: number for number, nodes in enumerate(cycles) for node in nodes}


def is_within(cycle: Dict[int, int], from_: int, to: int) -> bool:
    """Whether an edge is one of a cycle, by cycle_of()."""
    return from_ in cycle and cycle[from_] == cycle.get(to)


def _chains(after: Links, columns: List[int]) -> Dict[Tuple[int, int], List[int]]:
    """Further nodes, one for each column that an edge passes; COLUMNS gets theirs."""
    found: Dict[Tuple[int, int], List[int]] = {}
    for from_, others in after.items():
        for to in others:
            between = range(columns[from_] + 1, columns[to])
            if between:
                found[from_, to] = list(range(len(columns), len(columns) + len(between)))
                columns.extend(between)
    return found


def _parts(after: Links) -> List[List[int]]:
    """Strongly connected components, each behind those that it leads to (Tarjan's algorithm)."""
    found: List[List[int]] = []
    index: Dict[int, int] = {}
    low: Dict[int, int] = {}
    path: List[int] = []
    on_path: Set[int] = set()
    for root in after:
        waiting = [(root, 0)] if root not in index else []
        while waiting:
            node, at = waiting.pop()
            if at == 0:
                index[node] = low[node] = len(index)
                path.append(node)
                on_path.add(node)
            else:
                low[node] = min(low[node], low[after[node][at - 1]])
            while at < len(after[node]) and after[node][at] in index:
                if after[node][at] in on_path:
                    low[node] = min(low[node], index[after[node][at]])
                at += 1
            if at < len(after[node]):
                waiting += [(node, at + 1), (after[node][at], 0)]
            elif low[node] == index[node]:
                start = path.index(node)
                found.append(sorted(path[start:]))
                on_path.difference_update(path[start:])
                del path[start:]
    return found


def _inside(parts: List[List[int]], after: Links) -> Tuple[List[int], List[int]]:
    """(columns inside of their part, rows that are to be kept to) of all nodes."""
    offsets, rows = [0] * len(after), [0] * len(after)
    for part in parts:
        order = _walked(part, after)
        half = max((len(part) + 1) // 2, 2)
        is_ring = all(len(set(after[node]) & set(part)) == 1 for node in part)
        for number, node in enumerate(order):
            if is_ring and number >= half:
                offsets[node], rows[node] = len(part) - 1 - number, 1
            elif is_ring:
                offsets[node] = number
        if not is_ring:
            _levels(order, after, offsets)
    return offsets, rows


def _walked(part: List[int], after: Links) -> List[int]:
    """Nodes of a part in the order of a walk along its edges."""
    found: Dict[int, None] = {}
    waiting = [part[0]]
    inside = set(part)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found[node] = None
            waiting += [to for to in reversed(after[node]) if to in inside]
    return list(found)


def _levels(order: List[int], after: Links, offsets: List[int]) -> None:
    """Columns by the edges that lead on in this ORDER."""
    position = {node: number for number, node in enumerate(order)}
    for node in order:
        for to in after[node]:
            if position.get(to, -1) > position[node]:
                offsets[to] = max(offsets[to], offsets[node] + 1)


def _columns(parts: List[List[int]], offsets: List[int], after: Links) -> List[int]:
    """Each part as near to what it leads to as can be; the last column is that of those that lead
    nowhere."""
    right: Dict[int, int] = {}  # columns to the right of a part's first one, by node
    for part in parts:
        span = max(offsets[node] for node in part)
        beyond = max((right[to] for node in part for to in after[node] if to in right), default=-1)
        right.update(dict.fromkeys(part, beyond + 1 + span))
    most = max(right.values(), default=0)
    return [most - right[node] + offsets[node] for node in range(len(offsets))]


def _tops(columns: List[int], rows: List[int], heights: Sequence[int],
          after: Links) -> List[float]:
    """Nodes of a column one below the other, near to those that they are linked with."""
    near: Links = {node: [] for node in after}
    for node, others in after.items():
        for to in others:
            near[node].append(to)
            near[to].append(node)
    stacked: Links = {}
    for node in after:
        stacked.setdefault(columns[node], []).append(node)
    tops = [0.0] * len(heights)
    for column in stacked.values():
        column.sort(key=lambda node: rows[node])
        _place(column, [0.0] * len(column), heights, tops)
    for sweep in range(_SWEEPS):
        for number in sorted(stacked, reverse=bool(sweep % 2)):
            column = stacked[number]
            wanted = {node: _middle(near[node], heights, tops, tops[node] + heights[node] / 2)
                      for node in column}
            column.sort(key=lambda node: (rows[node], wanted[node]))
            _place(column, [wanted[node] - heights[node] / 2 for node in column], heights, tops)
    least = min(tops, default=0.0)
    return [top - least for top in tops]


def _middle(nodes: Sequence[int], heights: Sequence[int], tops: Sequence[float],
            default: float) -> float:
    return sum(tops[node] + heights[node] / 2 for node in nodes) / len(nodes) if nodes else default


def _place(column: Sequence[int], wanted: Sequence[float], heights: Sequence[int],
           tops: List[float]) -> None:
    """Nodes in this order, each as near to the top that is WANTED as the one above it permits, and
    all together moved to where they want to be on average."""
    at = float("-inf")
    for node, top in zip(column, wanted):
        tops[node] = max(top, at)
        at = tops[node] + heights[node] + _ROW_GAP
    shift = sum(top - tops[node] for node, top in zip(column, wanted)) / max(len(column), 1)
    for node in column:
        tops[node] += shift
