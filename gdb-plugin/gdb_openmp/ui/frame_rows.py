# SPDX-License-Identifier: MIT
"""The rows of a backtrace as gdb's frame decorators, for people and for front ends.

A label, or a frame of another thread, is no frame of the thread. For people it is a line that is
written when gdb asks for the children of the frame before. A front end gets a row that borrows a
frame: MI has one row for each frame, and a label stands in the place of a runtime frame that is not
shown otherwise. The Debug Adapter Protocol numbers no frames: there all are rows."""

from __future__ import annotations

import functools
import itertools
import os

import gdb

from openmp_inspect.core import debug, escaped, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import outlined, symbol_names
from openmp_inspect.stacks import labels
from openmp_inspect.stacks.labelled_stack import StackRow
from gdb_openmp.host import console, frame_decorator, gdb_text, inferiors, modules, process
from gdb_openmp.program import address_space
from gdb_openmp.ui import captured_variables, function_scopes

if TYPE_CHECKING:
    from typing import Any, Callable, Iterator, List, Optional, TypeVar, Union
    from openmp_inspect.code.places import Place
    from openmp_inspect.stacks.segments import UserFrame
    from openmp_inspect.stacks.thread_stack import StackFrame
    from openmp_inspect.stacks.user_frames import Walker
    from gdb_openmp.host.gdb_types import GdbFrame
    from gdb_openmp.host.frame_decorator import Decorator
    Answer = TypeVar("Answer")


def _or_plain(method: Callable[[Any], Answer]) -> Callable[[Any], Optional[Answer]]:
    """A method of a decorator that does as gdb's own when it fails."""
    plain = getattr(frame_decorator.Decorator, method.__name__)

    @functools.wraps(method)
    def guarded(self: Any) -> Optional[Answer]:
        try:
            return method(self)
        # gdb shows its own rows where ours fail: "bt" comes before all else.
        except Exception:  # pylint: disable=broad-except
            debug.ignored()
            try:
                own: Optional[Answer] = plain(self)
                return own
            # gdb shows its own rows where ours fail: "bt" comes before all else.
            except Exception:  # pylint: disable=broad-except
                debug.ignored()
                return None  # gdb shows what it has without it
    return guarded


class Fact:
    """A fact of a label as an argument. gdb has such a class, with other parameters from
    release to release."""

    def __init__(self, name: str, value: Any) -> None:
        self._name = name
        self._value = value

    def symbol(self) -> str:
        return self._name

    def value(self) -> Any:
        return self._value


class Frame(frame_decorator.Decorator):
    """A frame of the thread itself. FRAME is its StackFrame."""

    def __init__(self, base: Decorator, frame: StackFrame, walker: Walker) -> None:
        super().__init__(base)
        self.frame = frame
        self._walker = walker
        # What follows it, in the order of the stack: labelled_stack.StackRows, decorators of hidden
        # frames.
        self.after: List[Union[StackRow, Decorator]] = []
        self.tail: List[StackRow] = []  # and what continues the whole stack
        self.in_runtime = False  # the newest frame, of a thread inside the runtime
        self.folded: Optional[StackRow] = None  # stands for the labels that follow, for people
        self._full = False

    def _of_signal(self) -> bool:
        return bool(self.inferior_frame().type() == gdb.SIGTRAMP_FRAME)

    def _name(self) -> Optional[str]:
        """The function's name as programmers know it, or None; "" of a frame that gdb makes."""
        frame = self.inferior_frame()
        if frame.type() not in (gdb.NORMAL_FRAME, gdb.INLINE_FRAME):
            return ""
        return symbol_names.of_frame(process.Frame(frame))

    @_or_plain
    def function(self) -> Optional[str]:
        name = self._name()
        if name == "":
            return super().function()
        return escaped.short(name) if name else \
            escaped.shown(modules.named(self.inferior_frame().pc()))

    @_or_plain
    def address(self) -> Optional[int]:
        # A programmer's place is a line.
        return None if self.line() is not None or self._of_signal() else super().address()

    @_or_plain
    def filename(self) -> Optional[str]:
        if self._of_signal():
            return None
        frame = self.inferior_frame()
        symtab = gdb_text.line_of(frame).symtab
        if symtab is not None:
            return text.file_name(gdb_text.full_name(symtab), gdb_text.file_name(symtab))
        if not gdb_text.frame_name(frame):
            return None  # function() has named it
        library = gdb_text.library_at(frame.pc())
        return None if library is None else escaped.shown(library)

    @_or_plain
    def line(self) -> Optional[int]:
        known = super().line()
        opened = None if known is None else self._walker.opened(self.frame)
        return known if opened is None else opened.line

    @_or_plain
    def frame_args(self) -> Any:
        """Without those that clang gives to bodies."""
        found = super().frame_args() or []
        if outlined.is_of_clang(gdb_text.frame_name(self.inferior_frame()) or ""):
            found = [one for one in found
                     if not outlined.is_own(gdb_text.exact(str, one.symbol()))]
        return found or None

    def frame_locals(self) -> Any:
        self._full = True
        try:
            own = self._own_locals()
        # gdb shows its own rows where ours fail: "bt" comes before all else.
        except Exception:  # pylint: disable=broad-except
            debug.ignored()
            own = None
        return super().frame_locals() if own is None else own

    def _own_locals(self) -> Optional[List[Fact]]:
        """Those of an outlined body. gdb goes on with the function around it, which stands
        in another frame: what it finds here in the place of its variables is anything."""
        levels = function_scopes.levels(self.inferior_frame())
        if len(levels) < 2:
            return None
        return [Fact(symbol, None) for symbol in function_scopes.own_variables(levels)]

    @_or_plain
    def elided(self) -> Optional[Iterator[Any]]:
        """The hidden frames, if locals are asked for. gdb has printed all that comes before the one
        that it asks for, so that lines which are no frames are written then."""
        return itertools.chain(self.elided_for_people(), super().elided() or ())

    def elided_for_people(self) -> Iterator[Decorator]:
        """What follows it: yields hidden frames, and writes all else."""
        if self.folded is not None:
            _write(self.folded)
        for item in self.after:
            if isinstance(item, StackRow):
                if self.folded is None:
                    _write(item)
            elif self._full:
                yield item
        for row in self.tail:
            _write(row, self._full)


def _write(row: StackRow, full: bool = False) -> None:
    """Writes a labelled_stack.StackRow below the frame that it follows; if FULL with the locals of
    a frame of another thread: gdb must have printed all frames of this one."""
    try:
        console.write(text.hanging("    " + _words(row), " " * 7) + "\n")
        if full and row.frame is not None and row.thread is not None:
            with inferiors.selection_kept():
                frame = captured_variables.frame_shown(
                    address_space.stacks(), row.thread, row.frame)
                for line in [] if frame is None else function_scopes.lines(frame, " " * 16):
                    console.write(line + "\n")
    # gdb shows its own rows where ours fail: "bt" comes before all else.
    except Exception:  # pylint: disable=broad-except
        debug.ignored()


def _words(row: StackRow) -> str:
    """A StackRow as gdb writes frames, with the facts of a label as arguments."""
    if row.label is None:
        words = text.style("function", _function_of(row)) + " ()"
    else:
        words = labels.rule() + str(row.label.words)
        facts = ", ".join("%s=%s" % fact for fact in row.label.facts.items())
        words += " (%s)" % facts if facts else ""
    where = _place_of(row)
    if where is not None and where.file and where.line:
        words += " at " + text.source_line(where.file, where.line)
    return words


def _function_of(row: StackRow) -> str:
    """The function of a StackRow that is a frame."""
    frame = row.frame
    assert frame is not None  # a StackRow has one of the two
    return escaped.short(frame.function) if frame.function else \
        escaped.shown(modules.named(frame.address))


def _place_of(row: StackRow) -> Union[UserFrame, Place, None]:
    """What has file and line of a StackRow, or None where neither is known."""
    where: Union[UserFrame, Place, None] = row.frame
    if where is None and row.label is not None:
        where = row.label.place
    return where if where is not None and where.file and where.line else None


class ClientFrame(Frame):
    """The same for a front end, which wants the address and finds the file by its name."""

    def __init__(self, base: Decorator, frame: StackFrame, walker: Walker) -> None:
        super().__init__(base, frame, walker)
        self.children: List[Decorator] = []  # hidden frames that follow

    @_or_plain
    def function(self) -> Optional[str]:
        name = self._name()
        return super(Frame, self).function() if name == "" else escaped.short(name or "??")

    @_or_plain
    def address(self) -> Optional[int]:
        address: Optional[int] = super(Frame, self).address()
        return address

    @_or_plain
    def filename(self) -> Optional[str]:
        return None if self._of_signal() else _client_file(self.inferior_frame())

    def elided(self) -> Optional[Iterator[Any]]:
        """What "includeAll" of the Debug Adapter Protocol adds; MI has a row for each."""
        children = self.children + list(super(Frame, self).elided() or ())
        return iter(children) if children else None


class _First:
    """What may be the first row of an answer in MI. `is_typed`: people read it, as it comes of
    "bt" in the console: only there gdb asks for both the function and the arguments."""

    is_typed = False
    _is_named = False

    def function(self) -> Any:
        self._is_named = True
        return super().function()  # type: ignore[misc]

    def frame_args(self) -> Any:
        self.is_typed = self._is_named
        return super().frame_args()  # type: ignore[misc]


class MiFrame(_First, ClientFrame):
    """A frame in MI, with what follows it if people read that."""

    def elided(self) -> Optional[Iterator[Any]]:
        return self.elided_for_people() if self.is_typed else super().elided()


class Hidden(frame_decorator.Decorator):
    """A frame that people do not see, for a front end."""

    @_or_plain
    def filename(self) -> Optional[str]:
        return _client_file(self.inferior_frame())


def _client_file(frame: GdbFrame) -> Optional[str]:
    """The absolute file name of a gdb.Frame, or for MI, as gdb does, its library's."""
    symtab = gdb_text.line_of(frame).symtab
    path = None if symtab is None else gdb_text.full_name(symtab)
    if console.front_end() == "dap":
        return escaped.encodable(path) if path and os.path.isabs(path) else None
    if path is not None:
        return escaped.encodable(path)
    library = gdb_text.library_at(frame.pc())
    return None if library is None else escaped.shown(library)


class ClientLine:
    """A label, or a frame of another thread, for a front end: it borrows a FRAME of this one."""

    def __init__(self, frame: GdbFrame, row: StackRow) -> None:
        self._frame = frame
        self._row = row

    def inferior_frame(self) -> GdbFrame:
        return self._frame

    def function(self) -> str:
        label = self._row.label
        return _function_of(self._row) if label is None else labels.rule() + str(label.words)

    def address(self) -> Optional[int]:
        frame = self._row.frame
        return int(self._frame.pc()) if frame is None else frame.address

    def _place(self) -> Union[UserFrame, Place, None]:
        return _place_of(self._row)

    def filename(self) -> Optional[str]:
        where = self._place()
        path = symbol_names.full_path(
            process.current(), where.file.raw, self.address() if where.address is None else where.address) \
            if where is not None and where.file else None
        return path and escaped.encodable(path)

    def line(self) -> Optional[int]:
        where = self._place()
        return None if where is None else where.line

    def frame_args(self) -> Optional[List[Fact]]:
        label = self._row.label
        facts = label.facts if label is not None else {}
        return [Fact(name, value) for name, value in facts.items()] or None

    def frame_locals(self) -> None:
        return None

    def elided(self) -> Optional[List[Any]]:
        return None


class MiLine(_First, ClientLine):
    """A label in the place of the newest frame, a row of whose is FIRST."""

    def __init__(self, first: Frame, row: StackRow) -> None:
        super().__init__(first.inferior_frame(), row)
        self._first = first

    def frame_locals(self) -> None:
        self._first.frame_locals()

    def elided(self) -> Any:
        if not self.is_typed:
            return None
        self._first.after.remove(self._row)
        return self._first.elided_for_people()


class DapFrame(ClientFrame):
    """A client asks of frames of one thread, then of another: before gdb 16 nobody selects it."""

    def inferior_frame(self) -> GdbFrame:
        return process.gdb_frame(self.frame.frame)


class DapLine(ClientLine):
    """One whose facts the client would take for variables. OWN: the StackFrame above. FRAME_OF
    returns the gdb.Frame of a row of another thread: what the client asks for is evaluated
    there."""

    def __init__(self, own: StackFrame, row: StackRow,
                 frame_of: Callable[[StackRow], Optional[GdbFrame]]) -> None:
        super().__init__(None, row)
        self._own = own
        self._frame_of = frame_of
        self.children: List[Decorator] = []  # hidden frames that follow

    def inferior_frame(self) -> GdbFrame:
        found = None if self._row.frame is None else self._frame_of(self._row)
        return found or process.gdb_frame(self._own.frame)

    def address(self) -> Optional[int]:
        return int(self._own.pc) if self._row.frame is None else self._row.frame.address

    def function(self) -> str:
        label = self._row.label
        return super().function() if label is None else \
            labels.rule() + labels.sentence(label)

    def frame_args(self) -> None:
        return None

    def elided(self) -> Optional[List[Any]]:
        return [*self.children] or None
