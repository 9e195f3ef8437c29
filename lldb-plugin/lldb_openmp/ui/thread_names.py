# SPDX-License-Identifier: MIT
"""The OpenMP number of a thread for lldb's setting thread-format, which asks for one thread after
the other: all are found out at once, at each stop."""

from __future__ import annotations

from openmp_inspect.core import escaped
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.report import thread_paths
from lldb_openmp.host import sessions

if TYPE_CHECKING:
    from typing import Any, Dict, List, Tuple

# One: the stop, as (lldb's numbers of the process and of the stop), and paths by thread id.
_known: List[Tuple[Tuple[int, int], Dict[int, str]]] = []


def of(thread: Any) -> str:
    """"OpenMP 1/4" for an SBThread, or nothing."""
    found = path(thread)
    return "OpenMP " + found if found else ""


def path(thread: Any) -> str:
    """The same without the word."""
    process = thread.GetProcess()
    stop = process.GetUniqueID(), process.GetStopID()
    if not _known or _known[0][0] != stop:
        _known[:] = [(stop, _of_process(process))]
    return _known[0][1].get(thread.GetThreadID(), "")


def _of_process(process: Any) -> Dict[int, str]:
    return sessions.asked(process, lambda _process: _paths()) or {}


def _paths() -> Dict[int, str]:
    with Snapshot.of(sessions.space()) as snapshot:
        return {one.thread.lwp: escaped.shown(one.label)
                for one in thread_paths.everybody(snapshot) if one.label is not None}
