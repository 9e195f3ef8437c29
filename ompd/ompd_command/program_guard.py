# SPDX-License-Identifier: MIT
"""A process beside a program that is watched, which sees how this process ends: however that is, nothing
of the program is left running. Where no keys of a terminal are for this process's group it also leads
the process group in which the program is, apart: what ends a whole group, as timeout(1) does, comes to
this process first, which passes it on. The program does not lead it, as that could not call setsid()."""

from __future__ import annotations

import os
import signal

from openmp_inspect.core import debug, proc_files
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Callable, Optional

_BYTES = 8


class Guard:
    """Should this process be killed, WHEN_LEFT is called in the other one with the id of the program.
    `pid`: of that one, 0 once it has ended; `group`: of the program, None: this process's."""

    def __init__(self, when_left: Callable[[int], None]) -> None:
        reader, self._writer = os.pipe()
        self.pid = os.fork()
        is_apart = not _has_keys()
        if self.pid == 0:
            os.close(self._writer)
            _wait(reader, is_apart, when_left)
        os.close(reader)
        self.group = self.pid if is_apart else None
        _set_group(self.pid, self.group)

    def join(self) -> None:
        """Call in the program."""
        _set_group(0, self.group)

    def begin(self, program: int) -> None:
        os.write(self._writer, program.to_bytes(_BYTES, "little"))

    def signal(self, program: int, number: int) -> None:
        """Passes on what has come to this process's group, in which the program would be."""
        if self.group is not None:
            send(-self.group, number)
        if os.getpgid(program) not in (self.group, os.getpgrp()):
            send(program, number)

    def end(self) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)


def send(process: int, number: int) -> None:
    """A signal, to a group if it is negative."""
    try:
        os.kill(process, number)
    except OSError:
        debug.ignored()  # it has ended, or has other rights by now


def _set_group(process: int, group: Optional[int]) -> None:
    """Whoever of a process and its parent is first."""
    try:
        if group is not None:
            os.setpgid(process, group)
    except OSError:
        debug.ignored()  # the other one was


def _has_keys() -> bool:
    """Whether the keys of a terminal are for this process's group, or may be once it is in front."""
    if os.isatty(0):
        return True
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError:
        debug.ignored()
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    finally:
        os.close(terminal)


def _wait(reader: int, is_apart: bool, when_left: Callable[[int], None]) -> None:
    """In the child, which is ended unless its parent is killed before."""
    try:
        _set_group(0, os.getpid() if is_apart else None)
        program = int.from_bytes(os.read(reader, _BYTES), "little")
        began = proc_files.started(program)
        if program and not os.read(reader, 1) and proc_files.started(program) == began:
            when_left(program)
    finally:
        os._exit(0)
