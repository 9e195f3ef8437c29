# SPDX-License-Identifier: MIT
"""Stacks of all threads as an icicle: main on top, each frame as wide as it has threads, but wide enough to
be seen."""

from __future__ import annotations

from openmp_inspect.core import text
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.report import html_text, stack_tree

if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple
    from openmp_inspect.report.html_links import Links
    from openmp_inspect.report.stack_tree import Tree

_HEIGHT = 20  # of a frame
_MOST_DEEP = 64  # frames: recursion is folded, and the middle of what is still deeper left out
_MOST_FRAMES = 1024
_MOST_CALLED = 24  # frames by one; the others are drawn as one
_LEAST = 1 / 20  # of the threads: what a frame is as wide as that has fewer
_INDENT = 5
_BASE = 14  # of letters


class _Frame(NamedTuple):
    """`at`, `width`: in threads."""

    name: str
    level: int
    at: float
    width: float
    threads: List[int]


def icicle(leaves: Sequence[Dict[str, Any]], links: Optional[Links], noun: str = "thread") -> str:
    """The figure of what stack_tree.leaves() has found; or of what has another NOUN, and no LINKS."""
    root = stack_tree.of_leaves(_short(leaves))
    whole, *frames = _frames("", root, 0, 0, _LEAST * len(root.threads))
    frames = frames[:_MOST_FRAMES]
    depth = max((frame.level for frame in frames), default=0)
    drawn = "\n".join(_drawn(frame, whole.width, links, noun) for frame in frames)
    return html_text.element(
        "svg", drawn, class_="icicle", role="tree", width="100%", height=_HEIGHT * max(depth, 1),
        aria_label="Stacks of %s" % text.count(len(root.threads), noun),
        data_total="%.6g" % whole.width)


def _short(leaves: Sequence[Dict[str, Any]]) -> List[Dict[str, Any]]:
    if all(len(leaf["steps"]) <= _MOST_DEEP for leaf in leaves):
        return list(leaves)
    return [dict(leaf, steps=stack_tree.shortened(stack_tree.folded(leaf["steps"])))
            for leaf in leaves]


def _frames(name: str, tree: Tree, level: int, at: float, least: float) -> List[_Frame]:
    """That of a TREE, and behind it those that it has called."""
    found: List[_Frame] = []
    right = at
    for called, below in _called(tree):
        some = _frames(called, below, level + 1, right, least)
        right += some[0].width
        found += some
    return [_Frame(name, level, at, max(right - at + len(tree.ended), least), tree.threads), *found]


def _called(tree: Tree) -> Iterator[Tuple[str, Tree]]:
    """Those with most threads first."""
    found = sorted(tree.children.items(),
                   key=lambda item: (-len(item[1].threads), item[1].threads[0]))
    yield from found[:_MOST_CALLED]
    others = stack_tree.Tree()
    for _, one in found[_MOST_CALLED:]:
        others.threads += one.threads
    if others.threads:
        others.ended = others.threads
        yield "... %d others" % len(found[_MOST_CALLED:]), others


def _drawn(frame: _Frame, total: float, links: Optional[Links], noun: str) -> str:
    """One frame: an svg element by itself, so that it cuts off what it has no room for."""
    count = len(frame.threads)
    whole = "%s: %s" % (frame.name, text.count(count, noun))
    whole += "" if links is None else ", " + text.threads(frame.threads)
    return html_text.element(
        "svg", html_text.text("title", whole) + '<rect width="100%%" height="%d"/>' %
        (_HEIGHT - 1) + html_text.text("text", "%s  %d" % (frame.name, count) if count > 1 else
                                       frame.name, x=_INDENT, y=_BASE),
        class_=_kind(frame.name), x=_percent(frame.at, total), width=_percent(frame.width, total),
        y=(frame.level - 1) * _HEIGHT, height=_HEIGHT, role="treeitem", aria_level=frame.level,
        tabindex=0 if frame.level == 1 and not frame.at else -1,
        data_at="%.6g" % frame.at, data_width="%.6g" % frame.width,
        **({} if links is None else links.of_threads(frame.threads, "")))


def _kind(name: str) -> str:
    if name.startswith("<"):
        return "frame inside"
    return "frame construct" if name.startswith(("#", "!$")) else "frame"


def _percent(part: float, total: float) -> str:
    return "%.4f%%" % (100 * part / max(total, 1))
