# SPDX-License-Identifier: MIT
"""The tree into which stacks are merged: as leaves, and drawn as text."""

from __future__ import annotations

from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.core import escaped, screen, text, tree
from openmp_inspect.core.text import sign

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

_LONGEST_PATTERN = 16  # steps
_MOST_SHOWN = 32  # steps at each end of a line
_MOST_RANGES = 16  # of threads


class Tree:
    """`steps`: what all threads below have in common; then `children` differ, and the
    threads in `ended` go no further."""

    def __init__(self) -> None:
        self.children: Dict[str, Tree] = {}
        self.ended: List[int] = []
        self.threads: List[int] = []

    def add(self, path: Sequence[str], thread: int) -> None:
        node = self
        node.threads.append(thread)
        for step in path:
            node = node.children.setdefault(step, Tree())
            node.threads.append(thread)
        node.ended.append(thread)


def of_leaves(found: Iterable[Dict[str, Any]]) -> Tree:
    """The Tree again that leaves() gives."""
    root = Tree()
    for leaf in found:
        for number in leaf["threads"]:
            root.add(leaf["steps"], number)
    return root


def leaves(root: Tree) -> List[Dict[str, Any]]:
    """The tree as objects: where threads ended, with the steps to there."""
    found: List[Tuple[List[int], List[str]]] = []
    steps: List[str] = []
    waiting: List[Tuple[Tree, int, Optional[str]]] = [(root, 0, None)]
    while waiting:
        node, above, step = waiting.pop()
        del steps[above:]
        if step is not None:
            steps.append(step)
        if node.ended:
            found.append((sorted(node.ended), list(steps)))
        waiting += [(child, len(steps), step) for step, child in node.children.items()]
    return [{"threads": threads, "steps": steps} for threads, steps in sorted(found)]


def _threads(numbers: Sequence[int]) -> str:
    """Which threads these are, without the middle of what is too long to be read."""
    ranges = text.threads(numbers).split()
    if len(ranges) > _MOST_RANGES:
        ranges[_MOST_RANGES - 1:-1] = [sign("\u2026", "...")]
    return " ".join(ranges)


def drawn(root: Tree, named: Callable[[Sequence[int]], str] = _threads) -> List[str]:
    """The tree as text: runs of steps without a fork are one line. NAMED says which threads these
    are."""
    result: List[str] = []
    width = len(str(len(root.threads)))
    runs = tree.walk([_Run([], root)], lambda run: _forks(run.end))
    next(runs)  # before the first steps nothing is drawn
    for (steps, node), lead in runs:
        below = tree.continued(lead)
        result += _wrapped("%s%*d  " % (lead, width, len(node.threads)),
                           shortened(folded([escaped.shown(step) for step in steps])),
                           named(node.threads),
                           below + sign("\u2502  ", "|  ") if node.children else below)
    return result


class _Run(NamedTuple):
    steps: List[str]
    end: Tree  # where threads differ, or some go no further


def _forks(node: Tree) -> List[_Run]:
    """How the threads of a node go on: most first, last those that do not."""
    found = [_run(step, child) for step, child in sorted(
        node.children.items(), key=lambda item: (-len(item[1].threads), item[1].threads[0]))]
    if node.ended and node.children:
        stays = Tree()
        stays.ended = stays.threads = node.ended
        found.append(_Run(["(here)"], stays))
    return found


def _run(step: str, node: Tree) -> _Run:
    steps = [step]
    while len(node.children) == 1 and not node.ended:
        (step, node), = node.children.items()
        steps.append(step)
    return _Run(steps, node)


def _wrapped(first: str, steps: Sequence[str], threads: str, continued: str) -> List[str]:
    """Lines of one run of steps, broken between steps as wide as the screen is."""
    arrow = sign("\u2192", ">")
    width = screen.current().width() or 1 << 30
    result, line = [], first + steps[0]
    for step in steps[1:]:
        if len(line) + len(step) + 5 > width:
            result.append(line + " " + arrow)
            line = continued.ljust(len(first) + 2) + step
        else:
            line += " %s %s" % (arrow, step)
    if len(line) + len(threads) + 2 > width:
        result.append(line)
        line = continued.ljust(len(first)) + threads
        return result + [line]
    return result + [line + "  " + threads]


def folded(steps: List[str]) -> List[str]:
    """Recursion in short: what repeats in a row, alone or as a pattern, is written once.

    main a b a b a b c c    becomes    main (a b) \u00d73 c \u00d72"""
    numbers: Dict[str, int] = {}
    keys = [numbers.setdefault(step, len(numbers)) for step in steps]
    result: List[str] = []
    at = 0
    while at < len(steps):
        size, times = _repeated(keys, at)
        block = steps[at:at + size]
        if times > 1:
            block = folded(block) if size > 1 else block
            count = sign(" \u00d7%d", " x%d") % times
            if len(block) > 1:
                block[0], block[-1] = "(" + block[0], block[-1] + ")"
            block[-1] += count
        result += block
        at += size * times
    return result


def _repeated(keys: Sequence[int], at: int) -> Tuple[int, int]:
    """(size, times) of the pattern from AT on that covers most; (1, 1) if nothing repeats."""
    best = 1, 1
    for size in range(1, _LONGEST_PATTERN + 1):
        end = at + size
        while end < len(keys) and keys[end] == keys[end - size]:
            end += 1
        times = (end - at) // size
        if times > 1 and size * times > best[0] * best[1]:
            best = size, times
    return best


def shortened(steps: List[str]) -> List[str]:
    """Without the middle of what is too long to be read; -json has all of it."""
    if len(steps) <= 2 * _MOST_SHOWN:
        return steps
    more = sign("\u2026 %d more \u2026", "... %d more ...") % (len(steps) - 2 * _MOST_SHOWN)
    return steps[:_MOST_SHOWN] + [more] + steps[-_MOST_SHOWN:]
