# SPDX-License-Identifier: MIT
"""gdb's own "bt" in the programmer's model: the frame filter "ompd".

Every row with a number is a frame of the thread, under its own level, so "frame N", "up" and
"down" go on as before. A filter cannot show frames of another thread as such, nor lines that
are no frames: these are children of the frame they follow, which gdb prints indented and
without a number, leaves out with -hide, and gives as "children" in MI. Runtime frames are
children, too, but only where locals were asked for: gdb prints children by default, and they
would be in the way. "bt N" and "bt -N" count numbered rows.

While gdb prints, frames must stay where they are: other threads are looked at before the
first row is handed out, never in a decorator.
"""

import functools

import gdb

from gdb_openmp.core import caches, debug
from gdb_openmp.host import escaped, frame_decorator, gdb_text, inferiors, modules, parameters, text
from gdb_openmp.model import nesting
from gdb_openmp.program import code_owner, outlined, symbol_names
from gdb_openmp.stacks import captured_variables, labels, segments, stitched_stack
from gdb_openmp.stacks.labelled_stack import Row
from gdb_openmp.stacks.labeller import in_construct

NAME = "ompd"
_MOST_TASKS = 64  # whose creators are looked for


class Filter:
    """Registered once for all programs; enabled only where OpenMP is."""

    name = NAME
    priority = 100

    def __init__(self):
        self._wanted = True
        self._present = caches.of_code()

    @property
    def enabled(self):
        try:
            return bool(self._wanted and parameters.backtrace() and self._openmp())
        # gdb shows its own rows where ours fail: "bt" comes before all else.
        except Exception:  # pylint: disable=broad-except
            debug.ignored()
            return False

    @enabled.setter
    def enabled(self, value):
        self._wanted = value

    def filter(self, iterator):
        """The rows of a backtrace; those of ITERATOR if anything goes wrong."""
        try:
            thread = gdb.selected_thread()
            if thread is None or not gdb.selected_inferior().pid:
                return map(frame_decorator.Decorator, iterator)
            if text.for_machines() and not inferiors.speaks_c():
                return map(frame_decorator.Decorator, iterator)
            with inferiors.selection_kept():
                stacks = stitched_stack.current()
                view = _View(stacks, thread)
        # gdb shows its own rows where ours fail: "bt" comes before all else.
        except Exception:  # pylint: disable=broad-except
            debug.ignored()
            return map(frame_decorator.Decorator, iterator)
        return _guarded(view, map(frame_decorator.Decorator, iterator))

    def _openmp(self):
        key = inferiors.program_space(), inferiors.program()
        if key not in self._present:
            self._present[key] = code_owner.has_runtime()
        return self._present[key]


def install():
    """Makes gdb use the filter; called once."""
    if not hasattr(gdb, "frame_filters"):
        return
    gdb.frame_filters[NAME] = Filter()


def _guarded(view, iterator):
    """Decorators of the user's frames; after an error those of ITERATOR as they are."""
    # Every frame is either in a row that was handed out, or waits here.
    waiting = []

    def watched():
        for decorator in iterator:
            waiting.append(decorator)
            yield decorator

    rows = view.rows(watched())
    while True:
        try:
            row, used = next(rows)
        except StopIteration:
            debug.ignored()
            return
        # gdb shows its own rows where ours fail: "bt" comes before all else.
        except Exception:  # pylint: disable=broad-except
            debug.ignored()
            yield from waiting
            yield from iterator
            return
        del waiting[:used]
        yield row


class _View:
    """One backtrace of one thread."""

    def __init__(self, stacks, thread):
        self._stacks = stacks
        self._thread = thread
        self._walker = stacks.walker
        self._stack = stacks.stack(thread)  # itself not read before it is needed
        self._decorators = {}  # by the level of their frame, until a row has them
        self._creation = {}
        self._in_section = False
        self.tail = []
        known = self._stack.known
        if known is None:
            return
        self._in_section = bool(stacks.held_by(known))
        stacks.learn(thread)
        self.tail = stacks.continuation(thread)
        for task in nesting.explicit_tasks(known)[0][:_MOST_TASKS]:
            self._creation[task.key] = stacks.creation(task, thread)

    def rows(self, decorators):
        """(row, how many of DECORATORS it stands for), in order."""
        row, lead, used = None, [], 0
        for is_gap, frames in segments.pieces(self._frames(decorators)):
            if is_gap and row is None:
                lead = frames
            elif is_gap:
                self._elide(row, frames)
                used += len(frames)
            else:
                frame = frames[0]
                if row is not None:
                    if segments.called_by_user(row.frame, frame):
                        row.elide(self._labels_of(frame), [])
                    yield row, used
                row, used = self._row(frame), len(lead) + 1
                row.elide(self._sections(frame), [])
                self._elide(row, lead)
                lead = []
        if row is None and lead:
            row, used = self._row(lead[0]), len(lead)  # nothing of the user's is there
            row.elide(self._labels_of(lead[0]), self._taken(lead[1:]))
        if row is not None:
            row.elide(self.tail, [])
            yield row, used

    def _frames(self, decorators):
        """The StackFrames of DECORATORS, which wait in _decorators."""
        stack = iter(self._stack.frames)
        for decorator in decorators:
            wanted = decorator.inferior_frame()
            frame = next(frame for frame in stack if frame.is_frame(wanted))
            self._decorators[frame.level] = decorator
            yield frame

    def _taken(self, frames):
        return [self._decorators.pop(frame.level) for frame in frames]

    def _row(self, frame):
        return _Row(*self._taken([frame]), frame, self._walker)

    def _elide(self, row, gap):
        if gap:
            row.elide(self._labels_of(gap[0]), self._taken(gap))

    def _labels_of(self, frame):
        """Rows for the gap that begins with a frame."""
        result = []
        for label in self._stack.labels.get(frame.level, ()):
            result.append(Row(self._thread, label=label))
            if label.task is not None:
                result += self._creation.get(label.task.key, ())
        return result

    def _sections(self, frame):
        """Rows for a user frame."""
        if self._in_section:
            found = self._stack.matched.held.get(frame.level, ())
        else:
            place = self._walker.place_of(frame)
            found = [in_construct(extent, place) for extent in
                     self._walker.within.of(frame, place)]
        return [Row(self._thread, label=label) for label in found]


def _or_plain(method):
    """A method of a decorator that does as gdb's own when it fails."""
    plain = getattr(frame_decorator.Decorator, method.__name__)

    @functools.wraps(method)
    def guarded(self):
        try:
            return method(self)
        # gdb shows its own rows where ours fail: "bt" comes before all else.
        except Exception:  # pylint: disable=broad-except
            debug.ignored()
            try:
                return plain(self)
            # gdb shows its own rows where ours fail: "bt" comes before all else.
            except Exception:  # pylint: disable=broad-except
                debug.ignored()
                return None  # gdb shows what it has without it
    return guarded


class _Row(frame_decorator.Decorator):
    """A frame of the thread itself."""

    def __init__(self, base, frame, walker):
        super().__init__(base)
        self.frame = frame  # a StackFrame
        self._walker = walker
        self._rows = []
        self._elided = []
        self._full = False

    def elide(self, rows, decorators):
        """Adds children: ROWS of ours, and DECORATORS of frames that are not shown."""
        self._rows += rows
        self._elided += decorators

    @_or_plain
    def function(self):
        frame = self.inferior_frame()
        if frame.type() not in (gdb.NORMAL_FRAME, gdb.INLINE_FRAME):
            return super().function()
        name = symbol_names.of_frame(frame)
        if not name and not text.for_machines():
            return escaped.shown(modules.named(frame.pc()))
        return escaped.short(name or "??")

    @_or_plain
    def address(self):
        # A programmer's place is a line; MI clients want both.
        if not text.for_machines() and (self.line() is not None or self._of_signal()):
            return None
        return super().address()

    @_or_plain
    def filename(self):
        if self._of_signal():
            return None
        frame = self.inferior_frame()
        symtab = frame.find_sal().symtab
        if symtab is None:
            if not text.for_machines() and not gdb_text.frame_name(frame):
                return None  # function() has named it
            library = gdb_text.library_at(frame.pc())
            return None if library is None else escaped.shown(library)
        if text.for_machines():
            return escaped.encodable(gdb_text.full_name(symtab))
        return text.file_name(gdb_text.full_name(symtab), gdb_text.file_name(symtab))

    @_or_plain
    def line(self):
        known = super().line()
        opened = None if known is None else self._walker.opened(self.frame)
        return known if opened is None else opened.line

    def _of_signal(self):
        return self.inferior_frame().type() == gdb.SIGTRAMP_FRAME

    @_or_plain
    def frame_args(self):
        """Without those that clang gives to bodies."""
        found = super().frame_args() or []
        if outlined.is_of_clang(gdb_text.frame_name(self.inferior_frame()) or ""):
            found = [one for one in found
                     if not outlined.is_own(gdb_text.exact(str, one.symbol()))]
        return found or None

    def frame_locals(self):
        self._full = True
        try:
            own = self._own_locals()
        # gdb shows its own rows where ours fail: "bt" comes before all else.
        except Exception:  # pylint: disable=broad-except
            debug.ignored()
            own = None
        return super().frame_locals() if own is None else own

    def _own_locals(self):
        """Those of an outlined body. gdb goes on with the function around it, which stands
        in another frame: what it finds here in the place of its variables is anything."""
        levels = captured_variables.levels(self.inferior_frame())
        if len(levels) < 2:
            return None
        return [_Fact(symbol, None) for symbol in levels[0].symbols.values()
                if symbol.is_variable]

    @_or_plain
    def elided(self):
        frame = self.inferior_frame()
        children = [_Line(frame, row) for row in self._rows]
        if self._full:
            children += self._elided
        before = super().elided()
        if before is not None:
            children += list(before)
        return children or None


class _Line:
    """A label, or a frame of another thread: it borrows the FRAME that stands above it."""

    def __init__(self, frame, row):
        self._frame = frame
        self._row = row

    def inferior_frame(self):
        return self._frame

    def function(self):
        if self._row.label is not None:
            return labels.rule() + escaped.shown(self._row.label.words)
        frame = self._row.frame
        return escaped.short(frame.function) if frame.function else \
            escaped.shown(modules.named(frame.address))

    def address(self):
        return None

    def filename(self):
        where = self._row.frame or self._row.label.place
        if where is None or not where.file or not where.line:
            return None
        return escaped.encodable(where.file) if text.for_machines() else \
            text.file_name(where.file)

    def line(self):
        where = self._row.frame or self._row.label.place
        return where.line if where is not None and where.file else None

    def frame_args(self):
        label = self._row.label
        facts = label.facts if label is not None else {}
        return [_Fact(name, value) for name, value in facts.items()] or None

    def frame_locals(self):
        return None

    def elided(self):
        return None


class _Fact:
    """A fact of a label as an argument. gdb has such a class, with other parameters from
    release to release."""

    def __init__(self, name, value):
        self._name = name
        self._value = value

    def symbol(self):
        return self._name

    def value(self):
        return self._value
