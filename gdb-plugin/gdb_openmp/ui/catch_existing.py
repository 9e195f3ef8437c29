# SPDX-License-Identifier: MIT
"""What exists already when a catchpoint is made: tasks that have not begun, by the library's list,
and the calls and bodies on the stacks that will return."""

from __future__ import annotations

import gdb

from openmp_inspect.core import debug, errors, text
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import code_owner, entry_points, outlined, tail_calls
from openmp_inspect.stacks import segments
from openmp_inspect.stacks.caught_events import Event
from openmp_inspect.report import explanations
from gdb_openmp.host import frames, inferiors, process, symbols, thread_ids
from gdb_openmp.program import address_space
from gdb_openmp.ui import catchpoints, frame_walk

if TYPE_CHECKING:
    from typing import Iterator, List, Optional
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.code.entry_point_table import Entry
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from gdb_openmp.host.gdb_types import GdbFrame, GdbThread
    from gdb_openmp.ui.catchpoints import Catch

_NOT_BEGUN, _BEGUN = ("created", "ready", "waiting"), ("running", "suspended")
_WAYS = ("body", "after", "return", "last", "done")  # of catch_kinds, that began before the event


class _Return(NamedTuple):
    """Where a call or body on a stack returns to."""

    frame: GdbFrame
    entry: Optional[Entry]  # of the call; of a body None
    body: Optional[int]  # of the construct


def plant(catch: Catch) -> List[str]:
    """Has a new CATCH stop for what exists in the selected inferior. Sentences about what of it
    is not caught."""
    inferior = gdb.selected_inferior()
    threads = thread_ids.threads(inferior) if inferior.pid else []
    if catch.how.way not in _WAYS or catch.awaits_runtime or not threads or \
            inferiors.is_core(inferior):
        return []
    if any(thread.is_running() for thread in threads):
        return ["What running threads are in is not caught, nor are tasks that exist."]
    try:
        return _plant(catch, address_space.stacks(), threads)
    except (errors.NoLibrary, errors.OmpdError, errors.HostError) as error:
        return [explanations.sentence(process.current(), error)]


def _plant(catch: Catch, here: StitchedStacks, threads: List[GdbThread]) -> List[str]:
    with inferiors.selection_kept():
        found = sum(_plant_on_stack(catch, here, thread) for thread in threads)
    if here.snapshot is None:
        if here.problem is not None:
            raise here.problem
        return []
    if catch.kind == "parallel":
        return _not_caught(_regions(here.snapshot) - found, "region", "call")
    if catch.kind != "task":
        return []
    said = _plant_tasks(catch, here.snapshot)
    if catch.how.way == "after":
        said += _not_caught(_begun_tasks(here.snapshot) - found, "task", "body")
    return said


def _not_caught(count: int, what: str, where: str) -> List[str]:
    return ["%s that %s begun will not be caught: no stack shows the %s." % (
        text.count(count, what), "has" if count == 1 else "have", where)] if count > 0 else []


# Tasks


def _plant_tasks(catch: Catch, snapshot: Snapshot) -> List[str]:
    """Plants at the bodies of tasks that have not begun."""
    unknown = 0
    for task in snapshot.tasks:
        try:
            if task.kind != "explicit" or task.state not in _NOT_BEGUN:
                continue
            body = task.function
        except errors.OmpdError:
            debug.ignored()
            body = None
        if not body or not catch.machine.watch_body(body, "task"):
            unknown += 1
        elif catch.how.way == "body" and outlined.is_task(symbols.at(body)[0]):
            catch.machine.watch_parts(body)
    said = ["%s will not be caught: where %s not known." % (
        text.count(unknown, "task"),
        "its body begins is" if unknown == 1 else "their bodies begin is")] if unknown else []
    return said + (["The program claims more tasks than were listed."]
                   if snapshot.incomplete else [])


def _begun_tasks(snapshot: Snapshot) -> int:
    return sum(errors.known(lambda: task.kind) == "explicit" and  # pylint: disable=cell-var-from-loop
               errors.known(lambda: task.state) in _BEGUN  # pylint: disable=cell-var-from-loop
               for task in snapshot.tasks)


def _bodies(here: StitchedStacks, thread: GdbThread) -> Iterator[_Return]:
    """Of the explicit tasks on a thread's stack, which is selected then."""
    stack = here.stack(thread)
    on_stack = list(stack.frames)
    for part in stack.parts:
        if isinstance(part, segments.Gap) and part.kind == "task" and part.level:
            body = process.gdb_frame(on_stack[part.level - 1].frame)
            runtime = frame_walk.runtime_of(body)
            if runtime is not None:
                yield _Return(runtime, None, part.body)


# Calls


def _regions(snapshot: Snapshot) -> int:
    """How many regions have begun whose end is the return of a call. Code of clang's ends one of
    a single thread by a call of its own."""
    own_call = bool(code_owner.runtimes(snapshot.process).kmp)
    return sum(errors.known(lambda: region.size) != 1 or not own_call  # pylint: disable=cell-var-from-loop
               for region in snapshot.regions())


def _is_entry_point(name: str) -> bool:
    return entry_points.name_of(name) == name


def _calls(catch: Catch, here: StitchedStacks, thread: GdbThread) -> Iterator[_Return]:
    """Of those on a thread's stack, innermost first, that are events of a CATCH. Selects it."""
    here.stack(thread).parts  # pylint: disable=pointless-statement
    thread.switch()
    for outer, called in frame_walk.callers(frames.newest()):
        if not any(map(entry_points.name_of, called)):
            called = [tail_calls.entry(here.process, outer.pc(), _is_entry_point) or ""]
        entries = [entry_points.find(name) for name in called]
        entry = next((one for one in entries if one and one.name in catch.how.functions), None)
        if entry is not None:
            yield _Return(outer, entry, here.walker.body_of_call(
                outer.pc(), outer.type() == gdb.TAILCALL_FRAME))
        elif catch.how.way == "last" and any(map(entry_points.is_region, called)):
            return  # what is further out is of another team


def _plant_on_stack(catch: Catch, here: StitchedStacks, thread: GdbThread) -> int:
    """Has a CATCH know what a gdb thread is in; how many returns that are events it awaits."""
    way = catch.how.way
    if way == "after":
        return sum(_expect(catch, thread, one, "task") for one in _bodies(here, thread))
    if way == "return":
        return sum(_expect(catch, thread, one, one.entry and one.entry.construct)
                   for one in _calls(catch, here, thread))
    known = here.known(thread)
    region = None if known is None else errors.known(lambda: known.region)
    if way == "last" and region is not None and any(_calls(catch, here, thread)):
        catch.machine.arrivals.add(region, thread_ids.lwp(thread))
    if way == "done" and any(extent.directive.names == ("single",)
                             for part in here.stack(thread).parts
                             if isinstance(part, segments.UserFrame) for extent in part.within):
        catch.machine.chosen.add(thread.global_num)
    return 0


def _expect(catch: Catch, thread: GdbThread, one: _Return, construct: Optional[str]) -> bool:
    return catch.machine.expect(thread.global_num, catchpoints.spot_of(one.frame),
                                Event(construct, one.body))
