# SPDX-License-Identifier: MIT
"""ompd why"""

from __future__ import annotations

import contextlib

import gdb

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.analysis import watching
from openmp_inspect.report import why_report
from gdb_openmp.host import console, options
from gdb_openmp.ui import every_inferior, session

if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List
    from types import SimpleNamespace
    from openmp_inspect.report.why_report import Why

_CERTAINTY = "_ompd_why"


class Command(options.Command):
    """Say why the program makes no progress.

Usage: ompd why [-all] [-watch SECONDS | -graph FILE | -inferiors] [-json]

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
  -inferiors      of every inferior, as of the ranks of a job
  -json           an object with the keys schema, pid, core, recorded,
                  verdicts, doctor (what "ompd doctor" finds), unknown; with
                  -inferiors an array of objects with the keys inferior, pid,
                  program, and why or error

Sets $_ompd_why: 0 nothing, 1 possible, 2 likely, 3 certain; of inferiors the
highest."""

    name = "ompd why"
    flags = ("all", "inferiors", "json")
    values = ("watch", "graph")

    def answer(self, given: SimpleNamespace) -> Any:
        def facts() -> Dict[str, Any]:
            with _looked(given) as why:
                return why.facts()

        return every_inferior.facts("why", facts) if _is_of_all(given) else facts()

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        def lines() -> List[str]:
            with _looked(given) as why:
                return why.lines(given.all, given.graph)

        if _is_of_all(given):
            every_inferior.write(lines)
        else:
            console.write("\n".join(lines()) + "\n")


def _is_of_all(given: SimpleNamespace) -> bool:
    """Whether it is about all inferiors. $_ompd_why then begins with nothing."""
    if given.inferiors and (given.watch is not None or given.graph is not None):
        raise gdb.GdbError("-watch and -graph are for one inferior: leave -inferiors out.")
    if given.inferiors:
        gdb.set_convenience_variable(_CERTAINTY, 0)
    return bool(given.inferiors)


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
        before = int(gdb.convenience_variable(_CERTAINTY) or 0) if given.inferiors else 0
        gdb.set_convenience_variable(_CERTAINTY, max(before, why.certainty))
        yield why
