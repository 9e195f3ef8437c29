# SPDX-License-Identifier: MIT
"""`ompd stacks` of several processes: one tree, in which threads go by rank, or by process."""

from __future__ import annotations

from openmp_inspect.core import text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import stack_tree

if TYPE_CHECKING:
    from typing import Dict, List, Sequence, Tuple
    from ompd_command.look import Answer


def lines(answers: Sequence[Answer]) -> List[str]:
    """The tree of what "ompd stacks -json" has said of each process."""
    root = stack_tree.Tree()
    owners: List[Tuple[int, int]] = []  # by a thread's number in the tree: whose it is, and its id
    for owner, answer in enumerate(answers):
        for leaf in answer.said:
            for thread in leaf["threads"]:
                root.add(leaf["steps"], len(owners))
                owners.append((owner, thread))
    by_rank = all(answer.rank is not None for answer in answers)

    def named(numbers: Sequence[int]) -> str:
        found: Dict[int, List[int]] = {}
        for number in numbers:
            owner, thread = owners[number]
            found.setdefault(owner, []).append(thread)
        if by_rank:
            return "rank" + "s" * (len(found) > 1) + " " + text.ranges(
                answers[owner].rank or 0 for owner in found)
        return ", ".join("%s: %s" % (answers[owner].name, text.ranges(threads))
                         for owner, threads in found.items())

    return ["%s of %d processes" % (text.count(len(owners), "thread"), len(answers)),
            *stack_tree.drawn(root, named)]
