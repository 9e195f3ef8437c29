# SPDX-License-Identifier: MIT
"""Where threads are and how deep their stacks are, without a frame of each from gdb,
and what they sleep on in the kernel.

gdb takes some 40 microseconds to make the newest frame of a thread. For a process of this
machine the kernel has them, for a core the notes in its file (core_notes.py). Of what gdb has
from elsewhere, as by gdbserver, its registers say the same, the number of the system call among
them. x86-64 only, but for a process of this machine.
Whoever uses them compares with gdb's frame now and then and says doubt() where it differs.
"""

from __future__ import annotations

import sys

import gdb

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface, system_calls
from openmp_inspect.host.stopped_registers import StoppedRegisters
from openmp_inspect.host.system_calls import Stopped
from gdb_openmp.host import core_notes, inferiors

if TYPE_CHECKING:
    from typing import Callable, Optional
    from gdb_openmp.host.gdb_types import GdbInferior, GdbThread

# gdb's names, of x86-64; orig_rax is -1 where a thread is in no system call.
_NAMES = "rip", "rsp", "orig_rax", "rdi", "rsi", "rdx", "r10"
_X86_64, _BITS = "i386:x86-64", (1 << 64) - 1


class Registers(StoppedRegisters):
    """Of the selected inferior."""

    def __init__(self, inferior: GdbInferior) -> None:
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
        return known and Stopped((known.pc, known.sp), system_calls.sleep(
            interface.X86_64, known.call, known.arguments))

    @staticmethod
    def _of_gdb(thread: GdbThread) -> Optional[Stopped]:
        with inferiors.selection_kept():
            try:
                thread.switch()
                frame = gdb.newest_frame()
                if frame.architecture().name() != _X86_64:
                    return None
                pc, sp, call, *arguments = (int(frame.read_register(name)) & _BITS
                                            for name in _NAMES)
            except (gdb.error, ValueError):
                debug.ignored()
                return None  # it runs, or the server has no orig_rax
        return Stopped((pc, sp), system_calls.sleep(interface.X86_64, call, arguments))

    def _of_process(self, thread: GdbThread) -> Optional[Stopped]:
        return system_calls.of_thread(self._pid, inferiors.lwp(thread))
