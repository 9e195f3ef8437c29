# SPDX-License-Identifier: MIT
"""The wait-for graph of Evidence in the language of graphviz's "dot"."""

from gdb_openmp.host import escaped, text
from gdb_openmp.ui import graphviz, why_text

_COLOURS = {"works": "palegreen", "waits": "lightsalmon", "idle": "gray90", "asleep": "khaki",
            "mpi": "khaki", "endless": "tomato", "crashed": "tomato", "ended": "gray70",
            "absent": "gray70"}


def describe(found):
    """The graph: threads as boxes, what they wait for as ellipses; inferred links dashed."""
    lines = ["digraph waits {", "    node [style=filled, fillcolor=white];"]
    linked = {node for edge in found.edges.values() for node in (edge.from_, edge.to)}
    for node in found.nodes.values():
        if node in linked or node.kind == "thread":
            lines.append("    n%d [%s];" % (node.number, _attributes(node)))
    for edge in found.edges.values():
        style = "dashed" if edge.witness in ("stacks", "source") else "solid"
        lines.append('    n%d -> n%d [label="%s", style=%s];' % (
            edge.from_.number, edge.to.number,
            "waits" if edge.kind == "waits" else "needs", style))
    return "\n".join(lines + ["}", ""])


def _attributes(node):
    if node.kind == "thread":
        words = "thread " + why_text.who(node)
        if node.item is not None and node.item.place is not None:
            words += "\n" + text.plain(text.place(node.item.place))
        return 'shape=box, fillcolor=%s, label="%s"' % (
            _COLOURS.get(node.what, "white"), _label(words))
    if node.kind == "task":
        words = "task %d" % node.item.number if node.item is not None else "task"
        return 'shape=box, style="rounded,filled", label="%s"' % _label(words)
    return 'shape=ellipse, label="%s"' % _label(why_text.name(node))


def _label(words):
    return "\\n".join(graphviz.quoted(escaped.shown(line)) for line in words.split("\n"))
