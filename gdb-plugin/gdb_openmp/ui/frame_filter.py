# SPDX-License-Identifier: MIT
"""gdb's own "bt" in the programmer's model: the frame filter "ompd".

Every row with a number is a frame of the thread, under its own level, so "frame N", "up" and
"down" go on as before. A filter cannot show frames of another thread as such, nor lines that
are no frames: these are written when gdb asks for the children of the frame they follow, which it
does not with -hide. Runtime frames are children, but for the newest one, and only where locals were
asked for: gdb prints children by default, and they would be in the way. "bt N" and "bt -N" count
numbered rows.

A client of MI asks for rows by their levels, and counts with -stack-info-depth. There each
frame has a row, and a label stands in that of a runtime frame; what "bt" prints in its console is
for people, as soon as the first row has shown that it is asked for. In the Debug Adapter Protocol
runtime frames are children, which "includeAll" adds, and labels and frames of other threads are
rows.

While gdb prints, frames must stay where they are: other threads are looked at before the
first row is handed out, never in a decorator.
"""

from __future__ import annotations

import itertools
import sys

import gdb

from openmp_inspect.core import debug, screen, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.core.errors import HostError
from openmp_inspect.model import nesting
from openmp_inspect.code import code_owner
from openmp_inspect.stacks import segments
from openmp_inspect.stacks.labelled_stack import StackRow
from openmp_inspect.stacks.repeated_labels import Repeats
from openmp_inspect.stacks.gap_matcher import in_construct
from openmp_inspect.analysis import labelled_stacks
from gdb_openmp.host import console, frame_decorator, gdb_text, images, inferiors, parameters, \
    process
from gdb_openmp.program import address_space
from gdb_openmp.ui import captured_variables, frame_rows

if TYPE_CHECKING:
    from typing import (Any, Dict, Hashable, Iterable, Iterator, List, Optional, Tuple,
                        Type)
    from openmp_inspect.analysis.labelled_stacks import LabelledStacks
    from openmp_inspect.stacks.thread_stack import StackFrame
    from gdb_openmp.host.gdb_types import GdbFrame, GdbThread
    from gdb_openmp.host.frame_decorator import Decorator

    Used = Iterator[Tuple[Any, int]]  # rows, and how many decorators each stands for

NAME = "ompd"
_MOST_TASKS = 64  # whose creators are looked for


class Filter:
    """Registered once for all programs; enabled only where OpenMP is."""

    name = NAME
    priority = 100

    def __init__(self) -> None:
        self._wanted = True

    @property
    def enabled(self) -> bool:
        try:
            return self._wanted and parameters.backtrace() and code_owner.has_runtime(process.current())
        # gdb shows its own rows where ours fail: "bt" comes before all else.
        except Exception:  # pylint: disable=broad-except
            debug.ignored()
            return False

    @enabled.setter
    def enabled(self, value: bool) -> None:
        self._wanted = value

    def filter(self, iterator: Iterable[Any]) -> Iterator[Any]:
        """The rows of a backtrace; those of ITERATOR if anything goes wrong."""
        iterator = _to_error(iterator)
        try:
            thread = gdb.selected_thread()
            if thread is None or not gdb.selected_inferior().pid:
                return map(frame_decorator.Decorator, iterator)
            if console.front_end() == "mi" and not inferiors.speaks_c():
                return map(frame_rows.Hidden, iterator)
            with inferiors.selection_kept():
                stacks = labelled_stacks.of(address_space.stacks())
                view = _VIEWS[_reader()](stacks, thread)
        # gdb shows its own rows where ours fail: "bt" comes before all else.
        except Exception:  # pylint: disable=broad-except
            debug.ignored()
            return map(frame_decorator.Decorator, iterator)
        return _guarded(view, _of_target(map(frame_decorator.Decorator, iterator)))


def _of_target(iterator: Iterator[Decorator]) -> Iterator[Decorator]:
    """To the first frame that gdb has another file than the target for, whose callers it does not
    find, and says so."""
    for decorator in iterator:
        yield decorator
        if gdb_text.is_other(decorator.inferior_frame().pc()):
            if console.front_end() is None:
                console.write(text.remark(images.differing() or "") + "\n")
            return


def _reader() -> Optional[str]:
    """Who asks for rows, as console.front_end(). What is typed into the console of a client of the
    Debug Adapter Protocol, people read: gdb then calls filters for the command "bt"."""
    found = console.front_end()
    caller = sys._getframe()  # pylint: disable=protected-access
    while found == "dap" and caller.f_back is not None:
        caller = caller.f_back
        if caller.f_code.co_name == "execute_frame_filters":
            return None
    return found


def _to_error(iterator: Iterable[Any]) -> Iterator[Any]:
    """Up to the frame at which gdb has an error, as of damaged debug information: it is said as gdb
    says it without a filter."""
    try:
        yield from iterator
    except (gdb.error, HostError) as error:
        gdb.write("%s\n" % screen.printable(str(error)), gdb.STDERR)


def install() -> None:
    """Makes gdb use the filter; called once."""
    if not hasattr(gdb, "frame_filters"):
        return
    gdb.frame_filters[NAME] = Filter()


def _guarded(view: _View, iterator: Iterator[Decorator]) -> Iterator[Any]:
    """Decorators of the user's frames; after an error those of ITERATOR as they are."""
    # Every frame is either in a row that was handed out, or waits here.
    waiting: List[Decorator] = []

    def watched() -> Iterator[Decorator]:
        for decorator in iterator:
            waiting.append(decorator)
            yield decorator

    rows = view.rows(watched())
    while True:
        try:
            found = next(rows, None)
        # gdb shows its own rows where ours fail: "bt" comes before all else.
        except Exception:  # pylint: disable=broad-except
            debug.ignored()
            yield from waiting
            yield from iterator
            return
        if found is None:
            return
        row, used = found
        del waiting[:used]
        yield row


def _folded(repeats: Repeats, row: frame_rows.Frame) -> Optional[StackRow]:
    """The one row for the labels behind a ROW, or None."""
    label = repeats.folded([one.label for one in row.after if isinstance(one, StackRow)])
    return StackRow(None, label=label) if label is not None else None


class _View:
    """One backtrace of one thread, for people."""

    _frame_row = frame_rows.Frame

    def __init__(self, labelled: LabelledStacks, thread: GdbThread) -> None:
        stacks = self._stacks = labelled.stacks
        self._labelled = labelled
        self._thread = thread
        self._walker = stacks.walker
        self._stack = stacks.stack(thread)  # itself not read before it is needed
        # By the level of their frame, until a row has them.
        self._decorators: Dict[int, Decorator] = {}
        self._creation: Dict[Hashable, List[StackRow]] = {}  # by the key of a task
        self._in_section = False
        self.tail: List[StackRow] = []
        known = self._stack.known
        if known is None:
            return
        self._in_section = bool(stacks.held_by(known))
        stacks.learn(thread)
        self.tail = labelled.continuation(thread)
        for task in nesting.explicit_tasks(known)[0][:_MOST_TASKS]:
            self._creation[task.key] = labelled.creation(task, thread)

    def rows(self, decorators: Iterator[Decorator]) -> Used:
        """(row, how many of DECORATORS it stands for), in order."""
        return self._shown(decorators)

    def _shown(self, decorators: Iterator[Decorator]) -> Used:
        """The same of user frames, with what follows each."""
        row: Optional[frame_rows.Frame] = None
        used = 0
        repeats = Repeats()
        for is_gap, frames in segments.pieces(self._frames(decorators)):
            if is_gap and row is not None:
                row.after += self._labels_of(frames[0])
                row.after += self._taken(frames)
                used += len(frames)
            elif is_gap:  # the thread is in the runtime, whose newest frame is "frame 0"
                row, used = self._row(frames[0]), len(frames)
                row.in_runtime = True
                row.after += self._taken(frames[1:])
                row.after += self._labels_of(frames[0])
            else:
                if row is not None:
                    if segments.called_by_user(row.frame, frames[0]):
                        row.after += self._labels_of(frames[0])
                    row.folded = _folded(repeats, row)
                    yield row, used
                row, used = self._row(frames[0]), 1
                row.after += self._sections(frames[0])
        if row is not None:
            row.folded = _folded(repeats, row)
            row.tail = self.tail
            yield row, used

    def _frames(self, decorators: Iterator[Decorator]) -> Iterator[StackFrame]:
        """The StackFrames of DECORATORS, which wait in _decorators."""
        stack = iter(self._stack.frames)
        for decorator in decorators:
            wanted = decorator.inferior_frame()
            frame = next(frame for frame in stack if frame.frame == process.Frame(wanted))
            self._decorators[frame.level] = decorator
            yield frame

    def _taken(self, frames: Iterable[StackFrame]) -> List[Decorator]:
        return [self._decorators.pop(frame.level) for frame in frames]

    def _row(self, frame: StackFrame) -> frame_rows.Frame:
        decorator, = self._taken([frame])
        return self._frame_row(decorator, frame, self._walker)

    def _labels_of(self, frame: StackFrame) -> List[StackRow]:
        """Rows for the gap that begins with a frame."""
        result: List[StackRow] = []
        for label in self._labelled.labels(self._stack).get(frame.level, ()):
            result.append(StackRow(self._thread, label=label))
            if label.task is not None:
                result += self._creation.get(label.task.key, ())
        return result

    def _sections(self, frame: StackFrame) -> List[StackRow]:
        """Rows for a user frame."""
        if self._in_section:
            found = self._stack.matched.held.get(frame.level, ())
        else:
            place = self._walker.place_of(frame)
            found = [in_construct(self._walker.process, extent, place) for extent in
                     self._walker.within.of(frame, place)]
        return [StackRow(self._thread, label=label) for label in found]


class _DapView(_View):
    """For the Debug Adapter Protocol: what follows a frame are rows, too."""

    _frame_row = frame_rows.DapFrame

    def rows(self, decorators: Iterator[Decorator]) -> Used:
        newest: List[Any] = []  # of a thread inside the runtime
        count = 0
        for row, used in self._shown(map(frame_rows.Hidden, decorators)):
            if row.in_runtime:
                newest, count = [row, *row.after], used
                last = row
                continue
            # The user's frame comes first: a client opens what the first one has.
            yield from self._lines(row, newest + row.after + row.tail, used + count)
            newest, count = [], 0
        if newest:
            yield from self._lines(last, newest[1:] + last.tail, count)

    def _lines(self, row: frame_rows.Frame, items: Iterable[Any], used: int) -> Used:
        """A frame, and what follows it: hidden frames are children of the line before."""
        found: List[Any] = [row]
        for one in items:
            if isinstance(one, StackRow):
                found.append(frame_rows.DapLine(row.frame, one, self._frame_of))
            else:
                found[-1].children.append(one)
        yield row, used
        for line in found[1:]:
            yield line, 0

    def _frame_of(self, row: StackRow) -> Optional[GdbFrame]:
        """The gdb.Frame of a row of another thread, which is selected; None if it is gone."""
        return None if row.frame is None or row.thread is None else \
            captured_variables.frame_shown(self._stacks, row.thread, row.frame)


class _MiView(_View):
    """For MI: a row for each frame; but for people where they read what "bt" prints."""

    _frame_row: Type[frame_rows.Frame] = frame_rows.MiFrame

    def rows(self, decorators: Iterator[Decorator]) -> Used:
        shown = self._shown(decorators)
        is_first, extra = True, 0
        for row, used in shown:
            lines = self._lines(row)
            if is_first:
                yield lines[0], 1
                if lines[0].is_typed:
                    self._frame_row, extra = frame_rows.Frame, used - 1
                    break
            for line in lines[is_first:]:
                yield line, 1
            is_first = False
        else:
            for decorator in itertools.chain(self._decorators.values(), decorators):
                yield frame_rows.Hidden(decorator), 1
        for row, used in shown:
            yield row, used + extra
            extra = 0

    @staticmethod
    def _lines(row: frame_rows.Frame) -> List[Any]:
        """The rows of a frame and the hidden ones behind it, of which the first have labels."""
        found = [one for one in [*row.after, *row.tail] if isinstance(one, StackRow) and
                 one.label is not None and one.label.kind != "within"]
        hidden = [one for one in row.after if not isinstance(one, StackRow)]
        lines: List[Any] = [row]
        if row.in_runtime and found:
            lines = [frame_rows.MiLine(row, found.pop(0))]
        return lines + [
            frame_rows.Hidden(decorator) if one is None else
            frame_rows.ClientLine(decorator.inferior_frame(), one)
            for decorator, one in itertools.zip_longest(hidden, found[:len(hidden)])]


_VIEWS: Dict[Optional[str], Type[_View]] = {None: _View, "dap": _DapView, "mi": _MiView}
