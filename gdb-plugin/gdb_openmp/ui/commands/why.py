# SPDX-License-Identifier: MIT
"""ompd why"""

from __future__ import annotations

import gdb

from openmp_inspect.core import garbage, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.analysis import checks, evidence, thread_table, verdicts
from gdb_openmp.host import inferiors, options
from gdb_openmp.ui import doctor_text, graphviz, session, watching, why_facts, why_text
from gdb_openmp.ui.commands import doctor

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, TypeVar
    from types import SimpleNamespace
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.analysis.evidence_items import Evidence
    from openmp_inspect.analysis.verdicts import Verdict
    from gdb_openmp.host.gdb_types import GdbInferior
    Answer = TypeVar("Answer")


class Command(options.Command):
    """Say why the program does not get on.

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
        return _looked(given, _facts)

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        gdb.write("\n".join(_looked(given, lambda *looked: _lines(given, *looked))) + "\n")


def _facts(inferior: GdbInferior, snapshot: Snapshot, found: Evidence,
           judged: List[Verdict]) -> Dict[str, Any]:
    wrong = [doctor_text.short_facts(check) for check in doctor.of_snapshot(inferior, snapshot)
             if check.outcome == checks.FOUND]
    return why_facts.facts(found, judged, inferior, wrong)


def _looked(given: SimpleNamespace,
            tell: Callable[[GdbInferior, Snapshot, Evidence, List[Verdict]], Answer]) -> Answer:
    """What TELL returns of the inferior, its Snapshot, Evidence and Verdicts."""
    inferior = session.need_program()
    before = None
    if given.watch is not None:
        before = watching.first_look(inferior, watching.seconds(given.watch))
    with session.sentences(), session.snapshot() as snapshot, inferiors.selection_kept(), \
            garbage.kept():
        found = evidence.collect(snapshot, thread_table.all_rows(snapshot),
                                 twice=before is not None)
        if before is not None:
            watching.compare(before, found, inferior)
        judged = verdicts.of_evidence(snapshot, found)
        gdb.set_convenience_variable("_ompd_why", verdicts.CERTAINTY[judged[0].certainty])
        return tell(inferior, snapshot, found, judged)


def _lines(given: SimpleNamespace, _inferior: GdbInferior, _snapshot: Snapshot, found: Evidence,
           judged: List[Verdict]) -> List[str]:
    if given.graph is not None:
        graphviz.write(graphviz.of_waits(found), given.graph)
        return ["The graph of who waits for whom is in %s." %
                text.style("filename", given.graph)]
    lines: List[str] = []
    for verdict in judged if given.all else judged[:1]:
        lines += [""] * bool(lines) + why_text.lines(verdict)
    if not given.all and len(judged) > 1 and judged[1].certainty != "possible":
        lines.append("  %s: ompd why -all" % text.count(len(judged) - 1, "further verdict"))
    return lines
