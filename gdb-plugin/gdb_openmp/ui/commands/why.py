# SPDX-License-Identifier: MIT
"""ompd why"""

from __future__ import annotations

import contextlib

import gdb

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.analysis import watching
from openmp_inspect.report import why_report
from gdb_openmp.host import options
from gdb_openmp.ui import session

if TYPE_CHECKING:
    from typing import Any, Dict, Iterator
    from types import SimpleNamespace
    from openmp_inspect.report.why_report import Why


class Command(options.Command):
    """Say why the program makes no progress.

Usage: ompd why [-all] [-watch SECONDS] [-graph FILE] [-json]

For a program that hangs, in a deadlock or stuck, that is slow or has crashed.
Data races are what a tool finds as the program runs: see ompd-run and Archer.

The first line says what is wrong and how certain that is; then come who holds
and waits for what, the cause, and what to type next:
  [certain]   each link is recorded or stands in the memory of the runtime,
              libc or the kernel, and no other thread can end any of the waits
  [likely]    a link, marked "~", was inferred from stacks or the source
  [possible]  a program that is well may look like that, too

  -all            every verdict, not only the root cause
  -watch SECONDS  let the program run so long and look again: is what others
                  wait for slow, or does it get no further?
  -graph FILE     write who waits for whom as a graph for graphviz's "dot", or
                  drawn by it when FILE ends with .svg, .png, .pdf or .ps
  -json           an object with the keys schema, pid, core, recorded,
                  verdicts, doctor (what "ompd doctor" finds), unknown

Sets $_ompd_why: 0 nothing, 1 possible, 2 likely, 3 certain."""

    name = "ompd why"
    flags = ("all", "json")
    values = ("watch", "graph")

    def answer(self, given: SimpleNamespace) -> Dict[str, Any]:
        with _looked(given) as why:
            return why.facts()

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        with _looked(given) as why:
            gdb.write("\n".join(why.lines(given.all, given.graph)) + "\n")


@contextlib.contextmanager
def _looked(given: SimpleNamespace) -> Iterator[Why]:
    """The verdicts, after the program has run for a while if that is asked for."""
    session.need_program()
    compare = None
    if given.watch is not None:
        with session.sentences():
            compare = why_report.watched(watching.seconds(given.watch))
        session.need_program()
    with why_report.looked(compare) as why:
        gdb.set_convenience_variable("_ompd_why", why.certainty)
        yield why
