# SPDX-License-Identifier: MIT
"""ompd bt"""

from __future__ import annotations

import gdb

from openmp_inspect.core import number_list
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import thread_backtrace
from gdb_openmp.host import console, options, thread_ids
from gdb_openmp.ui import captured_variables, function_scopes, session

if TYPE_CHECKING:
    from typing import Any, Dict, List
    from types import SimpleNamespace
    from openmp_inspect.stacks.labelled_stack import StackRow
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
        return thread_backtrace.facts(_chosen(session.need_program(), given))

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        threads = _chosen(session.need_program(), given)
        for line in thread_backtrace.lines(threads, bool(given.all or given.words),
                                           _variables if given.full else None):
            console.write(line + "\n")


def _chosen(inferior: GdbInferior, given: SimpleNamespace) -> List[GdbThread]:
    """Threads as the arguments name them, by their number."""
    if given.all and given.words:
        raise gdb.GdbError('"ompd bt" takes threads or "-all", not both.')
    if given.all or given.words:
        known = {thread.num: thread for thread in thread_ids.threads(inferior)}
        word = given.words[0] if len(given.words) == 1 else ""
        if word.isdigit() and int(word) not in known:
            raise gdb.GdbError('There is no thread %s: "ompd bt" takes threads, and "bt %s" a number '
                               'of frames.' % (word, word))
        return [known[number] for number in
                (sorted(known) if given.all else number_list.parsed(
                    given.words, known, "thread", console.in_inferior))]
    selected = gdb.selected_thread()
    if selected is None:
        raise gdb.GdbError('No thread is selected: type "thread N" first.')
    return [selected]


def _variables(stacks: StitchedStacks, row: StackRow) -> List[str]:
    frame = None if row.frame is None or row.thread is None or row.frame.system else \
        captured_variables.frame_shown(stacks, row.thread, row.frame)
    return [] if frame is None else function_scopes.lines(frame, " " * 8)
