# SPDX-License-Identifier: MIT
"""Two looks at a live process: does a thread that others wait for get any further?"""

from __future__ import annotations

import os
import threading

import gdb

from gdb_openmp.core import debug
from gdb_openmp.core.static_typing import TYPE_CHECKING, NamedTuple
from gdb_openmp.host import inferiors, json_output
from gdb_openmp.program import symbol_names
from gdb_openmp.stacks import stitched_stack
from gdb_openmp.analysis import evidence, thread_table
from gdb_openmp.ui import session

if TYPE_CHECKING:
    from typing import List, Optional, Tuple
    from gdb_openmp.core.static_typing import GdbInferior
    from gdb_openmp.analysis.evidence_items import Evidence, Node
    from gdb_openmp.analysis.thread_rows import Row
    from gdb_openmp.model.objects import Thread

_LONGEST = 3600
_MOST_THREADS = 64  # whose frames are compared
_BUSY = 0.05  # of the time that passed, on a processor: less is no loop
_NAPPING = 0.1  # the same of one that was asleep at the second look: less is polling


def seconds(word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        debug.ignored()
        value = -1.0
    if not 0 < value <= _LONGEST:
        raise gdb.GdbError('"-watch" takes a number of seconds, not "%s".' % word)
    return value


class Look:
    """What each thread does that does not wait for another one: {kernel id: _State}."""

    def __init__(self, found: Evidence, inferior: GdbInferior, length: float) -> None:
        self.length = length
        self.threads = {row.lwp: _state(row, node, inferior) for row, node in _threads(found)}


class _State(NamedTuple):
    frame: Optional[Tuple[Optional[int], int]]  # function and stack pointer, of the user's
    what: str
    call: Optional[str]  # what it sleeps in
    seconds: Optional[float]  # that it had a processor
    progress: object  # what changes where it comes from one construct to the next


def _threads(found: Evidence) -> List[Tuple[Row, Node]]:
    return [(node.row, node) for node in found.nodes.values()
            if node.row is not None and node.what in ("works", "asleep", "mpi")][:_MOST_THREADS]


def _state(row: Row, node: Node, inferior: GdbInferior) -> _State:
    frame = None
    try:
        found = stitched_stack.current().walker.user_frame(row.thread)
        if found is not None:
            frame = symbol_names.start_of(found.frame), found.sp
    except gdb.error:
        debug.ignored()
    return _State(frame, node.what, node.call, _processor_time(inferior, row.lwp),
                  _progress(row.known))


def _progress(known: Optional[Thread]) -> object:
    """The region and the task of a model's Thread, which are others after a barrier where they
    are not numbered, its barriers, and how far the loop is that it is in."""
    if known is None:
        return None
    region, task, entered, loop = (json_output.known(ask) for ask in (
        lambda: known.region, lambda: known.task, lambda: known.barriers_entered,
        lambda: known.loop))
    return region and region.key, task and task.key, entered, loop


def _processor_time(inferior: GdbInferior, lwp: Optional[int]) -> Optional[float]:
    try:
        with open("/proc/%d/task/%s/stat" % (inferior.pid, lwp), "rb") as stream:
            fields = stream.read(4096).rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        debug.ignored()
        return None


def first_look(inferior: GdbInferior, length: float) -> Look:
    """The Look before the program has run for LENGTH seconds more; GdbError for a core."""
    connection = inferiors.connection(inferior)
    if connection is None or connection.type != "native":
        raise gdb.GdbError('"ompd why -watch" needs a live process of this machine.')
    with session.sentences(), session.snapshot() as snapshot, inferiors.selection_kept():
        found = evidence.collect(inferior, snapshot, thread_table.all_rows(inferior, snapshot))
        look = Look(found, inferior, length)
    let_run(length)
    session.need_program()
    return look


def let_run(length: float) -> None:
    """The program runs on, and is interrupted."""
    thread = gdb.selected_thread()
    timer = threading.Timer(length, lambda: gdb.post_event(_interrupt))
    timer.daemon = True
    timer.start()
    try:
        _continue_quietly()
    finally:
        timer.cancel()
        if thread is not None and thread.is_valid():
            thread.switch()


def _continue_quietly() -> None:
    try:
        gdb.execute("with suppress-cli-notifications on -- continue", to_string=True)
    except gdb.error as error:
        if "suppress" not in str(error):
            raise
        gdb.execute("continue", to_string=True)  # gdb 11 and older


def _interrupt() -> None:
    thread = gdb.selected_thread()
    if thread is None or thread.is_running():
        gdb.execute("interrupt", to_string=True)


def compare(before: Look, found: Evidence, inferior: GdbInferior) -> None:
    """Marks the threads of the second look that are where they were, or are not. One that was
    found asleep once and has hardly had a processor polls."""
    for row, node in _threads(found):
        then, now = before.threads.get(row.lwp), _state(row, node, inferior)
        if then is None or now.frame is None:
            continue
        used = None if now.seconds is None or then.seconds is None else \
            now.seconds - then.seconds
        stays = now.frame == then.frame and now.progress == then.progress
        least = _BUSY if node.what == "works" else _NAPPING
        brief = used is None or used < least * before.length
        if node.what != "works":
            # Else it has worked, and called that again; a runtime that makes threads or frees
            # memory is soon done with it.
            stays = stays and brief and not row.call.runtime
        elif stays and brief:
            if then.what == "works":
                continue  # it was not given a processor
            node.what, node.call = then.what, then.call  # it polls
        elif used is not None:
            node.name = "%.1f s of CPU in %.1f s%s" % (
                used, before.length, ", in the same function at both looks" if stays else "")
        node.flags.add("same_place" if stays else "moved")
