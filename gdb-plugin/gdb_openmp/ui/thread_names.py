# SPDX-License-Identifier: MIT
"""Threads carry their OpenMP numbers, and what they wait for, as gdb's names of threads, while the
program is stopped: "info threads", -thread-info of MI and front ends show these."""

from __future__ import annotations

import gdb

from openmp_inspect.core import debug, errors, escaped
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.analysis import thread_table
from openmp_inspect.analysis.wait_state import IDLE
from openmp_inspect.report import path_words
from gdb_openmp.host import console, parameters, stop_notices, thread_ids
from gdb_openmp.ui import session

if TYPE_CHECKING:
    from typing import Dict, Optional, Tuple
    from openmp_inspect.analysis.thread_rows import ThreadRow
    from gdb_openmp.host.gdb_types import GdbEvent, GdbThread

# Global number of a thread -> (the gdb thread, the name that it has from us).
_given: Dict[int, Tuple[GdbThread, str]] = {}


def give() -> None:
    """Names the threads of the selected inferior, if that is wanted and all are stopped."""
    take_back()
    inferior = gdb.selected_inferior()
    if not _are_wanted() or not inferior.pid or \
            any(thread.is_running() for thread in thread_ids.threads(inferior)):
        return
    try:
        with session.snapshot() as snapshot:
            for row in thread_table.all_rows(snapshot.space, snapshot):
                name = None if row.thread is None else _name(row)
                if name is not None:
                    _rename(row.thread, escaped.shown(name))
    except (errors.OmpdError, errors.NoLibrary, gdb.error):
        debug.ignored()


def take_back(_event: Optional[GdbEvent] = None) -> None:
    """Threads have the names again that they had. One that the user has named since keeps
    that."""
    for thread, name in _given.values():
        try:
            if thread.is_valid() and thread.name == name:
                thread.name = None
        except gdb.error:
            debug.ignored()  # the process has gone
    _given.clear()


def _are_wanted() -> bool:
    wanted = parameters.thread_names()
    return wanted == "on" or wanted == "auto" and console.front_end() is not None


def _name(row: ThreadRow) -> Optional[str]:
    """What the row of a thread says of it, as `OpenMP 1/4, wait lock grid_lock, held by 3`; None
    of a thread that is not OpenMP's."""
    wait = row.wait
    if wait is IDLE:
        return "OpenMP, idle"
    path = path_words.path(row)
    if row.known is None or path in ("-", "?"):
        return None
    words = ["OpenMP " + path]
    if wait.is_wait or wait.name == "in_call":
        words.append(wait.words)
        what = wait.waits_for(True).raw
        if what != "-":
            words[-1] += " " + what.replace('"', "")  # gdb writes names in quotes
    return ", ".join(words)


def _rename(thread: GdbThread, name: str) -> None:
    """Names a thread, but not one that the user has named."""
    before = thread.name
    thread.name = None
    if before is not None and thread.name != before:
        thread.name = before
        return
    thread.name = name
    _given[thread.global_num] = thread, name


def _stopped(_event: GdbEvent) -> None:
    if not stop_notices.is_command():
        give()


def watch() -> None:
    """Follows gdb's events. Called once."""
    parameters.on_thread_names(give)
    gdb.events.stop.connect(_stopped)
    gdb.events.cont.connect(take_back)
    stop_notices.at_end(give)
