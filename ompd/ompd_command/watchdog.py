# SPDX-License-Identifier: MIT
"""`ompd run -watchdog SECONDS`: a program that hangs, or is ended, explains itself.

The program runs as it would below ompd-run. Now and then it is asked, without being stopped, how
long its threads have run. Where they have not for SECONDS it hangs. Where they have, they may spin: then
it is looked at as by -watch, for some moments in which it is stopped many times.

    what looks have found                                     for          it
    the same verdict, a likely one at least                   SECONDS      hangs
    that nobody gets further, and others wait for it          2 SECONDS    may hang: no verdict
    the same, and a thread computes with new values           2 SECONDS    is not ended for that
    anything else                                                          works: looked at more rarely

A look costs processor time; those at a program that works no more than a hundredth of its own."""

from __future__ import annotations

import ctypes
import itertools
import os
import resource
import signal
import time

from openmp_inspect.core import debug, proc_files
from openmp_inspect.core.static_typing import TYPE_CHECKING
from ompd_command import annotation_files, isolation, job_log, runtime_search, started
from ompd_command.crash_holder import CrashHolder, SIGNALS
from ompd_command.group_signals import GroupSignals
from ompd_command.program_guard import Guard, send
from ompd_command.shell_screen import complain
from ompd_command.watchdog_options import How

if TYPE_CHECKING:
    from typing import Callable, Dict, List, Optional, Set, Tuple, Union
    from ompd_command.host.held import CrashedProcess
    from ompd_command.job_log import Hang
    from ompd_command.watchdog_options import WatchdogOptions

    # At processes by id; what is called now and then meanwhile, and may raise what ends it. Returns what
    # it finds of those that can be looked at, and sentences why others cannot.
    Look = Callable[[List[int], How, Callable[[], None]], Tuple[Dict[int, "Hang"], List[str]]]

_IDLE = 0.005  # of a processor: timers that fire now and then are no progress
_LOOKS = 4  # questions how long it has run during the time in which nothing may happen
_WATCHED, _GLIMPSE = 1.0, 0.5  # seconds that a look at threads that run takes, and one in a hurry
_SHARE = 0.01  # of the program's processor time that looks may take
_GRACE = 5.0  # seconds between the two signals that end a program
_PAUSE = 0.05  # seconds between questions whether it has ended by these
_LIKELY = 2
_FOR_CRASHES = 10.0  # seconds that looks at crashes may take
_ROUNDS = 4  # in which more processes crash while some are looked at
_PATIENCE = 5.0  # seconds that a look may take before a signal is passed on
_ENDING = signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGALRM, signal.SIGXCPU
_HANDLED = signal.SIGHUP, signal.SIGUSR1, signal.SIGALRM  # end none that has a handler for them
_PASSED_ON = (*_ENDING, signal.SIGUSR2, signal.SIGQUIT)
_KEEPS_ORPHANS, _TRACED_BY = 36, 0x59616d61  # PR_SET_CHILD_SUBREAPER, PR_SET_PTRACER
_SECOND = 1e9


class _Interrupted(Exception):
    """A look is not finished: the program has ended, or is to end."""


class Watcher:
    """Of one program, a child of this process, to which SIGNALS are passed on by the GUARD, and whose
    processes the HOLDER stops at a crash; or, without these, of one that was left."""

    def __init__(self, child: int, wanted: WatchdogOptions, look: Look,
                 signals: Optional[GroupSignals] = None, guard: Optional[Guard] = None,
                 holder: Optional[CrashHolder] = None) -> None:
        self._child, self._wanted, self._look = child, wanted, look
        self._signals, self._guard, self._holder = signals, guard, holder
        self._times: Dict[Tuple[int, int], int] = {}  # by process and thread
        self._ran: Set[int] = set()  # processes that have run since they were last asked
        self._begun = self._last = self._since_run = self._since_same = time.monotonic()
        self._next_look = self._begun + wanted.seconds
        self._limit = max(isolation.SECONDS, wanted.seconds)  # of a look: the program may leave it no more
        self._used = self._spent = 0.0  # seconds of processors, by the program and by looks at it
        self._found: Dict[int, object] = {}  # by process: what may be a hang
        self._crashed: Dict[int, Hang] = {}  # by process: what was found when a signal ended it
        self._crash = ""  # and that there was one
        self._left_for_crashes = _FOR_CRASHES
        self.explained: Set[int] = set()  # processes whose end was
        self._is_reported = False
        self._ending: Dict[int, bool] = {}  # signals that have come, and whether to the group
        self._explaining: Set[int] = set()  # those that are explained just now
        self._is_explained = False
        self._is_annotated = False
        self._failed: List[str] = []  # why something could not be looked at last
        self._node = job_log.Node(wanted.below)

    def wait(self) -> int:
        """Until the program ends, or is ended; its wait status, or -1 where it was."""
        status = None
        while status is None:
            self._pass_on(self._wanted.seconds / _LOOKS)
            self._look_at_crashed()
            status = self._status()
            try:
                if status is None and self._ending:
                    self._explain()
                elif status is None and time.monotonic() - self._last >= \
                        self._wanted.seconds / _LOOKS and self._hangs() and self._wanted.kills:
                    self._end()
                    return -1
            except _Interrupted:
                debug.ignored()
        if status and self._crashed:
            self._write(self._crash, {})
        return status

    def _look_at_crashed(self) -> None:
        """At processes that a signal is about to end, which go on once all have been looked at, as their
        launcher ends the others then. What is found is said if the program fails: it may have processes
        whose end it expects. Many of these are not looked at, as that takes time."""
        if self._holder is None:
            return
        crashed: Dict[int, CrashedProcess] = {}
        try:
            for fresh in itertools.islice(iter(self._holder.stopped, {}), _ROUNDS):
                crashed.update(fresh)
                if self._left_for_crashes <= 0:
                    break
                began = time.monotonic()
                hangs, self._failed = self._look(list(fresh), How(
                    None, self._wanted.directory is not None, self._limit, fresh), self._pass_on)
                self._left_for_crashes -= time.monotonic() - began
                self._crash = self._crash or "a crash after %.0f s" % (began - self._begun)
                self._crashed.update(hangs)
        finally:
            self._holder.let_go(crashed)

    def _status(self) -> Optional[int]:
        """The program's wait status, if it has ended; so have orphans, whose parent this process is
        with -kill."""
        while True:
            process, status = os.waitpid(-1, os.WNOHANG)
            if process == self._child:
                return status
            if process == 0:
                return None
            for helper in self._helpers():
                if process == helper.pid:
                    helper.pid = 0

    def _helpers(self) -> List[Union[GroupSignals, Guard, CrashHolder]]:
        return [one for one in (self._signals, self._guard, self._holder) if one is not None]

    def _pass_on(self, seconds: float = 0.0) -> None:
        """Passes on what comes during so many SECONDS, or has come, but for what ends the program
        while that is not explained."""
        if self._signals is None:
            return
        for is_group, numbers in enumerate(self._signals.came(seconds)):
            for number in numbers:
                if number in self._explaining:
                    continue  # again, as of a launcher one of whose ranks has ended by it: once is enough
                if number not in _ENDING or self._is_explained or self._is_reported or \
                        number in _HANDLED and proc_files.caught_signals(
                            self._child) >> number - 1 & 1:
                    self._send(number, bool(is_group))
                else:
                    self._ending[number] = bool(is_group)

    def _send(self, number: int, is_group: bool) -> None:
        if is_group and self._guard is not None:
            self._guard.signal(self._child, number)
        else:
            send(self._child, number)

    def _interrupt(self) -> None:
        self._pass_on()
        if self._ending or proc_files.has_ended(self._child):
            raise _Interrupted

    def _explain(self) -> None:
        """Says what it does before a signal ends it, and passes that on."""
        ending, self._ending, self._is_explained = self._ending, {}, True
        self._explaining = set(ending) - {signal.SIGINT}  # ^C and once more ^C is not to wait
        try:
            self.report(signal.Signals(min(ending)).name)
        finally:
            self._explaining = set()
            for number, is_group in ending.items():
                self._send(number, is_group)

    def report(self, why: str) -> None:
        """Says for that reason what the program does just now, which is to be over soon."""
        is_busy, page = self._runs(), self._wanted.directory is not None
        why = "%s after %.0f s" % (why, self._last - self._begun)
        hangs = self._looked(How(None, page, _PATIENCE), self._pass_on)
        left = self._last + _PATIENCE - time.monotonic() - _GLIMPSE
        if is_busy and left > 0 and all(hang.certainty < _LIKELY for hang in hangs.values()):
            hangs = self._looked(How(_GLIMPSE, page, left), self._pass_on) or hangs
        self._write(why, hangs)

    def _runs(self) -> bool:
        """Whether it has run since it was last asked."""
        now, last = time.monotonic(), self._last
        self._last = now
        times = {(process, thread): proc_files.run_time(process, thread) or 0
                 for process in runtime_search.descendants(self._child)
                 for thread in proc_files.threads(process)}
        run: Dict[int, float] = {}
        for (process, thread), time_run in times.items():
            before = self._times.get((process, thread), 0)
            run[process] = run.get(process, 0.0) + max(time_run - before, 0) / _SECOND
        self._times = times
        self._used += sum(run.values())
        self._ran = {process for process, seconds in run.items() if seconds > _IDLE * (now - last)}
        return sum(run.values()) > _IDLE * (now - last)

    def _hangs(self) -> bool:
        """Looks, if it is time for that; whether it hangs, which is reported once."""
        is_busy, now = self._runs(), self._last
        if self._node.was_told() and not self._is_reported:
            self._is_reported = True
            self._write("another rank makes no progress", self._looked(How(_GLIMPSE, True, self._limit)))
            return False
        if proc_files.is_stopped(self._child):
            self._since_run = self._since_same = now
        elif is_busy:
            self._since_run = now
            return now >= self._next_look and self._spins()
        if now - self._since_run < self._wanted.seconds or self._is_reported:
            return False
        hangs = self._looked(How(None, self._wanted.directory is not None, self._limit))
        self._found = _suspicions(hangs)
        self._is_reported = True
        self._node.tell()
        self._write("no progress for %g s" % self._wanted.seconds, hangs)
        return True

    def _spins(self) -> bool:
        """Looks at one that runs; as _hangs()."""
        began, seconds = self._last, self._wanted.seconds
        watch = min(_WATCHED, seconds / _LOOKS)
        hangs = self._looked(How(watch, False, self._limit))
        found, is_likely = _suspicions(hangs), any(hang.certainty >= _LIKELY for hang in hangs.values())
        wait_for_others = {process for process, hang in hangs.items() if hang.is_in_mpi}
        if not any(hang.is_stuck for hang in hangs.values()) and \
                not self._ran <= set(found) | wait_for_others:
            found = {}  # these may wait for what another process does
        if not found or found != self._found:
            self._since_same, self._is_reported = began, False
        self._found = found
        same, rate = began - self._since_same, self._used / (began - self._begun)
        is_over = bool(found) and not self._is_reported and same >= seconds * (1 if is_likely else 2)
        owed = 0.0 if found and not self._is_reported else self._spent / _SHARE - self._used
        self._next_look = time.monotonic() + max(seconds / 2, owed / max(rate, _IDLE))
        if not is_over:
            return False
        if self._wanted.directory is not None:
            hangs = self._looked(How(watch, True, self._limit))
            if _suspicions(hangs) != found:
                return False
        self._is_reported = True
        self._node.tell()
        self._write("no progress for %.0f s" % same if is_likely else
                    "no verdict after %.0f s in the same places" % same,
                    {process: hangs[process] for process in found})
        return is_likely or not any(hang.computes for hang in hangs.values() if hang.still)

    def _looked(self, how: How, meanwhile: Optional[Callable[[], None]] = None) -> Dict[int, Hang]:
        before = _processor_time()
        try:
            hangs, self._failed = self._look(
                runtime_search.below(self._child), how._replace(ends=self._wanted.kills),
                meanwhile or self._interrupt)
            return hangs
        finally:
            self._spent += _processor_time() - before

    def _write(self, why: str, hangs: Dict[int, Hang]) -> None:
        self.explained.update(self._crashed)
        hangs, self._crashed = {**self._crashed, **hangs}, {}
        if hangs:
            job_log.write(why, hangs, self._wanted.directory, self._wanted.below)
        elif self._failed or not self._is_explained:
            complain("%s: %s" % (why, self._failed[0] if self._failed else
                                 "no process with OpenMP to look at"))
        self.annotate(why, hangs)

    def annotate(self, why: str, hangs: Dict[int, Hang]) -> None:
        """The files of -junit and -sarif; WHY as job_log.write() has it, "": nothing is reported."""
        if any(self._wanted.files) and (why or not self._is_annotated):
            annotation_files.write(self._wanted.files, self._wanted.program,
                                   time.monotonic() - self._begun, why, hangs)
        self._is_annotated = True

    def _end(self) -> None:
        """Ends the program and what it has made, also what outlives it."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            until = time.monotonic() + _GRACE
            told: Set[int] = set()
            while time.monotonic() < until:
                left = self._left()
                if not left:
                    return
                for process in left - told:
                    send(process, number)
                told |= left
                time.sleep(_PAUSE)

    def _left(self) -> Set[int]:
        """Ids of processes that have not ended, after those that have are no more."""
        own = {os.getpid(), *(one.pid for one in self._helpers())}
        left = set(runtime_search.descendants(os.getpid())) - own
        for process in list(left):
            if proc_files.parent(process) == os.getpid() and \
                    os.waitpid(process, os.WNOHANG)[0]:
                left.remove(process)
        return left


def _suspicions(hangs: Dict[int, Hang]) -> Dict[int, object]:
    """What may be a hang: likely verdicts; if there is none, where nobody gets further."""
    return {process: hang.key for process, hang in hangs.items() if hang.certainty >= _LIKELY} or \
        {process: hang.still for process, hang in hangs.items() if hang.still is not None}


def _processor_time() -> float:
    """Seconds that this process and its children that have ended had a processor."""
    found = os.times()
    return found.user + found.system + found.children_user + found.children_system


def _end_left(program: int, wanted: WatchdogOptions, look: Look) -> None:
    """Of a PROGRAM whose watchdog was killed."""
    began = proc_files.started(program)
    Watcher(program, wanted, look).report("the watchdog was killed")
    while proc_files.started(program) == began and not proc_files.has_ended(program):
        for process in runtime_search.descendants(program):
            send(process, signal.SIGKILL)
        time.sleep(_PAUSE)


def run(command: List[str], wanted: WatchdogOptions, look: Look) -> int:
    """Runs a COMMAND, which is ompd-run's, and watches it; the exit status is its own, or the one that is
    WANTED where it was ended."""
    handler = signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (*_PASSED_ON, signal.SIGCHLD))
    signals, holder = GroupSignals(_PASSED_ON), CrashHolder()
    guard = Guard(lambda program: _end_left(program, wanted, look))
    own, prctl = os.getpid(), ctypes.CDLL(None).prctl
    child = os.fork()
    if child == 0:
        guard.join()
        prctl(_TRACED_BY, own, 0, 0, 0)  # where kernel.yama.ptrace_scope is 1, and nobody else
        signal.signal(signal.SIGCHLD, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        try:
            started.execute([command[0], "--crash-socket", holder.name, *command[1:]])
        except OSError as error:
            complain("%s: %s" % (command[0], error.strerror))
        os._exit(127)

    guard.begin(child)
    if wanted.kills:
        prctl(_KEEPS_ORPHANS, 1)
    watcher = Watcher(child, wanted, look, signals, guard, holder)
    try:
        status = watcher.wait()
    finally:
        signals.end()
        guard.end()
        holder.end()
    watcher.annotate("", {})
    if status == -1:
        return wanted.status
    if os.WIFSIGNALED(status):
        ended_by = os.WTERMSIG(status)
        if ended_by in SIGNALS and not os.WCOREDUMP(status) and child not in watcher.explained:
            complain("%d was ended by %s and has left no core, which \"ulimit -c unlimited\" permits; "
                     "\"ompd why CORE\" says why." % (child, signal.Signals(ended_by).name))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the core is the program's
        if ended_by != signal.SIGKILL:
            signal.signal(ended_by, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [ended_by])
        os.kill(os.getpid(), ended_by)
        return 128 + ended_by  # as a shell: the first process of a container ends by no signal
    return os.WEXITSTATUS(status)
