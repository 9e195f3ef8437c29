# SPDX-License-Identifier: MIT
"""Lets the program run for some time, and stops it as gdb stops threads in non-stop mode.

In all-stop mode gdb interrupts a process by SIGINT, which a program may block, handle, wait for
or die of. For a thread of its own choice it uses SIGSTOP: ptrace hands it to gdb before the
program could notice, and gdb does not pass it on.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time

import gdb

from openmp_inspect.core import debug
from openmp_inspect.core.errors import UserError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import gdb_text, inferiors, stop_notices

if TYPE_CHECKING:
    from typing import Collection, Iterator, List, Optional, Set
    from openmp_inspect.host.interface import TimedRun
    from gdb_openmp.host.gdb_types import GdbEvent

_POLL = 0.1  # seconds
_TABLE = "stop", "print", "pass"  # columns of "info signals", each with yes or no


@contextlib.contextmanager
def runs() -> Iterator[TimedRun]:
    """As interface.Process.timed_runs(), of the selected inferior."""
    if gdb.parameter("non-stop"):
        raise UserError('"ompd why -watch" lets all threads run and stops them all: it needs '
                        '"set non-stop off" before the program is started.')
    with TimedRuns() as found:
        yield found.run


class TimedRuns:
    """Within `with` gdb does not pass SIGSTOP to the program; front ends hear of its last stop
    only."""

    def __init__(self) -> None:
        self._notices = stop_notices.command(quiet=True)
        self._cleanup = contextlib.ExitStack()

    def __enter__(self) -> TimedRuns:
        with contextlib.ExitStack() as stack:
            self._notices = stack.enter_context(self._notices)
            stack.enter_context(_kept_by_gdb(signal.SIGSTOP))
            self._cleanup = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._cleanup.close()

    def run(self, length: float, _wanted: Collection[int]) -> bool:
        """The program runs for so many seconds; False if something else, for instance Ctrl-C, has
        stopped it. The selected thread stays."""
        thread = gdb.selected_thread()
        stops: List[GdbEvent] = []
        timer = _Timer(gdb.selected_inferior().pid, length)
        gdb.events.stop.connect(stops.append)
        try:
            self._notices.run("continue")
        finally:
            gdb.events.stop.disconnect(stops.append)
            timer.cancel()
            is_ours = timer.has_stopped and _take(stops)
            if timer.has_stopped and not is_ours:
                self._take_pending()
            if thread is not None and thread.is_valid():
                thread.switch()
        if is_ours:
            self._notices.forget()
        return is_ours and timer.is_over

    def _take_pending(self) -> None:
        """Something else has stopped the program first. SIGSTOP is still pending then, and would
        stop it at the next command: a thread takes it before its next instruction."""
        inferior, last = gdb.selected_inferior(), gdb.selected_thread()
        for thread in sorted(inferior.threads(), key=lambda thread: bool(thread == last)):
            if signal.SIGSTOP not in _pending(inferior.pid, inferiors.lwp(thread)):
                continue
            thread.switch()
            locking = gdb.parameter("scheduler-locking")
            gdb.execute("set scheduler-locking on", to_string=True)
            stops: List[GdbEvent] = []
            gdb.events.stop.connect(stops.append)
            try:
                self._notices.run_unseen("continue")
            finally:
                gdb.events.stop.disconnect(stops.append)
                gdb.execute("set scheduler-locking %s" % locking, to_string=True)
            _take(stops)


def _take(stops: List[GdbEvent]) -> bool:
    """Whether SIGSTOP is why the selected thread has stopped, which goes on without it."""
    if not stops or not all(isinstance(event, gdb.SignalEvent) and event.stop_signal == "SIGSTOP"
                            for event in stops):
        return False
    gdb.execute("queue-signal 0", to_string=True)
    return True


class _Timer:
    """Stops the process PID after LENGTH seconds, or as soon as it has a SIGINT pending: it
    blocks the signal that Ctrl-C at its terminal, or at gdb's, has sent."""

    def __init__(self, pid: int, length: float) -> None:
        self.is_over = self.has_stopped = False
        self._pid = pid
        self._until = time.monotonic() + length
        self._cancelled = threading.Event()
        self._may_be_blocked = signal.SIGINT not in _pending(pid, pid)
        threading.Thread(target=self._wait, daemon=True).start()

    def cancel(self) -> None:
        self._cancelled.set()

    def _wait(self) -> None:
        left = self._until - time.monotonic()
        while not self._cancelled.wait(max(0.0, min(_POLL, left))):
            left = self._until - time.monotonic()
            self.is_over = left <= 0
            if self.is_over or \
                    self._may_be_blocked and signal.SIGINT in _pending(self._pid, self._pid):
                gdb.post_event(self._stop)
                return

    def _stop(self) -> None:
        """In gdb's thread, which knows whether the process runs, and still is one."""
        thread = gdb.selected_thread()
        if self._cancelled.is_set() or thread is None or not thread.is_running() or \
                gdb.selected_inferior().pid != self._pid:
            return
        self.has_stopped = True
        os.kill(self._pid, signal.SIGSTOP)


@contextlib.contextmanager
def _kept_by_gdb(number: signal.Signals) -> Iterator[None]:
    """gdb stops for a signal and does not pass it to the program. gdb's Python does not have how it
    handles signals; this reads a table made for people."""
    words = gdb_text.printed("info signals " + number.name).partition(number.name)[2].split()
    before = " ".join(("" if word == "Yes" else "no") + action
                      for word, action in zip(words, _TABLE))
    gdb.execute("handle %s stop print nopass" % number.name, to_string=True)
    try:
        yield
    finally:
        gdb.execute("handle %s %s" % (number.name, before), to_string=True)


def _pending(pid: int, lwp: Optional[int]) -> Set[int]:
    """Numbers of the signals that a thread of this machine, or its process, has pending."""
    try:
        with open("/proc/%d/task/%s/status" % (pid, lwp), "rb") as stream:
            masks = [int(line.split()[1], 16) for line in stream
                     if line.startswith((b"SigPnd:", b"ShdPnd:"))]
    except (OSError, ValueError, IndexError):
        debug.ignored()
        return set()
    return {bit + 1 for bit in range(64) for mask in masks if mask >> bit & 1}
