# SPDX-License-Identifier: MIT
"""A thread's stack as user frames and the gaps that OpenMP's runtime fills between them.

A Gap is a run of runtime frames, with the libc frames that the runtime called or was
started by. What the runtime did there follows from the frame that called the newer user
frame and from the call that the older user frame is inside of:

    "region"  it called the body of a parallel or teams construct
    "task"    it called the body of an explicit task
    "inside"  it called no user code: the thread is inside the runtime
    "other"   it called user code that is no body (a copy constructor, a signal handler)

Which rules say so, libgomp's or those of LLVM's runtime, depends on the file that has its frames:
a process may have both.
"""

from __future__ import annotations

from openmp_inspect.core import escaped
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.source import directives
from openmp_inspect.code import call_site, code_owner, entry_points, libc_names, outlined, \
    symbol_names
from openmp_inspect.host import interface

if TYPE_CHECKING:
    from typing import Iterable, Iterator, List, Optional, Union
    from openmp_inspect.host.interface import Process
    from openmp_inspect.stacks.thread_stack import StackFrame, ThreadStack
    from openmp_inspect.stacks.user_frames import Walker
    Part = Union["UserFrame", "Gap"]

_CALLERS = interface.NORMAL, interface.TAIL_CALL, interface.INLINED


class UserFrame:
    """What is shown of a StackFrame. `start`: where the function begins, if it has no name.
    `system`: of libc and the like, which the user's code called. `within`: Extents, innermost
    first."""

    __slots__ = ("level", "function", "file", "line", "address", "instruction", "library",
                 "start", "system", "within")

    def __init__(self, frame: StackFrame, walker: Walker) -> None:
        self.level, self.address, self.instruction = frame.level, frame.pc, frame.instruction
        place = walker.place_of(frame)
        self.function, self.file, self.line = place.function, place.file, place.line
        if frame.kind == interface.SIGNAL:
            self.function, self.file, self.line = Name("<signal handler called>"), None, None
        self.start = None if self.function else walker.nameless_start(frame)
        self.library = None if self.line else \
            escaped.name(frame.process.image_at(self.instruction))
        self.system = frame.owner == code_owner.SYSTEM
        self.within = walker.within.of(frame, place) if self.line and not self.system else ()
        if self.system and self.function:
            self.function = Name(libc_names.shown(self.function.raw))


class Gap:
    """Runtime frames, newest first, between two user frames either of which may be missing.
    `newer`, `older`: the stack pointers of these, or of the oldest one of all; `call`: where
    the older one goes on. `body`: of the region or task that begins here; `opens`: of the
    region that the older one's call is about; `target`: the body of a target region that begins here, of
    kind "other"; `llvm`: whether the runtime is LLVM's; `left`: the entry
    point to which the body of a region has left its frame there, or None."""

    __slots__ = ("level", "kind", "entry", "body", "opens", "bottom", "teams", "newer", "older",
                 "call", "llvm", "left", "target")

    def __init__(self, hidden: List[StackFrame], newer: Optional[StackFrame],
                 older: Optional[StackFrame], walker: Walker) -> None:
        self.level = hidden[0].level
        self.bottom = older is None
        self.entry = _entry(hidden, older)
        self.llvm = _is_of_llvm(walker.process, hidden)
        self.left = _left_to(hidden) if self.llvm else None
        self.kind: str = _kind(hidden, newer, self.entry, self.llvm)
        self.body = _body(hidden, newer) if self.kind in ("region", "task") else None
        self.target = _target(hidden, newer, self.entry) if self.kind == "other" else None
        self.opens = self.body if self.kind == "region" and self.body else _opened(walker.process, older)
        entry = entry_points.find(self.entry)
        self.teams = entry is not None and entry.construct == "teams"
        self.call = None if older is None else older.pc
        self.newer: Optional[int] = None if newer is None else newer.sp
        self.older: int = (older or hidden[-1]).sp

    def holds(self, address: int) -> bool:
        """Whether an address on the stack is that of a frame in between."""
        return (self.newer is None or self.newer < address) and address <= self.older

    @property
    def opens_region(self) -> bool:
        """Whether the thread went through here into a region, which may be just beginning
        or ending, or (kind "inside") may not be there yet or any more."""
        return self.kind == "region" or \
            entry_points.is_region(self.entry)


class Piece(NamedTuple):
    is_gap: bool  # else one frame, to be shown
    frames: List[StackFrame]


def pieces(frames: Iterable[StackFrame]) -> Iterator[Piece]:
    """Divides StackFrames, in the order of the stack, into Pieces. Lazy: reads no further than to
    the next user frame."""
    waiting: List[StackFrame] = []
    begun = False
    for frame in frames:
        if frame.owner == code_owner.USER:
            if begun and _calls_main_program(frame):
                break
            yield from _hidden(waiting, begun)
            begun = True
            waiting = []
            yield Piece(False, [frame])
        elif begun and libc_names.is_start(frame.name or "") and \
                not frame.process.unwinds_past_main:
            return  # of a stripped program, of whose main() nothing is known
        else:
            waiting.append(frame)
    yield from _hidden(waiting, begun, ended=True)


def _hidden(frames: List[StackFrame], begun: bool, ended: bool = False) -> Iterator[Piece]:
    """Those between two user frames, or before the first: a gap if the runtime is among them, else
    to be shown. So are the system's that have called what left its frame to the runtime, as a
    library's constructor does. ENDED: there is no older user frame, they have started a thread."""
    for frame in frames[:0 if begun else _left(frames)]:
        yield Piece(False, [frame])
        frames = frames[1:]
    own = max((at for at, frame in enumerate(frames, 1) if frame.is_runtime), default=0)
    if own:
        own = len(frames) if ended else own
        yield Piece(True, frames[:own])
    for frame in frames[own:]:
        yield Piece(False, [frame])


def _left(frames: List[StackFrame]) -> int:
    """How many of a stack's newest frames are the system's and were called by user code that has
    left its frame: the runtime calls bodies by their address, the system by name."""
    of_system = next((at for at, frame in enumerate(frames) if
                      frame.owner != code_owner.SYSTEM), 0)
    return of_system if of_system and call_site.is_indirect(frames[of_system].frame) else 0


def _calls_main_program(frame: StackFrame) -> bool:
    """Whether a frame is the "main" that gfortran adds. A debugger may not see that stacks
    end before it."""
    file = frame.frame.line.file if frame.name == "main" else None
    return file is not None and directives.is_fortran(file.name) and \
        not frame.process.unwinds_past_main


def read(stack: ThreadStack, walker: Walker) -> List[Part]:
    """UserFrames and Gaps of a ThreadStack."""
    result: List[Part] = []
    newer: Optional[StackFrame] = None
    pending: Optional[List[StackFrame]] = None
    for is_gap, entries in pieces(stack):
        if is_gap:
            pending = entries
            continue
        frame = entries[0]
        if pending is not None:
            gap = Gap(pending, newer, frame, walker)
            if gap.kind == "region" and gap.body:
                walker.learn(frame, gap.body)
            result.append(gap)
            pending = None
        elif newer is not None and called_by_user(newer, frame):
            result.append(DirectCall(newer, frame))
        if result and isinstance(result[-1], UserFrame) and result[-1].system and \
                not result[-1].function:
            result[-1].function = escaped.name(of_system(frame))
        result.append(UserFrame(frame, walker))
        newer = frame
    if pending is not None:
        result.append(Gap(pending, newer, None, walker))
    return result


def of_system(caller: StackFrame) -> Optional[str]:
    """The function of the system that a frame has called, by the call: the one that is executed may
    have no name where libc is stripped. None where that is not certain."""
    name = call_site.called(caller.frame) if caller.kind in _CALLERS else None
    address = None if name is None else caller.process.symbol(name)
    return libc_names.shown(name) if name and address and \
        code_owner.is_system(caller.process, address) else None


class DirectCall(Gap):
    """Code for GCC's older entry points calls its own body of the region, and that of clang the
    body of an undeferred task, whose inner half a debugger may not see."""

    __slots__ = ()

    # pylint: disable-next=super-init-not-called
    def __init__(self, body: StackFrame, caller: StackFrame) -> None:
        self.level = caller.level
        self.bottom, self.teams = False, False
        start = symbol_names.start_of(body.frame)
        self.target = start if outlined.is_target(body.name) else None
        self.body = None if self.target else start
        if self.target:
            self.kind, self.entry, self.opens = "other", None, None
        elif outlined.is_of_clang(body.name):
            self.kind, self.entry, self.opens = "task", None, None
        else:
            self.kind, self.entry, self.opens = "region", None, self.body
        self.newer, self.older = body.sp, caller.sp
        self.llvm, self.left = False, None
        self.call = None  # not the one that opened the region


def called_by_user(body: StackFrame, caller: StackFrame) -> bool:
    """Whether a frame is a body that its caller, the user's code, called itself."""
    return caller.owner == code_owner.USER and body.kind == interface.NORMAL and \
        (outlined.is_of_gcc(body.name) or outlined.is_task(body.name) or outlined.is_target(body.name))


def _has_device(hidden: List[StackFrame]) -> bool:
    """Whether frames are those of what drives a device."""
    return any(code_owner.drives_device(frame.process.image_at(frame.pc))
               for frame in hidden if frame.is_runtime)


def _target(hidden: List[StackFrame], newer: Optional[StackFrame],
            entry: Optional[str]) -> Optional[int]:
    """The address of the body of a target region that the runtime called, on the host or for a device,
    or None."""
    called = entry_points.find(entry)
    if newer is None or not outlined.is_body(newer.name) or not (
            outlined.is_target(newer.name) or called is not None and called.wait == "wait_target" or
            entry is None and _has_device(hidden)):
        return None
    return symbol_names.start_of(newer.frame)


def _body(hidden: List[StackFrame], newer: Optional[StackFrame]) -> Optional[int]:
    """The address of the body that the runtime called, or None."""
    called = hidden[0] if outlined.is_wrapper(hidden[0].frame) else newer
    return None if called is None or not outlined.is_body(called.name) else \
        symbol_names.start_of(called.frame)


def _entry(hidden: List[StackFrame], older: Optional[StackFrame]) -> Optional[str]:
    """The runtime's function that the user's code called, or None for a thread that the
    runtime started."""
    if older is not None and older.kind in _CALLERS:
        name = entry_points.name_of(call_site.called(older.frame))
        if name:
            return name
    # A tail call, or an architecture whose calls are not known here.
    for frame in reversed(hidden):
        if frame.is_runtime:
            return entry_points.name_of(frame.name)
    return None


def _left_to(hidden: List[StackFrame]) -> Optional[str]:
    """As Gap.left: the function between LLVM's runtime, which calls bodies by one with a name, and
    what it does there."""
    for frame, caller in zip(hidden, hidden[1:]):
        if entry_points.internal(caller.name) == "region":
            name = entry_points.name_of(frame.name)
            return None if entry_points.is_region(name) else name
    return None


def _opened(process: Process, older: Optional[StackFrame]) -> Optional[int]:
    """The body of the region that a frame's call opens, as far as its code shows, or None."""
    if older is None or older.kind not in _CALLERS:
        return None
    entry = entry_points.find(call_site.called(older.frame))
    return entry_points.body_of_call(process, older.pc, older.kind == interface.TAIL_CALL) \
        if entry and entry.runs == "here" else None


def _is_of_llvm(process: Process, hidden: List[StackFrame]) -> bool:
    """Whether the runtime's frames in a gap are those of LLVM's. Where there is but a function that
    clang made, it is."""
    found = code_owner.runtimes(process)
    if not (found.gomp and found.kmp):
        return bool(found.kmp)
    calls = outlined.is_wrapper(hidden[0].frame)
    owners = (code_owner.is_llvm(process, frame.pc) for frame in hidden[calls:] if frame.is_runtime)
    return next((one for one in owners if one is not None), calls)


def _kind(hidden: List[StackFrame], newer: Optional[StackFrame], entry: Optional[str],
          llvm: bool) -> str:
    if newer is None:
        return "inside"
    if newer.kind != interface.NORMAL and not (
            newer.kind == interface.INLINED and outlined.is_wrapper(hidden[0].frame)):
        return "other"
    if hidden[0].owner == code_owner.SYSTEM:
        return "other"  # exit() runs a destructor: bodies are called by the runtime itself
    # A body that ended in a call may have left its place to what it called.
    name = newer.name
    body = not name or outlined.is_body(name)
    at = 0
    while at < len(hidden) and code_owner.is_hooks(hidden[at].frame):
        at += 1
    hook = hidden[0].name if at else ""
    inner = entry_points.internal(hook)
    if inner:
        return inner
    if hook and not body:
        return "other"  # a tool's callback
    caller = hidden[at].name if at < len(hidden) else ""
    if entry_points.is_region(caller):
        return "region"
    if llvm:
        return _kind_of_llvm(hidden, name, caller)
    if "target" in caller or "target" in (entry or "") or "_omp_cpyfn" in name:
        return "other"
    if caller:
        return "task" if code_owner.is_openmp(caller) and (
            body or not entry_points.makes_task(caller)) else "other"
    if _has_device(hidden):
        return "other"
    # The runtime is stripped. The function that starts its threads calls bodies itself;
    # tasks are run by one that a barrier or the like has called.
    if at + 1 >= len(hidden):
        return "region" if entry is None else "other"
    return "region" if hidden[at + 1].owner == code_owner.SYSTEM else "task"


def _kind_of_llvm(hidden: List[StackFrame], *names: str) -> str:
    """LLVM's runtime calls bodies of regions through one function that has a name; those of
    tasks have names of their own if clang made them, not flang."""
    if any(outlined.is_task(name) for name in names):
        return "task"
    if outlined.is_target(names[0]):
        return "other"
    if any(entry_points.internal(frame.name) == "region" for frame in hidden[:4]) or \
            len(hidden) == 1 and outlined.is_wrapper(hidden[0].frame):
        return "region"  # by one thread alone the program calls the body itself
    return "task" if any(map(outlined.is_of_flang, names)) else "other"
