# SPDX-License-Identifier: MIT
"""Lets a process run for some time and stops it as for Ctrl-C: lldb's server sends a thread SIGSTOP,
which ptrace hands to it before the program could notice, and does not pass it on."""

from __future__ import annotations

import contextlib
import signal
import threading

import lldb

from openmp_inspect.core.errors import UserError
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Iterator

_AGAIN = 0.1  # seconds: lldb forgets an interrupt that comes before the process is known to run
_NO_REASON = lldb.eStopReasonInvalid, lldb.eStopReasonNone


def run(process: Any, length: float) -> bool:
    """An SBProcess runs for so many seconds; False if something else has stopped it, or it has
    ended. UserError where lldb does not let it."""
    if not process.GetUnixSignals().GetShouldSuppress(signal.SIGSTOP):
        raise UserError('lldb passes SIGSTOP to the program, by which it stops threads itself: type '
                        '"process handle -p false SIGSTOP" first.')
    timer = _Timer(process, length)
    with _waiting_for_stops(process), _selection_kept(process):
        timer.start()
        try:
            error = process.Continue()
        finally:
            timer.cancel()
    if error.Fail():
        raise UserError("lldb cannot let the program run: %s." % error.GetCString())
    return timer.is_over and process.GetState() == lldb.eStateStopped and \
        not any(map(_has_own_reason, process))


def _has_own_reason(thread: Any) -> bool:
    """Whether a thread has stopped for another reason than that lldb has stopped it."""
    reason = thread.GetStopReason()
    return reason not in _NO_REASON and not (
        reason == lldb.eStopReasonSignal and
        thread.GetStopReasonDataAtIndex(0) == signal.SIGSTOP)


class _Timer:
    """Interrupts an SBProcess after LENGTH seconds, until it is cancelled."""

    def __init__(self, process: Any, length: float) -> None:
        self.is_over = False
        self._process, self._length = process, length
        self._cancelled = threading.Event()
        self._thread = threading.Thread(target=self._wait, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def cancel(self) -> None:
        self._cancelled.set()
        self._thread.join()

    def _wait(self) -> None:
        left = self._length
        while not self._cancelled.wait(left):
            self.is_over = True
            self._process.SendAsyncInterrupt()
            left = _AGAIN


@contextlib.contextmanager
def _waiting_for_stops(process: Any) -> Iterator[None]:
    """Within it Continue() returns when the process has stopped, and front ends do not hear of
    that."""
    debugger = process.GetTarget().GetDebugger()
    before = debugger.GetAsync()
    debugger.SetAsync(False)
    try:
        yield
    finally:
        debugger.SetAsync(before)


@contextlib.contextmanager
def _selection_kept(process: Any) -> Iterator[None]:
    thread = process.GetSelectedThread()
    number = thread.GetThreadID()
    try:
        yield
    finally:
        process.SetSelectedThreadByID(number)
