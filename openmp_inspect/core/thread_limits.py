# SPDX-License-Identifier: MIT
"""What limits how many threads a process of this machine may have: its address space, the threads of
its user, of its control groups and of the machine."""

from __future__ import annotations

import os

from openmp_inspect.core import access, control_groups, debug, proc_files
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import List, Optional

_IGNORED = 1 << 21 | 1 << 24  # with CAP_SYS_ADMIN or CAP_SYS_RESOURCE its user's threads do not count
SPACE, USER, GROUP, MACHINE = "ulimit -v", "ulimit -u", "pids.max", "kernel.threads-max"


class Limit(NamedTuple):
    name: str
    most: int  # threads, or bytes of SPACE
    used: int  # of these
    path: str = ""  # of the control group

    def room(self, stack: int) -> int:
        """How many threads more there may be with a STACK of so many bytes."""
        return max(self.most - self.used, 0) // (max(stack, 1) if self.name == SPACE else 1)


def of_process(process: int) -> List[Limit]:
    """Those that are known."""
    status, found = proc_files.status(process), of_groups(process)
    try:
        space = proc_files.limit(process, b"Max address space")
        if space is not None:
            found.append(Limit(SPACE, space, int(status[b"VmSize"].split()[0]) << 10))
        threads, user = proc_files.limit(process, b"Max processes"), status[b"Uid"].split()[0]
        if threads is not None and user != b"0" and not int(status[b"CapEff"], 16) & _IGNORED:
            found.append(Limit(USER, threads, _of_user(user)))
        most, load = (access.current().text("/proc/" + name)
                      for name in ("sys/kernel/threads-max", "loadavg"))
        found.append(Limit(MACHINE, int(most), int(load.split()[3].partition(b"/")[2])))
    except (OSError, ValueError, LookupError):
        debug.ignored()
    return found


def _of_user(user: bytes) -> int:
    """How many threads a user has, in the processes that are visible from here."""
    count = 0
    for other in map(int, filter(str.isdigit, access.current().names("/proc"))):
        status = proc_files.status(other)
        if status.get(b"Uid", b"").split()[:1] == [user]:
            count += int(status.get(b"Threads", b"0"))
    return count


def of_groups(process: int, proc: str = "/proc", root: str = control_groups.ROOT) -> List[Limit]:
    """Those of its control groups."""
    found: List[Limit] = []
    try:
        text = control_groups.text_of(os.path.join(proc, "%d" % process, "cgroup"))
        for mount, path, _ in control_groups.hierarchies(text, "pids", root):
            found += filter(None, (_of_group(*one) for one in control_groups.upwards(mount, path)))
    except (OSError, ValueError):
        debug.ignored()
    return found


def _of_group(path: str, directory: str) -> Optional[Limit]:
    """That of the group at PATH, None without one."""
    try:
        most, used = (control_groups.text_of(os.path.join(directory, name)).strip()
                      for name in ("pids.max", "pids.current"))
    except FileNotFoundError:
        debug.ignored()  # the root has none
        return None
    return None if most == "max" else Limit(GROUP, int(most), int(used), path)
