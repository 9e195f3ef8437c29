# SPDX-License-Identifier: MIT
"""Stacks of many threads merged by their common beginnings: "ompd stacks"."""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.core import escaped, text
from openmp_inspect.host import processes
from openmp_inspect.bindings import spaces
from openmp_inspect.code import python_interpreter
from openmp_inspect.stacks import helper_threads
from openmp_inspect.analysis import labelled_stacks
from openmp_inspect.report import explanations, stack_tree

if TYPE_CHECKING:
    from typing import Any, Dict, Iterable, List, Optional, Tuple
    from openmp_inspect.host.interface import Thread
    from openmp_inspect.stacks.labelled_stack import Label
    from openmp_inspect.stacks.segments import UserFrame
    from openmp_inspect.analysis.labelled_stacks import LabelledStacks
    from openmp_inspect.report.stack_tree import Tree


def facts(numbers: Iterable[int], with_lines: bool = False) -> List[Dict[str, Any]]:
    """An object for each leaf of the tree of threads with these NUMBERS of the debugger's;
    WITH_LINES: calls from different lines of a function are kept apart. UserError of a program that
    does not use OpenMP."""
    return stack_tree.leaves(_merged(numbers, with_lines)[0])


def lines(numbers: Iterable[int], with_lines: bool = False) -> List[str]:
    """The tree, and what there is to remark; UserError likewise."""
    root, remarks = _merged(numbers, with_lines)
    return [text.count(len(root.threads), "thread")] + stack_tree.drawn(root) + remarks


def _merged(numbers: Iterable[int], with_lines: bool) -> Tuple[Tree, List[str]]:
    """(the Tree, lines that follow it)"""
    with explanations.explained(), spaces.current().in_use(), \
            processes.current().selection_kept():
        known = {thread.num: thread for _, thread in processes.current().threads()}
        stacks = labelled_stacks.current()
        remarks = explanations.remarks(stacks.stacks.problem, stacks.stacks.snapshot)
        root = stack_tree.Tree()
        has_mpi = helper_threads.is_mpi_program()
        interpreter = None if with_lines else python_interpreter.own_file()
        for number in numbers:
            root.add(_path(stacks, known[number], with_lines, has_mpi, interpreter), number)
    return root, remarks


def _path(stacks: LabelledStacks, thread: Thread, lines: bool, has_mpi: bool,
          interpreter: Optional[str]) -> List[str]:
    """The steps from main to where a thread is; frames of the INTERPRETER in a row are one."""
    if thread.is_running():
        return ["(running)"]
    library = helper_threads.library_of(thread, stacks.stacks.walker) \
        if has_mpi else None
    if library is not None:
        return ["<helper thread of %s>" % library]
    steps: List[str] = []
    rows = stacks.rows(thread, created=False)
    system = False
    for row in reversed(rows):
        if row.frame is not None and row.frame.system and system:
            continue  # the program called the outer one; how libc goes on is its own affair
        system = row.frame is not None and row.frame.system
        if row.frame is not None and \
                python_interpreter.is_own_code(interpreter, row.frame.instruction):
            steps += ["<Python>"] * (steps[-1:] != ["<Python>"])
        elif row.frame is not None:
            steps.append(_frame(row.frame, lines))
        elif row.label is not None and row.label.kind != "other":
            steps.append(_label(row.label))
    return steps or ["<runtime>"]


def _frame(frame: UserFrame, lines: bool) -> str:
    if not frame.function:
        return processes.current().code_name(
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
