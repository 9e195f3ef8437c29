# SPDX-License-Identifier: MIT
"""Steps through constructs: into the body that a line opens, and out of it again.

gdb's own `step` and `next` do the walking. What is added are hidden breakpoints: where the
runtime is called with a body, where that body begins, and where a body returns to. All are
for one thread, but for bodies that any thread may run.
"""

from __future__ import annotations

import contextlib

import gdb

from openmp_inspect.core import debug, text
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import body_calls, code_owner, entry_points, same_task, symbol_names
from openmp_inspect.stacks import enclosing_body, labels
from gdb_openmp.host import call_arguments, console, hidden_breakpoints, inferiors, process, \
    selection
from gdb_openmp.program import entry_arguments
from gdb_openmp.ui import frame_walk, region_bodies, session

if TYPE_CHECKING:
    from typing import Callable, Dict, Iterator, List, Optional, Tuple
    from openmp_inspect.code.entry_point_table import Entry
    from openmp_inspect.stacks.enclosing_body import Resumption
    from gdb_openmp.host.gdb_types import GdbBreakpoint, GdbEvent, GdbFrame
    from gdb_openmp.host.hidden_breakpoints import Point
    from gdb_openmp.host.stop_notices import RunningCommand

_MOST = 1000  # stops of ours on the way of one step
# Frames that a step may return from, each a function that does nothing behind its call. To unwind
# a deep recursion at each step would take too long.
_MOST_RETURNS = 128


class _Return(NamedTuple):
    """A Point where a body returns to, the frame of the body, and where the body begins."""

    point: Point
    frame: GdbFrame
    body: Optional[int]


class SteppingEnded(Exception):
    """The program stopped for another reason, which the user has been shown, or it ended."""


@contextlib.contextmanager
def errors() -> Iterator[None]:
    """A command ends well when the program stopped, and with gdb's own error otherwise."""
    try:
        yield
    except SteppingEnded:
        debug.ignored()
    except gdb.error as error:
        raise gdb.GdbError(str(error)) from None


class Walk:
    """One command of a user, in the selected thread."""

    def __init__(self, notices: RunningCommand) -> None:
        """NOTICES: a stop_notices.Command."""
        self._notices = notices
        self._thread = gdb.selected_thread()
        self._points = hidden_breakpoints.Points()
        self._openings: Dict[Point, Entry] = {}
        self._event: Optional[GdbEvent] = None
        self._hits: List[GdbBreakpoint] = []
        self._before: Dict[int, Tuple[int, int]] = {}  # counts by the number of a breakpoint
        self._frame: GdbFrame = None  # where the current command began
        self._left: Optional[int] = None  # the line of the directive whose body was left
        self._strict = False  # only constructs that this very frame meets

    def __enter__(self) -> Walk:
        gdb.events.stop.connect(self._stopped)
        self._notices.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        gdb.events.stop.disconnect(self._stopped)
        self._points.clear()
        self._notices.__exit__()

    def _stopped(self, event: GdbEvent) -> None:
        """Now, while breakpoints for one stop still are."""
        self._event = event
        # gdb names every breakpoint at the place, those too that did not want to stop.
        self._hits = [b for b in getattr(event, "breakpoints", ()) if
                      (b.hit if hasattr(b, "hit") else _stopped(self._before.get(b.number),
                                                                _counts(b)))]

    # Running

    def _run(self, command: str) -> Optional[Point]:
        """The Point at which a gdb command ended, or None at the end of a step, which gdb has
        shown. Nothing is shown at a Point."""
        self._event, self._hits = None, []
        self._frame = frame_walk.real(gdb.newest_frame())
        for point in gdb.breakpoints():
            if hasattr(point, "hit"):
                point.hit = False
        self._before = {b.number: _counts(b) for b in gdb.breakpoints()}
        self._notices.run(command)
        ours = [b for b in self._hits if isinstance(b, hidden_breakpoints.Point)]
        if self._event is None or isinstance(self._event, gdb.SignalEvent) or \
                len(ours) < len(self._hits) or \
                (not ours and (command == "continue" or not self._here())):
            raise SteppingEnded
        return ours[0] if ours else None

    def _here(self) -> bool:
        thread = gdb.selected_thread()
        return thread is not None and thread.is_valid() and \
            thread.global_num == self._thread.global_num

    def _back_to(self, frame: GdbFrame) -> None:
        """Runs until the thread is back in a frame further out."""
        self._run_to(enclosing_body.Resumption(self._thread, frame.pc(),
                                               frame_walk.stack_pointer(frame)))

    def _run_to(self, there: Resumption) -> None:
        point = self._points.plant(there.pc, there.thread, there.sp)
        self._run("continue")
        self._points.remove(point)
        self._thread = gdb.selected_thread()

    # Into a body

    def _watch_openings(self) -> None:
        if self._openings or not call_arguments.known(gdb.newest_frame()):
            return
        for address, entry in entry_points.openings(process.current()).items():
            point = self._points.plant(address, self._thread,
                                       accept=lambda e=entry: self._wanted(e))
            self._openings[point] = entry

    def _unwatch_openings(self) -> None:
        self._points.remove(*self._openings)
        self._openings = {}

    def _wanted(self, entry: Entry) -> bool:
        frame = gdb.newest_frame()
        if self._strict and (not self._frame.is_valid() or frame.older() != self._frame):
            return False
        body = entry_arguments.body(frame, entry)
        return body is not None and symbol_names.body_line(process.current(), body) is not None

    def _enter(self, entry: Entry) -> bool:
        """From the first instructions of the runtime's function into the body, if the body
        is run; otherwise back to the caller. Whether it is in the body."""
        call = gdb.newest_frame()
        body = entry_arguments.body(call, entry)
        caller = frame_walk.user(call)
        self._unwatch_openings()
        if body is None or caller is None:
            return False  # there is nothing to go to
        only = self._thread if entry.runs in ("here", "after") else None
        first = body_calls.behind(process.current(), body)
        begin = self._points.plant(first, only, accept=_same_task(call, entry))
        if entry.runs != "after":
            back = self._points.plant(caller.pc(), self._thread,
                                      frame_walk.stack_pointer(caller))
            stop = self._run("continue")
            self._points.remove(back)
            if stop is back and entry.runs != "later":
                self._points.remove(begin)
                return False
        if begin.is_valid() and gdb.newest_frame().pc() != first:
            self._run("continue")
        self._points.remove(begin)
        self._thread = gdb.selected_thread()
        words = labels.of_body(process.current(), entry.construct or "", body)
        _note("entering " + words + region_bodies.position())
        return True

    def _enter_target(self) -> None:
        """From the beginning of a target construct's body, that maybe only hands its arguments
        on, into that body."""
        newest = gdb.newest_frame()
        body = symbol_names.start_of(process.Frame(newest)) or newest.pc()
        first = body_calls.behind(process.current(), body)
        if first != body:
            begin = self._points.plant(first, self._thread)
            self._run("continue")
            self._points.remove(begin)
        _note("entering " + labels.of_body(process.current(), "target", body) + region_bodies.position())

    # In a body

    def _watch_bookkeeping(self, inside: bool) -> List[Point]:
        """Points at the lines of the body that the newest frame stands in: those of its
        directive, or with INSIDE the others. None elsewhere."""
        frame = frame_walk.real(gdb.newest_frame())
        start = symbol_names.start_of(process.Frame(frame)) \
            if region_bodies.runs_body(frame) else None
        if start is None:
            return []
        places = region_bodies.lines(start)
        if not any(place.own for place in places):
            wanted = region_bodies.statement(start, places) if inside else []
        else:
            first = region_bodies.entrance(start) if inside else start
            wanted = [place.pc for place in places if place.own == inside]
            if frame.pc() < first:
                wanted = [pc for pc in wanted if pc >= first]
        return [self._points.plant(pc, self._thread, accept=lambda: frame_walk.real(
            gdb.newest_frame()) == frame) for pc in wanted if pc != frame.pc()]

    # Out of a body

    def _watch_return(self) -> Optional[_Return]:
        """Where the innermost body that the thread is in returns to, or None. A step may begin in
        a function that is called last there: gdb would go on with the end of the body, and into
        the runtime."""
        frame = frame_walk.body(gdb.newest_frame(), region_bodies.runs_body, _MOST_RETURNS)
        runtime = None if frame is None else frame_walk.runtime_of(frame)
        if frame is None or runtime is None:
            return None
        point = self._points.plant(runtime.pc(), self._thread, frame_walk.stack_pointer(runtime))
        return _Return(point, frame, symbol_names.start_of(process.Frame(frame)))

    def _leave(self, body: Optional[int]) -> bool:
        """From the runtime to where user code goes on. BODY has just returned, or is None
        when the thread was in the runtime for another reason."""
        newest = gdb.newest_frame()
        words = None
        if body is not None:
            words, self._left = region_bodies.directive(newest, body, not region_bodies.implicit())
        own = frame_walk.user(frame_walk.beyond_linkage(newest))
        if own is not None:
            if own != newest:
                self._back_to(own)
            if words:
                _note("leaving " + words)
            return True
        return self._leave_to_successor(words)

    def _leave_to_successor(self, words: Optional[str]) -> bool:
        found = None if gdb.parameter("scheduler-locking") == "on" else session.successor()
        if found is None:
            _note("leaving %s; the thread goes on in the runtime" % words if words else
                       "the thread is in the runtime, with nothing of yours to return to")
            return False
        self._run_to(found)
        _note("leaving %s; thread %s goes on" % (words or enclosing_body.UNKNOWN_REGION,
                                                     text.thread(self._thread.num)))
        return True

    # What a user asks for

    def step(self, enter: bool) -> None:
        """One step. With ENTER into the bodies that it opens, else over them."""
        frame, self._left = gdb.newest_frame(), None
        if _is_loading(frame):
            raise gdb.GdbError("The dynamic linker is at work here, before any code of yours: "
                               'type "tbreak main" and "continue" to go there.')
        command = "step" if enter else "next"
        entry = region_bodies.opening_at(frame) if enter else None
        if entry is not None and call_arguments.known(frame) and self._wanted(entry):
            if self._enter(entry):
                command = "continue"
            elif self._is_at_line():
                return selection.show()
            else:
                command = "next"
        elif frame_walk.enters_runtime(frame) and frame.find_sal().symtab is None:
            if not self._leave(None) or self._is_at_line():
                return selection.show()
            command = "next"
        elif region_bodies.bookkeeping(frame):
            command = "continue"
        return self._walk(command, enter)

    def _walk(self, command: str, enter: bool) -> None:
        """Steps until user code is reached where a person would stop. "continue" as the
        command: to the next line of the body that does not mean the directive itself."""
        began, prepares = _line(gdb.newest_frame()), False
        for _ in range(_MOST):
            self._strict = command != "step"
            if enter:
                self._watch_openings()
            lines = self._watch_bookkeeping(command == "continue")
            back = self._watch_return()
            if command == "continue" and not lines:
                if back is not None and gdb.newest_frame().pc() == back.body:
                    self._points.remove(back.point)
                    break  # its first instruction is the statement's
                if back is None:
                    command = "next"  # nothing would stop it
            stop = self._run(command)
            self._points.remove(*lines)
            if stop is None and back is not None and not back.frame.is_valid() and \
                    frame_walk.enters_runtime(gdb.newest_frame()):
                self._unwatch_openings()
                stop = self._run("continue")  # the body has left its frame to the runtime
            if back is not None:
                self._points.remove(back.point)
            opening = None if stop is None else self._openings.get(stop)
            if opening is not None:
                command = "continue" if self._enter(opening) else "next"
                if command == "next" and self._is_at_line():
                    break
            elif stop is not None and back is not None and stop is back.point:
                if not self._leave(back.body) or self._is_at_line():
                    break
                command = "next"
            elif stop is not None:
                if command == "continue" and not (
                        _line(gdb.newest_frame()) == began and
                        region_bodies.is_at_directive(gdb.newest_frame())):
                    if region_bodies.is_before_inlined(gdb.newest_frame()):
                        self._run("step")
                    break
                command = "continue"
            elif region_bodies.is_target(gdb.newest_frame(), self._frame):
                self._enter_target()
                command = "continue"
            elif region_bodies.is_called_by_directive(gdb.newest_frame(), self._frame):
                self._back_to(self._frame)
                command = "step"
            elif frame_walk.enters_runtime(gdb.newest_frame()):
                if not self._leave(None) or self._is_at_line():
                    break
                command = "next"
            elif region_bodies.is_preparing(gdb.newest_frame()):
                prepares = True
            elif not prepares or _line(gdb.newest_frame()) != began:
                return None
        return selection.show()

    def finish(self) -> None:
        """Runs to the end of the innermost body from the selected frame outward, or of the
        region whose body the thread has left."""
        if self._is_at_end():
            own = frame_walk.user(gdb.newest_frame())
            if own is None:
                if not self._leave_to_successor(None):
                    return selection.show()
            else:
                self._back_to(own)
                _note("leaving " + enclosing_body.UNKNOWN_REGION)
            return self._to_line()
        frame = frame_walk.body(gdb.selected_frame(), region_bodies.runs_body)
        if frame is None:
            raise gdb.GdbError('This thread is in no parallel region or task: use "finish" to '
                               "run to the end of a function.")
        current = frame == frame_walk.body(gdb.newest_frame(), region_bodies.runs_body)
        body = symbol_names.start_of(process.Frame(frame))
        runtime = frame_walk.runtime_of(frame)
        is_task = session.runs_task(frame)
        if is_task is None:
            is_task = current and not region_bodies.implicit()
        words, self._left = region_bodies.directive(runtime, body or 0, is_task, current)
        caller = frame_walk.user(runtime)
        if caller is not None and (
                caller == runtime or region_bodies.opening_words(runtime, is_task)):
            self._back_to(caller)
            _note("leaving " + words)
        elif caller is None and not is_task:
            if not self._leave_to_successor(words):
                return selection.show()
        else:
            self._back_to(runtime)
            _note("%s has ended%s" % (words, region_bodies.position()))
            return selection.show(caller and frame_walk.user(gdb.newest_frame()))
        return self._to_line()

    def _to_line(self) -> None:
        """To where a line begins, behind a call that has returned."""
        if self._is_at_line():
            return selection.show()
        return self._walk("next", False)

    def _is_at_line(self) -> bool:
        """Whether a line begins where a call has returned to, other than the call's, and not that of
        the directive whose body was left: variables are copied back there."""
        frame = gdb.newest_frame()
        return region_bodies.at_line(frame.pc()) and frame.find_sal().line != self._left

    @staticmethod
    def _is_at_end() -> bool:
        """Whether the thread is in the runtime for the beginning or end of a region, and the
        selected frame no further out than the one that encountered it."""
        newest = frame_walk.beyond_system(gdb.newest_frame())
        if newest is None or not frame_walk.is_runtime(newest):
            return False
        own = frame_walk.user(newest)
        if own is None:
            return region_bodies.in_region()
        called = next((called for _, called in frame_walk.callers(newest)), ())
        words = entry_points.directive_of_call(called)
        return words is not None and words.startswith("parallel") and \
            frame_walk.user(gdb.selected_frame()) == own


def _is_loading(frame: GdbFrame) -> bool:
    """Whether the dynamic linker has not come to the program yet, and has no lines: there gdb
    steps by instructions, for half a minute, and "next" runs the program to its end."""
    if not code_owner.is_loader(process.Frame(frame)) or frame.find_sal().symtab is not None:
        return False
    caller = frame_walk.user(frame)  # before the linker's first frame is the number of arguments
    return caller is None or not inferiors.is_readable(caller.pc())


def _line(frame: GdbFrame) -> Tuple[GdbFrame, int]:
    return frame_walk.real(frame), frame.find_sal().line


def _counts(point: GdbBreakpoint) -> Tuple[int, int]:
    return point.hit_count, point.ignore_count


def _stopped(before: Optional[Tuple[int, int]], after: Tuple[int, int]) -> bool:
    """Whether a breakpoint of the user's stopped the program: it was hit and not ignored."""
    return before is None or (after[0] != before[0] and after[1] >= before[1])


def _note(text: str) -> None:
    console.write("[%s]\n" % text)


def _same_task(call: GdbFrame, entry: Entry) -> Callable[[], bool]:
    """A condition at the first instruction of a body: is this the task that CALL made?"""
    is_same = same_task.condition(
        entry, lambda number: call_arguments.argument(call, number), inferiors.read)
    return lambda: is_same(lambda number: call_arguments.argument(gdb.newest_frame(), number))
