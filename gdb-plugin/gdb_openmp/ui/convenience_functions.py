# SPDX-License-Identifier: MIT
"""Convenience functions: what omp_get_thread_num() and its like would answer in the
selected thread.

They stand in conditions of breakpoints, so they look at one thread only, and may not ask
whether the program runs: gdb calls all threads running while it tests a condition.
"""

from __future__ import annotations

import gdb

from openmp_inspect.core import cached, debug, errors, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.analysis import labelled_stacks
from gdb_openmp.host import console, inferiors, thread_ids
from gdb_openmp.program import address_space
from gdb_openmp.ui import captured_variables, session

if TYPE_CHECKING:
    from typing import Any, Callable, Optional, Union
    from openmp_inspect.model.objects import Thread
    from gdb_openmp.host.gdb_types import GdbFrame, GdbThread, GdbValue
    from gdb_openmp.ui.captured_variables import BodyFinder


class _Function(gdb.Function):
    """One that takes no argument. `elsewhere`: its answer in a thread that OpenMP does not
    know, which is that of a thread before its first region."""

    def __init__(self, name: str, doc: str, compute: Callable[[Thread], Any],
                 elsewhere: int) -> None:
        self.__doc__ = "%s\n\nUsage: $_omp_%s ()\n\n%s" % (doc, name, _READS)
        self._name = "_omp_" + name
        super().__init__(self._name)
        self._compute = compute
        self._elsewhere = elsewhere

    def invoke(self, *arguments: GdbValue) -> Any:
        if arguments:
            raise gdb.GdbError("$%s takes no argument." % self._name)
        thread = stopped_thread()
        with session.sentences(), session.snapshot() as snapshot:
            known = snapshot.thread_of(thread_ids.lwp(thread))
            if known is not None:
                return self._compute(known)
            # Else it is not known which thread it is to the runtime.
            return self._elsewhere if thread_ids.are_its_own(thread.inferior, snapshot) \
                else inferiors.void()


class _State(gdb.Function):
    """What the selected thread does, in the words of "ompd threads"; with STATE
whether that is it, a ~ aside, as in $_omp_state("wait barrier").

Usage: $_omp_state ([STATE])

Nothing is called in the program: its memory is read."""

    # Fortran has no other way to compare.

    def __init__(self) -> None:
        super().__init__("_omp_state")

    def invoke(self, *arguments: GdbValue) -> Union[bool, str]:
        wanted = None
        if arguments:
            try:
                (wanted,) = map(console.of_value, arguments)
            except (gdb.error, ValueError):
                raise gdb.GdbError('Give a state, as in $_omp_state("wait barrier").') from None
        thread = stopped_thread()
        with session.sentences(), session.snapshot() as snapshot:
            found = labelled_stacks.one_wait(address_space.stacks(), snapshot, thread,
                                            alone=thread.is_running()).words
        return found if wanted is None else found.lstrip("~") == wanted.lstrip("~")


_READS = "Nothing is called in the program: its memory is read."


def stopped_thread() -> GdbThread:
    """The selected thread, which must have stopped."""
    thread = gdb.selected_thread()
    if thread is None:
        session.need_program()
        raise gdb.GdbError('No thread is selected: type "thread N" first.')
    try:
        gdb.selected_frame()
    except gdb.error:
        debug.ignored()
        if thread.is_running():
            session.need_program()
            raise gdb.GdbError("Thread %s is running: select one that has stopped, or type "
                               '"interrupt" to stop it first.' % text.thread(thread.num)) \
                from None
    return thread


def selected_frame() -> GdbFrame:
    try:
        return gdb.selected_frame()
    except gdb.error:
        raise gdb.GdbError("The selected thread has no frame: its registers cannot be "
                           "read.") from None


def _of_member(compute: Callable[[Thread], Optional[int]]) -> Callable[[Thread], Any]:
    """COMPUTE's value for a snapshot.Thread that runs a task; void for one that is idle, or just
    between two teams."""
    def value(known: Thread) -> Any:
        found = cached.optional(lambda: None if known.number is None else compute(known),
                                "unavailable")
        return inferiors.void() if found is None else found
    return value


@_of_member
def _thread_num(known: Thread) -> int:
    return known.number


@_of_member
def _num_threads(known: Thread) -> int:
    return 1 if known.region is None else known.region.size


@_of_member
def _level(known: Thread) -> Optional[int]:
    return known.level


@_of_member
def _in_parallel(known: Thread) -> int:
    region = known.region
    while region is not None:
        if region.size > 1:
            return 1
        region = region.parent
    return 0


def _task(known: Thread) -> int:
    if known.task is None:
        return 0
    if known.task.id is None:
        raise errors.OmpdError("unsupported" if known.snapshot.recorded else
                               "needs_state_tracking", "ompd_get_task_id")
    return known.task.id


class Variable(gdb.Function):
    """A variable of an outlined body or of the functions around it, by name.

Usage: $_omp_var ("NAME")

In a worker this finds variables of the function that opened the region, in the
frame of the thread that encountered it, also where plain "print NAME" does
not."""

    finder: Optional[BodyFinder] = None  # that of the command that evaluates expressions just then

    def __init__(self) -> None:
        super().__init__("_omp_var")

    def invoke(self, *arguments: GdbValue) -> GdbValue:
        try:
            (name,) = map(console.of_value, arguments)
        except (gdb.error, ValueError):
            raise gdb.GdbError('Give a variable\'s name, as in $_omp_var("x").') from None
        thread = stopped_thread()
        with inferiors.selection_kept():
            if Variable.finder is not None:
                return variable(Variable.finder, name, thread).value
            with session.sentences(), session.snapshot() as snapshot:
                finder = captured_variables.BodyFinder(snapshot)
                return variable(finder, name, thread).value


def variable(finder: BodyFinder, name: str,
             thread: GdbThread) -> captured_variables.CapturedVariable:
    """What BodyFinder.value() finds from the selected frame outwards. Leaves some thread
    selected."""
    frame = selected_frame()
    try:
        found = finder.value(name, thread, frame)
        if found is None:
            body = captured_variables.body_frame(thread, frame)
            found = None if body is None else finder.value(name, thread, body)
    except captured_variables.UnknownFrame as reason:
        raise gdb.GdbError('"%s" cannot be found: %s.' % (name, reason)) from None
    if found is None:
        raise gdb.GdbError('No variable "%s" in this function, nor in those around its '
                           "region." % name)
    return found


def install() -> None:
    """Makes the functions known to gdb."""
    for name, doc, compute, elsewhere in (
            ("thread_num", "The selected thread's number in its team.", _thread_num, 0),
            ("num_threads", "The number of threads in the selected thread's team.",
             _num_threads, 1),
            ("level", "The number of parallel regions around the selected thread.", _level, 0),
            ("in_parallel", "1 inside a parallel region of more than one thread, else 0.",
             _in_parallel, 0),
            ("task", "The unique number of the selected thread's current task; 0 for none.",
             _task, 0)):
        _Function(name, doc, compute, elsewhere)
    _State()
    Variable()
