# SPDX-License-Identifier: MIT
"""A recording.Recording as a page: its stacks as an icicle, waits of each thread on one clock, and the
steps in which most of the time was."""

from __future__ import annotations

from openmp_inspect.core import build, escaped, screen, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import html_document, html_icicle, html_links, html_tables, html_text, \
    html_timeline

if TYPE_CHECKING:
    from typing import Dict, Iterator, Tuple
    from openmp_inspect.report.recording import Recording

_WIDEST = 2000  # samples that are drawn: of more, as many for so many
_MOST_ROWS = 100
_HEAD = ["Samples", "Share", "Innermost step", "Called by"]


def page(recording: Recording, name: str) -> str:
    """NAME: what was recorded."""
    with screen.document():
        said = "%s, %s" % (text.count(recording.moments, "look"), text.count(recording.samples, "stack"))
        return html_document.document(
            name, said, "%s, recorded until %s" % (
                said, text.moment()),
            list(_parts(recording)), "Made by ompd %s." % build.VERSION)


def _parts(recording: Recording) -> Iterator[Tuple[str, str, str]]:
    stacks = recording.stacks()
    unit = max(1.0, recording.samples / _WIDEST)
    leaves, begin = [], 0
    for steps, count in stacks:
        width = max(1, round(count / unit))
        leaves.append({"steps": list(map(escaped.shown, steps)),
                       "threads": list(range(begin, begin + width))})
        begin += width
    yield "stacks", "Stacks", html_text.element(
        "div", html_icicle.icicle(leaves, None, "sample"), class_="scroll") + html_text.text(
            "p", "From main downwards, as wide as there are samples%s. In angle brackets: waits, and where "
            "in the runtime a thread is." % (" (one for %.0f)" % unit if unit > 1 else ""), class_="remark")
    timeline = html_timeline.timeline(recording.waits(), html_links.Links({"nodes": [], "edges": []}))
    if timeline:
        yield "timeline", "Timeline", timeline
    counts: Dict[Tuple[str, str], int] = {}
    for steps, count in stacks:
        key = escaped.shown(steps[-1]), escaped.shown(steps[-2]) if len(steps) > 1 else "-"
        counts[key] = counts.get(key, 0) + count
    total = max(sum(counts.values()), 1)
    rows = [["%d" % count, "%.1f %%" % (100 * count / total), *key]
            for key, count in sorted(counts.items(), key=lambda one: -one[1])]
    yield "steps", "Steps", html_tables.table(
        [_HEAD, *rows], "Steps", "ompd record -format collapsed", [{}] * len(rows), _MOST_ROWS)
