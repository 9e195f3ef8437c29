# SPDX-License-Identifier: MIT
"""ompd stacks"""

from __future__ import annotations

import gdb

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.core import text
from openmp_inspect.stacks import stitched_stack
from gdb_openmp.host import console, inferiors, options, thread_ids
from gdb_openmp.ui import explanations, merged_stacks, session

if TYPE_CHECKING:
    from typing import Any, Dict, List, Tuple
    from types import SimpleNamespace
    from gdb_openmp.ui.merged_stacks import Tree


class Command(options.Command):
    """Merge the stacks of all threads into one tree.

Usage: ompd stacks [-lines] [-json] [THREAD...]

Each leaf says how many threads are there, by which frames they came from
main, and gdb's numbers of the threads. Workers continue the frames of the
thread that encountered their region. In angle brackets: where in the runtime
they are. What a recursion repeats is written once, with its count.
  -lines     keep calls from different lines of a function apart
  -json      an array of objects, one for each leaf, with the keys threads and
             steps (from main on; those of OpenMP and in the runtime included)
  THREAD...  only these threads, as "1 3-5"; all without"""

    name = "ompd stacks"
    flags = ("lines", "json")
    takes = 1 << 20
    category = gdb.COMMAND_STACK

    def answer(self, given: SimpleNamespace) -> List[Dict[str, Any]]:
        return merged_stacks.leaves(_tree(given)[0])

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        tree, remark = _tree(given)
        gdb.write(text.count(len(tree.threads), "thread") + "\n")
        for line in merged_stacks.lines(tree) + remark:
            gdb.write(line + "\n")


def _tree(given: SimpleNamespace) -> Tuple[Tree, List[str]]:
    """(the Tree, lines that follow it)"""
    inferior = session.need_program()
    known = {thread.num: thread for thread in thread_ids.threads(inferior)}
    chosen = console.numbers(given.words, known, "thread") if given.words else sorted(known)
    with session.sentences(), inferiors.selection_kept():
        stacks = stitched_stack.current()
        remark = explanations.remarks(stacks.problem)
        tree = merged_stacks.Tree()
        for number in chosen:
            tree.add(merged_stacks.path(stacks, known[number], given.lines), number)
    return tree, remark
