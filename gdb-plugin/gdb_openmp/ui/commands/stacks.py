# SPDX-License-Identifier: MIT
"""ompd stacks"""

from __future__ import annotations

import gdb

from openmp_inspect.core import number_list
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import merged_stacks
from gdb_openmp.host import console, options, thread_ids
from gdb_openmp.ui import session

if TYPE_CHECKING:
    from typing import Any, Dict, List
    from types import SimpleNamespace


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
        return merged_stacks.facts(_chosen(given), given.lines)

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        console.write("\n".join(merged_stacks.lines(_chosen(given), given.lines)) + "\n")


def _chosen(given: SimpleNamespace) -> List[int]:
    known = [thread.num for thread in thread_ids.threads(session.need_program())]
    return number_list.parsed(given.words, known, "thread", console.in_inferior) \
        if given.words else known
