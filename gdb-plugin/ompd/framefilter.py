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

from ompd import (calls, decoded, directives, enclosing, escaped, extents, frames, gdbtext,
                  labels, library, names, nesting, outlined, parameters, stack, story, target,
                  text)
from ompd.labeller import in_construct
from ompd.threadstack import Row

NAME = "ompd"
_MOST_TASKS = 64  # whose creators are looked for


class Filter:
    """Registered once for all programs; enabled only where OpenMP is."""

    name = NAME
    priority = 100

    def __init__(self):
        self._wanted = True
        self._present = {}

    @property
    def enabled(self):
        try:
            return bool(self._wanted and parameters.backtrace() and self._openmp())
        except Exception:  # pylint: disable=broad-except
            return False

    @enabled.setter
    def enabled(self, value):
        self._wanted = value

    def filter(self, iterator):
        """The rows of a backtrace; those of ITERATOR if anything goes wrong."""
        try:
            thread = gdb.selected_thread()
            if thread is None or not gdb.selected_inferior().pid:
                return map(decoded.Decorator, iterator)
            if text.for_machines() and not target.speaks_c():
                return map(decoded.Decorator, iterator)
            with frames.selection_kept():
                told = story.current()
                view = _View(told, thread)
        except Exception:  # pylint: disable=broad-except  # "bt" comes before all else
            return map(decoded.Decorator, iterator)
        return _guarded(view, map(decoded.Decorator, iterator))

    def forget(self, _event=None):
        """Programs or libraries came or went."""
        self._present.clear()
        calls.forget()
        directives.forget()
        extents.forget()

    def _openmp(self):
        space = gdb.current_progspace()
        key = id(space), gdbtext.file_name(space)
        if key not in self._present:
            self._present[key] = library.in_place()
        return self._present[key]


def install():
    """Makes gdb use the filter; called once."""
    if not hasattr(gdb, "frame_filters"):
        return
    found = Filter()
    gdb.frame_filters[NAME] = found
    for name in ("new_objfile", "clear_objfiles", "free_objfile", "exited"):
        registry = getattr(gdb.events, name, None)
        if registry is not None:
            registry.connect(found.forget)


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
            return
        except Exception:  # pylint: disable=broad-except
            yield from waiting
            yield from iterator
            return
        del waiting[:used]
        yield row


class _View:
    """One backtrace of one thread."""

    def __init__(self, told, thread):
        self._told = told
        self._thread = thread
        self._walker = told.walker
        self._stack = told.stack(thread)  # itself not read before it is needed
        self._creation = {}
        self._in_section = False
        self.tail = []
        known = self._stack.known
        if known is None:
            return
        self._in_section = bool(told.held_by(known))
        told.learn(thread)
        self.tail = told.continuation(thread)
        for task in nesting.explicit_tasks(known)[0][:_MOST_TASKS]:
            self._creation[task.key] = told.creation(task, thread)

    def rows(self, decorators):
        """(row, how many of DECORATORS it stands for), in order."""
        row, lead, used = None, [], 0
        for is_gap, entries in stack.pieces(_numbered(decorators), self._walker):
            if is_gap and row is None:
                lead = entries
            elif is_gap:
                row.elide(self._labels_of(entries), entries)
                used += len(entries)
            else:
                if row is not None:
                    if stack.called_by_user(row.inferior_frame(), entries[0][1], self._walker):
                        row.elide(self._labels_of(entries), [])
                    yield row, used
                row, used = _Row(entries[0][2], self._walker), len(lead) + 1
                row.elide(self._sections(*entries[0][:2]), [])
                row.elide(self._labels_of(lead), lead)
                lead = []
        if row is None and lead:
            row, used = _Row(lead[0][2], self._walker), len(lead)  # nothing of the user's is there
            row.elide(self._labels_of(lead), lead[1:])
        if row is not None:
            row.elide(self.tail, [])
            yield row, used

    def _labels_of(self, entries):
        """Rows for a gap."""
        result = []
        if entries:
            for label in self._stack.labels.get(entries[0][0], ()):
                result.append(Row(self._thread, label=label))
                if label.task is not None:
                    result += self._creation.get(label.task.key, ())
        return result

    def _sections(self, level, frame):
        """Rows for a user frame."""
        if self._in_section:
            found = self._stack.held.get(level, ())
        else:
            place = self._walker.place_of(frame)
            found = [in_construct(extent, place) for extent in
                     self._walker.within.of(frame, place)]
        return [Row(self._thread, label=label) for label in found]


def _numbered(decorators):
    for number, decorator in enumerate(decorators):
        frame = decorator.inferior_frame()
        yield (frame.level() if hasattr(frame, "level") else number), frame, decorator


def _or_plain(method):
    """A method of a decorator that does as gdb's own when it fails."""
    plain = getattr(decoded.Decorator, method.__name__)

    @functools.wraps(method)
    def guarded(self):
        try:
            return method(self)
        except Exception:  # pylint: disable=broad-except
            try:
                return plain(self)
            except Exception:  # pylint: disable=broad-except
                return None  # gdb shows what it has without it
    return guarded


class _Row(decoded.Decorator):
    """A frame of the thread itself."""

    def __init__(self, base, walker):
        super().__init__(base)
        self._walker = walker
        self._rows = []
        self._elided = []
        self._full = False

    def elide(self, rows, entries):
        self._rows += rows
        self._elided += [decorator for _, _, decorator in entries]

    @_or_plain
    def function(self):
        frame = self.inferior_frame()
        if frame.type() not in (gdb.NORMAL_FRAME, gdb.INLINE_FRAME):
            return super().function()
        return names.short(names.of_frame(frame) or "??")

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
            library = gdbtext.library_at(frame.pc())
            return None if library is None else escaped.shown(library)
        if text.for_machines():
            return escaped.encodable(gdbtext.full_name(symtab))
        return text.file_name(gdbtext.full_name(symtab), gdbtext.file_name(symtab))

    @_or_plain
    def line(self):
        frame = self.inferior_frame()
        known = super().line()
        opened = None if known is None else self._walker.opened(frame)
        return known if opened is None else opened.line

    def _of_signal(self):
        return self.inferior_frame().type() == gdb.SIGTRAMP_FRAME

    @_or_plain
    def frame_args(self):
        """Without those that clang gives to bodies."""
        found = super().frame_args() or []
        if outlined.is_body(gdbtext.frame_name(self.inferior_frame()) or ""):
            found = [one for one in found
                     if not outlined.is_own(gdbtext.exact(str, one.symbol()))]
        return found or None

    def frame_locals(self):
        self._full = True
        try:
            own = self._own_locals()
        except Exception:  # pylint: disable=broad-except
            own = None
        return super().frame_locals() if own is None else own

    def _own_locals(self):
        """Those of an outlined body. gdb goes on with the function around it, which stands
        in another frame: what it finds here in the place of its variables is anything."""
        levels = enclosing.levels(self.inferior_frame())
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
        return names.short(self._row.frame.function or "") or "%#x" % self._row.frame.address

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
