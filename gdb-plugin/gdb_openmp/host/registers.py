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
from openmp_inspect.host.system_calls import Stopped
from gdb_openmp.host import core_notes, inferiors

if TYPE_CHECKING:
    from typing import Callable, Dict, Optional, Tuple
    from openmp_inspect.host.interface import Sleep
    from gdb_openmp.host.gdb_types import GdbInferior, GdbThread

# gdb's names, of x86-64; orig_rax is -1 where a thread is in no system call.
_NAMES = "rip", "rsp", "orig_rax", "rdi", "rsi", "rdx", "r10"
_X86_64, _BITS = "i386:x86-64", (1 << 64) - 1


class Registers(interface.Registers):
    """Of the selected inferior."""

    def __init__(self, inferior: GdbInferior) -> None:
        connection = inferiors.connection(inferior)
        self._of: Optional[Callable[[int, GdbThread], Optional[Stopped]]] = None
        self._known: Dict[int, Optional[Stopped]] = {}  # by gdb's id
        if connection is None:
            return
        if connection.type == "core":
            self._statuses = core_notes.threads(inferior, connection) or {}
            self._of = self._of_core
        elif connection.type == "native" and sys.platform == "linux":
            self._pid = inferior.pid
            self._of = self._of_process
        elif connection.type in ("remote", "extended-remote"):
            self._of = self._of_gdb

    def of(self, thread: GdbThread) -> Optional[Tuple[int, int]]:
        """(address of the next instruction, stack pointer) of a gdb thread, or None."""
        told = self._told(thread)
        return None if told is None else told.registers

    def sleep(self, thread: GdbThread) -> Optional[Sleep]:
        """The Sleep of a gdb thread, or None: it is not in the kernel, or that is not known."""
        told = self._told(thread)
        return None if told is None else told.sleep

    def _told(self, thread: GdbThread) -> Optional[Stopped]:
        if self._of is None:
            return None
        lwp = inferiors.lwp(thread)
        if lwp not in self._known:
            self._known[lwp] = self._of(lwp, thread)
        return self._known[lwp]

    def doubt(self) -> None:
        """gdb says otherwise, as when it replays a record of what was: it is right."""
        self._of = None

    def _of_core(self, lwp: int, _thread: GdbThread) -> Optional[Stopped]:
        known = self._statuses.get(lwp)
        return known and Stopped((known.pc, known.sp), system_calls.sleep(
            interface.X86_64, known.call, known.arguments))

    def _of_gdb(self, _lwp: int, thread: GdbThread) -> Optional[Stopped]:
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

    def _of_process(self, lwp: int, _thread: GdbThread) -> Optional[Stopped]:
        return system_calls.of_thread(self._pid, lwp)
