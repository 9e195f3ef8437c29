# SPDX-License-Identifier: MIT
"""Tasks, and who waits for whom, as graphs in the language of graphviz's "dot", drawn by it where
it is there."""

from __future__ import annotations

import os
import re
import subprocess

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.core import escaped, screen, text, whole_file
from openmp_inspect.core.errors import UserError
from openmp_inspect.report import graph_layout

if TYPE_CHECKING:
    from typing import Any, Dict, Sequence
    from subprocess import CompletedProcess
    from openmp_inspect.analysis.task_rows import TaskRow, TaskRows

_TASKS = {"running": "palegreen", "waiting": "lightsalmon", "suspended": "khaki",
          "ready": "lightblue", "detached": "plum", "completed": "gray90"}
_THREADS = {"works": "palegreen", "waits": "lightsalmon", "idle": "gray90", "asleep": "khaki",
            "mpi": "khaki", "endless": "tomato", "crashed": "tomato", "ended": "gray70",
            "absent": "gray70"}
_DRAWN = (".svg", ".png", ".pdf", ".ps")
_LONGEST = 120  # seconds for drawing


def of_tasks(rows: TaskRows, chosen: Sequence[TaskRow]) -> str:
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
                label = "%s %s" % (kinds[1], rows.object(address)) \
                    if address else ""
                lines.append('    t%d -> t%d [label="%s"];' % (
                    one.number, row.number, _quoted(label)))
    return "\n".join(lines + ["}", ""])


def of_waits(graph: Dict[str, Any], title: str) -> str:
    """What wait_graph.facts() has found, below a TITLE: threads as boxes, what they wait for as
    ellipses; inferred links dashed, those of a cycle bold."""
    lines = ["digraph waits {", '    label="%s"; labelloc=t;' % _label(title),
             "    node [style=filled, fillcolor=white];"]
    nodes, edges = graph["nodes"], graph["edges"]
    cycle = graph_layout.cycle_of([(edge["from"], edge["to"]) for edge in edges], len(nodes))
    lines += ["    n%d [%s];" % (node["id"], _attributes(node)) for node in nodes]
    for edge in edges:
        one, other = edge["from"], edge["to"]
        styles = ["dashed"] * edge["inferred"] + ["bold"] * graph_layout.is_within(
            cycle, one, other)
        lines.append('    n%d -> n%d [label="%s", style="%s"];' % (
            one, other, edge["relation"], ",".join(styles) or "solid"))
    return "\n".join(lines + ["}", ""])


def _attributes(node: Dict[str, Any]) -> str:
    label = _label("\n".join(filter(None, (node["name"], node["state"],
                                           text.plain(node["place"])))))
    if node["kind"] == "thread":
        return 'shape=box, fillcolor=%s, label="%s"' % (_THREADS.get(node["what"], "white"), label)
    if node["kind"] == "task":
        return 'shape=box, style="rounded,filled", label="%s"' % label
    return 'shape=ellipse, label="%s"' % label


def _label(words: str) -> str:
    return "\\n".join(_quoted(escaped.shown(line)) for line in words.split("\n"))


def _quoted(word: str) -> str:
    """A word between the quotes of a label."""
    return re.sub(r"[\x00-\x1f]", " ", word).replace("\\", "\\\\").replace('"', '\\"')


def _drawn(description: str, kind: str) -> CompletedProcess[bytes]:
    try:
        return subprocess.run(["dot", "-T" + kind[1:]], check=False,
                              input=screen.printable(description).encode(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=_LONGEST)
    except FileNotFoundError:
        raise UserError('"dot" of graphviz, which draws %s, is not installed: a name '
                           'that ends with .dot gets the text.' % kind) from None


def write(description: str, path: str) -> None:
    """To PATH; as a picture when its name ends like one. UserError when that fails."""
    kind = os.path.splitext(path)[1].lower()
    if kind not in _DRAWN:
        whole_file.write(path, description)
        return
    try:
        done = _drawn(description, kind)
    except subprocess.TimeoutExpired:
        raise UserError('"dot" timed out on this graph: a name that ends '
                           "with .dot gets the text.") from None
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason"]
        raise UserError('"dot" could not draw %s: %s' % (path, reason[0]))
    whole_file.write(path, done.stdout)
