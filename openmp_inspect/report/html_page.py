# SPDX-License-Identifier: MIT
"""A page about a program at one look."""

from __future__ import annotations

from openmp_inspect.core import screen, text, whole_file
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import html_document, html_graph, html_icicle, html_links, html_tables, \
    html_text, html_threads, html_timeline, html_verdicts, stack_tree

if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List, Sequence, Tuple
    from openmp_inspect.report.html_links import Links

    Facts = Dict[str, Any]  # as page_facts.py makes them

_MOST_LINES = 4096  # of the tree of stacks


def write(facts: Facts, path: str) -> None:
    """Writes the page of FACTS to PATH, or UserError."""
    whole_file.write(path, page(facts))


def page(facts: Facts) -> str:
    """The page of FACTS."""
    with screen.document():
        return html_document.document(
            _process(facts), facts["headings"][0], _summary(facts), list(_parts(facts)),
            "Made by ompd %s at %s. ~ is inferred from stacks or the source." % (
                facts["version"], facts["time"]))


def _process(facts: Facts) -> str:
    why = facts["why"]
    which = why["core"] or "process %s" % why["pid"]
    return "%s, %s" % (why["program"], which) if why.get("program") else which


def _summary(facts: Facts) -> str:
    """The line below its name."""
    why = facts["why"]
    rank, size, host = why.get("rank"), why.get("size"), why.get("host")
    words = [None if rank is None else "rank %s%s" % (rank, " of %s" % size if size else ""),
             text.count(len(facts["threads"]) - 1, "thread"), host and "on %s" % host,
             "looked at %s" % facts["time"]]
    return ", ".join(filter(None, words))


# Sections

def _parts(facts: Facts) -> Iterator[Tuple[str, str, str]]:
    """(id, title, content) of each section."""
    links = html_links.Links(facts["graph"])
    yield "verdicts", "Verdicts", html_verdicts.verdicts(facts, links)
    if facts["graph"]["edges"]:
        yield "graph", "Wait-for graph", _graph(facts["graph"], links)
    if facts["backtraces"]:
        yield "backtraces", "Backtraces", html_verdicts.stacks(facts["backtraces"], links)
    if facts["stacks"]:
        yield "stacks", "Stacks", _stacks(facts["stacks"], links)
    history = html_timeline.timeline(facts["history"], links)
    if history:
        yield "timeline", "Timeline", history
    yield "threads", "Threads", html_threads.threads(facts, links)
    if len(facts["tasks"]) > 1:
        yield "tasks", "Tasks", _tasks(facts["tasks"], links)
    yield "doctor", "Doctor", _doctor(facts)
    yield "process", "Process", _rows(facts["process"])


def _graph(graph: Facts, links: Links) -> str:
    left_out = graph["left_out"]
    return html_text.element("div", html_graph.drawing(graph, links), class_="scroll", tabindex=0,
                             role="region", aria_label="Wait-for graph") + \
        html_text.text("p", "Boxes are threads, rounded ones what they wait for. Dashed and ~: "
                       "inferred. Thick: a cycle." + (
                           " %s left out." % text.count(left_out, "further node")
                           if left_out else ""), class_="remark") + \
        html_text.element("details", "<summary>The graph as text</summary>" +
                          html_graph.listed(graph))


def _stacks(leaves: List[Facts], links: Links) -> str:
    drawn = stack_tree.drawn(stack_tree.of_leaves(leaves))
    more = len(drawn) - _MOST_LINES
    if more > 0:
        drawn = drawn[:_MOST_LINES] + ["%s: ompd stacks" % text.count(more, "further line")]
    return html_text.element("div", html_icicle.icicle(leaves, links), class_="scroll") + \
        html_text.text("p", "From main downwards, as wide as there are threads, few of which are drawn "
                       "wider. In angle brackets: where in the runtime they are.", class_="remark") + \
        html_text.element("details", "<summary>The stacks as text</summary>" +
                          html_text.block(drawn))


def _tasks(rows: List[List[str]], links: Links) -> str:
    column = rows[0].index("Thread")
    return html_tables.table(rows, "Tasks", "ompd tasks",
                             [links.of_task(row[0], row[column]) for row in rows[1:]])


def _doctor(facts: Facts) -> str:
    head, *lines = facts["doctor_lines"]
    head = head.replace("doctor: ", "", 1)
    return html_text.text("p", head) + (html_text.block(lines) if lines else "")


def _rows(rows: Sequence[Sequence[str]]) -> str:
    """Of [name, value]."""
    return html_text.element("dl", "".join(html_text.element("div", html_text.text(
        "dt", name) + html_text.text("dd", value)) for name, value in rows))
