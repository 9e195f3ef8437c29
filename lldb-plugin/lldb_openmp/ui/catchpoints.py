# SPDX-License-Identifier: MIT
"""Breakpoints on events of OpenMP. Each is one of lldb's scripted breakpoints, which takes
locations at any time: the functions that report its event in each library that is loaded, and what
caught_events.py, which decides, wants watched. At a location lldb asks caught() whether to stop.

lldb asks in a thread of its own, maybe while a command lets the program run: the model, which
answers one at a time, is asked for words and for bodies that compiled code calls itself.
"""

from __future__ import annotations


import lldb

from openmp_inspect.core import debug, errors, escaped, text
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.code import body_calls, code_owner, outlined
from openmp_inspect.code.entry_point_table import ENTRIES
from openmp_inspect.stacks import caught_events, event_words
from openmp_inspect.stacks.caught_events import Spot
from lldb_openmp.host import call_arguments, console, line_tables, sessions
from lldb_openmp.ui import thread_names

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Set, Tuple
    from openmp_inspect.code.entry_point_table import Entry
    from openmp_inspect.model.team_arrivals import Arrivals
    from openmp_inspect.stacks.caught_events import Event

    _Key = Tuple[str, int]  # a module, and an address in its file

_DEEPEST = 64  # frames up to the user's
_LONGEST = 64  # characters of an event's name
_FAULT = regex(r".*error: (<[^>]*>:\d+:\d+: )?")  # before what lldb says of an expression

_CHOOSES_FRAMES = 20  # lldb's number: from there on it selects a frame itself when it has stopped

_catches: List[Catch] = []
_hooked: List[Any] = []  # SBTargets that have AfterCatch


class Visit(caught_events.Visit):
    """An SBThread, in its newest frame."""

    def __init__(self, thread: Any, runtimes: Set[str]) -> None:
        self.sb, self.thread = thread, thread.GetThreadID()
        self.frame, self._older = thread.GetFrameAtIndex(0), thread.GetFrameAtIndex(1)
        self.here = _spot(self.frame)
        self._runtimes = runtimes

    @property
    def caller(self) -> Optional[Spot]:
        return self.back if _is_user(self._older, self._runtimes) else None

    @property
    def back(self) -> Optional[Spot]:
        return _spot(self._older) if self._older.IsValid() else None

    def argument(self, number: int) -> Optional[int]:
        return call_arguments.argument(self.frame, number)

    def result(self) -> Optional[int]:
        return call_arguments.result(self.frame)

    def body(self, entry: Entry) -> Optional[int]:
        return None if entry.body is None else body_of_call(self.sb, self.frame, entry)

    def part(self, task: int) -> Optional[int]:
        return call_arguments.word(self.sb.GetProcess(), task + 16, 4)

    def is_last(self, arrivals: Arrivals) -> bool:
        def ask(_process: Any) -> bool:
            with Snapshot.of(sessions.space()) as snapshot:
                return arrivals.is_last(snapshot, self.thread)
        return sessions.asked(self.sb.GetProcess(), ask) is not False


class Catch:
    """Where a user wants to stop, as lldb has the class of a scripted breakpoint: POINT is the
    SBBreakpoint, MORE has the event, two keys of catch_kinds.KINDS."""

    def __init__(self, point: Any, more: Any, _names: Any) -> None:
        self.point = point
        kind, moment = more.GetValueForKey("event").GetStringValue(_LONGEST).split()
        self.name, self.condition = "%s %s" % (kind, moment), ""
        self.machine = caught_events.Machine(kind, moment, self._watch, self._entrance)
        self._functions: Dict[_Key, Dict[Callable[..., Optional[Event]], Entry]] = {}
        self._runtimes: Set[str] = set()  # paths of modules with the functions
        self._process: Any = None  # an SBProcess
        _catches.append(self)

    # What lldb asks of a scripted breakpoint

    def __callback__(self, context: Any) -> bool:
        """A module was loaded."""
        module = context.module
        for name, decides in self.machine.functions().items():
            for found in module.FindSymbols(name, lldb.eSymbolTypeCode):
                self._runtimes.add(line_tables.path_of(module.GetFileSpec()))
                address = found.GetSymbol().GetStartAddress()
                known = self._functions.setdefault(_key(address), {})
                if decides not in known and self.point.AddLocation(address).Success():
                    known[decides] = ENTRIES[name]  # of several names one
        return True

    @staticmethod
    def __get_depth__() -> int:
        return int(lldb.eSearchDepthModule)

    def get_short_help(self) -> str:
        return "ompd catch " + self.name

    def _watch(self, address: int) -> bool:
        return bool(self.point.AddLocation(self._target.ResolveLoadAddress(address)).Success())

    def _entrance(self, body: int) -> int:
        """Behind what makes the frame of a BODY."""
        function = self._target.ResolveLoadAddress(body).GetFunction()
        return body + (int(function.GetPrologueByteSize()) if function.IsValid() else 0)

    @property
    def _target(self) -> Any:
        return self._process.GetTarget()

    # Events

    def stops(self, thread: Any, location: Any) -> bool:
        """Whether to stop an SBThread at an SBBreakpointLocation; says what it is."""
        process = thread.GetProcess()
        if self._process is None or self._process.GetUniqueID() != process.GetUniqueID():
            self.machine.forget()  # what threads have done of another process means nothing
        self._process = process
        visit = Visit(thread, self._runtimes)
        event = self.machine.at(visit)
        for decides, entry in self._functions.get(_key(location.GetAddress()), {}).items():
            event = decides(visit, entry, None) or event
        own = None if event is None else self.user_frame(thread)
        if event is None or self.condition and own is not None and \
                not holds(own, self.condition)[0]:
            return False
        self._say(thread, own, event)
        return True

    # What is said

    def user_frame(self, thread: Any) -> Any:
        """The SBFrame of the user's code, or None."""
        frames = (thread.GetFrameAtIndex(at)
                  for at in range(min(thread.GetNumFrames(), _DEEPEST)))
        return next((one for one in frames if _is_user(one, self._runtimes)), None)

    def _say(self, thread: Any, own: Any, event: Event) -> None:
        """A line before lldb's, which shows the frame that is selected: the user's, OWN."""
        place = ""
        if own is not None:
            thread.SetSelectedFrame(own.GetFrameID())
            entry = own.GetLineEntry()
            if entry.IsValid() and entry.GetLine():
                place = " at " + text.source_line(entry.GetFileSpec().GetFilename(),
                                                  entry.GetLine())
        path = thread_names.path(thread)
        who = "thread %d%s" % (thread.GetIndexID(), " (%s)" % path if path else "")
        noun = sessions.asked(thread.GetProcess(), lambda _process: self.machine.noun(
            sessions.stacks(), event))
        console.say(event_words.sentence(self.machine.how, who, noun or self.machine.kind, place))


class AfterCatch:
    """Selects the user's frame where lldb, when it has stopped, has selected another one: lldb has this
    class as that of a scripted stop hook."""

    def __init__(self, _target: Any, _more: Any, _names: Any) -> None:
        pass

    @staticmethod
    def handle_stop(context: Any, _stream: Any) -> bool:
        """A thread of an SBExecutionContext has stopped; whether it shall stay so."""
        thread = context.GetThread()
        if thread.GetStopReason() == lldb.eStopReasonBreakpoint:
            numbers = {thread.GetStopReasonDataAtIndex(at)
                       for at in range(0, thread.GetStopReasonDataCount(), 2)}
            found = next((one for one in _catches if one.point.GetID() in numbers), None)
            own = None if found is None else found.user_frame(thread)
            if own is not None:
                thread.SetSelectedFrame(own.GetFrameID())
        return True


def _hook(target: Any, callback: str) -> None:
    if sessions.version() >= _CHOOSES_FRAMES and target not in _hooked:
        target.GetDebugger().GetCommandInterpreter().HandleCommand(
            "target stop-hook add -P %s.AfterCatch" % callback, lldb.SBCommandReturnObject())
        _hooked.append(target)


def caught(frame: Any, location: Any, _names: Any) -> bool:
    """lldb asks whether to stop in an SBFrame; where that cannot be found out it stops."""
    point = location.GetBreakpoint()
    found = next((one for one in _catches if one.point == point), None)
    try:
        return found is None or found.stops(frame.GetThread(), location)
    # lldb would print a traceback and go on.
    except Exception:  # pylint: disable=broad-except
        debug.ignored()
        return True


def holds(frame: Any, condition: str) -> Tuple[bool, str]:
    """(whether a condition holds in an SBFrame, "") or (True, why it means nothing there): lldb
    evaluates it without running anything in the process."""
    options = lldb.SBExpressionOptions()
    options.SetAllowJIT(False)
    options.SetIgnoreBreakpoints(True)
    options.SetTryAllThreads(False)
    value = frame.EvaluateExpression(condition, options)
    error = lldb.SBError()
    number = value.GetValueAsUnsigned(error)
    if value.GetError().Fail() or error.Fail():
        said = (value.GetError().GetCString() or error.GetCString() or "").splitlines()
        faults = [line for line in said if "error: " in line] or said or ["it has no value"]
        return True, escaped.shown(_FAULT.sub("", faults[0]))
    return number != 0, ""


def make(target: Any, kind: str, moment: str, condition: str, callback: str) -> Catch:
    """A breakpoint in an SBTarget, where a CONDITION holds if there is one; CALLBACK is the module in
    which lldb finds Catch and caught()."""
    _catches[:] = [one for one in _catches if one.point.IsValid()]
    more = lldb.SBStructuredData()
    more.SetFromJSON('{"event": "%s %s"}' % (kind, moment))
    nothing = lldb.SBFileSpecList()
    point = target.BreakpointCreateFromScript(callback + ".Catch", more, nothing, nothing)
    found = next((one for one in _catches if one.point == point), None)
    if found is None:
        raise errors.UserError("lldb makes no breakpoint by a script.")
    found.condition = condition
    point.AddName("ompd_catch_%s_%s" % (kind, moment))
    point.SetScriptCallbackFunction(callback + ".caught")
    _hook(target, callback)
    return found


def _key(address: Any) -> _Key:
    return line_tables.path_of(address.GetModule().GetFileSpec()), int(address.GetFileAddress())


def _spot(frame: Any) -> Spot:
    return Spot(frame.GetPC(), frame.GetSP())


def _is_user(frame: Any, runtimes: Set[str]) -> bool:
    """Whether an SBFrame is of the user's code. A runtime may be linked into a program."""
    if line_tables.path_of(frame.GetModule().GetFileSpec()) not in runtimes:
        return bool(frame.IsValid())
    name = frame.GetFunctionName() or ""
    program = frame.GetThread().GetProcess().GetTarget().GetModuleAtIndex(0)
    return bool(frame.GetModule() == program) and \
        (outlined.is_body(name) or not code_owner.is_openmp(name))


def body_of_call(thread: Any, frame: Any, entry: Entry) -> Optional[int]:
    """The body with which a function is called that an SBFrame is at the first instruction of, or
    None."""
    if not isinstance(entry.body, int):  # "called"
        pc = thread.GetFrameAtIndex(1).GetPC()
        found: Optional[int] = sessions.asked(
            thread.GetProcess(), lambda process: body_calls.called_behind(process, pc, entry.construct))
        return found
    argument = call_arguments.argument(frame, entry.body)
    return argument if not entry.in_task or argument is None else \
        call_arguments.word(thread.GetProcess(), argument + 8)
