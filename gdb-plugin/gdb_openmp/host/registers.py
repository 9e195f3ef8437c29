# SPDX-License-Identifier: MIT
"""Where threads are and how deep their stacks are, without a frame of each from gdb,
and what they sleep on in the kernel.

gdb takes some 40 microseconds to make the newest frame of a thread. For a process of this
machine the kernel has them, for a core the notes in its file (core_notes.py). Of what gdb has
from elsewhere, as by gdbserver, its registers say the same, the number of the system call among
them. Of the machines that machine.py has, but for a process of this machine.
Whoever uses them compares with gdb's frame now and then and says doubt() where it differs.
"""

from __future__ import annotations

import sys

import gdb

from openmp_inspect.core import debug, elf
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import machine, stopped_registers, system_calls
from openmp_inspect.host.stopped_registers import StoppedRegisters
from gdb_openmp.host import core_notes, inferiors

if TYPE_CHECKING:
    from typing import Callable, Optional
    from openmp_inspect.host.system_calls import Stopped
    from gdb_openmp.host.gdb_types import GdbInferior, GdbThread

_NUMBERS = {"i386:x86-64": elf.X86_64, "aarch64": elf.AARCH64}  # by gdb's names
_BITS = (1 << 64) - 1


class Registers(StoppedRegisters):
    """Of the selected inferior, whose memory READ reads."""

    def __init__(self, inferior: GdbInferior, read: Callable[[int, int], bytes]) -> None:
        self._read = read
        connection = inferiors.connection(inferior)
        kind = None if connection is None else connection.type
        find: Callable[[GdbThread], Optional[Stopped]] = lambda _thread: None
        if connection is not None and kind == "core":
            self._statuses = core_notes.threads(inferior, connection) or {}
            find = self._of_core
        elif kind == "native" and sys.platform == "linux":
            self._pid = inferior.pid
            find = self._of_process
        elif kind in ("remote", "extended-remote"):
            find = self._of_gdb
        super().__init__(find)

    def _of_core(self, thread: GdbThread) -> Optional[Stopped]:
        known = self._statuses.get(inferiors.lwp(thread))
        return known and stopped_registers.of_values(known.machine, known.values, self._read)

    def _of_gdb(self, thread: GdbThread) -> Optional[Stopped]:
        with inferiors.selection_kept():
            try:
                thread.switch()
                frame = gdb.newest_frame()
                known = machine.of_number(_NUMBERS.get(frame.architecture().name(), 0))
                if known is None:
                    return None
                names = known.pc, known.sp, known.call, *known.arguments
                values = {name: int(frame.read_register(name)) & _BITS for name in names}
            except (gdb.error, ValueError):
                debug.ignored()
                return None  # it runs, or the server has no orig_rax
        return stopped_registers.of_values(known, values, self._read)

    def _of_process(self, thread: GdbThread) -> Optional[Stopped]:
        return system_calls.of_thread(self._pid, inferiors.lwp(thread))

