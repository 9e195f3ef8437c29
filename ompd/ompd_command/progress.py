# SPDX-License-Identifier: MIT
"""Whether processes make progress, by what the kernel counts of their threads: nothing is
stopped."""

from __future__ import annotations

import os

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Dict, List


def _listed(path: str) -> List[str]:
    try:
        return os.listdir(path)
    except OSError:
        debug.ignored()
        return []


def run_times(processes: List[int]) -> Dict[int, int]:
    """{thread: nanoseconds that it has run}, of all threads of PROCESSES."""
    found: Dict[int, int] = {}
    for process in processes:
        for task in _listed("/proc/%d/task" % process):
            try:
                with open("/proc/%d/task/%s/schedstat" % (process, task), "rb") as stream:
                    found[int(task)] = int(stream.read().split()[0])
            except (OSError, ValueError, IndexError):
                debug.ignored()
    return found


def is_stopped(process: int) -> bool:
    """Whether somebody has stopped a process, as with Ctrl-Z."""
    try:
        with open("/proc/%d/stat" % process, "rb") as stream:
            return stream.read().rpartition(b")")[2].split()[0] in (b"T", b"t")
    except (OSError, IndexError):
        debug.ignored()
        return False
