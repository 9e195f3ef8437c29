# SPDX-License-Identifier: MIT
"""On which processors a process may run, and how much of their time it gets: known of live
processes of this machine alone."""

from __future__ import annotations

import os

from openmp_inspect.core import cpu_quota, proc_files
from openmp_inspect.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import inferiors

if TYPE_CHECKING:
    from typing import FrozenSet, Optional
    from gdb_openmp.host.gdb_types import GdbInferior, GdbThread


def of_thread(inferior: GdbInferior, thread: Optional[GdbThread] = None) -> Optional[FrozenSet[int]]:
    """Those of a thread, by default the first one, a frozenset, or None."""
    if not inferiors.is_live_here(inferior):
        return None
    return proc_files.allowed_processors(inferior.pid if thread is None else inferiors.lwp(thread))


def of_gdb() -> Optional[FrozenSet[int]]:
    """What the next run gets, unless somebody changes it: a frozenset, or None."""
    return proc_files.allowed_processors(0)


def quota(inferior: GdbInferior) -> Optional[float]:
    """cpu_quota.of_process() of a process of this machine, or of what gdb would start."""
    if inferior.pid and not inferiors.is_live_here(inferior):
        return None
    return cpu_quota.of_process(inferior.pid or os.getpid())
