# SPDX-License-Identifier: MIT
"""Breakpoints on events of OpenMP. Each is one of lldb's scripted breakpoints, which takes
locations at any time: the functions that report its event in each library that is loaded, and once
one was called, bodies and where calls return to. At a location lldb asks caught() whether to stop.

lldb asks in a thread of its own, maybe while a command lets the program run: the model, which
answers one at a time, is asked for words and for bodies that compiled code calls itself.
"""

from __future__ import annotations


import lldb

from openmp_inspect.core import debug, errors, escaped, text
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.model.team_arrivals import Arrivals
from openmp_inspect.code import body_calls, catch_kinds, code_owner, outlined
from openmp_inspect.code.entry_point_table import ENTRIES
from openmp_inspect.stacks import event_words
from lldb_openmp.host import call_arguments, console, line_tables, sessions
from lldb_openmp.ui import thread_names

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Set, Tuple
    from openmp_inspect.code.entry_point_table import Entry

    _Key = Tuple[str, int]  # a module, and an address in its file

_MOST = 4096  # locations of one breakpoint
_DEEPEST = 64  # frames up to the user's
_LONGEST = 64  # characters of an event's name
_FAULT = regex(r".*error: (<[^>]*>:\d+:\d+: )?")  # before what lldb says of an expression

_CHOOSES_FRAMES = 20  # lldb's number: from there on it selects a frame itself when it has stopped

_catches: List[Catch] = []
_hooked: List[Any] = []  # SBTargets that have AfterCatch


class _Event(NamedTuple):
    """What is caught: a function's Entry, and the body or object that it was called with."""

    entry: Entry
    word: Optional[int]


class _Place(NamedTuple):
    question: str  # the method that decides there
    entry: Entry  # of the function that has led there


class Catch:
    """Where a user wants to stop, as lldb has the class of a scripted breakpoint: POINT is the
    SBBreakpoint, MORE has the event, two keys of catch_kinds.KINDS."""

    def __init__(self, point: Any, more: Any, _names: Any) -> None:
        self.point = point
        self.kind, self.moment = more.GetValueForKey("event").GetStringValue(_LONGEST).split()
        self.how = catch_kinds.KINDS[self.kind][self.moment]
        self.condition = ""
        self._places: Dict[_Key, List[_Place]] = {}
        self._runtimes: Set[str] = set()  # paths of modules with the functions
        self._process = 0
        self._forget()
        _catches.append(self)

    def _forget(self) -> None:
        """What threads have done of another process means nothing."""
        # By (return address, thread, stack pointer there).
        self._expected: Dict[Tuple[int, int, int], _Event] = {}
        # By thread: (return address, stack pointer there, function) of the last call.
        self._last: Dict[int, Tuple[int, int, int]] = {}
        self._chosen: Set[int] = set()  # threads inside `single`
        self._resuming: Set[int] = set()  # threads in the first instructions of a task's later part
        self._arrivals = Arrivals()

    # What lldb asks of a scripted breakpoint

    def __callback__(self, context: Any) -> bool:
        """A module was loaded."""
        module = context.module
        names = {name: "called" for name in self.how.functions}
        if self.how.way == "done":
            names.update({name: "chooses" for name in catch_kinds.CHOSEN})
        for name, question in names.items():
            for found in module.FindSymbols(name, lldb.eSymbolTypeCode):
                self._runtimes.add(line_tables.path_of(module.GetFileSpec()))
                self._watch(found.GetSymbol().GetStartAddress(), question, ENTRIES[name])
        return True

    @staticmethod
    def __get_depth__() -> int:
        return int(lldb.eSearchDepthModule)

    def get_short_help(self) -> str:
        return "ompd catch %s %s" % (self.kind, self.moment)

    def _watch(self, address: Any, question: str, entry: Entry) -> bool:
        """Has a method decide at an SBAddress. Whether there is room."""
        places = self._places.setdefault(_key(address), [])
        if any(one.question == question for one in places):
            return True
        if len(self._places) > _MOST or \
                not places and not self.point.AddLocation(address).Success():
            return False
        places.append(_Place(question, entry))
        return True

    # Events

    def stops(self, thread: Any, location: Any) -> bool:
        """Whether to stop an SBThread at an SBBreakpointLocation; says what it is."""
        if self._process != thread.GetProcess().GetUniqueID():
            self._forget()
            self._process = thread.GetProcess().GetUniqueID()
        event = None
        for place in list(self._places.get(_key(location.GetAddress()), ())):
            ask: Callable[[Any, Entry], Optional[_Event]] = getattr(self, "_" + place.question)
            event = ask(thread, place.entry) or event
        own = None if event is None else self.user_frame(thread)
        if event is None or self.condition and own is not None and \
                not holds(own, self.condition)[0]:
            return False
        self._say(thread, own, event)
        return True

    def _called(self, thread: Any, entry: Entry) -> Optional[_Event]:
        """At the first instruction of a function of the runtime."""
        frame, caller = thread.GetFrameAtIndex(0), thread.GetFrameAtIndex(1)
        if not self._is_user(caller) or self._is_reported(thread, frame, caller):
            return None
        way, number = self.how.way, thread.GetThreadID()
        if way in ("body", "after"):
            self._watch_body(thread, frame, entry)
            return None
        event = _Event(entry, _word(frame, entry, self.kind))
        if way == "call" or way == "last" and self._is_last(thread):
            return event
        if way == "last":
            return None
        if way == "done":
            is_own = number in self._chosen
            self._chosen.discard(number)
            return event if is_own else None
        self._watch_return(thread, caller, event, "returned")
        return None

    def _is_last(self, thread: Any) -> bool:
        """Whether a thread comes last to its team's barrier, or that is not known."""
        def ask(_process: Any) -> bool:
            with Snapshot.current() as snapshot:
                return self._arrivals.is_last(snapshot, thread.GetThreadID())
        return sessions.asked(thread.GetProcess(), ask) is not False

    def _chooses(self, thread: Any, entry: Entry) -> None:
        caller = thread.GetFrameAtIndex(1)
        if self._is_user(caller):
            self._watch_return(thread, caller, _Event(entry, None), "answered")

    def _answered(self, thread: Any, _entry: Entry) -> None:
        """A call by which one thread is chosen has returned."""
        event = self._expected_here(thread)
        if event is not None and _is_chosen(thread, event):
            self._chosen.add(thread.GetThreadID())

    def _returned(self, thread: Any, _entry: Entry) -> Optional[_Event]:
        """A call, or a body, has returned."""
        event = self._expected_here(thread)
        if event is not None and self.how.way == "chosen" and not _is_chosen(thread, event):
            return None
        return event

    def _starts(self, thread: Any, _entry: Entry) -> None:
        """At the first instruction of the body of a task of clang's: if untied, each part of it
        begins there."""
        task = call_arguments.argument(thread.GetFrameAtIndex(0), 1)
        if _part(thread, task):
            self._resuming.add(thread.GetThreadID())

    def _began(self, thread: Any, entry: Entry) -> Optional[_Event]:
        """In a body, behind what makes its frame."""
        number, frame = thread.GetThreadID(), thread.GetFrameAtIndex(0)
        if number in self._resuming:
            self._resuming.remove(number)
            return None
        return _Event(entry, _start_of(frame))

    def _opens(self, thread: Any, entry: Entry) -> None:
        """At the first instruction of a body whose end is wanted."""
        event = _Event(entry, _start_of(thread.GetFrameAtIndex(0)))
        self._watch_return(thread, thread.GetFrameAtIndex(1), event, "returned")

    # What is expected

    def _watch_body(self, thread: Any, frame: Any, entry: Entry) -> None:
        body, process = body_of_call(thread, frame, entry), thread.GetProcess()
        if body is None:
            return
        if entry.in_task and isinstance(entry.body, int) and \
                _part(thread, call_arguments.argument(frame, entry.body)):
            self._part_is_over(thread)
            return
        address = process.GetTarget().ResolveLoadAddress(body)
        if self.how.way == "after":
            self._watch(address, "opens", entry)
            return
        if entry.in_task:
            self._watch(address, "starts", entry)
        function = address.GetFunction()
        behind = function.GetPrologueByteSize() if function.IsValid() else 0
        self._watch(process.GetTarget().ResolveLoadAddress(body + behind), "began", entry)

    def _part_is_over(self, thread: Any) -> None:
        """An untied task has queued its next part: that its body returns is not its end."""
        own = [key for key in self._expected if key[1] == thread.GetThreadID()]
        if own:
            del self._expected[min(own, key=lambda key: key[2])]

    def _watch_return(self, thread: Any, caller: Any, event: _Event, question: str) -> None:
        address = thread.GetProcess().GetTarget().ResolveLoadAddress(caller.GetPC())
        if self._watch(address, question, event.entry):
            self._expected[caller.GetPC(), thread.GetThreadID(), caller.GetSP()] = event

    def _expected_here(self, thread: Any) -> Optional[_Event]:
        frame = thread.GetFrameAtIndex(0)
        return self._expected.pop((frame.GetPC(), thread.GetThreadID(), frame.GetSP()), None)

    def _is_reported(self, thread: Any, frame: Any, caller: Any) -> bool:
        """Whether another function was called there that has entered this one by a jump."""
        call = caller.GetPC(), caller.GetSP(), frame.GetPC()
        last = self._last.get(thread.GetThreadID())
        if last is None or last[:2] != call[:2] or last == call:
            self._last[thread.GetThreadID()] = call
            return False
        del self._last[thread.GetThreadID()]
        return True

    def _is_user(self, frame: Any) -> bool:
        """Whether an SBFrame is of the user's code. A runtime may be linked into a program."""
        if line_tables.path_of(frame.GetModule().GetFileSpec()) not in self._runtimes:
            return bool(frame.IsValid())
        name = frame.GetFunctionName() or ""
        program = frame.GetThread().GetProcess().GetTarget().GetModuleAtIndex(0)
        return bool(frame.GetModule() == program) and \
            (outlined.is_body(name) or not code_owner.is_openmp(name))

    # What is said

    def user_frame(self, thread: Any) -> Any:
        """The SBFrame of the user's code, or None."""
        frames = (thread.GetFrameAtIndex(at)
                  for at in range(min(thread.GetNumFrames(), _DEEPEST)))
        return next(filter(self._is_user, frames), None)

    def _say(self, thread: Any, own: Any, event: _Event) -> None:
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
        noun = sessions.asked(thread.GetProcess(), lambda _process: self._noun(event)) or self.kind
        console.say(event_words.sentence(self.how, who, noun, place))

    def _noun(self, event: _Event) -> str:
        if self.kind in ("parallel", "task"):
            return event_words.of_body(event.entry, event.word)
        return event_words.of_object(self.kind, event.word)


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


def _word(frame: Any, entry: Entry, kind: str) -> Optional[int]:
    """The body or object that a function is called with, or None."""
    number = entry.body if kind == "parallel" else entry.object
    return call_arguments.argument(frame, number) if isinstance(number, int) else None


def body_of_call(thread: Any, frame: Any, entry: Entry) -> Optional[int]:
    """The body with which a function is called that an SBFrame is at the first instruction of, or
    None."""
    if not isinstance(entry.body, int):  # "called"
        pc = thread.GetFrameAtIndex(1).GetPC()
        found: Optional[int] = sessions.asked(
            thread.GetProcess(), lambda _process: body_calls.called_behind(pc, entry.construct))
        return found
    argument = call_arguments.argument(frame, entry.body)
    return argument if not entry.in_task or argument is None else \
        call_arguments.word(thread.GetProcess(), argument + 8)


def _part(thread: Any, task: Optional[int]) -> Optional[int]:
    """The number of the part that an untied task of clang's is to go on with, 0 for its beginning:
    the third member of its descriptor."""
    return None if task is None else call_arguments.word(thread.GetProcess(), task + 16, 4)


def _is_chosen(thread: Any, event: _Event) -> bool:
    """Whether the call that has just returned has chosen the thread. A bool is a byte wide, and
    LLVM's answers are 0 and 1."""
    value = call_arguments.result(thread.GetFrameAtIndex(0))
    return value is not None and (
        value & 0xFF != 0 if event.entry.runs == "if_true" else value == 0)


def _start_of(frame: Any) -> Optional[int]:
    function = frame.GetFunction()
    start = (function if function.IsValid() else frame.GetSymbol()).GetStartAddress()
    return int(start.GetLoadAddress(frame.GetThread().GetProcess().GetTarget())) \
        if start.IsValid() else None
