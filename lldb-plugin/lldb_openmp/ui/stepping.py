# SPDX-License-Identifier: MIT
"""Steps through constructs: into the body that a line opens, and out of it again.

lldb's own plans for a thread do the walking. What is added is one scripted thread plan below them,
and one breakpoint with locations where the runtime is called with a body, where that body begins,
and where a body returns to. For the plan's own thread the plan decides there, and for others, that
run a task or go on behind a region, pointed(). As with lldb's own steps a breakpoint of the user's
interrupts the plan, and "continue" takes it up again.

Plans are asked in lldb's thread for the process, with that stopped: the model is asked if nobody
else asks.
"""

from __future__ import annotations


import lldb

from openmp_inspect.core import debug, errors
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import body_calls, body_lines, outlined, same_task
from openmp_inspect.host import interface
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.stacks import enclosing_body, labels
from lldb_openmp.host import call_arguments, console, sessions
from lldb_openmp.ui import catchpoints

if TYPE_CHECKING:
    from types import SimpleNamespace
    from typing import Any, Callable, Dict, FrozenSet, List, Optional, Sequence, Tuple
    from openmp_inspect.code.entry_point_table import Entry
    from openmp_inspect.stacks.enclosing_body import Body, Resumption

    _Spot = Tuple[int, int]  # an instruction, and the stack pointer there

_MOST = 1000  # plans of lldb's on the way of one step
_INTERNAL = 1 << 31  # numbers of breakpoints from here on are lldb's own, negative ones
_RETURNS_STATE, _TOO_NEW = 19, 20  # lldb's numbers: should_step(), and stops that no plan is asked of
_NAME = "ompd_step"  # of the breakpoint

_asked: List[_Step] = []  # one, for the plan that lldb is about to make
_walks: List[Walk] = []  # whose breakpoints there are
_module = [""]  # one: the name of that in which lldb finds these classes


class _Step(NamedTuple):
    """What a user has typed, and where the thread stands then. `user`: the level of its newest frame
    of the user's code, None if there is none; `body`: the one it is in, or with `to_end` that whose
    end is wanted; `successor`: where another thread goes on behind it; `openings`: of
    body_lines.openings(), if bodies are to be stepped into; `skipped`: lines of the body's
    directive."""

    name: str
    user: Optional[int] = 0
    body: Optional[Body] = None
    to_end: bool = False
    successor: Optional[Resumption] = None
    openings: Dict[int, Tuple[int, Entry]] = {}
    skipped: FrozenSet[int] = frozenset()


class _Awaited(NamedTuple):
    """A body that is about to begin, at its first instruction or where a line of it begins.
    `accept`: whether the thread of an SBFrame there is one that was meant; `lines`: the addresses
    to stop this thread at next, none if the step ends here."""

    entry: Entry
    body: int
    accept: Callable[[Any], bool]
    lines: Sequence[int] = ()


class Walk:
    """One command of a user's: lldb makes it from this class, with the methods of a scripted thread
    plan. Once it is left to others another thread may end it."""

    def __init__(self, plan: Any, *_: Any) -> None:
        self._plan, self.thread = plan, plan.GetThread()
        self._target = self.thread.GetProcess().GetTarget()
        self._step = _asked.pop() if _asked else _Step("ompd next")
        self._plans = 0
        self._sub: Any = None
        self._cfa = 0  # of the frame that steps
        self._awaited: Dict[int, _Awaited] = {}  # by address
        self._returns: Dict[_Spot, bool] = {}  # of the thread: whether the body itself returns
        self._goal: Optional[_Spot] = None  # of the thread, once it has left its body
        self._has_left = False
        self._resumed: Optional[Tuple[int, int, int]] = None  # a thread's id, and the _Spot
        self.is_over = self.is_left_to_others = False
        self.ended_by: Any = None  # that one
        nothing = lldb.SBFileSpecList()
        self.point = self._target.BreakpointCreateFromScript(
            "%s.Points" % _module[0], lldb.SBStructuredData(), nothing, nothing)
        self.point.AddName(_NAME)
        self.point.SetScriptCallbackFunction(_module[0] + ".pointed")
        self.point.SetThreadID(self.thread.GetThreadID())
        _walks.append(self)
        self._begin()

    # What lldb asks of a thread plan

    def explains_stop(self, _event: Any) -> bool:
        """Whether no breakpoint but the plan's own, and maybe one of lldb's plans, has stopped its
        thread."""
        if self.is_over or self.is_left_to_others or \
                self.thread.GetStopReason() != lldb.eStopReasonBreakpoint:
            return False
        numbers = {self.thread.GetStopReasonDataAtIndex(at)
                   for at in range(0, self.thread.GetStopReasonDataCount(), 2)}
        return {one for one in numbers if one < _INTERNAL} == {self.point.GetID()}

    def should_stop(self, _event: Any) -> bool:
        try:
            return self._should_stop()
        # lldb would print a traceback and go on.
        except Exception:  # pylint: disable=broad-except
            debug.ignored()
            return self._end()

    @staticmethod
    def should_step() -> int:
        """Whether to execute one instruction; newer ones take what the thread is to do."""
        return int(lldb.eStateRunning) if sessions.version() >= _RETURNS_STATE else False

    def is_stale(self) -> bool:
        return self.is_over or self.is_left_to_others

    def stop_description(self, stream: Any) -> None:
        stream.Print(self._step.name)

    # Where a step begins

    def _begin(self) -> None:
        step, frame = self._step, self.thread.GetFrameAtIndex(0)
        for address in step.openings:
            self._watch(address)
        if step.body is not None and (step.to_end or step.body.is_newest):
            self._watch_return(step.body.pc, step.body.sp, True)
            if step.to_end:
                return
        opened = next((entry for start, entry in step.openings.values()
                       if start == frame.GetPC()), None)
        if step.user == 0:
            self._over_line()
        elif opened is not None and self._opens(frame, opened):
            return
        elif step.user is not None:
            self._out_to(step.user)
        elif step.successor is not None:
            self._hand_over(step.successor)

    def _over_line(self) -> None:
        """The rest of a line, by a plan of lldb's."""
        frame = self.thread.GetFrameAtIndex(0)
        line, at = frame.GetLineEntry(), frame.GetPCAddress()
        size = line.GetEndAddress().GetLoadAddress(self._target) - frame.GetPC()
        self._cfa = frame.GetCFA()
        queue = self._plan.QueueThreadPlanForStepInRange \
            if self._step.openings and self._plans == 0 else \
            self._plan.QueueThreadPlanForStepOverRange
        self._sub = queue(at, max(size, 1))
        self._plans += 1

    def _out_to(self, level: int) -> None:
        """Until the thread is back in the frame of this level, by a plan of lldb's."""
        self._sub = self._plan.QueueThreadPlanForStepOut(level - 1)
        self._plans += 1

    # What happens on the way

    def _should_stop(self) -> bool:
        if self.is_over or self.is_left_to_others:
            return False
        frame, is_ours = self.thread.GetFrameAtIndex(0), self.explains_stop(None)
        if not is_ours and (self._sub is None or not self._sub.IsPlanComplete()):
            return False
        # Where a plan of lldb's has come to a location by an instruction, that does not count.
        is_body = self._returns.pop((frame.GetPC(), frame.GetSP()), None)
        if is_body is not None:
            self._sub = self._sub if is_ours else None
            return self._returned(is_body)
        if not is_ours:
            return self._arrived(frame)
        awaited = self._awaited.get(frame.GetPC())
        if awaited is not None:
            return self._begins(frame, awaited)
        opening = self._step.openings.get(frame.GetPC())
        if opening is not None and self.thread.GetFrameAtIndex(1).GetCFA() == self._cfa:
            self._opens(frame, opening[1])
        return False

    def _arrived(self, frame: Any) -> bool:
        """A plan of lldb's is complete. Whether the whole step is."""
        self._sub = None
        if self._goal is not None:
            level, self._goal = self._level_of(self._goal), None
            if level:
                self._out_to(level)
                return False
        if self._awaited and frame.GetCFA() != self._cfa and \
                outlined.is_body(frame.GetFunctionName() or ""):
            return False  # clang's code has called it: the thread runs to a line of the body
        if self._plans < _MOST and not _is_at_line(frame, self._target):
            self._over_line()
            return False
        return self._settled(frame)

    def _level_of(self, spot: _Spot) -> Optional[int]:
        """That of the frame that goes on there, or None."""
        frames = map(self.thread.GetFrameAtIndex, range(self.thread.GetNumFrames()))
        return next((level for level, frame in enumerate(frames)
                     if (frame.GetPC(), frame.GetSP()) == spot), None)

    def _settled(self, frame: Any) -> bool:
        """The thread is where a line begins: is it one that a person would stop at?"""
        start = frame.GetFunction().GetStartAddress().GetLoadAddress(self._target)
        body, line = self._step.body, frame.GetLineEntry().GetLine()
        if self._plans >= _MOST or frame.IsInlined():
            return self._end()
        # Behind a construct variables are copied back on the line of the directive.
        if body is not None and (start == body.start and line in self._step.skipped or
                                 self._has_left and line == body.line):
            self._over_line()
            return False
        # Of clang's two functions of a body the outer one has the line of the directive, too.
        if outlined.is_body(frame.GetFunctionName() or "") and \
                self._ask(lambda process: body_calls.behind(process, start)) not in (None, start):
            caller = self.thread.GetFrameAtIndex(1)
            if (caller.GetPC(), caller.GetSP()) not in self._returns:  # else it runs to there
                self._out_to(1)
            return False
        return self._end()

    def _opens(self, frame: Any, entry: Entry) -> bool:
        """In the first instructions of a function that is called with a body. Whether that will be
        stopped in."""
        body = catchpoints.body_of_call(self.thread, frame, entry)
        own = None if body is None else self._target.ResolveLoadAddress(body)
        if body is None or own is None or not own.GetLineEntry().IsValid():
            return False
        behind, lines = self._lines_of(body)
        if entry.runs == "later":
            self._await(body, _Awaited(entry, behind, _same_task(self.thread, frame, entry), lines))
            self._leave_to(lldb.LLDB_INVALID_THREAD_ID)
            return True
        for line in lines:
            self._await(line, _Awaited(entry, behind, lambda _frame: True))
        caller = self.thread.GetFrameAtIndex(1)
        if entry.runs != "after" and self._sub is None:  # else that sees the return
            self._watch_return(caller.GetPC(), caller.GetSP(), False)
        return True

    def _await(self, address: int, awaited: _Awaited) -> None:
        self._awaited[address] = awaited
        self._watch(address)

    def _begins(self, frame: Any, awaited: _Awaited) -> bool:
        """A thread is where a body begins. Whether that is the end of the step."""
        if not awaited.accept(frame):
            return False
        if not awaited.lines:
            self._say_entered(awaited)
            return self._end()
        number = frame.GetThread().GetThreadID()
        for line in awaited.lines:
            self._await(line, awaited._replace(
                lines=(), accept=lambda frame: bool(frame.GetThread().GetThreadID() == number)))
        return False

    def _lines_of(self, body: int) -> Tuple[int, List[int]]:
        """(where a BODY itself begins, where lines of it begin at which a person would stop: behind
        the directive's, or behind what makes its frame)"""
        begin: int = self._ask(lambda process: body_calls.behind(process, body)) or body
        code = self._target.ResolveLoadAddress(begin).GetFunction()
        first = begin + (code.GetPrologueByteSize() if code.IsValid() else 0)
        return begin, self._ask(lambda process: body_lines.own_lines(process, begin)) or [first]

    def _say_entered(self, awaited: _Awaited) -> None:
        words = self._ask(lambda process: labels.of_body(process,
            awaited.entry.construct or "", awaited.body))
        place = self._ask(lambda _process: _place_in_team(self.thread))
        console.say("entering %s%s" % (words or awaited.entry.construct or "a body",
                                ", thread %d of %d" % place if place else ""))

    def _returned(self, is_body: bool) -> bool:
        """A body has returned to the runtime, or else the call that was to run one has."""
        body, successor = self._step.body, self._step.successor
        if not is_body or body is None:
            self._awaited.clear()
        elif body.caller is not None:
            console.say("leaving " + body.words)
            self._goal, self._has_left = body.caller, True
        elif successor is not None:
            console.say("leaving %s; thread %d goes on" % (body.words, successor.thread.num))
            self._hand_over(successor)
            return False
        else:
            console.say(body.words + " has ended")
            return self._end()
        if self._sub is not None:
            return False  # goes on
        return self._arrived(self.thread.GetFrameAtIndex(0))

    def _hand_over(self, there: Resumption) -> None:
        """Another thread goes on, and ends the step."""
        self._resumed = there.thread.lwp, there.pc, there.sp
        self._watch(there.pc)
        self._leave_to(there.thread.lwp)

    def _leave_to(self, lwp: int) -> None:
        """The plan is over, and pointed() decides, for the thread with this id."""
        self.is_left_to_others = True
        self.point.SetThreadID(lwp)
        self._plan.SetPlanComplete(True)

    # Without the plan

    def stops(self, thread: Any) -> bool:
        """Whether an SBThread has come to where the step ends."""
        frame = thread.GetFrameAtIndex(0)
        awaited = self._awaited.get(frame.GetPC())
        if self._resumed != (thread.GetThreadID(), frame.GetPC(), frame.GetSP()):
            if awaited is None or awaited.lines or not awaited.accept(frame):
                return awaited is not None and self._begins(frame, awaited)
            self.thread = thread
            self._say_entered(awaited)
        self.ended_by = thread
        self.discard()
        return True

    # Helpers

    def _watch(self, address: int) -> None:
        self.point.AddLocation(self._target.ResolveLoadAddress(address))

    def _watch_return(self, pc: int, sp: int, is_body: bool) -> None:
        self._returns[pc, sp] = is_body
        self._watch(pc)

    def discard(self) -> None:
        self.is_over = True
        self._target.BreakpointDelete(self.point.GetID())

    def _end(self) -> bool:
        self._plan.SetPlanComplete(True)
        self.discard()
        return True

    def _ask(self, question: Callable[[Any], Any]) -> Any:
        return sessions.asked(self.thread.GetProcess(), question)


class Walking:
    """What a command returns of which the process runs, once nobody else may ask of it."""

    def __init__(self, step: _Step) -> None:
        self._step = step

    def go(self, debugger: Any, result: Any) -> None:
        """lldb's command with our plan: it reports the stop as it does after its own steps."""
        for walk in _walks:
            walk.discard()
        _walks.clear()
        _asked[:] = [self._step]
        debugger.GetCommandInterpreter().HandleCommand(
            "thread step-scripted -m all-threads -C %s.Walk" % _module[0], result)
        # Where lldb waits for the stop it selects the thread that has begun the step.
        if _walks and _walks[0].ended_by is not None:
            debugger.GetSelectedTarget().GetProcess().SetSelectedThread(_walks[0].ended_by)


def are_in(module: str) -> None:
    """The name of the MODULE in which lldb finds Walk, Points and pointed()."""
    _module[0] = module


def step(_given: SimpleNamespace) -> Walking:
    return Walking(_here("ompd step")._replace(openings=body_lines.openings(sessions.process())))


def next_(_given: SimpleNamespace) -> Walking:
    return Walking(_here("ompd next"))


def finish(_given: SimpleNamespace) -> Walking:
    here, thread = _here("ompd finish"), sessions.selected()
    body = enclosing_body.innermost(sessions.stacks(), thread,
                                    thread.sb.GetSelectedFrame().GetFrameID())
    if body is None and (here.user is not None or here.successor is None):
        raise errors.UserError('This thread is in no parallel region or task: use "finish" to run '
                               "to the end of a function.")
    return Walking(here._replace(body=body, to_end=True))


def _here(name: str) -> _Step:
    """Where the selected thread stands as a command with this NAME begins; UserError where it cannot
    go on by itself."""
    if sessions.process().origin == interface.CORE:
        raise errors.UserError("A core cannot be run.")
    if sessions.version() >= _TOO_NEW:
        raise errors.UserError(
            '"%s" needs lldb %d or older: set a breakpoint in the body, or use "ompd catch".'
            % (name, _TOO_NEW - 1))
    thread, stacks = sessions.selected(), sessions.stacks()
    body, user = enclosing_body.innermost(stacks, thread), enclosing_body.user_level(stacks, thread)
    successor = enclosing_body.successor(stacks, thread) if user is None or \
        body is not None and body.is_last else None
    if user is None and successor is None:
        raise errors.UserError("This thread is in the runtime, with nothing of yours to return to.")
    start = body.start if body is not None and body.is_newest else None
    return _Step(name, user, body, successor=successor, skipped=frozenset() if start is None else
                 body_lines.lines_of_directive(sessions.process(), start))


class Points:
    """The locations of a Walk, as lldb has the class of a scripted breakpoint."""

    def __init__(self, point: Any, _more: Any, _names: Any) -> None:
        self.point = point

    @staticmethod
    def __callback__(_context: Any) -> bool:
        return True

    @staticmethod
    def __get_depth__() -> int:
        return int(lldb.eSearchDepthModule)

    @staticmethod
    def get_short_help() -> str:
        return "ompd step"


def pointed(frame: Any, location: Any, _names: Any) -> bool:
    """lldb asks whether to stop in an SBFrame, of a thread that has no plan, or no longer."""
    walk = next((one for one in _walks if one.point == location.GetBreakpoint()), None)
    thread = frame.GetThread()
    try:
        return walk is not None and walk.is_left_to_others and walk.stops(thread)
    # lldb would print a traceback and go on.
    except Exception:  # pylint: disable=broad-except
        debug.ignored()
        return False


def _is_at_line(frame: Any, target: Any) -> bool:
    line = frame.GetLineEntry()
    return not line.IsValid() or \
        int(line.GetStartAddress().GetLoadAddress(target)) == int(frame.GetPC())


def _place_in_team(thread: Any) -> Optional[Tuple[int, int]]:
    """(the number of an SBThread, the size of its team), or None outside of regions."""
    with Snapshot.of(sessions.space()) as snapshot:
        known = snapshot.by_lwp.get(thread.GetThreadID())
        return None if known is None or known.region is None else (known.number, known.region.size)


def _same_task(thread: Any, call: Any, entry: Entry) -> Callable[[Any], bool]:
    """A condition for an SBFrame at the first instruction of a body: is this the task that CALL makes?
    Memory is read by lldb itself, as what the host has read may be older."""
    def read(address: int, size: int) -> bytes:
        return bytes(thread.GetProcess().ReadMemory(address, size, lldb.SBError()) or b"")

    is_same = same_task.condition(
        entry, lambda number: call_arguments.argument(call, number), read)
    return lambda frame: is_same(lambda number: call_arguments.argument(frame, number))
