# SPDX-License-Identifier: MIT
"""Stacks of many threads merged by their common beginnings."""

import gdb

from ompd import escaped, names, text
from ompd.text import sign


class Tree:
    """`steps`: what all threads below have in common; then `children` differ, and the
    threads in `ended` go no further."""

    def __init__(self):
        self.children = {}
        self.ended = []
        self.threads = []

    def add(self, path, thread):
        node = self
        node.threads.append(thread)
        for step in path:
            node = node.children.setdefault(step, Tree())
            node.threads.append(thread)
        node.ended.append(thread)


def path(told, thread, lines):
    """The steps from main to where a thread is."""
    if thread.is_running():
        return ["(running)"]
    steps = []
    rows = told.rows(thread, created=False)
    system = False
    for row in reversed(rows):
        if row.frame is not None and row.frame.system and system:
            continue  # the program called the outer one; how libc goes on is its own affair
        system = row.frame is not None and row.frame.system
        if row.frame is not None:
            steps.append(_frame(row.frame, lines))
        elif row.label.kind == "other":
            continue
        else:
            steps.append(_label(row.label))
    return steps or ["<runtime>"]


def _frame(frame, lines):
    name = names.brief(frame.function or "") or "%#x" % frame.address
    if lines and frame.file and frame.line:
        return "%s:%d" % (name, frame.line)
    return name


def _label(label):
    words = label.words
    if label.place is not None and label.place.file and label.place.line:
        words += " %s:%d" % (text.file_base(label.place.file), label.place.line)
    return "<%s>" % words if label.kind == "inside" else words


def leaves(tree):
    """The tree as objects: where threads ended, with the steps to there."""
    result = []
    waiting = [(tree, [])]
    while waiting:
        node, steps = waiting.pop()
        if node.ended:
            result.append({"threads": sorted(node.ended), "steps": steps})
        waiting += [(child, steps + [step]) for step, child in node.children.items()]
    return sorted(result, key=lambda leaf: leaf["threads"])


def lines(tree):
    """The tree as text: runs of steps without a fork are one line."""
    result = []
    # Not recursive: a stack may be deeper than Python's.
    waiting = [(tree, "", True, None)]
    width = len(str(len(tree.threads)))
    while waiting:
        node, lead, last, step = waiting.pop()
        steps = [] if step is None else [step]
        while len(node.children) == 1 and not node.ended:
            (step, node), = node.children.items()
            steps.append(step)
        below = lead
        if steps:
            branch = sign("\u2514\u2500 ", "`- ") if last else sign("\u251c\u2500 ", "|- ")
            continued = lead + ("   " if last else sign("\u2502  ", "|  "))
            if node.children:
                continued += sign("\u2502  ", "|  ")
            result += _wrapped("%s%s%*d  " % (lead, branch, width, len(node.threads)),
                               _collapsed(map(escaped.shown, steps)),
                               text.ranges(node.threads), continued)
            below = lead + ("   " if last else sign("\u2502  ", "|  "))
        children = sorted(node.children.items(), key=lambda item: (-len(item[1].threads),
                                                                   item[1].threads[0]))
        forks = [(child, below, False, step) for step, child in children]
        if node.ended and node.children:
            stays = Tree()
            stays.ended = stays.threads = node.ended
            forks.append((stays, below, False, "(here)"))
        if forks:
            forks[-1] = forks[-1][:2] + (True,) + forks[-1][3:]
        waiting += reversed(forks)
    return result


def _wrapped(first, steps, threads, continued):
    """Lines of one run of steps, broken between steps as wide as gdb's screen is."""
    arrow = sign("\u2192", ">")
    screen = gdb.parameter("width") or 1 << 30
    result, line = [], first + steps[0]
    for step in steps[1:]:
        if len(line) + len(step) + 5 > screen:
            result.append(line + " " + arrow)
            line = continued.ljust(len(first) + 2) + step
        else:
            line += " %s %s" % (arrow, step)
    if len(line) + len(threads) + 2 > screen:
        result.append(line)
        line = continued.ljust(len(first)) + threads
        return result + [line]
    return result + [line + "  " + threads]


def _collapsed(steps):
    """Recursion in short: equal steps in a row are counted."""
    result = []
    for step in steps:
        if result and result[-1][0] == step:
            result[-1][1] += 1
        else:
            result.append([step, 1])
    times = sign(" \u00d7%d", " x%d")
    return [step if n == 1 else step + times % n for step, n in result]
