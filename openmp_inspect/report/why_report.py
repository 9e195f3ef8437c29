# SPDX-License-Identifier: MIT
"""Why the program makes no progress: "ompd why"."""

from __future__ import annotations

import contextlib

from openmp_inspect.core import cached, errors, garbage, screen, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.stacks import stitched_stack
from openmp_inspect.analysis import checks, evidence, labelled_stacks, thread_table, verdicts, \
    watching
from openmp_inspect.report import doctor_checks, doctor_text, explanations, graphviz, node_words, \
    wait_graph, why_facts, why_text

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.analysis import thread_rows
    from openmp_inspect.core.errors import Problem
    from openmp_inspect.analysis.checks import Check
    from openmp_inspect.analysis.evidence_items import Evidence
    from openmp_inspect.analysis.verdicts import Verdict


_WIDTH = 80
_INCOMPLETE = "There are more tasks or threads than were looked at."
_MANY = 4  # threads that begin between two looks, of which it is said


class Why:
    """Verdicts of a program, while its Snapshot lives, or of a crash that has none. `rows`: of all
    threads; `certainty`: of the first one, 0 to 3, and not 0 where threads could not be stopped;
    `unstopped`: that, in words."""

    def __init__(self, snapshot: Optional[Snapshot], rows: List[thread_rows.ThreadRow],
                 found: Evidence, judged: List[Verdict]) -> None:
        self.snapshot, self.rows, self.found, self.judged = snapshot, rows, found, judged
        self.stacks = found.stacks
        self.unstopped = node_words.unstopped(self.stacks.process)
        self.certainty: int = max(verdicts.CERTAINTY[judged[0].certainty], bool(self.unstopped))

    def facts(self) -> Dict[str, Any]:
        """The object that -json prints."""
        self.found.unknown += explanations.damage(self.snapshot)
        return why_facts.facts(self.found, self.judged,
                               list(map(doctor_text.short_facts, self._findings())))

    def children(self) -> List[int]:
        """Ids of the processes that it waits for."""
        return why_text.awaited_children(self.judged[0])

    @cached.fact
    def doctor(self) -> List[Check]:
        """What "ompd doctor" has looked for."""
        return [] if self.snapshot is None else doctor_checks.of_snapshot(self.snapshot)

    def _findings(self) -> List[Check]:
        """What it has found."""
        return [check for check in self.doctor if check.outcome == checks.FOUND]

    def sentence(self) -> str:
        """What is wrong, or that nothing is."""
        return why_text.sentence(self.judged[0])

    def lines(self, every: bool = False, graph: Optional[str] = None) -> List[str]:
        """The root cause, or if EVERY all verdicts; or where the GRAPH is, the path of a file that
        is written, or UserError."""
        if graph is not None:
            return write_graph(self.graph(), graph)
        shown = self.judged if every else self.judged[:1]
        result: List[str] = []
        if self.unstopped:
            result += text.wrapped("no verdict: %s" % self.unstopped,
                                   screen.current().width() or _WIDTH) + [
                                       "  as they were when last seen:"]
        for verdict in shown:
            result += [""] * (verdict is not shown[0]) + why_text.lines(
                verdict, labelled_stacks.of(self.stacks),
                self._more_next(len(self.judged) - len(shown)) if verdict is shown[-1] else ())
        if self.found.begun >= _MANY:
            result += ["  " + line for line in text.wrapped(
                "%d threads or more have begun meanwhile, as where teams change their size or are "
                "nested" % self.found.begun, (screen.current().width() or _WIDTH) - 2)]
        is_incomplete = self.snapshot is not None and self.snapshot.incomplete
        return result + explanations.remarks(self.stacks.process, None, self.snapshot) + \
            [text.remark(_INCOMPLETE)] * is_incomplete

    def graph(self) -> str:
        """Who waits for whom, for graphviz."""
        return graphviz.of_waits(wait_graph.facts(self.found), self.sentence())

    def _more_next(self, further: int) -> List[Tuple[str, str]]:
        """[(what to type, what for)] where there are FURTHER verdicts, and findings."""
        here, findings = screen.current(), self._findings()
        return [(here.typed("ompd why " + here.for_every_verdict),
                 text.count(further, "further verdict"))] * bool(further) + \
            [(here.typed("ompd doctor"), "%s: %s" % (
                text.count(len(findings), "finding"),
                ", ".join(map(doctor_text.name, findings))))] * bool(findings)


def watched(here: Space, length: float, now: Callable[[], Space]) -> watching.Look:
    """A first look, after which the program has run for LENGTH seconds: it compares a second one
    with itself, for looked(). NOW returns the Space once the program has run. UserError where it cannot."""
    with explanations.explained(here.process), Snapshot.of(here) as snapshot, \
            here.process.selection_kept():
        look = watching.Look(evidence.collect(snapshot, thread_table.all_rows(here, snapshot)), length)
    look.let_run(here.process, now)
    return look


def write_graph(graph: str, path: str) -> List[str]:
    """Writes a graph() to a file; a line that says so. UserError."""
    graphviz.write(graph, path)
    return ["The graph of who waits for whom is in %s." % text.style("filename", path)]


def _of_snapshot(snapshot: Snapshot, before: Optional[watching.Look]) -> Why:
    rows = thread_table.all_rows(snapshot.space, snapshot)
    found = evidence.collect(snapshot, rows, twice=before is not None)
    if before is not None:
        before.compare(found)
    return Why(snapshot, rows, found, verdicts.of_evidence(snapshot, found))


def _of_crash(here: Space, snapshot: Optional[Snapshot], error: Problem) -> Why:
    """That of a program that has crashed, where the runtime is unloaded or not known, or its memory
    makes no sense; else the ERROR."""
    if here.process.crash() is None:
        raise error
    rows = thread_table.all_rows(here, None)
    found = None if snapshot is None else errors.known(
        lambda: evidence.collect(snapshot, rows, with_tasks=False))
    if found is None:
        snapshot, found = None, evidence.of_crash(stitched_stack.of(here), rows)
    found.unknown.append(explanations.sentence(here.process, error))
    return Why(snapshot, rows, found, verdicts.of_evidence(snapshot, found))


@contextlib.contextmanager
def looked(here: Space, before: Optional[watching.Look] = None) -> Iterator[Why]:
    """The Why of a program, or UserError, compared with what was watched() BEFORE, if anything was."""
    with explanations.explained(here.process), here.process.selection_kept(), garbage.kept(), \
            here.in_use(), contextlib.ExitStack() as stack:
        snapshot = None
        try:
            snapshot = stack.enter_context(Snapshot.of(here))
            why = _of_snapshot(snapshot, before)
        except (errors.NoLibrary, errors.OmpdError, errors.HostError) as error:
            why = _of_crash(here, snapshot, error)
        yield why
