# SPDX-License-Identifier: MIT
"""The threads of a live process as they run, without a stop: of one that sleeps in a system call
the kernel says which that is, and where its stack ends; of one that runs nothing.

What is read meanwhile may be torn: a thread may wake up, and memory change between two reads."""

from __future__ import annotations

from openmp_inspect.core import access, debug, proc_files
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface

if TYPE_CHECKING:
    from typing import Callable, Dict, Iterable, Optional
    from openmp_inspect.host.machine import Machine

    Read = Callable[[int, int], bytes]

_MOST = 4096  # bytes of a struct pthread before the list in it
_SELF = 0, 16  # where a struct pthread of x86-64 has its own address


class Glance:
    """As ptrace.Registers, of some THREADS. `registers` are those in which the kernel was called;
    PermissionError or ProcessLookupError where that may not be."""

    def __init__(self, pid: int, threads: Iterable[int], machine: Machine, read: Read) -> None:
        self._machine, self._read = machine, read
        self.registers: Dict[int, Dict[str, int]] = {}
        self.pointers: Dict[int, int] = {}  # to each thread's struct pthread
        self._distance: Optional[int] = None  # of the list from the beginning of that struct
        self.threads = [one for one in threads if not proc_files.has_ended(pid, one)]
        is_known = machine.name == interface.X86_64
        heads = access.current().robust_lists(self.threads) if is_known else [0] * len(self.threads)
        for thread, head in zip(self.threads, heads):
            pointer = self._pointer(head)
            if pointer is not None:
                self.pointers[thread] = pointer
            found = self._registers_of(pid, thread)
            if found is not None:
                self.registers[thread] = found

    def _registers_of(self, pid: int, thread: int) -> Optional[Dict[str, int]]:
        """Of one that sleeps: the number of a call, six arguments, stack pointer and pc."""
        try:
            call, *words = access.current().text(
                "/proc/%d/task/%d/syscall" % (pid, thread)).split()
            numbers = [int(word, 16) for word in words]
        except PermissionError:
            raise
        except (OSError, ValueError):
            debug.ignored()
            return None
        if len(numbers) != 8:
            return None  # it runs, or waits for a page
        machine = self._machine
        found = dict(zip(machine.arguments, numbers))
        found.update({machine.call: int(call), machine.sp: numbers[6], machine.pc: numbers[7]})
        if machine.thread_pointer is not None and thread in self.pointers:
            found[machine.thread_pointer] = self.pointers[thread]
        return found

    def _pointer(self, head: int) -> Optional[int]:
        """glibc has the HEAD of the list of robust mutexes in struct pthread, and the kernel says
        where."""
        if not head:
            return None
        known = (self._distance,) if self._distance is not None else range(8, _MOST, 8)
        for distance in known:
            if self._is_own(head - distance):
                self._distance = distance
                return head - distance
        return None

    def _is_own(self, address: int) -> bool:
        try:
            return all(int.from_bytes(self._read(address + offset, 8), "little") == address
                       for offset in _SELF)
        except HostError:
            debug.ignored()
            return False
