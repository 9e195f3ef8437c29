# SPDX-License-Identifier: MIT
"""Verdicts for programs: the object that "ompd why -json" prints."""

from __future__ import annotations

from openmp_inspect.core import errors, json_output
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import rank_environment
from openmp_inspect.report import node_words, thread_times, why_text

if TYPE_CHECKING:
    from typing import Any, Dict, Iterable, List, Optional, Sequence
    from openmp_inspect.analysis.evidence_items import Edge, Evidence, Node
    from openmp_inspect.analysis.verdicts import Verdict


def facts(found: Evidence, verdicts: Sequence[Verdict],
          doctor: List[Dict[str, Any]]) -> Dict[str, Any]:
    """The object that -json prints. DOCTOR: what "ompd doctor" has found."""
    process = found.stacks.process
    return dict(rank_environment.identity(process), schema="ompd-why/1",
                recorded="recorded" in found.process,
                verdicts=[_verdict_facts(verdict) for verdict in verdicts],
                stopped=process.is_stopped and not found.running(),
                doctor=doctor, unknown=[*filter(None, [node_words.unstopped(process)]), *found.unknown],
                **thread_times.of_process(process))


def _verdict_facts(verdict: Verdict) -> Dict[str, Any]:
    words = why_text.Words(verdict)
    threads = {edge.from_ for edge in verdict.waits} | \
        {node for node in verdict.at if node.kind == "thread"} | \
        {edge.to for edge in verdict.holds if edge.to.kind == "thread"}
    return {"id": verdict.id, "kind": verdict.kind,
            "certainty": None if verdict.certainty == "none" else verdict.certainty,
            "sentence": words.sentence(),
            "threads": _numbers(threads),
            "others": _numbers(edge.from_ for edge in verdict.others),
            "links": [_wait_facts(edge) for edge in verdict.waits],
            "holds": [_hold_facts(edge) for edge in verdict.holds
                      if edge.from_.kind == "thing" and edge.from_.what in node_words.LOCKISH],
            "at": [_at_facts(node) for node in verdict.at if node.kind == "thread"],
            "cause": verdict.cause or None,
            "cause_id": verdict.cause_id if verdict.cause else None,
            "next": [typed for typed, _ in words.next()]}


def _thread_facts(node: Node) -> Dict[str, Any]:
    """A thread by the debugger's number, the kernel's and OpenMP's, as far as they are known."""
    row = node.row
    path = None if row is None or row.known is None else errors.known(lambda: row.known.path)
    lwp = None if row is None else row.lwp if row.thread is None else \
        row.process.shown_id(row.thread)
    return {"thread": node_words.number(node), "lwp": lwp,
            "path": [list(step) for step in path] if path else None}


def _numbers(nodes: Iterable[Node]) -> List[int]:
    return sorted(number for number in map(node_words.number, nodes) if number is not None)


def _thing_facts(thing: Node) -> Dict[str, Optional[str]]:
    return {"kind": thing.what, "name": json_output.exact(thing.name),
            "address": json_output.address(thing.address)}


def _wait_facts(edge: Edge) -> Dict[str, Any]:
    row = edge.from_.row
    thing = _thing_facts(edge.to)
    if node_words.is_at_beginning(edge):
        thing["kind"] = "region_begin"
    return {**_thread_facts(edge.from_), "waits_for": thing,
            "construct": None if row is None or edge.to.what != "barrier" else
            node_words.ended_construct(row.wait.what),
            "source": edge.witness, "confirmed": "confirmed" in edge.flags,
            "polls": edge.kind == "polls",
            **({} if row is None else thread_times.wait_facts(row, edge.kind == "polls")),
            **json_output.place_facts(None if row is None else row.place)}


def _hold_facts(edge: Edge) -> Dict[str, Any]:
    place = node_words.acquired_at(edge.from_)
    return {**_thread_facts(edge.to), "holds": _thing_facts(edge.from_),
            "since": json_output.place_facts(place) if place is not None else None,
            "source": edge.witness}


def _at_facts(node: Node) -> Dict[str, Any]:
    place = node.row.place if node.row is not None else None
    return dict(_thread_facts(node), does=node.what, call=node.call,
                **json_output.place_facts(place))
