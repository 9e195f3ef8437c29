# SPDX-License-Identifier: MIT
"""A stop that a debugger keeps: it hands over the registers of all threads, as JSON on standard input,
and an open /proc/PID/mem, which nobody else may open where only ancestors may trace."""

from __future__ import annotations

import json
import os

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from ompd_command.host import ptrace

if TYPE_CHECKING:
    from typing import Dict
    from openmp_inspect.host.machine import Machine

_MOST = 1 << 28  # bytes
_LARGEST = 1 << 64  # what registers have is below


class Held:
    """As ptrace.Stop; `memory` is a descriptor. ValueError if what is handed over has not its form."""

    seconds = 0.0

    def __init__(self, pid: int) -> None:
        self.found = ptrace.Registers()
        self.found.threads = ptrace.tasks(pid)
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

    def of(self, machine: Machine) -> Held:
        """The same with all fields of a MACHINE: what the debugger does not know is 0."""
        self.found.registers = {
            thread: {**dict.fromkeys(machine.fields, 0), **self._given[thread]}
            for thread in self.found.threads if machine.pc in self._given.get(thread, {})}
        self.found.unstopped = {thread: "not stopped by the debugger" for thread in self.found.threads
                                if thread not in self.found.registers}
        return self

    def __enter__(self) -> Held:
        return self

    def __exit__(self, *_exception: object) -> None:
        pass
