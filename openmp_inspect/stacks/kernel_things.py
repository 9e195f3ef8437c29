# SPDX-License-Identifier: MIT
"""What a thread waits for in the kernel that is no word of memory: a file, by its descriptor or its
name, a message queue, signals, a child."""

from __future__ import annotations

import signal

from openmp_inspect.core import debug, proc_files
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface
from openmp_inspect.stacks import file_locks

if TYPE_CHECKING:
    from typing import Optional
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.host.interface import Awaited, Process

_LONGEST = 256  # bytes of a path
_MOST_SIGNALS = 3  # that are named
_SOME_CHILD = 1 << 31  # from here on it is a negative number
_STATES = {b"R": "works", b"S": "sleeps", b"D": "sleeps", b"T": "is stopped", b"t": "is traced"}
_BYTES = 8  # of a set of signals, as the kernel has it


def words(here: Space, awaited: Awaited) -> Optional[Name]:
    """The thing, or None where it cannot be read."""
    try:
        return Name(_words(here, awaited))
    except HostError:
        debug.ignored()
        return None


def _words(here: Space, awaited: Awaited) -> str:
    process, kind, value = here.process, awaited.kind, awaited.value
    if kind == "path":
        return here.memory.read_string(value, _LONGEST).decode(
            "utf-8", "backslashreplace")
    if kind == "signals":
        return _signals(process.unsigned(value, _BYTES))
    if kind == "queue":
        return "message queue %d" % value
    if kind == "child":
        return _child(process, value if 0 < value < _SOME_CHILD else None)
    if process.origin != interface.LIVE:
        return "file descriptor %d" % value
    path = proc_files.opened_file(process.pid, value) or "file descriptor %d" % value
    kind = path.partition(":")[0]
    return _pipe(process, process.pid, value) if kind == "pipe" else \
        _socket(process.pid, value) if kind == "socket" else path


def _child(process: Process, own: Optional[int]) -> str:
    """The child that a PROCESS has by an id of its OWN, None: the only one, with its program and state."""
    found = [one for one in process.children() if own in (None, proc_files.id_of_child(process.pid, one))] \
        if process.origin == interface.LIVE else []
    if len(found) != 1:
        return "a child process" if own is None else "child process %d" % own
    state = _STATES.get(proc_files.state(found[0]))
    return "child " + file_locks.holder(process, tuple(found)) + (", which " + state if state else "")


def _socket(own: int, number: int) -> str:
    """One, with whom it is connected to by TCP."""
    peer = proc_files.peer(own, number)
    return "a socket" + (", connected to %s" % peer if peer else "")


def _pipe(process: Process, own: int, number: int) -> str:
    """One, with the processes that have its other end."""
    found = proc_files.other_ends(own, number)
    others = tuple(one for one in found if one != own) or tuple(found)
    return "a pipe" + (", whose other end is open in %s" % file_locks.holder(process, others)
                       if others else "")


def _signals(blocked: int) -> str:
    """The signals of a set."""
    names = [one.name for one in signal.Signals if blocked >> (one.value - 1) & 1]
    return ", ".join(names) if 0 < len(names) <= _MOST_SIGNALS and \
        bin(blocked).count("1") == len(names) else "a signal"
