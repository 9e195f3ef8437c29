# SPDX-License-Identifier: MIT
"""Why the program makes no progress: "ompd why"."""

from __future__ import annotations

import contextlib

from openmp_inspect.core import garbage, screen, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import processes
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.analysis import checks, evidence, labelled_stacks, thread_table, verdicts
from openmp_inspect.report import doctor_checks, doctor_text, explanations, graphviz, why_facts, \
    why_text

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterator, List, Optional
    from openmp_inspect.analysis.evidence_items import Evidence
    from openmp_inspect.analysis.verdicts import Verdict


class Why:
    """Verdicts of a program, while its Snapshot lives. `certainty`: of the first one, 0 to 3."""

    def __init__(self, snapshot: Snapshot, found: Evidence, judged: List[Verdict]) -> None:
        self._snapshot, self._found, self._judged = snapshot, found, judged
        self.certainty: int = verdicts.CERTAINTY[judged[0].certainty]

    def facts(self) -> Dict[str, Any]:
        """The object that -json prints."""
        wrong = [doctor_text.short_facts(check) for check in doctor_checks.of_snapshot(self._snapshot)
                 if check.outcome == checks.FOUND]
        return why_facts.facts(self._found, self._judged, wrong)

    def sentence(self) -> str:
        """What is wrong, or that nothing is."""
        return why_text.sentence(self._judged[0])

    def lines(self, every: bool = False, graph: Optional[str] = None) -> List[str]:
        """The root cause, or if EVERY all verdicts; or where the GRAPH is, the path of a file that
        is written, or UserError."""
        if graph is not None:
            graphviz.write(graphviz.of_waits(self._found), graph)
            return ["The graph of who waits for whom is in %s." % text.style("filename", graph)]
        judged = self._judged
        told: List[str] = []
        for verdict in judged if every else judged[:1]:
            told += [""] * bool(told) + why_text.lines(verdict, labelled_stacks.current())
        if not every and len(judged) > 1 and judged[1].certainty != "possible":
            told.append("  %s: ompd why %s" % (text.count(len(judged) - 1, "further verdict"),
                                               screen.current().for_every_verdict))
        return told


@contextlib.contextmanager
def looked(compare: Optional[Callable[[Evidence], None]] = None) -> Iterator[Why]:
    """The Why of a program, or UserError. COMPARE marks in the Evidence what differs from an
    earlier look, if there was one."""
    with explanations.explained(), Snapshot.current() as snapshot, \
            processes.current().selection_kept(), garbage.kept():
        found = evidence.collect(snapshot, thread_table.all_rows(snapshot),
                                 twice=compare is not None)
        if compare is not None:
            compare(found)
        yield Why(snapshot, found, verdicts.of_evidence(snapshot, found))
