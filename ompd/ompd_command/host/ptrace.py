# SPDX-License-Identifier: MIT
"""All threads of a live process stopped for a moment, by PTRACE_SEIZE: no signal is sent that the
process could see, nothing is written, and the kernel lets it run on should this command end.

A system call that sleeps in the kernel is restarted by it, but for those that no signal's handler
lets go on either (epoll_wait, semop and the like): they return EINTR, as under any debugger."""

from __future__ import annotations

import ctypes
import os
import time

from openmp_inspect.core import control_groups, debug, proc_files
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Collection, Dict, List, Optional, Set
    from openmp_inspect.host.machine import Machine

_CONT, _DETACH, _GETSIGINFO, _GETREGSET, _SEIZE, _INTERRUPT = 7, 17, 0x4202, 0x4204, 0x4206, 0x4207
_PRSTATUS, _FPREGS, _ARM_TLS = 1, 2, 0x401  # sets of registers
_MOST_FPREGS, _SIGINFO = 1024, 128  # bytes
_EVENT_STOP = 128
_ALL = 0x40000000  # __WALL
_PATIENCE = 2.0  # seconds that a thread is waited for which does not stop, as in a disk's sleep
_PAUSE = 0.005  # seconds between two looks at it
_REFUSALS = 4  # of one that nobody is seen to trace: somebody may just have let it go
_TURN, _TURNS = 1.0, 10.0  # seconds that another tracer, as a look of a watchdog, is waited for, and many
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
    return _ordered(pid, proc_files.threads(pid))


def _ordered(pid: int, found: List[int]) -> List[int]:
    if not found:
        raise ProcessLookupError("process %d has ended" % pid)
    return [pid] * (pid in found) + [one for one in found if one != pid]


def _task_directory(pid: int) -> int:
    try:
        return os.open("/proc/%d/task" % pid, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        raise ProcessLookupError("process %d has ended" % pid) from None


def _listed(pid: int, directory: int) -> List[int]:
    """What tasks() says by the open DIRECTORY."""
    try:
        return _ordered(pid, sorted(map(int, os.listdir(directory))))
    except (FileNotFoundError, ProcessLookupError):
        raise ProcessLookupError("process %d has ended" % pid) from None


def living(pid: int) -> Optional[int]:
    """A thread of a process that has not ended, if possible the first one; None: there is none."""
    try:
        if not proc_files.has_ended(pid, pid):
            return pid
        return next((one for one in tasks(pid) if not proc_files.has_ended(pid, one)), None)
    except OSError:
        debug.ignored()
        return None


def reap() -> bool:
    """Lets those threads be no more that have ended while this process traced them; whether it traces any
    that has not."""
    try:
        while os.waitpid(-1, _ALL | os.WNOHANG)[0]:
            continue
        return True
    except ChildProcessError:
        debug.ignored()
        return False


def _register_set(thread: int, number: int, size: int) -> Optional[bytes]:
    """One of a stopped thread's, of SIZE bytes at most."""
    data = ctypes.create_string_buffer(size)
    buffer = _Buffer(ctypes.addressof(data), size)
    if _ptrace(_GETREGSET, thread, number, ctypes.byref(buffer)) != 0:
        return None
    return data.raw[:buffer.length]


def _obstacle(thread: int, group: Optional[str]) -> str:
    """Why a thread cannot be stopped, in words. GROUP: that keeps its process frozen, or None."""
    if group is not None:
        return "frozen by " + group
    return "in vfork" if proc_files.is_in_vfork(thread) else "in uninterruptible sleep"


class Registers:
    """What is copied of the threads of a process at a stop: their ids, the first one first, without
    those of which but the id is left; `registers` and, if they are wanted, `vectors` of those that
    have stopped, by these. `unstopped`: why one could not be stopped, by its id."""

    def __init__(self) -> None:
        self.threads: List[int] = []
        self.unstopped: Dict[int, str] = {}
        self.registers: Dict[int, Dict[str, int]] = {}
        self.vectors: Dict[int, Optional[bytes]] = {}


class Stop:
    """The threads of a process, or of these ONLY, stand still within it. PermissionError or
    ProcessLookupError where that may not be. `seconds`: how long they did, once they run on. Those of
    which it is KNOWN that they cannot be stopped are not waited for. They run on for AFTER seconds once
    all is ready: getting ready takes a processor, for which some of them wait, and others for these.
    `due`: when they were to stop, by our clock."""

    def __init__(self, pid: int, machine: Machine, has_vectors: bool, known: Collection[int],
                 only: Collection[int], after: float = 0.0) -> None:
        self._pid, self._machine, self._has_vectors = pid, machine, has_vectors
        self._known, self._only, self._after = known, frozenset(only), after
        self._pending: Dict[int, int] = {}  # signals that have come meanwhile, by thread
        self._seized: Set[int] = set()
        self._ended: Set[int] = set()
        self._directory = -1
        self._tracer = b""  # the id of the one that was seen last
        self._until = 0.0  # so long that one is waited for
        self._refused = 0  # times in turn that none was seen
        self.found = Registers()
        self._began = self.due = self.seconds = 0.0

    def __enter__(self) -> Stop:
        self.found.unstopped = self._find_unstopped()
        most = time.monotonic() + _TURNS
        while not self._begin(most):
            time.sleep(_PAUSE)
        return self

    def _begin(self, most: float) -> bool:
        """False if somebody else traces the process just now, who is waited for, up to MOST."""
        self._directory = _task_directory(self._pid)  # opened before it stands still
        self._began = time.monotonic()
        try:
            self._seize_all()
            return True
        except PermissionError:
            debug.ignored()
            self._end()
            # One that is not there any more has just let it go.
            tracer = proc_files.status(self._pid).get(b"TracerPid", b"0")
            self._refused = self._refused + 1 if tracer == b"0" else 0
            if tracer not in (b"0", self._tracer):
                self._tracer, self._until = tracer, min(self._began + _TURN, most)
            if self._refused > _REFUSALS or tracer != b"0" and self._began > self._until:
                raise
            self.found.threads.clear()
            return False
        # Whatever it is, the process has to run on.
        except BaseException:
            self._end()
            raise

    def __exit__(self, *_exception: object) -> None:
        self._end()

    def _find_unstopped(self) -> Dict[int, str]:
        """While all threads run: most that sleep so do it for a disk or a child that begins, and not
        for long."""
        asleep = {one for one in self._only or tasks(self._pid)
                  if proc_files.is_uninterruptible(self._pid, one)}
        group = control_groups.frozen_by(self._pid) if asleep else None
        until = time.monotonic() + _PATIENCE
        while group is None and not asleep <= set(self._known) and time.monotonic() < until:
            time.sleep(_PAUSE)
            asleep = {one for one in asleep if proc_files.is_uninterruptible(self._pid, one)}
        return {one: _obstacle(one, group) for one in asleep}

    def _seize_all(self) -> None:
        known: Set[int] = set()
        for number in range(_ROUNDS):
            fresh = [one for one in _listed(self._pid, self._directory) if one not in known]
            if not fresh:
                break
            known.update(fresh)
            self.found.threads += fresh
            seized = [one for one in fresh if (not self._only or one in self._only) and
                      one not in self.found.unstopped and self._seize(one)]
            if number == 0:
                self.due = time.monotonic() + self._after
                time.sleep(self._after)
                self._began = time.monotonic()
            self._await({one for one in seized if _ptrace(_INTERRUPT, one, None, None) == 0})
        self.found.threads = [one for one in self.found.threads if one not in self._ended]
        for thread in self.found.threads:
            if thread in self._seized:
                self._copy_registers(thread)

    def _copy_registers(self, thread: int) -> None:
        found = self._registers_of(thread)
        if found is not None:
            self.found.registers[thread] = found
            if self._has_vectors:
                self.found.vectors[thread] = _register_set(thread, _FPREGS, _MOST_FPREGS)

    def run_to_signal(self, thread: int, meant: Collection[int]) -> Optional[bytes]:
        """Lets one THREAD go on alone, until a signal that is MEANT is delivered to it: the kernel's
        siginfo_t of that, with which it is let go. None: it does not come in time."""
        info, until = ctypes.create_string_buffer(_SIGINFO), time.monotonic() + _PATIENCE
        _ptrace(_CONT, thread, None, self._pending.pop(thread, 0))
        while time.monotonic() < until:
            found, status = os.waitpid(thread, _ALL | os.WNOHANG)
            if found == 0:
                time.sleep(_PAUSE)
            elif not os.WIFSTOPPED(status):
                self._take(thread, status)
                return None
            elif status >> 16 == 0 and os.WSTOPSIG(status) in meant:
                _ptrace(_GETSIGINFO, thread, None, info)
                self._copy_registers(thread)
                self._take(thread, status)
                return info.raw
            else:
                _ptrace(_CONT, thread, None, 0 if status >> 16 else os.WSTOPSIG(status))
        _ptrace(_INTERRUPT, thread, None, None)
        self._await({thread})
        return None

    def _seize(self, thread: int) -> bool:
        """Which runs on until it is interrupted; False if it has ended."""
        if _ptrace(_SEIZE, thread, None, None) != 0:
            error = ctypes.get_errno()
            if proc_files.has_ended(self._pid, thread):
                self._ended.add(thread)
                return False
            # One that did not stop in time could not be let go either.
            if proc_files.status(thread).get(b"TracerPid") != b"%d" % os.getpid():
                raise OSError(error, os.strerror(error))
        self._seized.add(thread)
        return True

    def _await(self, threads: Set[int]) -> None:
        """Until these have stopped, or have ended, or time is out. Each is asked for alone: to find any
        that has stopped the kernel goes through all."""
        until, pause = time.monotonic() + _PATIENCE, 0.0
        while threads:
            for thread in list(threads):
                try:
                    found, status = os.waitpid(thread, _ALL | os.WNOHANG)
                except ChildProcessError:  # it has executed another program under the first one's id
                    debug.ignored()
                    found, status = thread, 0
                if found != 0:
                    threads.discard(thread)
                    self._take(thread, status)
            if threads and time.monotonic() > until:
                self.found.unstopped.update((one, _obstacle(one, None)) for one in threads)
                return
            if pause >= _PAUSE:  # the first one of a process is not waited for while others live
                threads -= {one for one in threads if proc_files.has_ended(self._pid, one)}
            if threads:
                time.sleep(pause)
                pause = min(pause + 0.00005, _PAUSE)

    def _take(self, thread: int, status: int) -> None:
        if not os.WIFSTOPPED(status):
            self._seized.discard(thread)
            self._ended.add(thread)
        elif status >> 16 != _EVENT_STOP:
            self._pending[thread] = os.WSTOPSIG(status)

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

    def _end(self) -> None:
        """Lets all threads run on, with the signals that have come for them; those first which have some,
        as that may end the others."""
        for thread in sorted(self._seized, key=lambda one: one not in self._pending):
            _ptrace(_DETACH, thread, None, self._pending.get(thread, 0))
        self._seized.clear()
        self.seconds = time.monotonic() - self._began
        os.close(self._directory)
