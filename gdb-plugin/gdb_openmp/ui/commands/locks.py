# SPDX-License-Identifier: MIT
"""ompd locks"""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import lock_list
from gdb_openmp.host import console, options
from gdb_openmp.ui import session

if TYPE_CHECKING:
    from typing import Any, Dict, List
    from types import SimpleNamespace


class Command(options.Command):
    """List locks with who holds each of them and who waits for it.

Usage: ompd locks [-json]

One line for each lock, critical section, mutex, read-write lock and stream
that a thread holds or waits for, those with most waiters first:
  Lock       the variable or its address, or the section's name
  Held by    gdb's number of the thread, with that in its team; "~": inferred
             from stacks or the source; "?": not known; and for how long at
             least, if that is recorded: since when it waits, or tests a lock
  Since      where it was acquired
  Wanted by  gdb's numbers of the threads that wait for it, and for how long
             all of them have, if that is recorded

Of a program that does not record, those that nobody waits for are not known,
but for critical sections that a thread is seen to be in.

  -json  an array of objects with the keys kind, name, address, count (how
         often the owner has acquired it), life ("made", "destroyed" or
         "unseen"), owners ([{thread, source, held_seconds}, ...]: at least so
         long), waiters, function, file, fullname, line; null is what is not
         known"""

    name = "ompd locks"
    flags = ("json",)

    def answer(self, given: SimpleNamespace) -> List[Dict[str, Any]]:
        session.need_program()
        return lock_list.facts()

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        session.need_program()
        console.write("\n".join(lock_list.lines()) + "\n")
