# SPDX-License-Identifier: MIT
"""A thread's stack as user frames and the gaps that OpenMP's runtime fills between them.

A Gap is a run of runtime frames, with the libc frames that the runtime called or was
started by. What the runtime did there is told by the frame that called the newer user
frame and by the call that the older user frame is inside of:

    "region"  it called the body of a parallel or teams construct
    "task"    it called the body of an explicit task
    "inside"  it called no user code: the thread is inside the runtime
    "other"   it called user code that is no body (a copy constructor, a signal handler)
"""

import re

import gdb

from ompd import (calls, code_owner, constructs, directives, gdbtext, names, outlined,
                  userstack)

_BODY = re.compile(r"\._omp_fn\b|_omp_fn\.\d")
_OPENS_REGION = re.compile(r"GOMP_(parallel|teams)|__kmpc_fork_(call|teams)|gomp_thread_start|"
                           r"gomp_team_end|__kmp_(invoke_microtask|launch_thread)")
_RUNS_TASKS = re.compile(r"(GOMP|gomp|omp|__kmp|__kmpc)_")
_HOOKS = {"region_trampoline": "region", "teams_trampoline": "region", "run_task": "task",
          "run_loop_task": "task"}
_ENTRY = re.compile(r"(?:track_)?((GOMP|omp|__kmpc)_\w+)")
_MOST_FRAMES = 1 << 17
_CALLERS = gdb.NORMAL_FRAME, gdb.TAILCALL_FRAME, gdb.INLINE_FRAME


class UserFrame:
    """Plain facts of a frame; valid when other threads have been selected, too. `system`:
    of libc and the like, which the user's code called. `within`: Extents, innermost first."""

    __slots__ = ("level", "function", "file", "line", "address", "library",
                 "system", "within")

    def __init__(self, frame, walker):
        self.level = None
        place = walker.place_of(frame)
        self.function, self.file, self.line = place.function, place.file, place.line
        if frame.type() == gdb.SIGTRAMP_FRAME:
            self.function, self.file, self.line = "<signal handler called>", None, None
        self.address = frame.pc()
        self.library = None if self.line else gdbtext.library_at(self.address)
        self.system = walker.kind(frame) == code_owner.SYSTEM
        self.within = walker.within.of(frame, place) if self.line and not self.system else ()
        if self.system and self.function:
            self.function = names.without_prefix(self.function)


class Gap:
    """Runtime frames, newest first, between two user frames either of which may be missing.
    `newer`, `older`: the stack pointers of these, or of the oldest one of all; `call`: where
    the older one goes on. `body`: of the region or task that begins here; `opens`: of the
    region that the older one's call is about."""

    __slots__ = ("level", "kind", "entry", "body", "opens", "bottom", "teams", "newer", "older",
                 "call")

    def __init__(self, hidden, newer, older, walker):
        self.level = hidden[0][0]
        self.bottom = older is None
        self.entry = _entry(hidden, older, walker)
        self.kind = _kind(hidden, newer, self.entry, walker)
        self.body = _body(hidden, newer) if self.kind in ("region", "task") else None
        self.opens = self.body if self.kind == "region" else _opened(older)
        self.teams = bool(self.entry and "teams" in self.entry)
        self.call = None if older is None else older.pc()
        self._find_bounds(newer, older or hidden[-1][1])

    def _find_bounds(self, newer, older):
        self.newer = None if newer is None else userstack.stack_pointer(newer)
        self.older = userstack.stack_pointer(older)

    def holds(self, address):
        """Whether an address on the stack is that of a frame in between."""
        return (self.newer is None or self.newer < address) and address <= self.older

    @property
    def opens_region(self):
        """Whether the thread went through here into a region, which may be just beginning
        or ending, or (kind "inside") may not be there yet or any more."""
        return self.kind == "region" or \
            bool(self.entry and _OPENS_REGION.match(self.entry))


def pieces(numbered, walker):
    """Lists of (level, frame, anything) in the order of the stack: a list of one is a frame
    to be shown, a longer one or one marked True a gap. Yields (is gap, list). NUMBERED
    yields such triples. Lazy: reads no further than to the next user frame."""
    waiting = []
    gap = begun = False
    for entry in numbered:
        kind = walker.kind(entry[1])
        if kind == code_owner.USER:
            if begun and _calls_main_program(entry[1]):
                break
            begun = True
            if gap:
                yield True, waiting
            else:
                for system in waiting:
                    yield False, [system]
            waiting, gap = [], False
            yield False, [entry]
        else:
            waiting.append(entry)
            gap = gap or kind == code_owner.RUNTIME
    if gap:
        yield True, waiting
    else:
        for system in waiting:
            yield False, [system]


def _calls_main_program(frame):
    """Whether a frame is the "main" that gfortran adds. gdb 10 does not see that stacks end
    before it, if past-main is not asked for."""
    symtab = frame.find_sal().symtab if gdbtext.frame_name(frame) == "main" else None
    return symtab is not None and directives.sentinel(gdbtext.file_name(symtab)) == "!$omp" and \
        not gdb.parameter("backtrace past-main")


def numbered_frames(frame):
    """(level, frame, None) from FRAME outwards; ends where the stack cannot be read."""
    level = 0
    while frame is not None and level < _MOST_FRAMES:
        yield level, frame, None
        try:
            frame = frame.older()
        except gdb.error:
            return
        level += 1


def read(frame, walker):
    """UserFrames and Gaps of the stack whose newest frame is FRAME."""
    result = []
    newer = None
    pending = None
    for is_gap, entries in pieces(numbered_frames(frame), walker):
        if is_gap:
            pending = entries
            continue
        level, frame, _ = entries[0]
        if pending is not None:
            gap = Gap(pending, newer, frame, walker)
            if gap.kind == "region" and gap.body:
                walker.learn(frame, gap.body)
            result.append(gap)
            pending = None
        elif newer is not None and called_by_user(newer, frame, walker):
            result.append(DirectCall(newer, frame, level))
        user = UserFrame(frame, walker)
        user.level = level
        result.append(user)
        newer = frame
    if pending is not None:
        result.append(Gap(pending, newer, None, walker))
    return result


class DirectCall(Gap):
    """Code for GCC's older entry points calls its own body of the region, and that of clang the
    body of an undeferred task, whose inner half gdb 10 does not see."""

    __slots__ = ()

    def __init__(self, body, caller, level):  # pylint: disable=super-init-not-called
        self.level = level
        self.bottom, self.teams = False, False
        self.body = userstack.function_start(body)
        if outlined.is_body(gdbtext.frame_name(body)):
            self.kind, self.entry, self.opens = "task", None, None
        else:
            self.kind, self.entry, self.opens = "region", "GOMP_parallel", self.body
        self._find_bounds(body, caller)
        self.call = None  # not the one that opened the region


def called_by_user(body, caller, walker):
    """Whether a frame is a body that its caller, the user's code, called itself."""
    name = gdbtext.frame_name(body) or ""
    return ("._omp_fn" in name or "omp_task_entry" in name) and \
        walker.kind(caller) == code_owner.USER and body.type() == gdb.NORMAL_FRAME


def is_body(frame):
    """Whether a frame runs what the compiler made of a construct, as far as its name tells."""
    name = gdbtext.frame_name(frame) or ""
    return bool(_BODY.search(name)) or outlined.is_body(name)


def _body(hidden, newer):
    """The address of the body that the runtime called, or None."""
    called = hidden[0][1] if outlined.is_wrapper(hidden[0][1]) else newer
    return userstack.function_start(called) if is_body(called) else None


def _entry(hidden, older, walker):
    """The runtime's function that the user's code called, or None for a thread that the
    runtime started."""
    if older is not None and older.type() in _CALLERS:
        name = calls.called(older)
        found = _ENTRY.match(name) if name else None
        if found:
            return found.group(1)
    # A tail call, or an architecture whose calls are not known here.
    for _, frame, _ in reversed(hidden):
        if walker.kind(frame) == code_owner.RUNTIME:
            found = _ENTRY.match(gdbtext.frame_name(frame) or "")
            return found.group(1) if found else None
    return None


def _opened(older):
    """The body of the region that a frame's call opens, as far as its code tells, or None."""
    if older is None or older.type() not in _CALLERS:
        return None
    opening = constructs.OPENINGS.get(calls.called(older))
    return constructs.body_of_call(older) if opening and opening.runs == "here" else None


def _kind(hidden, newer, entry, walker):
    if newer is None:
        return "inside"
    if newer.type() != gdb.NORMAL_FRAME and not (
            newer.type() == gdb.INLINE_FRAME and outlined.is_wrapper(hidden[0][1])):
        return "other"
    # A body that ended in a call may have left its place to what it called.
    name = gdbtext.frame_name(newer) or ""
    body = not name or is_body(newer)
    at = 0
    while at < len(hidden) and code_owner.is_hooks(hidden[at][1]):
        at += 1
    hook = (gdbtext.frame_name(hidden[0][1]) or "") if at else ""
    if hook in _HOOKS:
        return _HOOKS[hook]
    if hook and not body:
        return "other"  # a tool's callback
    caller = (gdbtext.frame_name(hidden[at][1]) or "") if at < len(hidden) else ""
    if _OPENS_REGION.match(caller):
        return "region"
    if walker.llvm:
        return _kind_of_llvm(hidden, name, caller)
    if "target" in caller or "target" in (entry or "") or "_omp_cpyfn" in name:
        return "other"
    if caller:
        makes = caller.startswith(("GOMP_task", "GOMP_taskloop")) and "wait" not in caller
        return "task" if _RUNS_TASKS.match(caller) and (body or not makes) else "other"
    # The runtime is stripped. The function that starts its threads calls bodies itself;
    # tasks are run by one that a barrier or the like has called.
    if at + 1 >= len(hidden):
        return "region" if entry is None else "other"
    return "region" if walker.kind(hidden[at + 1][1]) == code_owner.SYSTEM else "task"


def _kind_of_llvm(hidden, *names):
    """LLVM's runtime calls bodies of regions through one function that has a name; those of
    tasks have names of their own if clang made them."""
    if any("omp_task_entry" in name for name in names):
        return "task"
    if any(gdbtext.frame_name(frame) == "__kmp_invoke_microtask"
           for _, frame, _ in hidden[:4]) or \
            len(hidden) == 1 and outlined.is_wrapper(hidden[0][1]):
        return "region"  # by one thread alone the program calls the body itself
    return "other"
