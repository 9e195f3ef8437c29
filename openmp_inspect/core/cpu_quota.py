# SPDX-License-Identifier: MIT
"""How many processors' worth of time the control groups of a process of this machine grant.

Version 2 has it in cpu.max ("200000 100000", or "max 100000"), version 1 in cpu.cfs_quota_us
and cpu.cfs_period_us. What is above a group limits it, too.
"""

from __future__ import annotations

import math
import os

from openmp_inspect.core import debug, regular_file
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Iterator, Optional, Tuple

_MOST_BYTES = 1 << 16
_MOST_LEVELS = 64


def of_process(pid: int, proc: str = "/proc", root: str = "/sys/fs/cgroup") -> Optional[float]:
    """Processors, math.inf without a limit; None where that cannot be known: the groups of the
    process are not visible from here."""
    try:
        text = _text(os.path.join(proc, "%d" % pid, "cgroup"))
    except FileNotFoundError:
        debug.ignored()
        return None if os.path.exists(os.path.join(root, "cgroup.controllers")) else math.inf
    except (OSError, ValueError):
        debug.ignored()
        return None
    try:
        return min((_limit(*group) for group in _groups(text, root)), default=math.inf)
    except (OSError, ValueError):
        debug.ignored()
        return None


def _text(path: str) -> str:
    with regular_file.opened(path) as stream:
        return stream.read(_MOST_BYTES).decode("utf-8", "surrogateescape")


def _groups(text: str, root: str) -> Iterator[Tuple[str, str, bool]]:
    """(mount point, path below it, whether version 2) of the hierarchies with a CPU controller."""
    for line in text.splitlines():
        number, controllers, path = line.split(":", 2)
        mounts = []
        if number == "0" and not controllers:
            mounts = [(mount, True) for mount in (root, os.path.join(root, "unified"))
                      if os.path.exists(os.path.join(mount, "cgroup.controllers"))]
        elif "cpu" in controllers.split(","):
            mounts = [(os.path.join(root, controllers), False)]
        for mount, unified in mounts:
            yield mount, path, unified


def _limit(mount: str, path: str, unified: bool) -> float:
    """The tightest limit from the group at PATH up to the MOUNT; OSError or ValueError if it is
    not below that."""
    parts = [part for part in path.split("/") if part]
    if ".." in parts or len(parts) > _MOST_LEVELS:
        raise ValueError("a control group out of sight")
    found = math.inf
    for end in range(len(parts), -1, -1):
        directory = os.path.join(mount, *parts[:end])
        if not os.path.isdir(directory):
            raise ValueError("a control group out of sight")
        found = min(found, _own_limit(directory, unified))
    return found


def _own_limit(directory: str, unified: bool) -> float:
    files = ("cpu.max",) if unified else ("cpu.cfs_quota_us", "cpu.cfs_period_us")
    try:
        words = " ".join(_text(os.path.join(directory, file)) for file in files).split()
    except FileNotFoundError:
        debug.ignored()
        return math.inf  # the root has none, nor has a group without the controller
    if words[0] in ("max", "-1"):
        return math.inf
    quota, period = int(words[0]), int(words[1])
    if quota <= 0 or period <= 0:
        raise ValueError("%d of %d" % (quota, period))
    return quota / period
