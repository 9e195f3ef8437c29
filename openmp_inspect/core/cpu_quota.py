# SPDX-License-Identifier: MIT
"""How many processors' worth of time the control groups of a process of this machine grant.

Version 2 has it in cpu.max ("200000 100000", or "max 100000"), version 1 in cpu.cfs_quota_us
and cpu.cfs_period_us. What is above a group limits it, too.
"""

from __future__ import annotations

import math
import os

from openmp_inspect.core import control_groups, debug
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Optional


def of_process(pid: int, proc: str = "/proc", root: str = control_groups.ROOT) -> Optional[float]:
    """Processors, math.inf without a limit; None where that cannot be known: the groups of the
    process are not visible from here."""
    try:
        text = control_groups.text_of(os.path.join(proc, "%d" % pid, "cgroup"))
    except FileNotFoundError:
        debug.ignored()
        return None if os.path.exists(os.path.join(root, "cgroup.controllers")) else math.inf
    except (OSError, ValueError):
        debug.ignored()
        return None
    try:
        return min((_limit(*group) for group in control_groups.hierarchies(text, "cpu", root)),
                   default=math.inf)
    except (OSError, ValueError):
        debug.ignored()
        return None


def _limit(mount: str, path: str, unified: bool) -> float:
    """The tightest limit from the group at PATH up to the MOUNT; OSError or ValueError if it is
    not below that."""
    return min(_own_limit(directory, unified)
               for _, directory in control_groups.upwards(mount, path))


def _own_limit(directory: str, unified: bool) -> float:
    files = ("cpu.max",) if unified else ("cpu.cfs_quota_us", "cpu.cfs_period_us")
    try:
        words = " ".join(control_groups.text_of(os.path.join(directory, file))
                         for file in files).split()
    except FileNotFoundError:
        debug.ignored()
        return math.inf  # the root has none, nor has a group without the controller
    if words[0] in ("max", "-1"):
        return math.inf
    quota, period = int(words[0]), int(words[1])
    if quota <= 0 or period <= 0:
        raise ValueError("%d of %d" % (quota, period))
    return quota / period
