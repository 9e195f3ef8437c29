# SPDX-License-Identifier: MIT
"""A stop that somebody else keeps: of a debugger, which hands over the registers of all threads, as JSON
on standard input, and an open /proc/PID/mem, which nobody else may open where only ancestors may trace;
or of crash_holder.py."""

from __future__ import annotations

import json
import os
import time

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import fatal_signal, machine, mappings, memory
from ompd_command.host import ptrace, rights

if TYPE_CHECKING:
    from typing import Any, Dict, Optional
    from openmp_inspect.host.fatal_signal import SignalInfo
    from openmp_inspect.host.machine import Machine
    from ompd_command.host.rights import Stopped, Wanted

_MOST = 1 << 28  # bytes
_LARGEST = 1 << 64  # what registers have is below


class Held:
    """In place of the rights to stop a process; `memory` is a descriptor. `signal`: what is about to end
    it, in a `thread`."""

    memory: int
    signal: Optional[SignalInfo] = None
    info = b""  # the kernel's siginfo_t of that
    thread = 0

    def registers(self, pid: int, layout: Machine) -> ptrace.Registers:
        raise NotImplementedError

    def stop(self, pid: int, elf_machine: int, wanted: Wanted) -> Stopped:
        """As Rights.stop()."""
        layout = machine.of_number(elf_machine)
        assert layout is not None  # of a process that has been read
        found, living = self.registers(pid, layout), ptrace.living(pid) or pid
        return rights.Stopped(found, 0.0, rights.copied(
            found, layout, mappings.of_process(living), wanted,
            memory.OfProcess(living, self.memory)), time.monotonic())


class HeldByDebugger(Held):
    """ValueError if what is handed over has not its form."""

    def __init__(self) -> None:
        with os.fdopen(0, "rb", closefd=False) as stream:
            given = json.loads(stream.read(_MOST))
        try:
            self.memory = int(given["memory"])
            self._given: Dict[int, Dict[str, int]] = {
                int(thread): {str(name): int(value) % _LARGEST for name, value in values.items()}
                for thread, values in given["threads"].items()}
        except (KeyError, TypeError, AttributeError):
            debug.ignored()
            raise ValueError("no registers came from the debugger") from None

    def registers(self, pid: int, layout: Machine) -> ptrace.Registers:
        """Those of a process, with all fields of its machine: what the debugger does not know is 0."""
        found = ptrace.Registers()
        found.threads = ptrace.tasks(pid)
        found.registers = {
            thread: {**dict.fromkeys(layout.fields, 0), **self._given[thread]}
            for thread in found.threads if layout.pc in self._given.get(thread, {})}
        found.unstopped = {thread: "not stopped by the debugger" for thread in found.threads
                           if thread not in found.registers}
        return found


class CrashedProcess(Held):
    """FOUND: what its ptrace.Registers have."""

    def __init__(self, pid: int, thread: int, found: Dict[str, Any], info: bytes) -> None:
        self.memory = os.open("/proc/%d/mem" % pid, os.O_RDONLY | os.O_CLOEXEC)
        self.thread, self.info, self.signal = thread, info, fatal_signal.of_bytes(info)
        self._found = ptrace.Registers()
        vars(self._found).update(found)

    def registers(self, _pid: int, _layout: Machine) -> ptrace.Registers:
        return self._found
