# SPDX-License-Identifier: MIT
"""Where threads are and what they sleep on, for hosts that find out both of a thread at once."""

from __future__ import annotations

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface, system_calls
from openmp_inspect.host.system_calls import Stopped

if TYPE_CHECKING:
    from typing import Callable, Dict, Optional, Tuple
    from openmp_inspect.host.interface import Sleep, Thread
    from openmp_inspect.host.machine import Machine

_ERRORS = (1 << 64) - 4095  # results from here on are errors


class StoppedRegisters(interface.Registers):
    """FIND says it of a thread, or None, and is asked once."""

    def __init__(self, find: Callable[[Thread], Optional[Stopped]]) -> None:
        self._find: Optional[Callable[[Thread], Optional[Stopped]]] = find
        self._known: Dict[Thread, Optional[Stopped]] = {}

    def of(self, thread: Thread) -> Optional[Tuple[int, int]]:
        found = self._of(thread)
        return None if found is None else found.registers

    def sleep(self, thread: Thread) -> Optional[Sleep]:
        found = self._of(thread)
        return None if found is None else found.sleep

    def doubt(self) -> None:
        self._find = None

    def _of(self, thread: Thread) -> Optional[Stopped]:
        if self._find is None:
            return None
        if thread not in self._known:
            self._known[thread] = self._find(thread)
        return self._known[thread]


def of_values(machine: Machine, values: Optional[Dict[str, int]],
              read: Callable[[int, int], bytes]) -> Optional[Stopped]:
    """The same by the VALUES of a thread's registers, where these are known. READ reads memory, or
    raises a HostError."""
    if values is None:
        return None
    sleep = None
    if not machine.call_code or _is_in_call(machine, values, read):
        sleep = system_calls.sleep(machine.name, values[machine.call],
                                   [values[name] for name in machine.arguments])
    return Stopped((values[machine.pc], values[machine.sp]), sleep)


def _is_in_call(machine: Machine, values: Dict[str, int], read: Callable[[int, int], bytes]) -> bool:
    """Whether a thread is behind the instruction of a system call that has not returned, or at it:
    who is interrupted in one makes it again. Of what has returned 0 or an error that is known."""
    size = len(machine.call_code)
    try:
        code = read(values[machine.pc] - size, 2 * size)
    except HostError:
        debug.ignored()
        return False
    result = values[machine.result]
    return code[size:] == machine.call_code or \
        code[:size] == machine.call_code and 0 < result < _ERRORS
