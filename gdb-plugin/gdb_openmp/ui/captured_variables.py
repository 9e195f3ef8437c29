# SPDX-License-Identifier: MIT
"""Variables of outlined bodies and of the frames around them.

What a body does not name, and yet the programmer sees in the source, is in the frame of the
function around it, on the stack of the encountering thread: the team's primary thread, or the
task's creator.
"""

from __future__ import annotations

import gdb

from openmp_inspect.core import debug, errors, escaped, text
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import outlined, symbol_names
from gdb_openmp.host import frames, gdb_text, process, thread_ids
from gdb_openmp.host.debug_information import Function, address_of
from gdb_openmp.program import address_space
from gdb_openmp.ui import function_scopes

if TYPE_CHECKING:
    from typing import Dict, Hashable, List, Optional, Sequence, Tuple
    from openmp_inspect.model.objects import Region, Task, Thread
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.stacks.thread_stack import StackFrame
    from openmp_inspect.stacks.user_frames import Walker
    from openmp_inspect.stacks.segments import UserFrame
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from gdb_openmp.host.gdb_types import GdbFrame, GdbSymbol, GdbThread, GdbValue
    from gdb_openmp.ui.function_scopes import FunctionScope


class UnknownFrame(Exception):
    """The frame around a body cannot be found; the text says why, without a full stop."""


class Located(NamedTuple):
    """A frame with the variables of a FunctionScope."""

    level: FunctionScope
    thread: GdbThread
    frame: GdbFrame


class Chain(NamedTuple):
    known: List[Located]  # from a body outwards
    unknown: List[FunctionScope]  # whose frames cannot be found
    reason: Optional[str]  # why they cannot


class CapturedVariable(NamedTuple):
    value: GdbValue
    thread: GdbThread  # on whose stack it is
    level: FunctionScope


def frame_shown(stacks: StitchedStacks, thread: GdbThread,
                shown: UserFrame) -> Optional[GdbFrame]:
    """The gdb.Frame of what is shown of a gdb thread's stack, which is selected then; None if it is
    gone."""
    return next((process.gdb_frame(one.frame) for one in stacks.stack(thread).frames
                 if one.level == shown.level), None)


def body_frame(thread: GdbThread, frame: GdbFrame) -> Optional[GdbFrame]:
    """The gdb.Frame of an outlined body that FRAME, on a thread's stack, is or was called
    from, or None. Leaves the thread selected."""
    walker = address_space.stacks().walker
    bodies = (one for one in walker.stack(thread).since(process.Frame(frame))
              if _is_body(one, walker))
    body = next(bodies, None)
    return None if body is None else process.gdb_frame(body.frame)


def _is_body(frame: StackFrame, walker: Walker) -> bool:
    function = walker.function_of(frame)
    return function is not None and outlined.is_continued(function) and \
        not outlined.is_wrapper(frame.frame)


def is_own(value: GdbValue, frame: GdbFrame) -> bool:
    """Whether a value that belongs to a frame lies in it: then it is the thread's copy."""
    address = address_of(value)
    if address is None:
        return True  # in a register, or computed
    older = frames.older(frame)
    if older is None:
        return False
    low, high = (int(f.read_register("sp")) for f in (frame, older))
    return low <= address < high


class BodyFinder:
    """Finds frames around bodies. Lives during one command."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        here = address_space.stacks()
        self._threads, self._walker = here.threads, here.walker
        self._values: Dict[Hashable, CapturedVariable] = {}

    def around(self, thread: GdbThread, frame: GdbFrame) -> Tuple[GdbThread, GdbFrame]:
        """(gdb thread, frame) of the function around the outlined body of a frame, which
        is of the selected gdb thread THREAD. Selects the thread that it returns."""
        try:
            return self._around(thread, frame)
        except errors.OmpdError as error:
            raise UnknownFrame("what the runtime knows of its region is %s" %
                          errors.short(error)) from None

    def _around(self, thread: GdbThread, frame: GdbFrame) -> Tuple[GdbThread, GdbFrame]:
        found = function_scopes.levels(frame)
        if len(found) < 2:
            raise UnknownFrame("there is no function around it")
        wanted = found[1].function
        if self._snapshot.thread_of(thread_ids.lwp(thread)) is None:
            raise UnknownFrame("its thread is not an OpenMP thread")
        region, task = self._scope(thread, frame)
        owner = region.master if task is None else self._creator(region, task)
        owner_thread = self._threads.get(owner.lwp)
        if owner_thread is None:
            raise UnknownFrame("gdb does not see the thread that encountered the construct")
        if owner_thread.is_running():
            raise UnknownFrame("thread %s, which has it, is running" % text.thread(owner_thread.num))
        stack, is_cut = list(self._walker.user_frames(owner_thread)), False
        if task is None:
            stack, is_cut = self._behind(stack, region, owner_thread)
        # What called the runtime is the function around, or a tail call has replaced it.
        around = [process.gdb_frame(f.frame) for f in (stack[:1] if is_cut else stack)
                  if self._walker.runs(f, Function(wanted))]
        name = escaped.short(symbol_names.of_function(process.current(), Function(wanted)))
        if not around:
            raise UnknownFrame("%s () is not on the stack of thread %s" % (
                name, text.thread(owner_thread.num)))
        if len(around) > 1:
            raise UnknownFrame("%s () is active more than once" % name)
        if task is not None and not found[1].is_outlined:
            self._must_share(thread, frame, owner_thread, around[0], found)
        return owner_thread, around[0]

    @staticmethod
    def _must_share(thread: GdbThread, frame: GdbFrame, owner_thread: GdbThread, around: GdbFrame,
                    found: Sequence[FunctionScope]) -> None:
        """The function that created an explicit task may have returned and been called
        again. A variable that both share proves that it has not."""
        for symbol, other in [(symbol, found[1].symbols[name])
                              for name, symbol in found[0].symbols.items()
                              if name not in found[0].inner and name in found[1].symbols and
                              found[1].symbols[name].needs_frame]:
            try:
                thread.switch()
                value = function_scopes.read(symbol, frame)
                mine = None if is_own(value, frame) else address_of(value)
                owner_thread.switch()
                theirs = address_of(function_scopes.read(other, around))
            except gdb.error:
                debug.ignored()
                continue
            if mine is not None and mine == theirs:
                return
        raise UnknownFrame("whether the call of %s () that created the task has returned is not "
                      "known" % escaped.short(symbol_names.of_function(
                           process.current(), Function(found[1].function))))

    @staticmethod
    def _scope(thread: GdbThread, frame: GdbFrame) -> Tuple[Region, Optional[Task]]:
        """(region, task) that the body of a frame belongs to. TASK is None for an implicit one."""
        stack = address_space.stacks().stack(thread)
        wanted = process.Frame(frame)
        level = next((one.level for one in stack.frames if one.frame == wanted), None)
        if level is None:
            raise UnknownFrame("it is no longer on the stack")
        around = [gap for gap in stack.gaps if gap.level > level and (gap.bottom or
                                                                      gap.body is not None)]
        matched = stack.matched
        task = matched.tasks.get(around[0].level) if around else None
        if task is None and around and around[0].kind == "task":
            raise UnknownFrame("which task it belongs to is not known")
        region = next((matched.regions[one.level].region for one in
                       (around[:1] if task is None else around) if one.level in matched.regions),
                      None)
        if region is None:
            raise UnknownFrame("which region it belongs to is not known")
        return region, task

    def _creator(self, region: Region, task: Task) -> Thread:
        """The Thread that runs the implicit task which generated an explicit task."""
        parent = task.parent
        if parent is None or not parent.implicit:
            raise UnknownFrame("another explicit task created this one")
        tasks = region.implicit_tasks
        at = next((at for at, task in enumerate(tasks) if task.key == parent.key), None)
        if at is None:
            raise UnknownFrame("the task that created this one has ended")
        # A thread of the team may not have begun with its task.
        known = parent.thread or (region.team[at] if len(region.team) == len(tasks) else None)
        if known is None:
            raise UnknownFrame("which thread runs the task that created this one is not known")
        return known

    def chain(self, thread: GdbThread, frame: GdbFrame) -> Chain:
        """The Chain from a body outwards. Leaves some thread selected."""
        found = function_scopes.levels(frame)
        result: List[Located] = []
        for depth, level in enumerate(found):
            result.append(Located(level, thread, frame))
            if depth + 1 == len(found):
                break
            try:
                thread.switch()
                thread, frame = self.around(thread, frame)
            except UnknownFrame as reason:
                return Chain(result, found[depth + 1:], str(reason))
        return Chain(result, [], None)

    def _region(self, thread: GdbThread, frame: GdbFrame) -> Optional[Region]:
        """The region whose implicit task a thread's frame is in: its team has all variables
        around in common. None: it is in none, or in an explicit task."""
        try:
            region, task = self._scope(thread, frame)
        except (UnknownFrame, errors.OmpdError):
            debug.ignored()
            return None
        return region if task is None else None

    def value(self, name: str, thread: GdbThread, frame: GdbFrame) -> Optional[CapturedVariable]:
        """A CapturedVariable by the rules of the source: the body's, else that of the functions
        around it. None: there is none of this name. Leaves some thread selected."""
        found = function_scopes.levels(frame)
        depth, name = function_scopes.where(name, found, frame)
        if depth is None:
            return None
        if depth == 0 and function_scopes.is_copy_lost(name, found[0], found[1:]):
            raise gdb.error("value has been optimized out")
        key = None
        if depth > 0:
            region = self._region(thread, frame)
            if region is not None:
                key = region.key, gdb_text.symbol_name(found[0].function), depth, name
        if key is None or key not in self._values:
            owner, around = thread, frame
            for _ in range(depth):
                owner.switch()
                owner, around = self.around(owner, around)
            value = _fetched(found[depth].symbols[name], around)
            answer = CapturedVariable(value, owner, found[depth])
            if key is not None:
                self._values[key] = answer
        else:
            answer = self._values[key]
        if depth == 0 or name not in found[0].symbols:
            return answer
        thread.switch()
        return _copy_of(name, found[0], frame, answer, thread) or answer

    @staticmethod
    def _behind(stack: List[StackFrame], region: Region,
                master: GdbThread) -> Tuple[List[StackFrame], bool]:
        """(StackFrames, True): those of a stack that are older than the body of a region on
        its master's stack; (stack, False) when it is not known which frame the body has."""
        gap = address_space.stacks().stack(master).matched.region_gaps.get(region.key)
        return (stack, False) if gap is None else ([f for f in stack if f.level > gap.level], True)


def _copy_of(name: str, level: FunctionScope, frame: GdbFrame, around: CapturedVariable,
             thread: GdbThread) -> Optional[CapturedVariable]:
    """The variable of a body in a FRAME of the selected THREAD that is a bare_array(), if it is not
    the one AROUND; None if it is. gdb.error where that is not known."""
    own = function_scopes.with_bounds(level.symbols[name], frame, around.value)
    source = function_scopes.directive(level.function)
    if own is None:
        if source is not None and source.is_copied(name):
            raise gdb.error("value has been optimized out")
        return None
    return None if address_of(own) == address_of(around.value) else \
        CapturedVariable(own, thread, level)


def _fetched(symbol: GdbSymbol, frame: GdbFrame) -> GdbValue:
    """A symbol's value that holds good when other frames are selected."""
    value = function_scopes.read(symbol, frame)
    if address_of(value) is None and not value.is_optimized_out:
        value.fetch_lazy()  # from a register of this frame
    return value
