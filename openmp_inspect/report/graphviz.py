# SPDX-License-Identifier: MIT
"""Tasks, and who waits for whom, as graphs in the language of graphviz's "dot", drawn by it where
it is there."""

from __future__ import annotations

import os
import re
import subprocess

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.core import escaped, text
from openmp_inspect.core.errors import UserError
from openmp_inspect.analysis.evidence_items import INFERRED
from openmp_inspect.report import node_words

if TYPE_CHECKING:
    from typing import Sequence
    from subprocess import CompletedProcess
    from openmp_inspect.analysis.evidence_items import Evidence, Node
    from openmp_inspect.analysis.task_rows import Row, Rows

_TASKS = {"running": "palegreen", "waiting": "lightsalmon", "suspended": "khaki",
          "ready": "lightblue", "detached": "plum", "completed": "gray90"}
_THREADS = {"works": "palegreen", "waits": "lightsalmon", "idle": "gray90", "asleep": "khaki",
            "mpi": "khaki", "endless": "tomato", "crashed": "tomato", "ended": "gray70",
            "absent": "gray70"}
_DRAWN = (".svg", ".png", ".pdf", ".ps")
_LONGEST = 120  # seconds for drawing


def of_tasks(rows: Rows, chosen: Sequence[Row]) -> str:
    """The graph of tasks: who created whom, dashed, and who waits for whom."""
    lines = ["digraph tasks {", "    node [shape=box, style=filled, fillcolor=white];"]
    there = {row.number for row in chosen}
    for row in chosen:
        place = text.plain(rows.place(row))
        words = ["task %s" % row.number, place, rows.state(row)]
        if row.thread is not None:
            words.append("thread %s" % rows.thread(row))
        lines.append('    t%d [label="%s", fillcolor=%s];' % (
            row.number, "\\n".join(_quoted(word) for word in words),
            _TASKS.get(row.state or "", "white")))
    for row in chosen:
        if row.parent is not None and row.parent.number in there:
            lines.append("    t%d -> t%d [style=dashed];" % (row.parent.number, row.number))
        for one, address, kinds in row.predecessors:
            if one.number in there:
                label = "%s %s" % (kinds[1], escaped.shown(rows.object(address))) \
                    if address else ""
                lines.append('    t%d -> t%d [label="%s"];' % (
                    one.number, row.number, _quoted(label)))
    return "\n".join(lines + ["}", ""])


def of_waits(found: Evidence) -> str:
    """The wait-for graph of Evidence: threads as boxes, what they wait for as ellipses; inferred
    links dashed."""
    lines = ["digraph waits {", "    node [style=filled, fillcolor=white];"]
    edges = [edge for edge in found.edges.values() if edge.kind != "member"]
    linked = {node for edge in edges for node in (edge.from_, edge.to)}
    for node in found.nodes.values():
        if node in linked or node.kind == "thread" and node.what != "unknown":
            lines.append("    n%d [%s];" % (node.number, _attributes(node)))
    for edge in edges:
        lines.append('    n%d -> n%d [label="%s", style=%s];' % (
            edge.from_.number, edge.to.number, edge.kind,
            "dashed" if edge.witness in INFERRED else "solid"))
    return "\n".join(lines + ["}", ""])


def _attributes(node: Node) -> str:
    if node.kind == "thread":
        words = "thread " + node_words.who(node)
        if node.row is not None and node.row.place is not None:
            words += "\n" + text.plain(text.place(node.row.place))
        return 'shape=box, fillcolor=%s, label="%s"' % (
            _THREADS.get(node.what, "white"), _label(words))
    if node.kind == "task":
        words = "task %d" % node.task.number if node.task is not None else "task"
        return 'shape=box, style="rounded,filled", label="%s"' % _label(words)
    return 'shape=ellipse, label="%s"' % _label(node_words.name(node))


def _label(words: str) -> str:
    return "\\n".join(_quoted(escaped.shown(line)) for line in words.split("\n"))


def _quoted(word: str) -> str:
    """A word between the quotes of a label."""
    return re.sub(r"[\x00-\x1f]", " ", word).replace("\\", "\\\\").replace('"', '\\"')


def _draw(description: str, kind: str, path: str) -> CompletedProcess[bytes]:
    try:
        return subprocess.run(["dot", "-T" + kind[1:], "-o", path], check=False,
                              input=description.encode(errors="replace"), stderr=subprocess.PIPE,
                              timeout=_LONGEST)
    except FileNotFoundError:
        raise UserError('"dot" of graphviz, which draws %s, is not installed: a name '
                           'that ends with .dot gets the text.' % kind) from None


def write(description: str, path: str) -> None:
    """To PATH; as a picture when its name ends like one. UserError when that fails."""
    kind = os.path.splitext(path)[1].lower()
    path = os.path.expanduser(path)
    try:
        if kind not in _DRAWN:
            with open(path, "w", encoding="utf-8", errors="replace") as stream:
                stream.write(description)
            return
        done = _draw(description, kind, path)
    except OSError as error:
        raise UserError("%s cannot be written: %s." % (path, error.strerror)) from None
    except subprocess.TimeoutExpired:
        raise UserError('"dot" timed out on this graph: a name that ends '
                           "with .dot gets the text.") from None
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason"]
        raise UserError('"dot" could not draw %s: %s' % (path, reason[0]))
