# SPDX-License-Identifier: MIT
"""How threads came to where they are, across threads: "ompd bt"."""

from __future__ import annotations

import itertools

from openmp_inspect.core import escaped, json_output, screen, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.core.text import style
from openmp_inspect.code import symbol_names
from openmp_inspect.stacks import labels, stitched_stack
from openmp_inspect.stacks.labelled_stack import StackRow
from openmp_inspect.stacks.repeated_labels import Repeats
from openmp_inspect.analysis import labelled_stacks
from openmp_inspect.report import explanations

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.host.interface import Process, Thread
    from openmp_inspect.code.places import Place
    from openmp_inspect.stacks.labelled_stack import Label
    from openmp_inspect.stacks.segments import UserFrame
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from openmp_inspect.analysis.labelled_stacks import LabelledStacks

    Variables = Callable[[StitchedStacks, StackRow], List[str]]


def facts(here: Space, threads: Sequence[Thread]) -> List[Dict[str, Any]]:
    """An object for each of the debugger's THREADS; UserError of a program that does not use
    OpenMP."""
    with explanations.explained(here.process), here.in_use(), \
            here.process.selection_kept():
        stacks = labelled_stacks.of(stitched_stack.of(here))
        explanations.remarks(here.process, stacks.stacks.problem)
        return [{"id": thread.num, "rows": _facts(stacks, thread)} for thread in threads]


def lines(here: Space, threads: Sequence[Thread], headed: bool = False,
          variables: Optional[Variables] = None) -> Iterator[str]:
    """The stack of each thread, if HEADED below a line that names it, with what VARIABLES returns
    of each frame, then what there is to remark; UserError likewise."""
    with explanations.explained(here.process), here.in_use(), \
            here.process.selection_kept():
        stacks = labelled_stacks.of(stitched_stack.of(here))
        remarks = explanations.remarks(here.process, stacks.stacks.problem, stacks.stacks.snapshot)
        for thread in threads:
            if headed:
                yield "%sThread %s%s:" % ("" if thread is threads[0] else "\n",
                                          text.thread(thread.num), _openmp(stacks, thread))
            yield from _stack(stacks, thread, variables)
        yield from remarks


def of_threads(here: Space, threads: Sequence[Thread]) -> List[Dict[str, Any]]:
    """For each of THREADS its number, a `name` and the lines of its stack; UserError likewise."""
    with explanations.explained(here.process), here.in_use(), here.process.selection_kept():
        stacks = labelled_stacks.of(stitched_stack.of(here))
        return [{"thread": thread.num, "name": "Thread %s%s" % (
            text.thread(thread.num), _openmp(stacks, thread)),
                 "lines": "\n".join(_stack(stacks, thread, None)).split("\n")} for thread in threads]


def _openmp(stacks: LabelledStacks, thread: Thread) -> str:
    """What number the thread has in OpenMP."""
    stacks.stacks.learn(thread)
    found = stacks.labels(stacks.stacks.stack(thread))
    for label in (label for some in found.values() for label in some):
        if "thread_num" in label.facts:
            return ", OpenMP thread %(thread_num)d of %(num_threads)d" % label.facts
    return ""


def _stack(stacks: LabelledStacks, thread: Thread, variables: Optional[Variables]) -> Iterator[str]:
    """One thread with those that continue it."""
    if thread.is_running():
        yield "(running)"
        return
    rows = stacks.rows(thread)
    if not rows:
        yield "(no frame of the program%s)" % screen.current().all_frames
    for row in _folded(rows):
        yield _line(stacks.process, row)
        yield from variables(stacks.stacks, row) if variables is not None else ()


def _folded(rows: Sequence[StackRow]) -> Iterator[StackRow]:
    """ROWS, with one for the labels that repeat in a recursion."""
    repeats = Repeats()
    for is_label, found in itertools.groupby(rows, lambda row: row.label is not None):
        some = list(found)
        label = repeats.folded([row.label for row in some]) if is_label else None
        yield from some if label is None else [StackRow(some[0].thread, label=label)]


def _line(process: Process, row: StackRow) -> str:
    if row.label is not None:
        return _label(row.label)
    assert row.frame is not None  # a StackRow has one of the two
    return _frame(process, row.frame)


def _facts(stacks: LabelledStacks, thread: Thread) -> List[Dict[str, Any]]:
    """The same as objects; none of a thread that runs."""
    rows = [] if thread.is_running() else stacks.rows(thread)
    return [_row_facts(stacks.process, row) for row in rows]


def _row_facts(process: Process, row: StackRow) -> Dict[str, Any]:
    frame = row.frame
    if frame is not None:
        return {"level": frame.level, "function": json_output.exact(frame.function),
                "address": json_output.address(frame.address), "file": json_output.exact(frame.file),
                "fullname": frame.file and symbol_names.full_path(
                    process, frame.file.raw, frame.address),
                "line": frame.line, "library": json_output.exact(frame.library)}
    assert row.label is not None  # a StackRow has one of the two
    where = json_output.place_facts(row.label.place)
    del where["function"]
    return dict(row.label.facts, label=row.label.said + row.label.more, **where)


def _frame(process: Process, frame: UserFrame) -> str:
    number = "" if frame.level is None else "#%d" % frame.level
    name = escaped.short(frame.function) if frame.function else \
        escaped.shown(process.code_name(frame.address))
    words = [style("function", name) + " ()"]
    if frame.file and frame.line:
        words.append("at " + text.source_line(frame.file, frame.line))
    else:
        words.insert(0, style("address", "%#x" % frame.address) + " in")
        if frame.library and frame.function:
            words.append("from " + style("filename", str(frame.library)))
    return "%-3s %s" % (number, " ".join(words))


def _label(label: Label) -> str:
    place = None if label.kind == "other" else label.place
    return _ruled(labels.sentence(label), place)


def _ruled(words: str, place: Optional[Place]) -> str:
    rule = labels.rule()
    line = "    %s%s %s" % (rule, words, rule.rstrip())
    if place is not None and place.file and place.line:
        line += " " + text.source_line(place.file, place.line)
    return text.hanging(line, " " * 7)
