# SPDX-License-Identifier: MIT
"""A page about a program at one look: one file that loads nothing, is whole without its script, and
has names of the target as text only."""

from __future__ import annotations

import base64
import collections
import hashlib
import os

from openmp_inspect.core import screen, text, whole_file
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import html_graph, html_icicle, html_tables, html_text, stack_tree, \
    why_text

if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List, Sequence, Tuple

    Facts = Dict[str, Any]  # as page_facts.py makes them

_HERE = os.path.dirname(os.path.abspath(__file__))
_MOST_VERDICTS = 32
_MOST_LINES = 4096  # of the tree of stacks
_STATUS = ("runtime", "tracking", "tool", "hooks", "library")


def write(facts: Facts, path: str) -> None:
    """Writes the page of FACTS to PATH, or UserError."""
    whole_file.write(path, page(facts))


def page(facts: Facts) -> str:
    """The page of FACTS."""
    with screen.document():
        parts = list(_parts(facts))
        style, script = _read("page.css"), _read("page.js")
        return "<!DOCTYPE html>\n" + html_text.element("html", "\n%s\n%s\n" % (
            html_text.element("head", _head(facts, style, script)),
            html_text.element("body", _body(facts, parts) + html_text.element("script", script))),
            lang="en") + "\n"


def _read(name: str) -> str:
    with open(os.path.join(_HERE, name), encoding="utf-8") as stream:
        return "\n" + stream.read()


def _head(facts: Facts, style: str, script: str) -> str:
    policy = "default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; " \
        "form-action 'none'" % (_hash(style), _hash(script))
    return "\n".join((
        '<meta charset="utf-8">',
        '<meta http-equiv="Content-Security-Policy" content="%s">' % policy,
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        '<meta name="referrer" content="no-referrer">',
        html_text.text("title", "%s: %s" % (_process(facts), _sentence(facts))),
        html_text.element("style", style)))


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def _body(facts: Facts, parts: Sequence[Tuple[str, str, str]]) -> str:
    links = "".join(html_text.element("li", html_text.text("a", title, href="#" + name))
                    for name, title, _ in parts)
    sections = "\n".join(html_text.element(
        "section", html_text.text("h2", title, id=name + "-title") + content,
        id=name, aria_labelledby=name + "-title") for name, title, content in parts)
    return "\n".join((
        '<a class="skip" href="#verdicts">Skip to the verdicts</a>',
        html_text.element("header", html_text.text("h1", _process(facts)) + _identity(facts)),
        html_text.element("nav", html_text.element("ul", links), aria_label="Sections"),
        html_text.element("main", sections),
        html_text.element("footer", html_text.text("p", "Made by ompd %s at %s. ~ is inferred from "
                                                   "stacks or the source." % (
                                                       facts["version"], facts["time"])))))


def _process(facts: Facts) -> str:
    why = facts["why"]
    which = why["core"] or "process %s" % why["pid"]
    return "%s, %s" % (why["program"], which) if why.get("program") else which


def _sentence(facts: Facts) -> str:
    """That of the first verdict."""
    verdict = facts["why"]["verdicts"][0]
    return why_text.headline(verdict["kind"], verdict["sentence"])


def _identity(facts: Facts) -> str:
    why = facts["why"]
    rank = why.get("rank")
    rows = [("looked at", facts["time"]), ("host", why.get("host")),
            ("process id", why["pid"]), ("core", why["core"]),
            ("rank", rank if rank is None or not why.get("size") else
             "%s of %s" % (rank, why["size"])),
            ("job", why.get("job")), ("threads", len(facts["threads"]) - 1)]
    status = facts["status"]
    rows += [(name, status.get(name)) for name in _STATUS]
    return html_text.element("dl", "".join(
        html_text.element("div", html_text.text("dt", name) + html_text.text(
            "dd", "; ".join(value) if isinstance(value, list) else value))
        for name, value in rows if value not in (None, "")))


# Sections

def _parts(facts: Facts) -> Iterator[Tuple[str, str, str]]:
    """(id, title, content) of each section."""
    yield "verdicts", "Verdicts", _verdicts(facts)
    if facts["graph"]["edges"]:
        yield "graph", "Wait-for graph", _graph(facts["graph"])
    if facts["stacks"]:
        yield "stacks", "Stacks", _stacks(facts["stacks"])
    yield "threads", "Threads", _threads(facts)
    if len(facts["tasks"]) > 1:
        yield "tasks", "Tasks", html_tables.table(facts["tasks"], "Tasks", "ompd tasks")
    yield "doctor", "Doctor", _doctor(facts)


def _verdicts(facts: Facts) -> str:
    found = list(zip(facts["why"]["verdicts"], facts["lines"]))
    result = [_verdict(verdict, lines) for verdict, lines in found[:_MOST_VERDICTS]]
    if len(found) > _MOST_VERDICTS:
        result.append(html_text.text("p", "%s: ompd why -json" % text.count(
            len(found) - _MOST_VERDICTS, "further verdict"), class_="remark"))
    unknown = facts["why"]["unknown"]
    if unknown:
        result.append(html_text.text("p", "Not known: %s." % "; ".join(unknown), class_="remark"))
    return "\n".join(result)


def _verdict(verdict: Facts, lines: Sequence[str]) -> str:
    """One verdict: what its LINES on the screen begin with is its heading."""
    certainty = verdict["certainty"]
    # The sentence may be broken; what follows it is indented.
    head = next((at for at, line in enumerate(lines) if line.startswith(" ")), len(lines))
    heading = html_text.text("h3", " ".join(lines[:head])) if certainty is None else \
        html_text.element("h3", "%s %s %s" % (
            html_text.text("span", verdict["kind"] + ":", class_="kind"),
            html_text.words(verdict["sentence"]),
            html_text.text("span", "[%s]" % certainty, class_="mark")))
    rest = html_text.block(lines[head:]) if lines[head:] else ""
    return html_text.element("article", heading + rest,
                             class_="verdict %s" % (certainty or "nothing"))


def _graph(graph: Facts) -> str:
    left_out = graph["left_out"]
    return html_text.element("div", html_graph.drawing(graph), class_="scroll", tabindex=0,
                             role="region", aria_label="Wait-for graph") + \
        html_text.text("p", "Boxes are threads, rounded ones what they wait for. Dashed and ~: "
                       "inferred. Thick: a cycle." + (
                           " %s left out." % text.count(left_out, "further node")
                           if left_out else ""), class_="remark") + \
        html_text.element("details", "<summary>The graph as text</summary>" +
                          html_graph.listed(graph))


def _stacks(leaves: List[Facts]) -> str:
    drawn = stack_tree.drawn(stack_tree.of_leaves(leaves))
    more = len(drawn) - _MOST_LINES
    if more > 0:
        drawn = drawn[:_MOST_LINES] + ["%s: ompd stacks" % text.count(more, "further line")]
    return html_text.element("div", html_icicle.icicle(leaves), class_="scroll") + \
        html_text.text("p", "From main downwards, as wide as there are threads. In angle brackets: "
                       "where in the runtime they are.", class_="remark") + \
        html_text.element("details", "<summary>The stacks as text</summary>" +
                          html_text.block(drawn))


def _threads(facts: Facts) -> str:
    head, *rows = facts["threads"]
    column = head.index("State")
    states = collections.Counter(row[column].lstrip("~") for row in rows)
    summary = ", ".join("%d %s" % (count, state) for state, count in states.most_common())
    return html_text.text("p", summary, class_="remark") + \
        html_tables.table(facts["threads"], "Threads", "ompd threads") + \
        (html_text.text("p", "The program claims more threads than were listed.", class_="remark")
         if facts["more_threads"] else "")


def _doctor(facts: Facts) -> str:
    head, *lines = facts["doctor_lines"]
    head = head.replace("doctor: ", "", 1)
    return html_text.text("p", head) + (html_text.block(lines) if lines else "")
