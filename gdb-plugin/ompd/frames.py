# SPDX-License-Identifier: MIT
"""Where threads are in the user's code, without disturbing what is selected in gdb."""

import gdb

from ompd import (calls, code_owner, constructs, directives, gdbtext, names, outlined, within)
from ompd.target import selection_kept  # noqa: F401  (offered to commands)

_DEEPEST = 128


def is_memory(address):
    """Whether anything of the program is there."""
    try:
        gdb.selected_inferior().read_memory(address, 1)
    except (gdb.error, OverflowError):
        return False
    return True


class Place:
    """A point in the program. `function`, `file` and `line` may be None. `called`: the
    frame is inside a call that returns to `address`, or (`jumped`) has left by a jump that
    stands before it."""

    def __init__(self, function, file, line, address=None, called=False, jumped=False):
        self.address = address
        self.called = called
        self.jumped = jumped
        self.function = function
        self.file = file
        self.line = line


class Walker:
    """Finds user frames. Lives during one command: libraries do not move meanwhile."""

    def __init__(self):
        self.within = within.Finder(self)
        self._owners = code_owner.Cache()
        self._places = {}
        self._code = {}
        self._constructs = {}
        self._bodies = {}  # of constructs, by where the call that opened them returns to

    def place(self, thread, below=None):
        """The innermost user frame of a gdb thread, or None. With BELOW only frames whose
        stack pointer is less, which are those called from there. Call in
        selection_kept()."""
        try:
            thread.switch()
            frame = gdb.newest_frame()
        except gdb.error:
            return None
        nameless = None
        for depth in range(_DEEPEST):
            try:
                pc = frame.pc()
                if not self._owners.of(frame, pc):
                    if below is not None and int(frame.read_register("sp")) >= below:
                        break
                    place = self._place(frame, depth == 0)
                    if place.line and nameless is not None:
                        # User code runs further in: this frame's call tells nothing.
                        return Place(place.function, place.file, place.line, place.address)
                    if place.line:
                        return place
                    if depth and not place.function and not is_memory(pc):
                        break  # no return address: the stack ended before
                    nameless = nameless or place
                frame = frame.older()
            except gdb.error:
                break
            if frame is None:
                break
        return nameless

    def user_code(self, pc):
        """The Place of a thread that stands at PC, if that is user code whose lines are
        known: what place() says then, without a frame. None: a frame has to be looked at."""
        if pc not in self._code:
            place = None
            symtab = None
            if not self._owners.of_library(pc):
                place = Place(*names.code_at(pc), pc)
                symtab = gdb.find_pc_line(pc).symtab
            known = place and place.line and not (symtab and code_owner.is_libc(symtab))
            self._code[pc] = place if known else None
        return self._code[pc]

    def in_system(self, pc):
        """Whether the code at PC is that of one of the system's libraries."""
        return self._owners.of_library(pc) == code_owner.SYSTEM

    def user_left(self, thread):
        """Whether user code has left its frame, by a jump, to the function of the system
        that a gdb thread is in: the runtime calls bodies by their address, those functions
        by their names. Call in selection_kept()."""
        try:
            thread.switch()
            frame = gdb.newest_frame()
            for _ in range(_DEEPEST):
                if frame is None or self._owners.of(frame, frame.pc()) != code_owner.SYSTEM:
                    break
                frame = frame.older()
            return frame is not None and self.kind(frame) == code_owner.RUNTIME and \
                calls.is_indirect(frame)
        except gdb.error:
            return False

    def user_frames(self, thread, frame=None):
        """gdb frames of user code on a thread's stack, innermost first, or from a FRAME of
        it outwards. Leaves the thread selected: call in selection_kept()."""
        try:
            thread.switch()
            frame = frame or gdb.newest_frame()
            for _ in range(_DEEPEST):
                if frame is None:
                    break
                if not self._owners.of(frame, frame.pc()):
                    yield frame
                frame = frame.older()
        except gdb.error:
            pass  # the stack ends here for gdb

    def user_frame(self, thread):
        """The innermost one that has a line, else the innermost, or None."""
        nameless = None
        for frame in self.user_frames(thread):
            if frame.find_sal().line:
                return frame
            nameless = nameless or frame
        return nameless

    def construct(self, function):
        """Where the construct stands whose outlined body is at this address. A body begins
        with the line of its directive, or an optimised one shortly behind."""
        if function not in self._constructs:
            place = Place(*names.function_at(function), function)
            if place.file and place.line:
                path = names.source_path(function) or place.file
                place.line = directives.above(path, place.line, None)[1]
            self._constructs[function] = place
        return self._constructs[function]

    def learn(self, frame, body):
        """FRAME was found to be inside the call that runs this body."""
        self._bodies[frame.pc()] = body

    def opened(self, frame):
        """The Place of the construct of a frame that is inside the call which opens one, or
        None. The line of that call is mostly the one of the statement before."""
        newer = frame.newer()
        if newer is None or self.kind(newer) != code_owner.RUNTIME:
            return None
        body = self._bodies.get(frame.pc()) or constructs.body_of_call(frame)
        place = self.construct(body) if body else None
        if place is None or not place.line or place.function != names.of_frame(frame):
            return None
        symtab = frame.find_sal().symtab
        return place if symtab is not None and gdbtext.file_name(symtab) == place.file else None

    def innermost(self, thread):
        """The function of the newest frame of a gdb thread, or None."""
        try:
            thread.switch()
            name = names.of_frame(gdb.newest_frame())
            return Place(names.without_prefix(name), None, None) if name else None
        except gdb.error:
            return None

    def place_at(self, address):
        """The Place of code at an address."""
        return Place(*names.code_at(address), address)

    def place_of(self, frame):
        """The Place of any frame; its function is as programmers know it."""
        return self._place(frame, frame.newer() is None)

    def kind(self, frame):
        """As code_owner.of(). The frame that a signal makes counts as the user's; one that
        clang makes in front of a body does not."""
        if frame.type() == gdb.SIGTRAMP_FRAME:
            return code_owner.USER
        owner = self._owners.of(frame, frame.pc())
        return code_owner.RUNTIME if owner == code_owner.USER and self.llvm and \
            outlined.is_wrapper(frame) else owner

    @property
    def llvm(self):
        """Whether the program has LLVM's runtime, by whatever name."""
        return bool(code_owner.runtimes().kmp)

    def _place(self, frame, newest):
        newer = None if newest else frame.newer()
        called = newer is not None and newer.type() != gdb.SIGTRAMP_FRAME
        key = frame.pc(), frame.type(), newest, called
        if frame.type() != gdb.INLINE_FRAME and key in self._places:
            return self._places[key]
        sal = frame.find_sal()
        file = gdbtext.file_name(sal.symtab) if sal.symtab else None
        place = Place(names.of_frame(frame), file, sal.line or None, frame.pc(), called,
                      frame.type() == gdb.TAILCALL_FRAME)
        if called and place.line:
            opened = self.opened(frame)
            place.line = place.line if opened is None else opened.line
        self._places[key] = place
        return place
