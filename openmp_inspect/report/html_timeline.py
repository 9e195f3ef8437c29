# SPDX-License-Identifier: MIT
"""What threads did last, as a figure: a row for each, its waits as bars, on one clock. All that was since the
last event is its right edge: a hang is much longer than what was before."""

from __future__ import annotations

from openmp_inspect.core import text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import html_text

if TYPE_CHECKING:
    from typing import Any, Dict, List, Sequence
    from openmp_inspect.report.html_links import Links

    Facts = Dict[str, Any]

_ROW, _BAR = 20, 14
_MOST_THREADS = 48
_SINCE = 88  # percent: where what was since the last event begins
_LEAST = 0.25  # percent: of a bar


def timeline(events: Sequence[Facts], links: Links) -> str:
    """The section of what history_list.facts() has found; nothing where no times are known."""
    known = [event for event in events if event["seconds"] is not None]
    if not known:
        return ""
    rows: Dict[int, List[Facts]] = {}
    for event in sorted(known, key=lambda event: not event["open"]):
        rows.setdefault(event["thread"], []).append(event)
    first = min(event["seconds"] for event in known)
    last = max(event["seconds"] + (event["waited_seconds"] or 0) * (not event["open"]) for event in known)
    drawn = [html_text.element("div", html_text.text("span", text.thread(thread)) + html_text.element(
        "svg", "".join(_event(event, first, last) for event in some), width="100%", height=_ROW),
        **links.of_threads([thread], "")) for thread, some in list(rows.items())[:_MOST_THREADS]]
    more = len(rows) - _MOST_THREADS
    return html_text.element("div", "\n".join(drawn), class_="timeline picks", role="group",
                             aria_label="Timeline") + \
        html_text.text("p", "From %.6f s to %.6f s, 0 being the stop, of a core the last event: %s; then "
                       "what has lasted since. Bars are waits, red ones are not over; lines are other "
                       "events.%s" % (first, last, text.count(len(known), "event"),
                                      " %s: ompd history." % text.count(more, "further thread")
                                      if more > 0 else ""), class_="remark")


def _event(event: Facts, first: float, last: float) -> str:
    def percent(seconds: float) -> float:
        return _SINCE * (seconds - first) / max(last - first, 1e-9)

    left = percent(event["seconds"])
    right = 100.0 if event["open"] else percent(event["seconds"] + (event["waited_seconds"] or 0))
    place = " at %s:%d" % (text.file_name(event["file"]), event["line"]) if event["line"] else ""
    title = "%.6f s: %s%s" % (event["seconds"], event["words"], place)
    is_wait = event["open"] or event["waited_seconds"]
    return html_text.element(
        "rect", html_text.text("title", title), class_="open" if event["open"] else
        "wait" if is_wait else None, x="%.3f%%" % left, y=(_ROW - _BAR) // 2, height=_BAR,
        width="%.3f%%" % max(right - left, _LEAST) if is_wait else 1)
