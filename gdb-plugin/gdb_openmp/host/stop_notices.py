# SPDX-License-Identifier: MIT
"""How front ends are notified of stops that are ours.

gdb announces every stop. A command of ours may stop at several hidden breakpoints on its way,
and one of these may stand in for a breakpoint of the user's; front ends are to get one stop,
with its reason and the number that the user knows.

In MI gdb itself writes the records, to standard output, and Python has no say in it: while a
command runs, or between the decision to stop and gdb's event that it has, they are held back in a
file in memory, and then written as they should be. A second interpreter ("new-ui mi") writes
elsewhere and is left alone. In the Debug Adapter Protocol it is Python that notifies the client: it
is disconnected meanwhile."""

from __future__ import annotations

import os
import re
import sys
import types

import gdb

from openmp_inspect.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import console, gdb_text

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Match, Optional, Sequence, Tuple, Type
    from gdb_openmp.host.gdb_types import GdbBreakpoint, GdbEvent

_HIDDEN = re.compile(r'reason="breakpoint-hit",disp="\w+",bkptno="(-\d+)",')
_STOPPED = re.compile(r'"SIGSTOP",signal-meaning="[^"]*"')
_SELECTED = re.compile(r'^=thread-selected,.*?frame=\{level="\d+",(.*)\}\n', re.M)
_FRAME = re.compile(r'(frame=\{).*(\},thread-id=)')
_NUMBER = re.compile(r'(bkptno="|Breakpoint )(-\d+)\b')

# gdb's event of a stop, and breakpoints of the user's that it is for.
_hits: Tuple[Optional[GdbEvent], Sequence[GdbBreakpoint]] = None, ()
_followers: List[Callable[[], None]] = []
# Number of a hidden breakpoint -> that of the user's which it stopped for.
_stands_for: Dict[int, int] = {}


def is_silent() -> bool:
    """Whether breakpoints of ours are silent: MI has no reason for stops at such ones."""
    return console.front_end() != "mi"


class _Output:
    """Standard output, which can be held back."""

    def __init__(self) -> None:
        self._file = self._kept = -1
        self.is_held = False
        self.is_of_stop = False  # from a decision to stop to the stop

    def hold(self) -> None:
        gdb.flush()
        self._file = os.memfd_create("mi-records")
        self._kept = os.dup(1)
        os.dup2(self._file, 1)
        self.is_held = True

    def release(self) -> str:
        """What was written since hold()."""
        gdb.flush()
        os.dup2(self._kept, 1)
        with open(self._file, "rb") as file:
            file.seek(0)
            written = file.read()
        os.close(self._kept)
        self.is_held = False
        return written.decode("utf-8", "surrogateescape")


_output = _Output()


def _write(written: str) -> None:
    """Writes records of MI, with numbers that the user knows."""
    def known(found: Match[str]) -> str:
        number = _stands_for.get(int(found.group(2)))
        return found.group() if number is None else found.group(1) + str(number)
    data = _NUMBER.sub(known, written).encode("utf-8", "surrogateescape")
    gdb.flush()
    while data:
        data = data[os.write(1, data):]


def show(command: str) -> None:
    """Executes a command of gdb's that prints something. While gdb reports a stop gdb 18 would
    print it in the midst of the records."""
    if console.front_end() is None:
        gdb.execute(command)
        return
    printed = gdb_text.exact(gdb.execute, command, to_string=True)
    if console.front_end() == "mi" and printed.startswith(("~", "=")):
        _write(printed)
    else:
        gdb.write(printed)


def notify(command: str) -> None:
    """Executes a command of gdb's whose words are left out, but not what front ends get.
    gdb 18 has both in its output."""
    printed = gdb_text.exact(gdb.execute, command, to_string=True)
    if console.front_end() == "mi":
        _write("".join(line for line in printed.splitlines(True) if line.startswith("=")))


def say(sentence: str) -> None:
    """Prints a SENTENCE about a stop that gdb is reporting."""
    server = _dap("server")
    if console.front_end() == "dap" and hasattr(server, "send_event"):
        server.send_event("output", {"category": "console", "output": sentence})
    else:
        console.write(sentence)


def stops_for(point: GdbBreakpoint, number: int) -> None:
    """A breakpoint, maybe a hidden one, is about to stop the program for the user's of this
    NUMBER."""
    _stands_for[point.number] = number
    if console.front_end() == "mi" and not _output.is_held:
        _output.hold()
        _output.is_of_stop = True


def hits_are(event: GdbEvent, points: Sequence[GdbBreakpoint]) -> None:
    """An EVENT of gdb's is for these breakpoints, and not for all that stand there."""
    global _hits
    _hits = event, points


def _release(_event: Optional[GdbEvent]) -> None:
    """At gdb's own events, which come when it has reported the stop, and when others have selected
    the user's frame: a client opens what the frame of the stop has."""
    if _output.is_of_stop:
        _output.is_of_stop = False
        written = _output.release()
        selected = _SELECTED.search(written)
        _write(written if selected is None else _frame_replaced(written, selected.group(1)))


def _frame_replaced(written: str, frame: str) -> str:
    """Records of MI, in which the stop has a FRAME, the text behind `frame={`."""
    return "".join(_FRAME.sub(lambda found: found.group(1) + frame + found.group(2), line)
                   if line.startswith("*stopped") else line for line in written.splitlines(True))


def watch() -> None:
    """Follows gdb's events. Called once, before others that print at a stop."""
    for registry in (gdb.events.exited, gdb.events.cont):
        registry.connect(_release)


def watch_last() -> None:
    """Follows gdb's events, after others that follow stops."""
    gdb.events.stop.connect(_release)
    if console.front_end() != "dap":
        return
    if hasattr(_dap(), "_on_stop"):
        gdb.events.stop.disconnect(_dap()._on_stop)  # pylint: disable=protected-access
        gdb.events.stop.connect(_tell)
    for kind in ("created", "modified", "deleted"):
        own = getattr(_dap("breakpoint"), "_bp_" + kind, None)
        if own is not None:
            registry = getattr(gdb.events, "breakpoint_" + kind)
            registry.disconnect(own)
            registry.connect(lambda point, own=own: point.number < 0 or own(point))


def _dap(module: str = "events") -> Any:
    """A module of gdb's that notifies clients of the Debug Adapter Protocol of what happens, or
    None."""
    return sys.modules.get("gdb.dap." + module)


def _tell(event: GdbEvent, reason: Optional[str] = None) -> None:
    """Notifies a client of the Debug Adapter Protocol of a stop, for REASON where it is at no
    breakpoint of the user's and gdb knows none. gdb knows none of silent breakpoints."""
    if RunningCommand.last is not None:
        RunningCommand.last.event = event
        return
    points = getattr(event, "breakpoints", [])
    points[:] = [point for point in (_hits[1] if _hits[0] is event else points)
                 if point.is_valid() and point.number > 0]
    reason = "breakpoint" if points else reason
    if reason is not None and "reason" not in getattr(event, "details", {}):
        _expect(reason)
    if isinstance(event, gdb.BreakpointEvent) and not points:
        event = types.SimpleNamespace(details=getattr(event, "details", {}))
    _dap()._on_stop(event)  # pylint: disable=protected-access


def _expect(reason: str) -> None:
    """Has gdb give this reason for a stop that it knows none of. gdb 14 has no function for it."""
    dap = _dap()
    if getattr(dap, "_expected_stop_reason", None) or getattr(dap, "_expected_stop", None):
        return  # the request has reported it
    if hasattr(dap, "expect_stop"):
        dap.expect_stop(reason)
    elif hasattr(dap, "StopKinds"):
        dap._expected_stop = dap.StopKinds(reason)  # pylint: disable=protected-access


class RunningCommand:
    """One command of ours. `with` notifies the front end of its last stop, and that it was for
    REASON, in MI's words, if it was at a hidden breakpoint."""

    last: Optional[RunningCommand] = None  # the one that runs
    event: Optional[GdbEvent] = None  # gdb's, of its last stop in the Debug Adapter Protocol

    def __init__(self, reason: str = "end-stepping-range") -> None:
        self._reason = reason

    def __enter__(self) -> RunningCommand:
        RunningCommand.last = self
        return self

    def __exit__(self, *_: object) -> None:
        RunningCommand.last = None
        for follow in _followers:
            follow()

    def run(self, command: str) -> None:
        """Executes a command of gdb's that runs the program."""
        gdb.execute(command)

    def run_unseen(self, command: str) -> None:
        """The same, of which nobody hears: what is known of the last stop stays as it was."""
        before = vars(self).copy()
        try:
            self.run(command)
        finally:
            vars(self).update(before)

    def forget(self) -> None:
        """The last stop is by SIGSTOP, and ours: a person at the command line does not hear of it,
        and a front end that there is no signal, as gdb has it in non-stop mode."""


class _Quiet(RunningCommand):
    """Of the command line: of stops on the way nothing is printed, of the last one what gdb has to
    say, unless it is ours."""

    _last = ""

    def run(self, command: str) -> None:
        printed = ""
        _output.hold()
        try:
            printed = gdb_text.exact(gdb.execute, command, to_string=True)
        finally:
            self._last = printed + _output.release()

    def forget(self) -> None:
        self._last = ""

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        gdb.write(self._last)


class _Mi(RunningCommand):
    _last = ""  # how gdb announced the last stop, with what it printed of it
    _runs = False  # whether it was announced that the program does

    def run(self, command: str) -> None:
        others = [line for line in self._last.splitlines(True)
                  if not line.startswith(("~", "*stopped"))]
        self._last = ""
        _release(None)
        _output.hold()
        try:
            gdb.execute(command)
        finally:
            lines = [line for line in _output.release().splitlines(True)
                     if not (self._runs and line.startswith("*running,thread-id=\"all\""))]
            self._runs = True
            first = _announcement(lines)
            _write("".join(others + lines[:first]))
            self._last = "".join(lines[first:])

    def forget(self) -> None:
        self._last = _STOPPED.sub('"0",signal-meaning="Signal 0"', "".join(
            line for line in self._last.splitlines(True) if not line.startswith("~")))

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        found = _HIDDEN.search(self._last)
        if found is not None and int(found.group(1)) not in _stands_for:
            self._last = _HIDDEN.sub('reason="%s",' % self._reason, "".join(
                line for line in self._last.splitlines(True) if not line.startswith("~")))
        _write(self._last)


def _announcement(lines: Sequence[str]) -> int:
    """Where in these lines gdb begins to report the last stop: with what it prints."""
    stops = [at for at, line in enumerate(lines) if line.startswith("*stopped")]
    if not stops:
        return len(lines)
    first = stops[-1]
    while first > 0 and lines[first - 1].startswith("~") and \
            not lines[first - 1].startswith('~"['):
        first -= 1
    return first


class _Dap(RunningCommand):
    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self._off: Optional[Callable[..., Any]] = None  # gdb's, disconnected

    def run(self, command: str) -> None:
        if self.event is not None and self._off is None:  # that it runs has been reported
            self._off = next((getattr(_dap(), name) for name in ("_cont", "_on_cont")
                              if hasattr(_dap(), name)), None)
            if self._off is not None:
                gdb.events.cont.disconnect(self._off)
        self.event = None
        gdb.execute(command)

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        if self._off is not None:
            gdb.events.cont.connect(self._off)
        if self.event is not None:
            _tell(self.event, "step")


def is_command() -> bool:
    """Whether a Command runs, whose stops may not be the last one."""
    return RunningCommand.last is not None


def at_end(follow: Callable[[], None]) -> None:
    """FOLLOW is called when a Command has ended."""
    _followers.append(follow)


def command(reason: str = "end-stepping-range", quiet: bool = False) -> RunningCommand:
    """A Command for the front end that gdb talks to. QUIET: the command line sees the last stop
    only."""
    kinds: Dict[Optional[str], Type[RunningCommand]] = {
        None: _Quiet if quiet else RunningCommand, "mi": _Mi, "dap": _Dap}
    return kinds[console.front_end()](reason)
