# SPDX-License-Identifier: MIT
"""ompd icvs"""

from __future__ import annotations

import gdb

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import icv_list
from gdb_openmp.host import console, inferiors, options, thread_ids
from gdb_openmp.ui import session

if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional
    from types import SimpleNamespace


class Command(options.Command):
    """Show internal control variables, with what they mean.

Usage: ompd icvs [THREAD | -all] [-changed] [-json]

Those of the process, and those of the current task, region and thread of the
selected thread, or of gdb's thread THREAD.

  -all      of all OpenMP threads: values that are equal share a line, which
            ends with gdb's numbers of the threads
  -changed  only settings that differ from the default of GCC's runtime, or
            may: a core does not tell how many processors there were
  -json     an array of objects with the keys name, value, meaning, changed,
            threads (gdb's numbers, null for what the process has one of);
            changed is null where the default is not known"""

    name = "ompd icvs"
    flags = ("all", "changed", "json")
    takes = 1

    def answer(self, given: SimpleNamespace) -> List[Dict[str, Any]]:
        return icv_list.facts(_chosen(given), given.changed)

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        console.write("\n".join(icv_list.lines(_chosen(given), given.changed)) + "\n")


def _chosen(given: SimpleNamespace) -> Optional[int]:
    """gdb's number of the thread that is asked about; None: all are."""
    inferior = session.need_program()
    if given.all:
        if given.words:
            raise gdb.GdbError('"ompd icvs" takes a thread or "-all", not both.')
        return None
    if not given.words:
        return inferiors.selected_thread_number() or 0
    numbers = [thread.num for thread in thread_ids.threads(inferior)]
    word = console.in_inferior(given.words[0])
    if not word.isdigit() or int(word) not in numbers:
        raise gdb.GdbError('There is no thread "%s": "info threads" lists them.' % given.words[0])
    return int(word)
