# SPDX-License-Identifier: MIT
"""ompd bt"""

from __future__ import annotations

import gdb

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.core import escaped, json_output, text
from openmp_inspect.core.text import style
from openmp_inspect.code import symbol_names
from openmp_inspect.stacks import labels, stitched_stack
from gdb_openmp.host import console, inferiors, modules, options, thread_ids
from gdb_openmp.ui import captured_variables, explanations, session

if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional
    from types import SimpleNamespace
    from openmp_inspect.code.places import Place
    from openmp_inspect.stacks.labelled_stack import Label, Row
    from openmp_inspect.stacks.segments import UserFrame
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from gdb_openmp.host.gdb_types import GdbInferior, GdbThread


class Command(options.Command):
    """Show how a thread came to where it is, across threads.

Usage: ompd bt [-all | THREAD...] [-full] [-json]

The selected thread's frames, or those of the threads with these numbers (as
"thread apply" takes them, ranges included), or of every thread. Frames of
OpenMP's runtime are left out; lines between frames name the region or task
that begins there, or the loop, section or the like that the frame above is in.
A worker's frames are continued by those of the encountering thread, up
to main; frames have the numbers that they have in the thread that the last
such line names.

  -full  with the variables of each frame; "bt -full" has the runtime's frames
  -json  an array of objects with the keys id and rows, an array of frames
         (level, function, address, file, fullname, line, library) and of lines
         between them (label, file, fullname, line, and what the line says of
         region, task, thread_num, num_threads and thread)"""

    name = "ompd bt"
    flags = ("all", "full", "json")
    takes = 1 << 20
    category = gdb.COMMAND_STACK

    def answer(self, given: SimpleNamespace) -> List[Dict[str, Any]]:
        threads = _chosen(session.need_program(), given)
        with session.sentences(), inferiors.selection_kept():
            stacks = stitched_stack.current()
            explanations.remarks(stacks.problem)
            return [{"id": thread.num, "rows": _facts(stacks, thread)} for thread in threads]

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        threads = _chosen(session.need_program(), given)
        headed = given.all or given.words
        with session.sentences(), inferiors.selection_kept():
            stacks = stitched_stack.current()
            remark = explanations.remarks(stacks.problem)
            for thread in threads:
                if headed:
                    gdb.write("%sThread %s%s:\n" % (
                        "" if thread is threads[0] else "\n", text.thread(thread.num),
                        _openmp(stacks, thread)))
                for line in lines(stacks, thread, given.full):
                    gdb.write(line + "\n")
            for line in remark:
                gdb.write(line + "\n")


def _openmp(stacks: StitchedStacks, thread: GdbThread) -> str:
    """What number the thread has in OpenMP."""
    stacks.learn(thread)
    for label in (label for found in stacks.stack(thread).labels.values() for label in found):
        if "thread_num" in label.facts:
            return ", OpenMP thread %(thread_num)d of %(num_threads)d" % label.facts
    return ""


def _chosen(inferior: GdbInferior, given: SimpleNamespace) -> List[GdbThread]:
    """Threads as the arguments name them, by their number."""
    if given.all and given.words:
        raise gdb.GdbError('"ompd bt" takes threads or "-all", not both.')
    if given.all or given.words:
        known = {thread.num: thread for thread in thread_ids.threads(inferior)}
        word = "".join(given.words)
        if word.isdigit() and int(word) not in known:
            raise gdb.GdbError('There is no thread %s: "ompd bt" takes threads, and "bt %s" a number '
                               'of frames.' % (word, word))
        return [known[number] for number in
                (sorted(known) if given.all else console.numbers(given.words, known, "thread"))]
    selected = gdb.selected_thread()
    if selected is None:
        raise gdb.GdbError('No thread is selected: type "thread N" first.')
    return [selected]


def lines(stacks: StitchedStacks, thread: GdbThread, full: bool) -> List[str]:
    """The stack of one thread with those that continue it, in lines; if FULL with variables."""
    if thread.is_running():
        return ["(running)"]
    rows = stacks.rows(thread)
    if not rows:
        return ["(no frame of the program; \"bt -no-filters\" shows what there is)"]
    return [line for row in rows for line in [_line(row)] + (_variables(stacks, row) if full else [])]


def _variables(stacks: StitchedStacks, row: Row) -> List[str]:
    frame = None if row.frame is None or row.thread is None or row.frame.system else \
        captured_variables.frame_shown(stacks, row.thread, row.frame)
    return [] if frame is None else captured_variables.lines(frame, " " * 8)


def _line(row: Row) -> str:
    if row.label is not None:
        return _label(row.label)
    assert row.frame is not None  # a Row has one of the two
    return _frame(row.frame)


def _facts(stacks: StitchedStacks, thread: GdbThread) -> List[Dict[str, Any]]:
    """The same as objects; none of a thread that runs."""
    rows = [] if thread.is_running() else stacks.rows(thread)
    return [_row_facts(row) for row in rows]


def _row_facts(row: Row) -> Dict[str, Any]:
    frame = row.frame
    if frame is not None:
        return {"level": frame.level, "function": frame.function,
                "address": json_output.address(frame.address), "file": frame.file,
                "fullname": frame.file and symbol_names.full_path(frame.file, frame.address),
                "line": frame.line, "library": frame.library}
    assert row.label is not None  # a Row has one of the two
    where = json_output.place_facts(row.label.place)
    del where["function"]
    return dict(row.label.facts, label=row.label.words + row.label.more, **where)


def _frame(frame: UserFrame) -> str:
    number = "" if frame.level is None else "#%d" % frame.level
    name = escaped.short(frame.function) if frame.function else \
        escaped.shown(modules.named(frame.address))
    words = [style("function", name) + " ()"]
    if frame.file and frame.line:
        words.append("at " + text.source_line(frame.file, frame.line))
    else:
        words.insert(0, style("address", "%#x" % frame.address) + " in")
        if frame.library and frame.function:
            words.append("from " + style("filename", escaped.shown(frame.library)))
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
