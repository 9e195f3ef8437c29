# SPDX-License-Identifier: MIT
"""A process that stops programs which a signal is about to end, until they were looked at: there need be
no core, which may be as large as memory.

Nothing but that stops a program, or slows it: what it handles itself comes to it alone, and debuggers,
LeakSanitizer and other looks may attach. A tracer from the start on, as by PTRACE_O_TRACEEXIT, could
promise neither: the kernel stops the program for it at each signal. So a program of ompd-run has a
handler (runtime-hooks/state/crash.c), in place of the default action alone:

    a thread of the program              this process                         the watchdog
    the handler connects, and waits  ->  stops all threads
    it raises the signal anew        <-  lets that one go on alone
    the signal is delivered to it    ->  stops it there, as a core has it  ->  looks
    it has its default action        <-  lets all go                       <-  has looked

What is not recorded ends as without a watchdog."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import struct

from openmp_inspect.core import debug, elf, lazy_modules, proc_files, regular_file
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import machine
from ompd_command import connection
from ompd_command.host import held, ptrace

if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Tuple
    from openmp_inspect.host.machine import Machine
    from ompd_command.connection import Connection
    from ompd_command.host.held import CrashedProcess

SIGNALS = signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE, signal.SIGBUS, signal.SIGILL
_CREDENTIALS = struct.Struct("iii")  # of who connects: process, user, group
_THREAD = 4  # bytes of what it says
_PATIENCE = 1.0  # seconds until it has said that
_BEGINS = 0.3  # seconds in which a program may end that needs nothing of this
_PAUSE = 0.005  # seconds between two looks whether threads have ended
_MOST_WAITING = 4096
_DEEPEST = 1024  # processes between one and its ancestor


class CrashHolder:
    """`name`: of the socket to which programs connect; `pid`: of the process, 0 once it has ended. It
    wakes this one by SIGCHLD."""

    def __init__(self) -> None:
        listener = socket.socket(socket.AF_UNIX)
        self.name = "ompd-" + os.urandom(16).hex()
        listener.bind("\0" + self.name)
        listener.listen(_MOST_WAITING)
        self._connection, other = connection.pair()
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            self._connection.close()
            try:
                _Holding(listener, other, parent).serve()
            finally:
                os._exit(0)
        listener.close()
        other.close()

    def stopped(self) -> Dict[int, CrashedProcess]:
        """By their ids, processes that are stopped and have not been looked at; let_go() of each."""
        found = {}
        for process, *rest in self._ask("stopped") or ():
            try:
                found[process] = held.CrashedProcess(process, *rest)
            except OSError:
                debug.ignored()  # somebody has ended it meanwhile
                self._ask("let_go", process)
        return found

    def let_go(self, processes: Dict[int, CrashedProcess]) -> None:
        for process, crashed in processes.items():
            os.close(crashed.memory)
            self._ask("let_go", process)

    def _ask(self, *question: object) -> Any:
        try:
            return self._connection.ask(*question)
        except connection.Closed:
            debug.ignored()  # somebody has ended it, so that all have gone on
            return None

    def end(self) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)


class _Holding:
    """In that process: it ends with its PARENT, whose processes these are."""

    def __init__(self, listener: socket.socket, end: Connection, parent: int) -> None:
        self._listener, self._end, self._parent = listener, end, parent
        self._machine: Optional[Machine] = None
        self._is_ready = False
        self._stops: Dict[int, ptrace.Stop] = {}
        self._fresh: List[Tuple[int, int, object, bytes]] = []
        self._others: List[socket.socket] = []  # of threads of these that have crashed, too

    def serve(self) -> None:
        while True:
            wait = _BEGINS if not self._is_ready else _PAUSE if ptrace.reap() else None
            ready = select.select([self._listener, self._end], [], [], wait)[0]
            if not ready or self._listener in ready:
                self._prepare()
            if self._listener in ready:
                self._take(self._listener.accept()[0])
            if self._end in ready:
                try:
                    self._answer(*self._end.question())
                except connection.Closed:
                    debug.ignored()
                    return

    def _prepare(self) -> None:
        """What takes time is done before something crashes, but not for a program that ends at once."""
        if not self._is_ready:
            self._machine, self._is_ready = _own_machine(), True
            lazy_modules.execute(ptrace)

    def _answer(self, question: str, process: int = 0) -> None:
        if question == "let_go":
            self._stops.pop(process).__exit__()
            self._others.clear()
            self._end.answer(None)
        else:
            fresh, self._fresh = self._fresh, []
            self._end.answer(fresh)

    def _take(self, caller: socket.socket) -> None:
        process = _CREDENTIALS.unpack(caller.getsockopt(
            socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))[0]
        if process in self._stops:
            self._others.append(caller)
            return
        try:
            with contextlib.ExitStack() as stack:
                with caller:
                    if not self._is_below(process) or self._machine is None or \
                            proc_files.status(process).get(b"TracerPid") != b"0":
                        return  # nor is waited for what a stranger says
                    caller.settimeout(_PATIENCE)
                    number = int.from_bytes(caller.recv(_THREAD), "little")
                    stop = stack.enter_context(ptrace.Stop(process, self._machine, True, (), ()))
                for thread in stop.found.threads:
                    info = stop.run_to_signal(thread, SIGNALS) if \
                        proc_files.own_ids(process, thread)[-1:] == [number] else None
                    if info is not None:
                        self._stops[process] = stop
                        stack.pop_all()
                        self._fresh.append((process, thread, vars(stop.found), info))
                        os.kill(self._parent, signal.SIGCHLD)
                        return
        except OSError:
            debug.ignored()  # it has ended, or may not be traced

    def _is_below(self, process: int) -> bool:
        for _ in range(_DEEPEST):
            if process in (0, self._parent):
                break
            process = proc_files.parent(process)
        return process == self._parent


def _own_machine() -> Optional[Machine]:
    with regular_file.opened("/proc/self/exe") as stream:
        return machine.of_number(elf.read(stream).header.machine)
