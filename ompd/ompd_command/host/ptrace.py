# SPDX-License-Identifier: MIT
"""All threads of a live process stopped for a moment, by PTRACE_SEIZE: no signal is sent that the
process could see, nothing is written, and the kernel lets it run on should this command end.

A system call that sleeps in the kernel is restarted by it, but for those that no signal's handler
lets go on either (epoll_wait, semop and the like): they return EINTR, as under any debugger."""

from __future__ import annotations

import ctypes
import os
import time

from openmp_inspect.core import debug, proc_files
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Dict, List, Optional, Set
    from openmp_inspect.host.machine import Machine

_DETACH, _GETREGSET, _SEIZE, _INTERRUPT = 17, 0x4204, 0x4206, 0x4207
_PRSTATUS, _FPREGS, _ARM_TLS = 1, 2, 0x401  # sets of registers
_MOST_FPREGS = 1024  # bytes
_EVENT_STOP = 128
_ALL = 0x40000000  # __WALL
_PATIENCE = 2.0  # seconds that a thread is waited for which does not stop, as in a disk's sleep
_ROUNDS = 16  # in which threads are looked for that were made meanwhile

_libc = ctypes.CDLL(None, use_errno=True)
_ptrace = _libc.ptrace
_ptrace.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
_ptrace.restype = ctypes.c_long


class _Buffer(ctypes.Structure):
    """struct iovec"""

    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def tasks(pid: int) -> List[int]:
    """The ids of a process's threads, its first one first; ProcessLookupError if it has ended."""
    try:
        found = sorted(int(name) for name in os.listdir("/proc/%d/task" % pid))
    except FileNotFoundError:
        raise ProcessLookupError("process %d has ended" % pid) from None
    return [pid] * (pid in found) + [one for one in found if one != pid]


def living(pid: int) -> Optional[int]:
    """A thread of a process that has not ended, if possible the first one; None: there is none."""
    try:
        return next((one for one in tasks(pid) if not proc_files.has_ended(one)), None)
    except OSError:
        debug.ignored()
        return None


def _register_set(thread: int, number: int, size: int) -> Optional[bytes]:
    """One of a stopped thread's, of SIZE bytes at most."""
    data = ctypes.create_string_buffer(size)
    buffer = _Buffer(ctypes.addressof(data), size)
    if _ptrace(_GETREGSET, thread, number, ctypes.byref(buffer)) != 0:
        return None
    return data.raw[:buffer.length]


class Stop:
    """The threads of a process, stopped until end(). `registers` are theirs by id; one that has not
    stopped in time has none. `ended`: those of which but the id is left. PermissionError or
    ProcessLookupError where that may not be."""

    def __init__(self, pid: int, machine: Machine) -> None:
        self._machine = machine
        self._pending: Dict[int, int] = {}  # signals that have come meanwhile, by thread
        self._seized: Set[int] = set()
        self.ended: Set[int] = set()
        self.registers: Dict[int, Dict[str, int]] = {}
        self.began = time.monotonic()
        self.seconds = 0.0  # that it took, once it has ended
        try:
            self._seize_all(pid)
        # Whatever it is, the process has to run on.
        except BaseException:
            self.end()
            raise

    def _seize_all(self, pid: int) -> None:
        for _ in range(_ROUNDS):
            fresh = [one for one in tasks(pid) if one not in self._seized | self.ended]
            if not fresh:
                break
            stopping = [one for one in fresh if self._seize(one)]
            self._await(stopping)
        for thread in sorted(self._seized):
            found = self._registers_of(thread)
            if found is not None:
                self.registers[thread] = found

    def _seize(self, thread: int) -> bool:
        if _ptrace(_SEIZE, thread, None, None) != 0:
            error = ctypes.get_errno()
            if not proc_files.has_ended(thread):
                raise OSError(error, os.strerror(error))
            self.ended.add(thread)
            return False
        self._seized.add(thread)
        return bool(_ptrace(_INTERRUPT, thread, None, None) == 0)

    def _await(self, threads: List[int]) -> None:
        """Until these have stopped, or have ended, or time is out."""
        left, until = set(threads), time.monotonic() + _PATIENCE
        pause = 0.0
        while left and time.monotonic() < until:
            for thread in sorted(left):
                try:
                    done, status = os.waitpid(thread, _ALL | os.WNOHANG)
                except ChildProcessError:
                    debug.ignored()
                    done, status = thread, 0
                if done == 0:
                    continue
                left.discard(thread)
                if not os.WIFSTOPPED(status):
                    self._seized.discard(thread)
                elif status >> 16 != _EVENT_STOP:
                    self._pending[thread] = os.WSTOPSIG(status)
            if left:
                time.sleep(pause)
                pause = min(pause + 0.0002, 0.005)

    def _registers_of(self, thread: int) -> Optional[Dict[str, int]]:
        layout = self._machine.layout
        data = _register_set(thread, _PRSTATUS, layout.size)
        if data is None or len(data) != layout.size:
            return None
        found = dict(zip(self._machine.fields, layout.unpack(data)))
        if self._machine.thread_pointer is None:
            data = _register_set(thread, _ARM_TLS, 8)
            if data is not None:
                found["thread_pointer"] = int.from_bytes(data, "little")
        return found

    @staticmethod
    def vectors_of(thread: int) -> Optional[bytes]:
        """The registers for vectors and floating point, while it is stopped."""
        return _register_set(thread, _FPREGS, _MOST_FPREGS)

    def end(self) -> None:
        """Lets all threads run on, with the signals that have come for them."""
        for thread in sorted(self._seized):
            _ptrace(_DETACH, thread, None, self._pending.get(thread, 0))
        self._seized.clear()
        self.seconds = self.seconds or time.monotonic() - self.began
