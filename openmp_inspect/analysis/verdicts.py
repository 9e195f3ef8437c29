# SPDX-License-Identifier: MIT
"""What libompd says of a program that makes no progress: Evidence in, Verdicts out."""

from __future__ import annotations

from openmp_inspect.core import debug, errors, screen
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.bindings import abi5
from openmp_inspect.code import library_choice
from openmp_inspect.analysis import evidence, verdict_words

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Sequence
    from openmp_inspect.bindings.query import EvidenceLink
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.analysis.evidence_items import Edge, Evidence, Node
    from openmp_inspect.analysis.thread_rows import ThreadRow

_KINDS = {number: name for name, number in abi5.VERDICT_KIND.items()}
_CERTAINTIES = {number: name for name, number in abi5.CERTAINTY.items()}
_ROLES = {number: name for name, number in abi5.ROLE.items()}
CERTAINTY = abi5.CERTAINTY
_MOST_UNASKED = 64  # threads of a process that a verdict is offered of


class Verdict:
    """`waits`, `holds`, `others`: Edges of the evidence, `at`: Nodes; `certainty`: "none",
    "possible", "likely" or "certain"; `next`: [(what to type, what for)]. `is_handled`: the process may
    have handlers of signals; `stacks`: those of its Evidence."""

    def __init__(self, record: Any, links: Sequence[EvidenceLink], found: Evidence) -> None:
        self.stacks = found.stacks
        self.id, self.template = verdict_words.VERDICTS[record.verdict]
        self.kind = _KINDS[record.kind]
        self.certainty = _CERTAINTIES[record.certainty]
        self.cause_id, self.cause = verdict_words.CAUSES[record.cause]
        self.next = [row for number, row in enumerate(verdict_words.NEXT)
                     if record.next >> number & 1]
        self.threads, self.other_count = record.threads, record.others
        self.is_handled = "handled" in found.process
        parts: Dict[str, List[Any]] = {name: [] for name in abi5.ROLE}
        for role, index in links:
            parts[_ROLES[role]].append(found.order[index])
        self.waits: List[Edge] = parts["waits"]
        self.holds: List[Edge] = parts["holds"]
        self.others: List[Edge] = parts["other"]
        self.at: List[Node] = parts["at"]


def unasked(snapshot: Snapshot, ask_rows: Callable[[], Sequence[ThreadRow]]) -> Optional[Verdict]:
    """The first Verdict that is certain, or None, also where there are too many threads to look for
    what nobody has asked for, or the screen is to show none; of a crash the debugger says itself that
    there was one. ASK_ROWS returns those of thread_table.py; while the snapshot lives."""
    if not screen.current().offers_verdicts() or len(snapshot.process.threads()) > _MOST_UNASKED:
        return None
    rows = ask_rows()
    try:
        with snapshot.process.selection_kept():
            found = of_evidence(snapshot, evidence.collect(snapshot, rows, with_tasks=False))
    except (errors.OmpdError, errors.HostError):
        debug.ignored()
        return None  # it was not asked for
    return next((verdict for verdict in found if verdict.certainty == "certain" and
                 verdict.kind != "crash"), None)


def of_evidence(snapshot: Optional[Snapshot], found: Evidence) -> List[Verdict]:
    """[Verdict] of it, the root cause first; while the snapshot lives, if there is one."""
    if not found.stacks.process.is_stopped:
        found.process.add("running")
    ask = library_choice.verdicts if snapshot is None else snapshot.verdicts
    records, links = ask(*found.packed())
    return [Verdict(record, links[record.first_link:record.first_link + record.links], found)
            for record in records]
