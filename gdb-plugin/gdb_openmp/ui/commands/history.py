# SPDX-License-Identifier: MIT
"""ompd history"""

from __future__ import annotations

from openmp_inspect.core import number_list
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import history_list, history_trace
from gdb_openmp.host import console, options, thread_ids
from gdb_openmp.ui import session

if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional
    from types import SimpleNamespace


class Command(options.Command):
    """List what threads did last in OpenMP, merged in time.

Usage: ompd history [-last N] [-trace FILE] [-json] [THREAD...]

Needs a program that keeps it: start it with "ompd-run --history". Each
thread has its last 256 events, of which the last 40 of all are shown:
  Seconds  counted back from now, of a core from the last event; of what
           waits, when that began
  Thread   gdb's number
  Event    regions, tasks, barriers, locks, worksharing constructs
  Waited   for how long, at a barrier or for a lock
  Where    the call in user code

  -last N      the last N events of all, in place of 40
  -trace FILE  write all events in the Trace Event format, which Perfetto and
               Chrome open
  -json        an array of objects with the keys thread, number, event, kind,
               object, address, name, words, seconds, open, waited_seconds,
               function, file, fullname, line; null is what is not known
  THREAD...    only these threads, as "1 3-5"; all without"""

    name = "ompd history"
    flags = ("json",)
    values = ("last", "trace")
    takes = 1 << 20

    def answer(self, given: SimpleNamespace) -> List[Dict[str, Any]]:
        return history_list.facts(_chosen(given), history_list.most(given.last))

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        console.write("\n".join(
            history_trace.written(_chosen(given), given.last, given.trace) if given.trace else
            history_list.lines(_chosen(given), history_list.most(given.last))) + "\n")


def _chosen(given: SimpleNamespace) -> Optional[List[int]]:
    known = [thread.num for thread in thread_ids.threads(session.need_program())]
    return number_list.parsed(given.words, known, "thread", console.in_inferior) \
        if given.words else None
