# SPDX-License-Identifier: MIT
"""The wait-for graph of a page: a drawing, and the same as a list for who cannot see it."""

from __future__ import annotations

from openmp_inspect.core import escaped, text
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.report import graph_layout, html_text

if TYPE_CHECKING:
    from typing import Any, Dict, List, Sequence, Tuple
    from openmp_inspect.report.graph_layout import Layout
    from openmp_inspect.report.html_links import Links

    Bend = Tuple[float, float, float]  # left and right end of a column, and how far down

_SIGN = 7.3  # width of a letter
_LONGEST = 40  # letters of a line; the title of a node has all
_LINE = 16
_PADDING = 10
_GAP = 80  # between columns, for what is written at edges
_MARGIN = 12
_APART = 8  # how far each of two edges between the same nodes is from their middle
_COLOURED = {"works": "works", "crashed": "bad", "endless": "bad", "absent": "gone",
             "ended": "gone", "idle": "gone", "mpi": "asleep", "asleep": "asleep"}


class _Box(NamedTuple):
    node: Dict[str, Any]
    lines: List[str]
    left: float
    top: float
    width: float
    height: int
    column: int

    @property
    def middle(self) -> Tuple[float, float]:
        return self.left + self.width / 2, self.top + self.height / 2


def drawing(graph: Dict[str, Any], links: Links) -> str:
    """The svg element of what wait_graph.facts() has found."""
    lines = [_lines(node) for node in graph["nodes"]]
    edges = [(edge["from"], edge["to"]) for edge in graph["edges"]]
    found = graph_layout.layout([_LINE * len(some) + _PADDING for some in lines], edges)
    boxes = _boxes(graph["nodes"], lines, found)
    cycle = graph_layout.numbered(found.cycles)
    width = max((box.left + box.width for box in boxes), default=0) + _MARGIN
    height = max((box.top + box.height for box in boxes), default=0) + _MARGIN
    columns = {column: (min(box.left for box in boxes if box.column == column),
                        max(box.left + box.width for box in boxes if box.column == column))
               for column in set(found.columns)}
    bends = {edge: [(*columns[column], down + _MARGIN) for column, down in passed]
             for edge, passed in found.bends.items()}
    height = max([height] + [down + _MARGIN for passed in bends.values() for *_, down in passed])
    drawn, known = [_MARKERS], set(edges)
    # What is emphasised is drawn above the rest.
    for edge, is_bad in sorted(
            ((edge, graph_layout.is_within(cycle, edge["from"], edge["to"]))
             for edge in graph["edges"]), key=lambda item: item[1]):
        drawn.append(_edge(edge, boxes, bends.get((edge["from"], edge["to"]), ()), is_bad,
                           (edge["to"], edge["from"]) in known))
    drawn += [_node(box, number in cycle, links) for number, box in enumerate(boxes)]
    return html_text.element(
        "svg", "\n".join(drawn), class_="graph picks", role="group", aria_labelledby="graph-title",
        width="%.0f" % width, height="%.0f" % height, viewBox="0 0 %.0f %.0f" % (width, height))


def listed(graph: Dict[str, Any]) -> str:
    """Each edge as a sentence."""
    names = ["%s%s" % (node["name"], " (%s)" % node["place"] if node["place"] else "")
             for node in graph["nodes"]]
    edges = [(edge["from"], edge["to"]) for edge in graph["edges"]]
    cycle = graph_layout.cycle_of(edges, len(names))
    return html_text.element("ul", "\n".join(html_text.text("li", "%s%s %s %s%s" % (
        "~" if edge["inferred"] else "", names[edge["from"]], edge["relation"],
        names[edge["to"]],
        " (in the cycle)" * graph_layout.is_within(cycle, edge["from"], edge["to"])))
        for edge in graph["edges"]))


def _lines(node: Dict[str, Any]) -> List[str]:
    """What is written into a node."""
    first = node["name"]
    if node["kind"] == "thread" and node["count"] > 1 and first.startswith("thread"):
        first = "%d %s" % (node["count"], first)
    lines = [escaped.shown(line) for line in (first, node["state"], node["place"]) if line]
    return [line if len(line) <= _LONGEST else line[:_LONGEST - 1] + "\u2026"
            for line in lines or ["?"]]


def _boxes(nodes: Sequence[Dict[str, Any]], lines: Sequence[List[str]],
           found: Layout) -> List[_Box]:
    widths = [_SIGN * max(map(len, some)) + 2 * _PADDING for some in lines]
    lefts: Dict[int, float] = {}
    at = float(_MARGIN)
    for column in sorted(set(found.columns)):
        lefts[column] = at
        at += _GAP + max(width for width, one in zip(widths, found.columns) if one == column)
    return [_Box(node, some, lefts[column], top + _MARGIN, width, _LINE * len(some) + _PADDING,
                 column)
            for node, some, width, column, top in zip(nodes, lines, widths, found.columns,
                                                      found.tops)]


def _node(box: _Box, in_cycle: bool, links: Links) -> str:
    node = box.node
    kind = "node %s %s%s" % (node["kind"], _COLOURED.get(node["what"], "plain"),
                             " cycle" * in_cycle)
    threads = text.threads(node["threads"])
    title = ", ".join(filter(None, (node["name"], node["state"], node["place"],
                                    "threads " + threads if node["count"] > 1 else "")))
    written = "".join(html_text.text(
        "text", line, class_="name" if number == 0 else None, x="%.1f" % (box.left + _PADDING),
        y="%.1f" % (box.top + _LINE * (number + 1))) for number, line in enumerate(box.lines))
    return html_text.element("g", "%s%s%s%s" % (
        html_text.text("title", title),
        "" if node["count"] == 1 else _rectangle(box, 4),  # a second one behind: there are several
        _rectangle(box, 0), written), class_=kind, **links.of_node(node))


def _rectangle(box: _Box, shift: int) -> str:
    corner = 3 if box.node["kind"] == "thread" else min(box.height // 2, 14)
    return html_text.element("rect", "", x="%.1f" % (box.left + shift),
                             y="%.1f" % (box.top + shift), width="%.1f" % box.width,
                             height=box.height, rx=corner)


def _edge(edge: Dict[str, Any], boxes: Sequence[_Box], bends: Sequence[Bend],
          in_cycle: bool, is_mutual: bool) -> str:
    path, middle = _path(boxes[edge["from"]], boxes[edge["to"]], bends, _APART * is_mutual)
    kind = "edge%s%s" % (" inferred" * edge["inferred"], " cycle" * in_cycle)
    return html_text.element("g", html_text.element(
        "path", "", d=path, marker_end="url(#%s)" % ("arrow-cycle" if in_cycle else "arrow")) +
        html_text.text("text", ("~" if edge["inferred"] else "") + edge["relation"],
                       x="%.1f" % middle[0], y="%.1f" % middle[1]), class_=kind)


def _path(one: _Box, other: _Box, bends: Sequence[Bend],
          apart: int) -> Tuple[str, Tuple[float, float]]:
    """(the curve from ONE to OTHER by way of BENDS, where there is room to write beside it). APART: how
    far it is above their middles to the right, and below them to the left."""
    (_, y), (_, to_y) = one.middle, other.middle
    if one.column == other.column:
        return _beside(one, other)
    if one.column < other.column:
        x, to_x, above = one.left + one.width, other.left, -7
    else:
        x, to_x, above = one.left, other.left + other.width, 14 if apart else -7
        apart = -apart
    y, to_y = y - apart, to_y - apart
    path, at = "M%.1f %.1f" % (x, y), x
    first = bends[0] if bends else (to_x, to_x, to_y)
    middle = (x + first[0]) / 2, (y + first[2]) / 2 + above
    for left, right, down in [*bends, (to_x, to_x, to_y)]:
        bend = (left - at) / 2
        path += "C%.1f %.1f %.1f %.1f %.1f %.1f" % (at + bend, y, left - bend, down, left, down)
        if right != left:
            path += "H%.1f" % right  # of no length it would turn the arrow
        at, y = right, down
    return path, middle


def _beside(one: _Box, other: _Box) -> Tuple[str, Tuple[float, float]]:
    """The same in one column: straight down or up, or around at the right."""
    (_, y), (_, to_y) = one.middle, other.middle
    if one is other:
        to_y += one.height / 4
        y -= one.height / 4
    elif abs(to_y - y) < (one.height + other.height) / 2 + 3 * _LINE:
        x = min(one.middle[0], other.middle[0])
        y, to_y = (one.top + one.height, other.top) if to_y > y else \
            (one.top, other.top + other.height)
        return "M%.1f %.1fL%.1f %.1f" % (x, y, x, to_y), (x + 30, (y + to_y) / 2 + 4)
    x, to_x = one.left + one.width, other.left + other.width
    bend = max(x, to_x) + _GAP / 2
    return "M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f" % (
        x, y, bend, y, bend, to_y, to_x, to_y), (bend, (y + to_y) / 2)


_MARKERS = "<defs>%s</defs>" % "".join(html_text.element(
    "marker", '<path d="M0 0L8 4L0 8z"/>', id=name, viewBox="0 0 8 8", refX=8, refY=4,
    markerWidth=8, markerHeight=8, markerUnits="userSpaceOnUse", orient="auto")
    for name in ("arrow", "arrow-cycle"))
