# SPDX-License-Identifier: MIT
"""Where threads are in the user's code, without disturbing what is selected in gdb."""

from __future__ import annotations

import gdb

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.source import directives
from gdb_openmp.host import gdb_text, inferiors, modules
from gdb_openmp.program import call_site, code_owner, entry_points, libc_names, outlined, \
    symbol_names
from gdb_openmp.program.places import Place
from gdb_openmp.stacks import enclosing_constructs, thread_stack

if TYPE_CHECKING:
    from typing import Dict, Hashable, Iterator, List, Optional, Tuple
    from gdb_openmp.host.gdb_types import GdbFrame, GdbSymbol, GdbThread
    from gdb_openmp.stacks.thread_stack import StackFrame, ThreadStack


class Walker:
    """Finds user frames. Lives for one stop: libraries and stacks stay what they are."""

    def __init__(self) -> None:
        self.within = enclosing_constructs.Finder(self)
        self._owners = code_owner.Cache()
        self._stacks: Dict[Tuple[int, int, int], ThreadStack] = {}  # by ptid
        self._places: Dict[Hashable, Place] = {}
        self._functions: Dict[Hashable, Optional[GdbSymbol]] = {}
        self._starts: Dict[int, Optional[int]] = {}
        self._code: Dict[int, Optional[Place]] = {}
        self._calls: Dict[int, Optional[Place]] = {}  # by where they return to
        self._constructs: Dict[int, Place] = {}
        # Of constructs, by where the call that opened them returns to.
        self._bodies: Dict[int, int] = {}

    def stack(self, thread: GdbThread) -> ThreadStack:
        """The ThreadStack of a gdb thread; a new one if its newest frame is another."""
        found = self._stacks.get(thread.ptid)
        if found is None or not found.is_current():
            found = self._stacks[thread.ptid] = thread_stack.ThreadStack(thread, self.kind)
        return found

    def place(self, thread: GdbThread, below: Optional[int] = None) -> Optional[Place]:
        """The innermost user frame of a gdb thread, or None. With BELOW only frames whose
        stack pointer is less, which are those called from there. What the program has of the
        C++ library (a header's wait(), say) stands for its caller, where that is known, and so
        does that library itself. Call in selection_kept()."""
        nameless = inside = library = unmapped = None
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
                    return Place(place.function, place.file, place.line, place.address)
                elif place.line:
                    return place
                if place.line:
                    continue
                if frame.level and not place.function and not inferiors.is_readable(frame.pc):
                    break  # no return address: the stack ended before
                if code_owner.is_cxx_file(frame.pc):
                    library = library or place
                elif place.function or modules.is_mapped(frame.pc):
                    nameless = nameless or place
                else:  # made at run time, or what gdb takes for code
                    unmapped = unmapped or place
        except gdb.error:
            debug.ignored()
        return inside or nameless or library or unmapped

    def user_code(self, pc: int) -> Optional[Place]:
        """The Place of a thread whose pc is PC, if that is user code whose lines are
        known: what place() says then, without a frame. None: a frame has to be looked at."""
        if pc not in self._code:
            place = None
            symtab = None
            if not self._owners.of_library(pc):
                place = Place(*symbol_names.code_at(pc), pc)
                symtab = gdb_text.line_at(pc).symtab
            known = place and place.line and not code_owner.is_cxx_library(place.function) and \
                not (symtab and code_owner.is_libc(symtab))
            self._code[pc] = place if known else None
        return self._code[pc]

    def in_system(self, thread: GdbThread, pc: Optional[int]) -> bool:
        """Whether a gdb thread at PC runs code of the system's, of a library or linked in. Call
        in selection_kept()."""
        owner = None if pc is None else self._owners.of_library(pc)
        newest = self.stack(thread).newest if owner is None else None
        return (owner if newest is None else newest.owner) == code_owner.SYSTEM

    def user_left(self, thread: GdbThread) -> bool:
        """Whether user code has left its frame, by a jump, to the function of the system
        that a gdb thread is in: the runtime calls bodies by their address, those functions
        by their names. Call in selection_kept()."""
        frame = next((f for f in self.stack(thread) if f.owner != code_owner.SYSTEM), None)
        return frame is not None and frame.is_runtime and call_site.is_indirect(frame.frame)

    def user_frames(self, thread: GdbThread,
                    frame: Optional[GdbFrame] = None) -> Iterator[StackFrame]:
        """StackFrames of user code on a thread's stack, innermost first, or from a gdb.Frame
        of it outwards; none of a process that was killed since. Leaves the thread selected:
        call in selection_kept()."""
        try:
            thread.switch()
        except gdb.error:
            debug.ignored()
            return iter(())
        stack = self.stack(thread)
        return (f for f in (iter(stack) if frame is None else stack.since(frame)) if f.is_user)

    def user_frame(self, thread: GdbThread) -> Optional[StackFrame]:
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
            place = Place(*symbol_names.function_at(function), function)
            if place.file and place.line:
                path = symbol_names.source_path(function) or place.file
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
        symtab = gdb_text.line_of(frame.frame).symtab
        return symtab and self._opened_by(
            frame.pc, frame.type == gdb.TAILCALL_FRAME, symbol_names.of_frame(frame.frame),
            gdb_text.file_name(symtab))

    def body_of_call(self, end: int, jumped: bool) -> Optional[int]:
        """As that of entry_points, also where a stack has shown the body."""
        return self._bodies.get(end) or entry_points.body_of_call(end, jumped)

    def _opened_by(self, end: int, jumped: bool, function: Optional[str],
                   file: Optional[str]) -> Optional[Place]:
        """The same of the call (or jump) before END, which is in a FUNCTION of a FILE."""
        body = self.body_of_call(end, jumped)
        place = self.construct(body) if body else None
        if body is None or place is None or not place.line or not place.file or \
                (place.function, place.file) != (function, file):
            return None
        path = symbol_names.source_path(body) or place.file
        return place if directives.may_be_at(path, place.line) else None

    def innermost(self, thread: GdbThread) -> Optional[Place]:
        """The function of the newest frame of a gdb thread, or of the system's that others than
        the system called, or None."""
        names: List[Optional[str]] = []
        try:
            for frame in self.stack(thread):
                if frame.owner != code_owner.SYSTEM:
                    names = names[-1:] or [symbol_names.of_frame(frame.frame)]
                    break
                names.append(symbol_names.of_frame(frame.frame))
        except gdb.error:
            debug.ignored()
            return None
        name = next((name for name in names if name and not libc_names.is_helper(name)), None)
        return Place(libc_names.shown(name), None, None) if name else None

    def place_at(self, address: int) -> Place:
        """The Place of code at an address."""
        return Place(*symbol_names.code_at(address), address)

    def call(self, address: Optional[int]) -> Optional[Place]:
        """The Place of the call that returns to ADDRESS, or None, also in the runtime's own
        code."""
        if not address:
            return None
        if address not in self._calls:
            place = None
            if not code_owner.is_runtime(address):
                place = Place(*symbol_names.code_at(address - 1), address, called=True)
                opened = self._opened_by(address, False, place.function, place.file)
                place.line = place.line if opened is None else opened.line
            self._calls[address] = place
        return self._calls[address]

    def kind(self, frame: GdbFrame) -> int:
        """As code_owner.of(). The frame that a signal makes counts as the user's; a function
        that clang makes in front of a body does not."""
        if frame.type() == gdb.SIGTRAMP_FRAME:
            return code_owner.USER
        owner = self._owners.of(frame)
        return code_owner.RUNTIME if owner == code_owner.USER and self.llvm and \
            outlined.is_wrapper(frame) else owner

    @property
    def llvm(self) -> bool:
        """Whether the program has LLVM's runtime, by whatever name."""
        return bool(code_owner.runtimes().kmp)

    def in_llvm(self, thread: GdbThread) -> bool:
        """Whether it is LLVM's runtime that a gdb thread is inside of. Call in
        selection_kept()."""
        found = code_owner.runtimes()
        if not (found.gomp and found.kmp):
            return bool(found.kmp)
        for frame in self.stack(thread):
            told = code_owner.is_llvm(frame.pc) if frame.is_runtime else None
            if told is not None or frame.is_user:
                return bool(told)
        return False

    def function_of(self, frame: StackFrame) -> Optional[GdbSymbol]:
        """The gdb.Symbol of the function that a StackFrame runs, or None."""
        key = frame.code
        if key is None:
            return gdb_text.function_of(frame.frame)
        if key not in self._functions:
            self._functions[key] = gdb_text.function_of(frame.frame)
        return self._functions[key]

    def nameless_start(self, frame: StackFrame) -> Optional[int]:
        """Where the function that a StackFrame runs begins, by its file's unwind table, or
        None."""
        at = frame.instruction
        if at not in self._starts:
            self._starts[at] = modules.function_start(at)
        return self._starts[at]

    def runs(self, frame: StackFrame, function: GdbSymbol) -> bool:
        """Whether a StackFrame runs the function of a gdb.Symbol, or an instance of it."""
        own = self.function_of(frame)
        return own is not None and \
            gdb_text.symbol_name(own) == gdb_text.symbol_name(function) and \
            gdb_text.same_file(own.symtab, function.symtab)

    def place_of(self, frame: StackFrame) -> Place:
        """The Place of any StackFrame; its function is as programmers know it."""
        key = frame.code
        if key in self._places:
            return self._places[key]
        sal = gdb_text.line_of(frame.frame)
        file = gdb_text.file_name(sal.symtab) if sal.symtab else None
        place = Place(symbol_names.of_frame(frame.frame), file, sal.line or None, frame.pc,
                      frame.is_called, frame.type == gdb.TAILCALL_FRAME)
        if place.called and place.line:
            opened = self.opened(frame)
            place.line = place.line if opened is None else opened.line
        if key is not None:
            self._places[key] = place
        return place
