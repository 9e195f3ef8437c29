# SPDX-License-Identifier: MIT
"""Breakpoints on events of OpenMP.

A Catch is the user's breakpoint: it has a number, and stands at the first function that
reports its event. An Agent is a hidden one that stands in for it elsewhere: at the other
functions, at bodies, and where calls return to. The Catch is native to gdb: it has a gdb
condition, a call of $_omp_catch, so that users can change, ignore, disable and delete it as
any other. Agents ask it.

Agents are made while the program stands at an event, and taken away only when gdb has
stopped it or is at its prompt.
"""

from __future__ import annotations

import re

import gdb

from openmp_inspect.core import debug, errors, screen, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.model.team_arrivals import Arrivals
from openmp_inspect.code import catch_kinds, entry_points
from openmp_inspect.stacks import event_words, labels
from gdb_openmp.host import call_arguments, console, frames, gdb_text, inferiors, stop_notices, \
    thread_ids
from gdb_openmp.program import entry_arguments
from gdb_openmp.ui import catch_agent, catch_events, frame_walk, region_bodies, session

if TYPE_CHECKING:
    from typing import Any, Dict, Hashable, List, Optional, Sequence, Set, Tuple
    from openmp_inspect.code.entry_point_table import Entry
    from gdb_openmp.host.gdb_types import GdbBreakpoint, GdbEvent, GdbFrame, GdbValue
    from gdb_openmp.ui.catch_agent import Agent

_CALL = re.compile(r"""\$_omp_catch\s*\((["'])[a-z ]*\1(?:,\s*\1(.*)\1)?\)\Z""")
_MOST_AGENTS = 4096  # bodies and places of return of one Catch

_catches: List[Catch] = []
_making: Any = None  # what make() has made of, then the Catch


_sourced = catch_events.Events()  # of breakpoints that were saved and sourced


class Catch(gdb.Breakpoint):
    """Where a user wants to stop. KIND and MOMENT are keys of catch_kinds.KINDS."""

    def __init__(self, kind: str, moment: str, condition: str) -> None:
        self.kind, self.moment = kind, moment
        self.how = catch_kinds.KINDS[kind][moment]
        # (number of a thread, what to say of its stop).
        self.reported: Optional[Tuple[int, Optional[str]]] = None
        self._agents: List[Agent] = []
        # By address, at a body or where calls return to.
        self._places: Dict[Hashable, Agent] = {}
        self.arrivals = Arrivals()
        self._events = catch_events.Events()
        self.chosen: Set[int] = set()  # numbers of threads inside `single`
        self._untied: Set[int] = set()  # bodies of untied tasks, which clang divides into parts
        # Numbers of threads between the start of one and its first line.
        self._resuming: Set[int] = set()
        with inferiors.c_language():  # it keeps the one in which it was made
            super().__init__("-qualified -function " + self.how.functions[0])
        self.silent = stop_notices.is_silent()
        # gdb 13 disables a pending breakpoint whose condition was set from Python.
        self._later = condition if self.pending else None
        if self._later is None:
            self._set_condition(condition)
        for name in self.how.functions[1:]:
            self._agents.append(catch_agent.Agent(self, "-qualified -function " + name))
        if self.how.way == "done":
            for name in catch_kinds.CHOSEN:
                self._agents.append(
                    catch_agent.Agent(self, "-qualified -function " + name, "choosing"))
        _catches.append(self)

    # The condition

    def call(self, condition: str) -> str:
        """The condition for gdb that stands for the user's."""
        words = '"%s %s"' % (self.kind, self.moment)
        if condition:
            words += ', "%s"' % condition.replace("\\", "\\\\").replace('"', '\\"')
        return "$_omp_catch(%s)" % words

    def _set_condition(self, condition: str) -> None:
        with inferiors.c_language():  # Fortran has no such quotes
            self.condition = self.call(condition)

    @property
    def wanted(self) -> str:
        """The user's own condition, or nothing. Who changes it may write Fortran."""
        found = _CALL.match(self.condition or "")
        if found is None:
            return self.condition or ""
        if found.group(1) == "'":
            return (found.group(2) or "").replace("''", "'")
        return re.sub(r"\\(.)", r"\1", found.group(2) or "")

    def follow(self) -> None:
        """This breakpoint was changed, or what it waits for was loaded: the agents follow."""
        if self.pending:
            return
        if self._later is not None and not self.condition:
            self._set_condition(self._later)
        self._later = None
        if self.condition != self.call(self.wanted):
            self._set_condition(self.wanted)  # in C again, as long as gdb keeps it
        for agent in self._all_agents():
            if agent.enabled != self.enabled:
                agent.enabled = self.enabled
            if agent.commands != self.commands:
                agent.commands = self.commands or ""

    @property
    def awaits_runtime(self) -> bool:
        """Whether gdb knows none of the functions yet, of whatever runtime."""
        return bool(self.pending) and all(agent.pending for agent in self._all_agents())

    # Events

    def decide(self, agent: Optional[Agent] = None) -> bool:
        """At one of the functions: whether to stop here. AGENT: who asks, if another."""
        frame = gdb.newest_frame()
        caller = frame.older()
        if caller is None or not frame_walk.is_user(caller):
            return False  # the runtime calls itself, or the hooks call the runtime
        before = self._events.reported_at(frame, caller, agent)
        if before is not None:
            if before != frame.pc():
                self.reported = None
            return False
        self.reported = None
        way = self.how.way
        if way == "call":
            return self._stop_if(caller, self._noun(frame))
        if way == "last":
            return self._is_last() and self._stop_if(caller, None)
        if way == "done":
            number = gdb.selected_thread().global_num
            if number not in self.chosen:
                return False
            self.chosen.discard(number)
            return self._stop_if(caller, "single")
        if way in ("body", "after"):
            self._watch_body(frame)
        else:
            self.watch_return(caller, self._noun(frame), "returned")
        return False

    def choosing(self) -> bool:
        caller = gdb.newest_frame().older()
        if caller is not None and frame_walk.is_user(caller):
            self.watch_return(caller, gdb_text.frame_name(gdb.newest_frame()), "returned")
        return False

    def returned(self, noun: Optional[str]) -> bool:
        """A call of one of the functions came back to the newest frame."""
        self.reported = None
        frame = gdb.newest_frame()
        if self.how.way in ("chosen", "done"):
            value = call_arguments.result(frame)
            entry = entry_points.find(noun)
            # A bool is a byte wide, and LLVM's answers are 0 and 1.
            if value & 0xFF == 0 if entry is not None and entry.runs == "if_true" else value != 0:
                return False
            if self.how.way == "done":
                self.chosen.add(gdb.selected_thread().global_num)
                return False
            noun = "single"
        return self._stop_if(frame, noun)

    def began(self, directive: Optional[str]) -> bool:
        """The newest frame is at the beginning of a body."""
        self.reported = None
        frame = gdb.newest_frame()
        if self.how.way == "body":
            return not self._is_resumed(frame) and self._stop_if(frame, directive)
        runtime = frame.older()
        if runtime is not None:
            self.watch_return(runtime, directive, "ended")
        return False

    def ended(self, directive: Optional[str]) -> bool:
        self.reported = None
        return self._stop_if(frame_walk.user(gdb.newest_frame()), directive)

    def _watch_body(self, frame: GdbFrame) -> None:
        entry = entry_points.find(gdb_text.frame_name(frame))
        if entry is None or entry.body is None or not call_arguments.known(frame):
            return
        body = entry_arguments.body(frame, entry)
        if body is None:
            return
        if entry.in_task and isinstance(entry.body, int) and entry_arguments.part_of_task(
                call_arguments.argument(frame, entry.body)):
            self._follow_parts(body)
        else:
            self.watch_body(body, entry.construct or "")

    def watch_body(self, body: int, construct: str) -> bool:
        """BODY, of a CONSTRUCT in words, will begin. Whether there is room to watch it."""
        if body in self._places:
            return True
        if len(self._places) >= _MOST_AGENTS:
            return False
        place = region_bodies.entrance(body) if self.how.way == "body" else body
        self._places[body] = catch_agent.Agent(self, "*%d" % place, "began",
                                               labels.of_body(construct, body))
        return True

    def _follow_parts(self, body: int) -> None:
        """A task has queued its next part: its end is not that of this part, and the beginning
        of the next one is not its own."""
        number = gdb.selected_thread().global_num
        if self.how.way == "after":
            running = [(pointer, agent) for agent in self._places.values()
                       for thread, pointer in agent.expected if thread == number]
            if running:
                pointer, agent = min(running, key=lambda one: one[0])
                del agent.expected[number, pointer]
        else:
            self.watch_parts(body)

    def watch_parts(self, body: int) -> None:
        """BODY, of a task of clang's, may be that of an untied one, which begins once in each
        part."""
        if body not in self._untied and len(self._places) < _MOST_AGENTS:
            self._untied.add(body)
            if region_bodies.entrance(body) != body:
                self._places["start", body] = catch_agent.Agent(self, "*%d" % body, "resumes")

    def resumes(self) -> bool:
        """The newest frame is in the first instruction of an untied task's body."""
        if entry_arguments.part_of_task(call_arguments.argument(gdb.newest_frame(), 1)):
            self._resuming.add(gdb.selected_thread().global_num)
        return False

    def _is_resumed(self, frame: GdbFrame) -> bool:
        """Whether a body that begins is a later part of its task."""
        number = gdb.selected_thread().global_num
        if number in self._resuming:
            self._resuming.remove(number)
            return True
        return frame.pc() in self._untied and \
            entry_arguments.part_of_task(call_arguments.argument(frame, 1)) != 0

    def watch_return(self, frame: GdbFrame, noun: Optional[str], then: str) -> bool:
        """FRAME, of the selected thread, is where a call, made or about to be, or a body returns
        to; or the frame has left by a jump, and what is further out is. Whether there is room to
        watch it."""
        frame = next((one for one in frames.outward(frame) if one.type() != gdb.TAILCALL_FRAME),
                     frame)
        pc = frame.pc()
        agent = self._places.get(pc)
        if agent is None:
            if len(self._places) >= _MOST_AGENTS:
                return False
            agent = self._places[pc] = catch_agent.Agent(self, "*%d" % pc, then)
        agent.expected[gdb.selected_thread().global_num, frame_walk.stack_pointer(frame)] = noun
        return True

    def _is_last(self) -> bool:
        """Counts arrivals; each thread passes by exactly once."""
        try:
            with session.snapshot() as snapshot:
                return self.arrivals.is_last(snapshot, thread_ids.lwp(gdb.selected_thread()))
        except (errors.OmpdError, errors.NoLibrary):
            debug.ignored()
            return True

    def _stop_if(self, frame: Optional[GdbFrame], noun: Optional[str]) -> bool:
        """Whether the user's condition holds in a frame."""
        wanted = self.wanted
        if wanted and frame is not None:
            newest = gdb.newest_frame()
            frame.select()
            try:
                if not gdb.parse_and_eval(wanted):
                    return False
            finally:
                newest.select()
        self.reported = gdb.selected_thread().global_num, noun
        return True

    def _noun(self, frame: GdbFrame) -> str:
        """What a function of the runtime was called for, by name where there is one."""
        name = gdb_text.frame_name(frame) or ""
        if self.kind == "single":
            return name
        entry = entry_points.find(name)
        if self.kind == "parallel":
            return self.noun(entry, entry_arguments.body(frame, entry) if entry is not None and
                             entry.body is not None and call_arguments.known(frame) else None)
        if entry is None or not isinstance(entry.object, int) or not call_arguments.known(frame):
            return self.kind
        return event_words.of_object(self.kind, call_arguments.argument(frame, entry.object))

    def noun(self, entry: Optional[Entry], body: Optional[int]) -> str:
        """What a function of the runtime was called for, with a BODY if that is known."""
        return event_words.of_body(entry, body) if self.kind == "parallel" else self.kind

    # Agents

    def _all_agents(self) -> List[Agent]:
        agents = self._agents + list(self._places.values())
        return [agent for agent in agents if agent.is_valid()]

    def forget_places(self) -> None:
        """The process is gone, and with it all addresses and threads."""
        for agent in self._places.values():
            if agent.is_valid():
                agent.delete()
        self._places.clear()
        self.arrivals.forget()
        self._events.clear()
        self.chosen.clear()
        self._untied.clear()
        self._resuming.clear()

    def retire(self) -> None:
        self.forget_places()
        for agent in self._all_agents():
            agent.delete()

    def say(self) -> None:
        """One line about the stop of the selected thread; selects the user's frame."""
        thread = gdb.selected_thread()
        noun = None if self.reported is None else self.reported[1]
        frame = frame_walk.user(gdb.newest_frame())
        place = ""
        if frame is not None:
            sal = frame.find_sal()
            if sal.symtab is not None and sal.line:
                place = " at " + text.source_line(gdb_text.file_name(sal.symtab), sal.line)
        team = session.place_in_team()
        who = "thread %s%s" % (text.thread(thread.num), " (%d/%d)" % team if team else "")
        reported = event_words.sentence(self.how, who, noun or self.kind, place)
        stop_notices.say("[%s]\n" % reported)


class Condition(gdb.Function):
    """$_omp_catch ("KIND MOMENT" [, "CONDITION"]): whether "ompd catch" stops here.

This is the condition of the breakpoints that "ompd catch" makes. CONDITION is
evaluated in the frame of your code that called the runtime."""

    def __init__(self) -> None:
        super().__init__("_omp_catch")

    def invoke(self, *arguments: GdbValue) -> bool:
        try:
            what, wanted = [console.of_value(argument) for argument in arguments] + [""] * (
                2 - len(arguments))
            words = what.split()
        except (gdb.error, ValueError):
            raise gdb.GdbError('Give an event, as in $_omp_catch("task begin").') from None
        try:
            return self._decide(words, wanted)
        except gdb.error as error:
            raise gdb.GdbError(screen.printable(str(error))) from None

    @staticmethod
    def _decide(words: Sequence[str], wanted: str) -> bool:
        for catch in _catches:
            if catch.is_valid() and [catch.kind, catch.moment] == words and \
                    catch.wanted == wanted:
                stops = catch.decide()
                if stops and not catch.ignore_count:
                    stop_notices.stops_for(catch, catch.number)
                return stops
        return _at_call(wanted)


def _at_call(wanted: str) -> bool:
    """For a breakpoint that was saved and sourced: gdb made that one, and it can only stop
    where it stands."""
    frame = gdb.newest_frame()
    caller = frame.older()
    if caller is None or not frame_walk.is_user(caller) or \
            _sourced.reported_at(frame, caller, wanted) is not None:
        return False
    if not wanted:
        return True
    caller.select()
    try:
        return bool(gdb.parse_and_eval(wanted))
    finally:
        frame.select()


def make(kind: str, moment: str, condition: str) -> Catch:
    """A new Catch; gdb's own remarks about functions that are not there yet are kept back."""
    global _making
    sweep()
    _making = kind, moment, condition
    gdb.execute("python __import__(%r, fromlist=['_make'])._make()" % __name__, to_string=True)
    made: Catch = _making
    return made


def _make() -> None:
    global _making
    _making = Catch(*_making)


def sweep(_event: Optional[GdbEvent] = None) -> None:
    """Takes the agents of deleted breakpoints away. Not while gdb walks its breakpoints."""
    for catch in [c for c in _catches if not c.is_valid()]:
        _catches.remove(catch)
        catch.retire()


def _stopped(event: GdbEvent) -> None:
    sweep()
    points = getattr(event, "breakpoints", [])
    # gdb names every breakpoint at this place, those too that did not want to stop.
    hit = {b.owner if isinstance(b, catch_agent.Agent) else b for b in points}
    thread = gdb.selected_thread()
    reported = [b for b in _catches
                if b in hit and b.reported and b.reported[0] == thread.global_num]
    stop_notices.hits_are(event, reported + [
        b for b in points if not isinstance(b, (Catch, catch_agent.Agent))])
    for catch in reported:
        catch.say()
        catch.reported = None
    if reported:
        region_bodies.show(frame_walk.user(gdb.newest_frame()))


def _exited(_event: GdbEvent) -> None:
    sweep()
    for catch in _catches:
        catch.forget_places()


def _loaded(event: GdbEvent) -> None:
    """A process that executes another program begins with its file: old addresses mean
    nothing there, and gdb could not go on with breakpoints at them."""
    program = gdb_text.exact(getattr, event.new_objfile.progspace, "filename", None)
    if gdb_text.file_name(event.new_objfile) == program:
        for catch in _catches:
            catch.forget_places()


def _modified(point: GdbBreakpoint) -> None:
    if isinstance(point, Catch) and point in _catches and point.is_valid():
        point.follow()


def watch() -> None:
    """Follows gdb's events. Called once."""
    Condition()
    gdb.events.stop.connect(_stopped)
    gdb.events.exited.connect(_exited)
    gdb.events.new_objfile.connect(_loaded)
    gdb.events.breakpoint_modified.connect(_modified)
    gdb.events.before_prompt.connect(lambda: sweep())
