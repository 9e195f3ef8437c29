# SPDX-License-Identifier: MIT
"""The file for whose lock a thread sleeps in flock(), lockf() or fcntl(), and which processes have
locked it.

A stopped thread is in no queue of the kernel's, so that the kernel does not name the holder: it is one
of the processes with a lock of that kind on the file, maybe on another part of it. A lock of flock()
is listed with the process that has acquired it, which may have passed the open file to another one.
"""

from __future__ import annotations

from openmp_inspect.core import proc_files
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.host import interface

if TYPE_CHECKING:
    from typing import Tuple
    from openmp_inspect.host.interface import Process, WantedLock

NOUN = "file lock"  # what LibcWait.noun calls it


class FileLock(NamedTuple):
    file: str  # its path, or the number of the open file
    processes: Tuple[int, ...]  # that have locked it, by the ids of this machine; none: not known


def of(process: Process, wanted: WantedLock) -> FileLock:
    """The FileLock that a thread of the process waits for."""
    path, holders = None, set()
    if process.origin == interface.LIVE:
        path = proc_files.opened_file(process.pid, wanted.file)
        holders = proc_files.lockers(process.pid, wanted.file, wanted.kinds)
    if b"FLOCK" not in wanted.kinds:
        holders.discard(process.pid)  # its own locks of that kind are in nobody's way
    return FileLock(path or "file descriptor %d" % wanted.file, tuple(sorted(holders)))


def holder(process: Process, lockers: Tuple[int, ...]) -> str:
    """The processes that have locked a file, in words."""
    first = lockers[0]
    if len(lockers) > 1:
        return "%d processes" % len(lockers)
    if first == process.pid:
        return "this process"
    name = proc_files.name(first)
    return "process %d%s" % (first, ", which has ended" if name is None else " (%s)" % name)
