# SPDX-License-Identifier: MIT
"""Breakpoints on events of OpenMP.

A Catch is the user's breakpoint: it has a number, and stands at the first function that
reports its event. An Agent is a hidden one that stands in for it elsewhere: at the other
functions, and where caught_events.py, which decides, wants to know of threads. The Catch is native
to gdb: it has a gdb condition, a call of $_omp_catch, so that users can change, ignore, disable and
delete it as any other. Agents ask it.

Agents are made while the program stands at an event, and taken away only when gdb has
stopped it or is at its prompt.
"""

from __future__ import annotations

import functools
import re

import gdb

from openmp_inspect.core import debug, errors, screen, text
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import entry_points
from openmp_inspect.code.entry_point_table import ENTRIES
from openmp_inspect.stacks import caught_events, event_words
from openmp_inspect.stacks.caught_events import Spot
from gdb_openmp.host import call_arguments, console, frames, gdb_text, inferiors, stop_notices, \
    thread_ids
from gdb_openmp.program import address_space, entry_arguments
from gdb_openmp.ui import frame_walk, region_bodies, session
from gdb_openmp.ui.catch_agent import Agent

if TYPE_CHECKING:
    from typing import Any, Callable, List, Optional, Sequence, Tuple
    from openmp_inspect.code.entry_point_table import Entry
    from openmp_inspect.model.team_arrivals import Arrivals
    from openmp_inspect.stacks.caught_events import Event
    from gdb_openmp.host.gdb_types import GdbBreakpoint, GdbEvent, GdbFrame, GdbValue

_CALL = re.compile(r"""\$_omp_catch\s*\((["'])[a-z ]*\1(?:,\s*\1(.*)\1)?\)\Z""")
_catches: List[Catch] = []
_making: Any = None  # what make() has made of, then the Catch
_sourced = caught_events.Calls()  # of breakpoints that were saved and sourced


class _Visit(caught_events.Visit):
    """The selected thread, in its newest frame."""

    def __init__(self) -> None:
        self.frame = gdb.newest_frame()
        self.thread = gdb.selected_thread().global_num
        self.here = _spot(self.frame)

    @property
    def caller(self) -> Optional[Spot]:
        older = self.frame.older()
        return None if older is None or not frame_walk.is_user(older) else _spot(older)

    @property
    def back(self) -> Optional[Spot]:
        older = self.frame.older()
        return None if older is None else spot_of(older)

    def argument(self, number: int) -> Optional[int]:
        return call_arguments.argument(self.frame, number) if call_arguments.known(self.frame) else None

    def result(self) -> int:
        return call_arguments.result(self.frame)

    def body(self, entry: Entry) -> Optional[int]:
        return entry_arguments.body(self.frame, entry) \
            if entry.body is not None and call_arguments.known(self.frame) else None

    def part(self, task: int) -> Optional[int]:
        return entry_arguments.part_of_task(task) if task else None

    def is_last(self, arrivals: Arrivals) -> bool:
        try:
            with session.snapshot() as snapshot:
                return arrivals.is_last(snapshot, thread_ids.lwp(gdb.selected_thread()))
        except (errors.OmpdError, errors.NoLibrary):
            debug.ignored()
            return True

    def holds(self, condition: str) -> bool:
        """Whether a CONDITION, if there is one, holds in the user's frame."""
        frame = frame_walk.user(self.frame)
        if not condition or frame is None:
            return True
        frame.select()
        try:
            return bool(gdb.parse_and_eval(condition))
        finally:
            self.frame.select()


def _spot(frame: GdbFrame) -> Spot:
    return Spot(frame.pc(), frame_walk.stack_pointer(frame))


def spot_of(frame: GdbFrame) -> Spot:
    """Where a call returns to a FRAME, or if that has left by a jump, what is further out."""
    return _spot(next((one for one in frames.outward(frame) if one.type() != gdb.TAILCALL_FRAME), frame))


class _Reported(NamedTuple):
    thread: int
    event: Optional[Event]  # None: it is not known whether there was one
    call: Tuple[Spot, Optional[Spot]]  # where the thread was


class Catch(gdb.Breakpoint):
    """Where a user wants to stop. KIND and MOMENT are keys of catch_kinds.KINDS."""

    def __init__(self, kind: str, moment: str, condition: str) -> None:
        self.kind, self.moment = kind, moment
        self.machine = caught_events.Machine(kind, moment, self._watch, region_bodies.entrance)
        self.how = self.machine.how
        self.reported: Optional[_Reported] = None
        self._agents: List[Agent] = []  # at functions
        self._watched: List[Agent] = []  # at addresses
        with inferiors.c_language():  # it keeps the one in which it was made
            super().__init__("-qualified -function " + self.how.functions[0])
        self.silent = stop_notices.is_silent()
        # gdb 13 disables a pending breakpoint whose condition was set from Python.
        self._later = condition if self.pending else None
        if self._later is None:
            self._set_condition(condition)
        for name, decides in [*self.machine.functions().items()][1:]:
            self._agents.append(Agent(self, "-qualified -function " + name, functools.partial(
                self._of_function, decides)))
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
        return self._of_function(self.machine.called, agent)

    def _of_function(self, decides: Callable[..., Optional[Event]], agent: Optional[Agent]) -> bool:
        visit = _Visit()
        entry = entry_points.find(gdb_text.frame_name(visit.frame)) or ENTRIES[self.how.functions[0]]
        return self._stops(visit, decides(visit, entry, agent))

    def _of_address(self, _agent: Agent) -> bool:
        visit = _Visit()
        return self._stops(visit, self.machine.at(visit))

    def _stops(self, visit: _Visit, event: Optional[Event]) -> bool:
        """Whether there is an EVENT where the user's condition holds."""
        call = visit.here, visit.caller
        if event is None and self.reported is not None and self.reported[::2] == (visit.thread, call):
            return False  # another one has reported this call
        self.reported = None
        if event is None:
            return False
        if not visit.holds(self.wanted):
            return False
        self.reported = _Reported(visit.thread, event, call)
        return True

    def stop_unknown(self) -> None:
        """It is not known whether there is an event where the selected thread is."""
        visit = _Visit()
        self.reported = _Reported(visit.thread, None, (visit.here, visit.caller))

    def _watch(self, address: int) -> bool:
        self._watched.append(Agent(self, "*%d" % address, self._of_address))
        return True

    # Agents

    def _all_agents(self) -> List[Agent]:
        return [agent for agent in self._agents + self._watched if agent.is_valid()]

    def forget_places(self) -> None:
        """The process is gone, and with it all addresses and threads."""
        for agent in self._watched:
            if agent.is_valid():
                agent.delete()
        self._watched.clear()
        self.machine.forget()

    def retire(self) -> None:
        self.forget_places()
        for agent in self._all_agents():
            agent.delete()

    def say(self) -> None:
        """One line about the stop of the selected thread; selects the user's frame."""
        thread = gdb.selected_thread()
        noun = self.machine.noun(address_space.stacks(),
                                 None if self.reported is None else self.reported.event)
        frame = frame_walk.user(gdb.newest_frame())
        place = ""
        if frame is not None:
            sal = frame.find_sal()
            if sal.symtab is not None and sal.line:
                place = " at " + text.source_line(gdb_text.file_name(sal.symtab), sal.line)
        team = session.place_in_team()
        who = "thread %s%s" % (text.thread(thread.num), " (%d/%d)" % team if team else "")
        reported = event_words.sentence(self.how, who, noun, place)
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
    visit = _Visit()
    return visit.caller is not None and not _sourced.has(visit, wanted) and visit.holds(wanted)


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
    hit = {b.owner if isinstance(b, Agent) else b for b in points}
    thread = gdb.selected_thread()
    reported = [b for b in _catches
                if b in hit and b.reported and b.reported.thread == thread.global_num]
    stop_notices.hits_are(event, reported + [
        b for b in points if not isinstance(b, (Catch, Agent))])
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
