# SPDX-License-Identifier: MIT
"""Where threads are in the user's code."""

from __future__ import annotations

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.source import directives
from openmp_inspect.code import call_site, code_owner, entry_points, libc_names, outlined, places, \
    python_interpreter, symbol_names
from openmp_inspect.code.places import Place
from openmp_inspect.stacks import enclosing_constructs, thread_stack
from openmp_inspect.host import interface

if TYPE_CHECKING:
    from typing import Dict, Hashable, Iterator, List, Optional
    from openmp_inspect.host.interface import Frame, Function, Thread
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.stacks.thread_stack import StackFrame, ThreadStack


class Walker:
    """Finds user frames. Lives for one stop: libraries and stacks stay what they are."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.process = space.process
        self.within = enclosing_constructs.ConstructFinder(self)
        self._owners = code_owner.Cache(self.process)
        self._stacks: Dict[Hashable, ThreadStack] = {}  # by ptid
        # By StackFrame.code.
        self._owned: Dict[Hashable, int] = {}
        self._names: Dict[Hashable, str] = {}
        self._places: Dict[Hashable, Place] = {}
        self._functions: Dict[Hashable, Optional[Function]] = {}
        self._starts: Dict[int, Optional[int]] = {}
        self._code: Dict[int, Optional[Place]] = {}
        self._calls: Dict[int, Optional[Place]] = {}  # by where they return to
        self._constructs: Dict[int, Place] = {}
        # Of constructs, by where the call that opened them returns to.
        self._bodies: Dict[int, int] = {}

    def stack(self, thread: Thread) -> ThreadStack:
        """The ThreadStack of a thread; a new one if its newest frame is another."""
        found = self._stacks.get(thread.ptid)
        if found is None or not found.is_current():
            found = self._stacks[thread.ptid] = thread_stack.ThreadStack(
                self.process, thread, self.owner, self._names)
        return found

    def place(self, thread: Thread, below: Optional[int] = None) -> Optional[Place]:
        """The innermost user frame of a thread, or None; places.UNREAD if it cannot be found. With
        BELOW only frames whose stack pointer is less, which are those called from there. What
        the program has of the C++ library (a header's wait(), say) stands for its caller, where
        that is known, and so does that library itself."""
        nameless = inside = library = unmapped = None
        process = self.process
        try:
            for frame in self.stack(thread):
                if not frame.is_user:
                    continue
                if below is not None and frame.sp >= below:
                    break
                place = self.place_of(frame)
                if place.line and code_owner.is_cxx_library(place.function):
                    inside = inside or place
                elif place.line and (nameless or inside or library):
                    # User code runs further in: it is not this frame's call that waits.
                    return Place(self.process, place.function, place.file, place.line, place.address)
                elif place.line:
                    return place
                if place.line:
                    continue
                if frame.level and not place.function and not process.is_readable(frame.pc) and \
                        not process.is_mapped(frame.pc):  # a core may lack a file and its code
                    break  # no return address: the stack ended before
                if code_owner.is_cxx_file(process, frame.pc):
                    library = library or place
                elif place.function or process.is_mapped(frame.pc):
                    nameless = nameless or place
                else:  # made at run time, or what a debugger takes for code
                    unmapped = unmapped or place
        except HostError:
            debug.ignored()
            return inside or nameless or library or unmapped or places.UNREAD
        return inside or nameless or library or unmapped or (
            places.UNREAD if self.stack(thread).is_cut else None)

    def user_code(self, pc: int) -> Optional[Place]:
        """The Place of a thread whose pc is PC, if that is user code whose lines are
        known: what place() says then, without a frame. None: a frame has to be looked at."""
        if pc not in self._code:
            place = None
            file = None
            if not self._owners.of_library(pc):
                place = Place(self.process, *symbol_names.code_at(self.process, pc), pc)
                file = self.process.line_at(pc).file
            known = place and place.line and not code_owner.is_cxx_library(place.function) and \
                not (file and code_owner.is_libc(file))
            self._code[pc] = place if known else None
        return self._code[pc]

    def in_system(self, thread: Thread, pc: Optional[int]) -> bool:
        """Whether a thread at PC runs code of the system's, of a library or linked in."""
        owner = None if pc is None else self._owners.of_library(pc)
        newest = self.stack(thread).newest if owner is None else None
        return (owner if newest is None else newest.owner) == code_owner.SYSTEM

    def user_left(self, thread: Thread) -> bool:
        """Whether user code has left its frame, by a jump, to the function of the system
        that a thread is in: the runtime calls bodies by their address, those functions
        by their names, and the kernel calls handlers."""
        frame = self._newest_but_system(thread)
        return frame is not None and (
            frame.kind == interface.SIGNAL or
            frame.is_runtime and call_site.is_indirect(frame.frame))

    def is_in_user_code(self, thread: Thread, pc: Optional[int]) -> bool:
        """Whether a thread at PC runs user code, or what that has called of the system's; False where
        its stack does not say."""
        if pc is None or code_owner.is_runtime(self.process, pc):
            return False
        frame = self._newest_but_system(thread)
        return frame is not None and (
            frame.is_user or self.in_system(thread, pc) and self.user_left(thread))

    def is_interpreting(self, thread: Thread) -> bool:
        """Whether a thread may be in CPython, in a module in another language that comes with it, or
        in what these have called of the system; not in one that somebody else has written."""
        frame = self._newest_but_system(thread)
        return frame is None or python_interpreter.is_part(self.process, frame.pc)

    def _newest_but_system(self, thread: Thread) -> Optional[StackFrame]:
        """The first StackFrame that is not the system's, or is the kernel's of a handler."""
        return next((f for f in self.stack(thread)
                     if f.owner != code_owner.SYSTEM or f.kind == interface.SIGNAL), None)

    def user_frames(self, thread: Thread,
                    frame: Optional[Frame] = None) -> Iterator[StackFrame]:
        """StackFrames of user code on a thread's stack, innermost first, or from a Frame of it
        outwards."""
        stack = self.stack(thread)
        return (f for f in (iter(stack) if frame is None else stack.since(frame)) if f.is_user)

    def user_frame(self, thread: Thread) -> Optional[StackFrame]:
        """The innermost StackFrame of the user's that has a line, else the innermost, or
        None."""
        nameless = None
        for frame in self.user_frames(thread):
            place = self.place_of(frame)
            if place.line and not code_owner.is_cxx_library(place.function):
                return frame
            nameless = nameless or frame
        return nameless

    def construct(self, function: int) -> Place:
        """The Place of the construct whose outlined body is at this address. A body begins
        with the line of its directive, or an optimised one shortly behind."""
        if function not in self._constructs:
            place = Place(self.process, *symbol_names.function_at(self.process, function), function)
            if place.file and place.line:
                path = symbol_names.source_path(self.process, function) or place.file.raw
                place.line = directives.above(path, place.line, None)[1]
            self._constructs[function] = place
        return self._constructs[function]

    def learn(self, frame: StackFrame, body: int) -> None:
        """The StackFrame FRAME was found to be inside the call that runs this body."""
        self._bodies[frame.pc] = body

    def opened(self, frame: StackFrame) -> Optional[Place]:
        """The Place of the construct of a StackFrame that is inside the call which opens one,
        or None. The line of that call is mostly the one of the statement before."""
        if frame.newer is None or not frame.newer.is_runtime:
            return None
        file = frame.frame.line.file
        return None if file is None else self._opened_by(
            frame.pc, frame.kind == interface.TAIL_CALL,
            Place(self.process, symbol_names.of_frame(frame.frame), file.name, None))

    def body_of_call(self, end: int, jumped: bool) -> Optional[int]:
        """As that of entry_points, also where a stack has shown the body."""
        return self._bodies.get(end) or entry_points.body_of_call(self.process, end, jumped)

    def _opened_by(self, end: int, jumped: bool, around: Place) -> Optional[Place]:
        """The same of the call (or jump) before END, which is in the function of a Place AROUND."""
        body = self.body_of_call(end, jumped)
        place = self.construct(body) if body else None
        if body is None or place is None or not place.line or not place.file or \
                (place.function, place.file) != (around.function, around.file):
            return None
        path = symbol_names.source_path(self.process, body) or place.file.raw
        return place if directives.may_be_at(path, place.line) else None

    def innermost(self, thread: Thread) -> Optional[Place]:
        """The function of the newest frame of a thread, or of the system's that others than
        the system called, or None."""
        names: List[Optional[str]] = []
        try:
            for frame in self.stack(thread):
                if frame.owner != code_owner.SYSTEM:
                    names = names[-1:] or [symbol_names.of_frame(frame.frame)]
                    break
                names.append(symbol_names.of_frame(frame.frame))
        except HostError:
            debug.ignored()
            return None
        name = next((name for name in names if name and not libc_names.is_helper(name)), None)
        return Place(self.process, libc_names.shown(name), None, None) if name else None

    def place_at(self, address: int) -> Place:
        """The Place of code at an address."""
        return Place(self.process, *symbol_names.code_at(self.process, address), address)

    def place_before(self, codeptr: int) -> Optional[Place]:
        """The Place of the call that returns to CODEPTR; None of 0, and in the runtime's own code, to
        which a body returns that has left its frame to what it called."""
        return None if not codeptr or code_owner.is_runtime(self.process, codeptr) else \
            self.place_at(codeptr - 1)

    def call(self, address: Optional[int]) -> Optional[Place]:
        """The Place of the call that returns to ADDRESS, or None, also in the runtime's own
        code."""
        if not address:
            return None
        if address not in self._calls:
            place = None
            if not code_owner.is_runtime(self.process, address):
                place = Place(self.process, *symbol_names.code_at(self.process, address - 1), address,
                              called=True)
                opened = self._opened_by(address, False, place)
                place.line = place.line if opened is None else opened.line
            self._calls[address] = place
        return self._calls[address]

    def owner(self, frame: Frame) -> int:
        """As code_owner.of(). The frame that a signal makes counts as the user's; a function
        that clang makes in front of a body does not."""
        if frame.kind == interface.SIGNAL:
            return code_owner.USER
        key = thread_stack.code_of(frame)
        found = self._owned.get(key)
        if found is None:
            found = self._owners.of(frame)
            if found == code_owner.USER and self.llvm and outlined.is_wrapper(frame):
                found = code_owner.RUNTIME
            if key is not None:
                self._owned[key] = found
        return found

    @property
    def llvm(self) -> bool:
        """Whether the program has LLVM's runtime, by whatever name."""
        return bool(code_owner.runtimes(self.process).kmp)

    def in_llvm(self, thread: Thread) -> bool:
        """Whether it is LLVM's runtime that a thread is inside of."""
        found = code_owner.runtimes(self.process)
        if not (found.gomp and found.kmp):
            return bool(found.kmp)
        for frame in self.stack(thread):
            is_llvm = code_owner.is_llvm(self.process, frame.pc) if frame.is_runtime else None
            if is_llvm is not None or frame.is_user:
                return bool(is_llvm)
        return False

    def function_of(self, frame: StackFrame) -> Optional[Function]:
        """The function that a StackFrame runs, or None."""
        key = frame.code
        if key is None:
            return frame.frame.function
        if key not in self._functions:
            self._functions[key] = frame.frame.function
        return self._functions[key]

    def nameless_start(self, frame: StackFrame) -> Optional[int]:
        """Where the function that a StackFrame runs begins, by its file's unwind table, or
        None."""
        at = frame.instruction
        if at not in self._starts:
            self._starts[at] = self.process.function_start(at)
        return self._starts[at]

    def runs(self, frame: StackFrame, function: Function) -> bool:
        """Whether a StackFrame runs a function, or an instance of it."""
        own = self.function_of(frame)
        return own is not None and own.name == function.name and own.file is not None and \
            own.file == function.file

    def place_of(self, frame: StackFrame) -> Place:
        """The Place of any StackFrame; its function is as programmers know it."""
        key = frame.code
        if key in self._places:
            return self._places[key]
        file, line, _ = frame.frame.line
        place = Place(self.process, symbol_names.of_frame(frame.frame),
                      None if file is None else file.name, line or None, frame.pc, frame.is_called,
                      frame.kind == interface.TAIL_CALL)
        if place.called and place.line:
            opened = self.opened(frame)
            place.line = place.line if opened is None else opened.line
        if key is not None:
            self._places[key] = place
        return place
