# SPDX-License-Identifier: MIT
"""On which processors a process may run, and how much of their time it gets: known of live
processes of this machine alone."""

from __future__ import annotations

import os

from openmp_inspect.core import cpu_quota, debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import inferiors, thread_ids

if TYPE_CHECKING:
    from typing import Dict, FrozenSet, Optional
    from gdb_openmp.host.gdb_types import GdbInferior


def by_thread(inferior: GdbInferior) -> Optional[Dict[int, FrozenSet[int]]]:
    """{kernel id: frozenset of processors} of its threads, or None."""
    if not inferiors.is_live_here(inferior):
        return None
    found = {}
    for lwp, thread in thread_ids.by_lwp(inferior):
        allowed = _of(inferiors.lwp(thread))
        if allowed is None:
            return None
        found[lwp] = allowed
    return found


def of_process(inferior: GdbInferior) -> Optional[FrozenSet[int]]:
    """Those of its first thread, a frozenset, or None."""
    return _of(inferior.pid) if inferiors.is_live_here(inferior) else None


def of_gdb() -> Optional[FrozenSet[int]]:
    """What the next run gets, unless somebody changes it: a frozenset, or None."""
    return _of(0)


def _of(lwp: int) -> Optional[FrozenSet[int]]:
    try:
        return frozenset(os.sched_getaffinity(lwp))
    except (AttributeError, OSError, OverflowError):
        debug.ignored()
        return None


def quota(inferior: GdbInferior) -> Optional[float]:
    """cpu_quota.of_process() of a process of this machine, or of what gdb would start."""
    if inferior.pid and not inferiors.is_live_here(inferior):
        return None
    return cpu_quota.of_process(inferior.pid or os.getpid())
