# SPDX-License-Identifier: MIT
"""Verdicts of a page: the sentence and the lines of each, and the source that it is about; and the stacks
of their threads."""

from __future__ import annotations

from openmp_inspect.core import text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import html_text

if TYPE_CHECKING:
    from typing import Any, Dict, List, Sequence
    from openmp_inspect.report.html_links import Links

    Facts = Dict[str, Any]

MOST = 32
_NO_LABEL = " " * 6
_MOST_OPEN = 4  # stacks that are seen at once


def verdicts(facts: Facts, links: Links) -> str:
    """The section of those of page_facts.py."""
    found = list(zip(facts["why"]["verdicts"], facts["headings"], facts["lines"], facts["sources"]))
    result = [_verdict(*one, links) for one in found[:MOST]]
    left_out = len(facts["why"]["verdicts"]) - len(result)
    if left_out:
        result.append(html_text.text("p", "%s: ompd why -json" % text.count(
            left_out, "further verdict"), class_="remark"))
    unknown = facts["why"]["unknown"]
    if unknown:
        result.append(html_text.text("p", "Not known: %s." % "; ".join(unknown), class_="remark"))
    return "\n".join(result)


def _verdict(said: Facts, heading: str, lines: Sequence[str], sources: Sequence[Facts],
             links: Links) -> str:
    """What is SAID by a verdict, as "ompd why -json" has it, and the LINES below its sentence."""
    certainty = said["certainty"]
    heading = html_text.text("h3", heading) if certainty is None else html_text.element("h3", "%s %s %s" % (
            html_text.text("span", said["kind"] + ":", class_="kind"),
            html_text.words(said["sentence"]),
            html_text.text("span", "[%s]" % certainty, class_="mark")))
    known = {*said.get("threads", ()), *said.get("others", ())}
    below = html_text.element("pre", "".join(html_text.element(
        "span", html_text.words(line) + "\n", class_="more" if line.startswith(_NO_LABEL) else None,
        **about) for line, about in zip(lines, links.of_lines(lines, known))), class_="lines picks")
    return html_text.element("article", heading + below * bool(lines) + html_text.element(
        "div", "".join(_source(one, links) for one in sources), class_="sources") * bool(sources),
        class_="verdict %s" % (certainty or "nothing"))


def _source(source: Facts, links: Links) -> str:
    """Some lines of a file, with the one that is meant."""
    first, digits = source["first"], len(str(source["first"] + len(source["lines"])))
    lines = ["%*d  %s" % (digits, number, line)
             for number, line in enumerate(source["lines"], first)]
    whose = source["threads"]
    title = "%s %s%s%s" % (
        source["word"], source["place"], ", thread%s %s" % ("s" * (len(whose) > 1), text.threads(whose))
        if whose else "", ", changed since the program was made" * source["is_newer"])
    return html_text.element("figure", html_text.text("figcaption", title) + html_text.element(
        "pre", "\n".join(html_text.text("mark" if number == source["line"] else "span", line)
                         for number, line in enumerate(lines, first))), **links.of_threads(whose, ""))


def stacks(found: List[Facts], links: Links) -> str:
    """The section of the stacks of threads, as thread_backtrace.of_threads() has them."""
    return "\n".join(html_text.element("details", html_text.text(
        "summary", one["name"], **links.of_threads([one["thread"]], "")) + html_text.block(one["lines"]),
        open="" if at < _MOST_OPEN else None) for at, one in enumerate(found))
