# SPDX-License-Identifier: MIT
"""The wait-for graph of Evidence in the language of graphviz's "dot"."""

from __future__ import annotations

from gdb_openmp.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import escaped, text
from gdb_openmp.analysis.evidence_items import INFERRED
from gdb_openmp.ui import graphviz, why_text

if TYPE_CHECKING:
    from gdb_openmp.analysis.evidence_items import Evidence, Node

_COLOURS = {"works": "palegreen", "waits": "lightsalmon", "idle": "gray90", "asleep": "khaki",
            "mpi": "khaki", "endless": "tomato", "crashed": "tomato", "ended": "gray70",
            "absent": "gray70"}


def describe(found: Evidence) -> str:
    """The graph: threads as boxes, what they wait for as ellipses; inferred links dashed."""
    lines = ["digraph waits {", "    node [style=filled, fillcolor=white];"]
    linked = {node for edge in found.edges.values() for node in (edge.from_, edge.to)}
    for node in found.nodes.values():
        if node in linked or node.kind == "thread":
            lines.append("    n%d [%s];" % (node.number, _attributes(node)))
    for edge in found.edges.values():
        style = "dashed" if edge.witness in INFERRED else "solid"
        lines.append('    n%d -> n%d [label="%s", style=%s];' % (
            edge.from_.number, edge.to.number,
            "waits" if edge.kind == "waits" else "needs", style))
    return "\n".join(lines + ["}", ""])


def _attributes(node: Node) -> str:
    if node.kind == "thread":
        words = "thread " + why_text.who(node)
        if node.row is not None and node.row.place is not None:
            words += "\n" + text.plain(text.place(node.row.place))
        return 'shape=box, fillcolor=%s, label="%s"' % (
            _COLOURS.get(node.what, "white"), _label(words))
    if node.kind == "task":
        words = "task %d" % node.task.number if node.task is not None else "task"
        return 'shape=box, style="rounded,filled", label="%s"' % _label(words)
    return 'shape=ellipse, label="%s"' % _label(why_text.name(node))


def _label(words: str) -> str:
    return "\\n".join(graphviz.quoted(escaped.shown(line)) for line in words.split("\n"))
