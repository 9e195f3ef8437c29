# SPDX-License-Identifier: MIT
"""Stacks of many threads merged by their common beginnings: "ompd stacks"."""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.core import escaped, text
from openmp_inspect.code import python_interpreter
from openmp_inspect.stacks import helper_threads, python_state, stitched_stack
from openmp_inspect.analysis import labelled_stacks
from openmp_inspect.report import explanations, stack_tree

if TYPE_CHECKING:
    from typing import Any, Dict, Iterable, List, Optional, Tuple
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.host.interface import Process, Thread
    from openmp_inspect.stacks.labelled_stack import Label, StackRow
    from openmp_inspect.stacks.segments import UserFrame
    from openmp_inspect.analysis.labelled_stacks import LabelledStacks
    from openmp_inspect.report.stack_tree import Tree

_PYTHON = "<Python>"  # frames of its interpreter


def facts(here: Space, numbers: Iterable[int], with_lines: bool = False) -> List[Dict[str, Any]]:
    """An object for each leaf of the tree of threads with these NUMBERS of the debugger's;
    WITH_LINES: calls from different lines of a function are kept apart. UserError of a program that
    does not use OpenMP."""
    return stack_tree.leaves(_merged(here, numbers, with_lines)[0])


def lines(here: Space, numbers: Iterable[int], with_lines: bool = False) -> List[str]:
    """The tree, and what there is to remark; UserError likewise."""
    root, remarks = _merged(here, numbers, with_lines)
    return [text.count(len(root.threads), "thread")] + stack_tree.drawn(root) + remarks


def _merged(here: Space, numbers: Iterable[int], with_lines: bool) -> Tuple[Tree, List[str]]:
    """(the Tree, lines that follow it)"""
    with explanations.explained(here.process), here.in_use(), \
            here.process.selection_kept():
        known = {thread.num: thread for _, thread in here.process.threads()}
        stacks = labelled_stacks.of(stitched_stack.of(here))
        remarks = explanations.remarks(here.process, stacks.stacks.problem, stacks.stacks.snapshot)
        root = stack_tree.Tree()
        has_mpi = helper_threads.is_mpi_program(here.process)
        python = None if with_lines or python_interpreter.own_file(here.process) is None else \
            python_state.Interpreters(stacks.stacks.walker, here.memory)
        for number in numbers:
            root.add(_path(stacks, known[number], with_lines, has_mpi, python), number)
    return root, remarks


def _path(stacks: LabelledStacks, thread: Thread, lines: bool, has_mpi: bool,
          python: Optional[python_state.Interpreters]) -> List[str]:
    """The steps from main to where a thread is; frames of CPython in a row are the functions in Python
    that they execute, as far as PYTHON knows them."""
    if thread.is_running():
        return ["(running)"]
    library = helper_threads.library_of(thread, stacks.stacks.walker) \
        if has_mpi else None
    if library is not None:
        return ["<helper thread of %s>" % library]
    steps: List[str] = []
    rows = stacks.rows(thread, created=False)
    system = is_python = False
    interpreter = None if python is None else python_interpreter.own_file(stacks.process)
    for row in reversed(rows):
        if row.frame is not None and row.frame.system and system:
            continue  # the program called the outer one; how libc goes on is its own affair
        system = row.frame is not None and row.frame.system
        was_python, is_python = is_python, row.frame is not None and \
            python_interpreter.is_own_code(stacks.process, interpreter, row.frame.instruction)
        if row.frame is not None and is_python:
            steps += [_PYTHON] * (not was_python)
            found = _executed(python, row)
            if found and steps[-1] == _PYTHON:
                steps.pop()
            steps += found
        elif row.frame is not None:
            steps.append(_frame(stacks.process, row.frame, lines))
        elif row.label is not None and row.label.kind != "other":
            steps.append(_label(row.label))
    return steps or ["<runtime>"]


def _executed(python: Optional[python_state.Interpreters], row: StackRow) -> List[str]:
    """The functions in Python that a frame of its interpreter executes."""
    if python is None or row.thread is None or row.frame is None:
        return []
    return ["%s in %s" % (place.function.raw, text.file_base(place.file).raw)
            for place in reversed(python.executed(row.thread).get(row.frame.level, []))
            if place.function is not None and place.file is not None]


def _frame(process: Process, frame: UserFrame, lines: bool) -> str:
    if not frame.function:
        return process.code_name(
            frame.address if lines or frame.start is None else frame.start)
    name = escaped.brief(frame.function.raw)
    if lines and frame.file and frame.line:
        return "%s:%d" % (name, frame.line)
    return name


def _label(label: Label) -> str:
    words = label.said
    if label.place is not None and label.place.file and label.place.line:
        words += " %s:%d" % (text.file_base(label.place.file).raw, label.place.line)
    return "<%s>" % words if label.kind == "inside" else words
