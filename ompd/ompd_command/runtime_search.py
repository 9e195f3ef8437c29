# SPDX-License-Identifier: MIT
"""Processes that have an OpenMP runtime loaded: all of the user, or all below one. Of a static
program it cannot be seen from outside."""

from __future__ import annotations

import os
import re

from openmp_inspect.core import debug, proc_files
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Dict, Iterator, List, Optional

_MOST = 1 << 24  # bytes of a command line, or of an environment
# A file that is mapped: libgomp-0123abcd.so.1.0.0 of a wheel, libomp.so.5, libiomp5.so; none of ours.
# To be executed: whoever looks at a program maps its files, too.
RUNTIME = re.compile(rb"^\S+ ..x[^\n]*/lib(?:gomp|i?omp5?)(?:-[\w.]+)?\.so[^/\n]*$", re.MULTILINE)


def of_user(name: str = "", job: str = "") -> List[int]:
    """Ids of this user's processes, of those whose program has a NAME, and of a JOB of Slurm, if one is
    given; root's are then those of all users."""
    variable = b"\0SLURM_JOB_ID=%s\0" % job.encode()
    return [pid for pid in _all() if (_is_own(pid) or job and os.getuid() == 0) and
            (not name or _program(pid) == name) and has_runtime(pid) and
            (not job or variable in b"\0" + _text(pid, "environ"))]


def named(name: str) -> List[int]:
    """The same, whether they have a runtime or not."""
    return [pid for pid in _all() if _is_own(pid) and _program(pid) == name]


def executing(path: str) -> List[int]:
    """Those of this user that execute the file at a PATH."""
    wanted = os.stat(path)
    found = []
    for pid in filter(_is_own, _all()):
        try:
            if os.path.samestat(os.stat("/proc/%d/exe" % pid), wanted):
                found.append(pid)
        except OSError:
            debug.ignored()  # it has ended meanwhile, or has other rights
    return found


def below(ancestor: int) -> List[int]:
    """Of descendants() those that have a runtime."""
    return list(filter(has_runtime, descendants(ancestor)))


def descendants(ancestor: int) -> List[int]:
    """Ids of the processes that one has started, and those have, and that one itself."""
    children: Dict[int, List[int]] = {}
    for pid in _all():
        children.setdefault(proc_files.parent(pid), []).append(pid)
    found, todo = {ancestor}, [ancestor]
    while todo:
        for child in children.get(todo.pop(), ()):
            if child not in found:
                found.add(child)
                todo.append(child)
    return sorted(found)


def has_first_twin() -> bool:
    """Whether what has started this process has started one with the same words and a lower id, too."""
    words = _text(os.getpid(), "cmdline")
    return any(pid < os.getpid() and proc_files.parent(pid) == os.getppid() and _is_own(pid) and
               _text(pid, "cmdline") == words for pid in _all())


def _text(pid: int, name: str) -> bytes:
    """What /proc says of a process; nothing of one that has ended, or is another's."""
    try:
        with open("/proc/%d/%s" % (pid, name), "rb") as stream:
            return stream.read(_MOST)
    except OSError:
        debug.ignored()
        return b""


def _all() -> Iterator[int]:
    for entry in sorted(map(int, filter(str.isdigit, os.listdir("/proc")))):
        if entry != os.getpid():
            yield entry


def _is_own(pid: int) -> bool:
    try:
        return os.stat("/proc/%d" % pid).st_uid == os.getuid()
    except OSError:
        debug.ignored()  # it has ended meanwhile
        return False


def _program(pid: int) -> Optional[str]:
    try:
        path = os.readlink("/proc/%d/exe" % pid)
    except OSError:
        debug.ignored()
        return None
    return os.path.basename(path[:-len(" (deleted)")] if path.endswith(" (deleted)") else path)


def has_runtime(pid: int) -> bool:
    try:
        with open("/proc/%d/maps" % pid, "rb") as stream:
            return RUNTIME.search(stream.read()) is not None
    except OSError:
        debug.ignored()
        return False
