# SPDX-License-Identifier: MIT
"""`ompd run -watchdog SECONDS`: a program that hangs explains itself.

The program runs as it would below ompd-run. Now and then it is asked, without being stopped, how
long its threads have run. Where they have not for SECONDS it hangs. Where they have, they may spin:
then it is looked at, and hangs if the same verdict, a likely one at least, was reached at each look
for SECONDS. It is stopped for a moment for such a look where none without a stop tells as much,
and for the last one. """

from __future__ import annotations

import ctypes
import itertools
import json
import os
import resource
import signal
import time

from openmp_inspect.core import debug, proc_files, whole_file
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.report import html_page
from ompd_command import runtime_search, started
from ompd_command.group_signals import GroupSignals
from ompd_command.shell_screen import complain
from ompd_command.targets import Target

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Set, Tuple, Union

    # At a process: whether it is stopped for that, and whether for a page, too; what is called
    # now and then meanwhile.
    Look = Callable[[Target, bool, bool, Callable[[], None]], Optional["Hang"]]

TIMED_OUT = 124  # exit status, as timeout(1) has it
_IDLE = 0.005  # of a processor: timers that fire now and then are no progress
_LOOKS = 4  # during the time in which nothing may happen
_TICK = 0.05, 1.0  # seconds between questions whether it has ended
_GRACE = 5.0  # seconds between the two signals that end a program
_LIKELY = 2
_PASSED_ON = signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGINT, \
    signal.SIGQUIT
_KEEPS_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER


class WatchdogOptions(NamedTuple):
    seconds: float
    directory: Optional[str]  # where the report goes; None: to standard error
    below: Optional[int]  # the same, open
    kills: bool


class Hang(NamedTuple):
    """What a look at one process says, for people, for programs, and, if it was asked for, for a
    page; and its snapshot."""

    lines: List[str]
    facts: Dict[str, Any]
    certainty: int
    of_page: Optional[Dict[str, Any]]
    core: bytes

    @property
    def key(self) -> object:
        """Equal of looks that have found the same."""
        first = self.facts["verdicts"][0]
        return first["id"], tuple(first["threads"])


class Watcher:
    """Of one program, a child of this process. SIGNALS that come to this process alone are passed
    on to it."""

    def __init__(self, child: int, wanted: WatchdogOptions, look: Look,
                 signals: GroupSignals) -> None:
        self._child, self._wanted, self._look, self._signals = child, wanted, look, signals
        self._times: Dict[Tuple[int, int], int] = {}  # by process and thread
        self._since_run = self._since_same = self._last = time.monotonic()
        self._verdicts: Dict[int, object] = {}
        self._is_reported = False

    def wait(self) -> int:
        """Until the program ends, or is ended; its wait status, or -1 where it was."""
        tick = min(max(self._wanted.seconds / _LOOKS / 4, _TICK[0]), _TICK[1])
        while True:
            done, status = os.waitpid(self._child, os.WNOHANG)
            if done:
                return status
            if time.monotonic() - self._last >= self._wanted.seconds / _LOOKS and self._hangs():
                self._report()
                if self._wanted.kills:
                    self._end()
                    return -1
            self._pass_on(tick)

    def _pass_on(self, seconds: float = 0.0) -> None:
        """Passes on what comes during so many SECONDS, or has come."""
        for number in self._signals.alone(seconds, self._child):
            _send(self._child, number)

    def _hangs(self) -> bool:
        """Looks once more; whether it hangs, and that was not reported yet."""
        now, last = time.monotonic(), self._last
        self._last = now
        processes = runtime_search.descendants(self._child)
        times = {(process, thread): proc_files.run_time(process, thread) or 0
                 for process in processes for thread in proc_files.threads(process)}
        run = sum(max(time_run - self._times.get(thread, 0), 0)
                  for thread, time_run in times.items())
        self._times = times
        if proc_files.is_stopped(self._child):
            self._since_run = self._since_same = now
        elif run > _IDLE * 1e9 * (now - last):
            self._since_run = now
            if self._differs():
                self._since_same = now
        is_idle = now - self._since_run >= self._wanted.seconds
        is_same = bool(self._verdicts) and now - self._since_same >= self._wanted.seconds
        if is_same and not is_idle and not self._is_reported and self._differs(only_stopped=True):
            self._since_same, is_same = now, False
        if not is_idle and not is_same:
            self._is_reported = False
        return (is_idle or is_same) and not self._is_reported

    def _differs(self, only_stopped: bool = False) -> bool:
        """Whether some process has another verdict than at the last look, or none that is likely;
        if ONLY_STOPPED, by a look for which it is stopped."""
        found: Dict[int, object] = {}
        for process in runtime_search.below(self._child):
            for stops in (True,) if only_stopped else (False, True):
                hang = self._look(Target(process, None, ()), stops, False, self._pass_on)
                if hang is not None and hang.certainty >= _LIKELY:
                    found[process] = hang.key
                    break
        before, self._verdicts = self._verdicts, found
        return not found or found != before

    def _report(self) -> None:
        self._is_reported = True
        is_explained = False
        for process in runtime_search.descendants(self._child):
            hang = self._look(Target(process, None, ()), True,
                              self._wanted.directory is not None, self._pass_on)
            if hang is not None:
                is_explained = True
                _write(hang, process, self._wanted)
        if not is_explained:
            complain("no progress for %g s, and no process with OpenMP to look at" %
                     self._wanted.seconds)

    def _end(self) -> None:
        """Ends the program and what it has made, also what outlives it."""
        ctypes.CDLL(None).prctl(_KEEPS_ORPHANS, 1)
        for number in (signal.SIGTERM, signal.SIGKILL):
            until = time.monotonic() + _GRACE
            told: Set[int] = set()
            while time.monotonic() < until:
                left = self._left()
                if not left:
                    return
                for process in left - told:
                    _send(process, number)
                told |= left
                time.sleep(_TICK[0])

    def _left(self) -> Set[int]:
        """Ids of processes that have not ended, after those that have are no more."""
        own = {os.getpid(), self._signals.pid}
        left = set(runtime_search.descendants(os.getpid())) - own
        for process in list(left):
            if proc_files.parent(process) == os.getpid() and \
                    os.waitpid(process, os.WNOHANG)[0]:
                left.remove(process)
        return left


def _send(process: int, number: int) -> None:
    try:
        os.kill(process, number)
    except OSError:
        debug.ignored()  # it has ended, or has other rights by now


def _write(hang: Hang, process: int, wanted: WatchdogOptions) -> None:
    text = "\n".join([
        "this program has made no progress for %g s" % wanted.seconds, *hang.lines])
    if wanted.directory is None or wanted.below is None:
        complain(text)
        return
    contents: Dict[str, Union[str, bytes]] = {
        ".txt": "ompd: %s\n" % text, ".json": json.dumps(hang.facts), ".core": hang.core}
    if hang.of_page is not None:
        contents[".html"] = html_page.page(hang.of_page)
    try:
        name = whole_file.make(wanted.below, "ompd-%d" % process, contents)
        complain("no progress for %g s\n%s\nompd: all stacks, page and snapshot in %s.txt, .html and "
                 ".core" % (wanted.seconds, "\n".join(itertools.takewhile(bool, hang.lines)),
                            os.path.join(wanted.directory, name)))
    except OSError as error:
        complain("%s: %s\nompd: %s" % (wanted.directory, error.strerror, text))


def run(command: List[str], wanted: WatchdogOptions, look: Look) -> int:
    """Runs a COMMAND and watches it; the exit status is its own, or TIMED_OUT."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _PASSED_ON)
    signals = GroupSignals(_PASSED_ON)
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        try:
            started.execute(command)
        except OSError as error:
            complain("%s: %s" % (command[0], error.strerror))
        os._exit(127)

    status = Watcher(child, wanted, look, signals).wait()
    signals.end()
    if status == -1:
        return TIMED_OUT
    if os.WIFSIGNALED(status):
        ended_by = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the core is the program's
        if ended_by != signal.SIGKILL:
            signal.signal(ended_by, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [ended_by])
        os.kill(os.getpid(), ended_by)
    return os.WEXITSTATUS(status)
