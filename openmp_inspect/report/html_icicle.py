# SPDX-License-Identifier: MIT
"""Stacks of all threads as an icicle: main on top, each frame as wide as it has threads."""

from __future__ import annotations

from openmp_inspect.core import text
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.report import html_text, stack_tree

if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List, Sequence, Tuple
    from openmp_inspect.report.stack_tree import Tree

_HEIGHT = 20  # of a frame
_MOST_DEEP = 64  # frames: recursion is folded, and the middle of what is still deeper left out
_MOST_FRAMES = 4096
_LEAST = 4000  # of this part of the width none is drawn
_INDENT = 5
_BASE = 14  # of letters


class _Frame(NamedTuple):
    name: str
    level: int
    at: int  # threads to the left of it
    tree: Tree


def icicle(leaves: Sequence[Dict[str, Any]]) -> str:
    """The figure of what stack_tree.leaves() has found."""
    root = stack_tree.of_leaves(_short(leaves))
    frames = list(_frames(root))
    total = len(root.threads)
    depth = max((frame.level for frame in frames), default=0)
    drawn = "\n".join(_drawn(frame, total) for frame in frames)
    return html_text.element(
        "svg", drawn, class_="icicle", role="tree", width="100%", height=_HEIGHT * max(depth, 1),
        aria_label="Stacks of %s" % text.count(total, "thread"), data_total=total)


def _short(leaves: Sequence[Dict[str, Any]]) -> List[Dict[str, Any]]:
    if all(len(leaf["steps"]) <= _MOST_DEEP for leaf in leaves):
        return list(leaves)
    return [dict(leaf, steps=stack_tree.shortened(stack_tree.folded(leaf["steps"])))
            for leaf in leaves]


def _frames(root: Tree) -> Iterator[_Frame]:
    """Each before those that it has called; of children those with most threads first."""
    total = len(root.threads)
    waiting: List[_Frame] = [_Frame("", 0, 0, root)]
    made = 0
    while waiting and made < _MOST_FRAMES:
        frame = waiting.pop()
        if frame.level:
            made += 1
            yield frame
        waiting += reversed(list(_children(frame, total)))


def _children(frame: _Frame, total: int) -> Iterator[_Frame]:
    at = frame.at
    for name, tree in _in_order(frame.tree):
        if len(tree.threads) * _LEAST >= total:
            yield _Frame(name, frame.level + 1, at, tree)
        at += len(tree.threads)


def _in_order(tree: Tree) -> List[Tuple[str, Tree]]:
    return sorted(tree.children.items(),
                  key=lambda item: (-len(item[1].threads), item[1].threads[0]))


def _drawn(frame: _Frame, total: int) -> str:
    """One frame: an svg element by itself, so that it cuts off what it has no room for."""
    count = len(frame.tree.threads)
    whole = "%s: %s, %s" % (frame.name, text.count(count, "thread"),
                            text.threads(sorted(frame.tree.threads)))
    return html_text.element(
        "svg", html_text.text("title", whole) + '<rect width="100%%" height="%d"/>' %
        (_HEIGHT - 1) + html_text.text("text", "%s  %d" % (frame.name, count) if count > 1 else
                                       frame.name, x=_INDENT, y=_BASE),
        class_=_kind(frame.name), x=_percent(frame.at, total), width=_percent(count, total),
        y=(frame.level - 1) * _HEIGHT, height=_HEIGHT, role="treeitem", aria_level=frame.level,
        aria_label=whole, tabindex=0 if frame.level == 1 and not frame.at else -1,
        data_at=frame.at, data_count=count)


def _kind(name: str) -> str:
    if name.startswith("<"):
        return "frame inside"
    return "frame construct" if name.startswith(("#", "!$")) else "frame"


def _percent(part: int, total: int) -> str:
    return "%.4f%%" % (100 * part / max(total, 1))
