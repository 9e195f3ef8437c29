# SPDX-License-Identifier: MIT
"""Registers of threads without a frame, and what threads sleep on in the kernel: by /proc of a live
process, by the notes of a core."""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface, system_calls
from openmp_inspect.host.system_calls import Stopped

if TYPE_CHECKING:
    from typing import Dict, Optional, Tuple
    from openmp_inspect.host.interface import Sleep
    from lldb_openmp.host.frames import Thread
    from lldb_openmp.host.process import Process


class Registers(interface.Registers):
    def __init__(self, process: Process) -> None:
        self._process = process
        self._known: Dict[int, Optional[Stopped]] = {}
        self._is_doubted = False

    def of(self, thread: Thread) -> Optional[Tuple[int, int]]:
        found = self._of(thread)
        return None if found is None else found.registers

    def sleep(self, thread: Thread) -> Optional[Sleep]:
        found = self._of(thread)
        return None if found is None else found.sleep

    def doubt(self) -> None:
        self._is_doubted = True

    def _of(self, thread: Thread) -> Optional[Stopped]:
        if self._is_doubted:
            return None
        if thread.lwp not in self._known:
            self._known[thread.lwp] = self._found(thread)
        return self._known[thread.lwp]

    def _found(self, thread: Thread) -> Optional[Stopped]:
        if self._process.origin == interface.LIVE:
            return system_calls.of_thread(self._process.pid, thread.lwp)
        core = self._process.core
        found = None if core is None else core.registers.get(thread.lwp)
        if core is None or found is None:
            return None
        layout = core.machine
        return Stopped((found[layout.pc], found[layout.sp]), system_calls.sleep(
            layout.name, found[layout.call], [found[name] for name in layout.arguments]))
