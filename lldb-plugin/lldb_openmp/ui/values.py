# SPDX-License-Identifier: MIT
"""Variables of several threads: "ompd print", "ompd locals"; "ompd thread". What lldb's "frame
variable" understands is printed: no code of the program runs for it."""

from __future__ import annotations

import lldb

from openmp_inspect.core import escaped, text
from openmp_inspect.core.errors import UserError
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.host import interface
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.source import clauses
from openmp_inspect.code import outlined, places, symbol_names
from openmp_inspect.stacks import stitched_stack
from openmp_inspect.analysis import labelled_stacks
from openmp_inspect.report import explanations, thread_paths
from lldb_openmp.host import sessions
from lldb_openmp.host.frames import Frame
from lldb_openmp.ui import reports

if TYPE_CHECKING:
    from types import SimpleNamespace
    from typing import Any, Dict, Iterator, List, Optional
    from openmp_inspect.report.thread_paths import Member
    from lldb_openmp.host.frames import Thread

_MOST_PARTS, _DEEPEST = 200, 8  # of a value that is written
_NAME = regex(r"[*&(]*\s*([A-Za-z_]\w*)")


class _Found(NamedTuple):
    """A value in a frame, which may be another thread's."""

    text: str
    frame: Frame
    owner: Thread


def print_(given: SimpleNamespace) -> List[str]:
    wanted = " ".join(given.words)
    name = _NAME.match(wanted)
    if name is None:
        raise UserError('Give a variable to print, as in "ompd print x".')
    with explanations.explained(), Snapshot.current() as snapshot:
        thread = reports.selected()
        members = _members(snapshot, thread, given.all)
        anchor = next((one for one in _frames(thread, True)
                       if _has(one.frame, name.group(1))), None)
        is_static = anchor is None
        found: Dict[str, List[Member]] = {}
        sources = set()
        for member in members:
            one = _in_thread(member.thread, wanted, name.group(1), anchor, is_static)
            text_of = one.text if one is not None else "(not known here)"
            found.setdefault(text_of, []).append(member)
            if one is not None and one.owner != member.thread:
                sources.add((escaped.short(one.frame.name or "?"), one.owner.num))
        if list(found) == ["(not known here)"]:
            raise UserError('No frame of these threads has "%s".' % escaped.shown(wanted))
        rows = [(_label(group, given.all), value) for value, group in found.items()]
        width = max(len(label) for label, _ in rows)
        return ["%-*s  %s" % (width, label, escaped.lines(value)) for label, value in rows] + [
            text.remark("%s is that of %s () in thread %s." % (
                escaped.shown(name.group(1)), function, text.thread(number)))
            for function, number in sorted(sources)]


def _members(snapshot: Snapshot, thread: Thread, is_all: bool) -> List[Member]:
    """The OpenMP threads of the selected thread's team, or every one."""
    every = [one for one in thread_paths.everybody(snapshot) if one.numbers is not None]
    own = thread_paths.among(every, thread)
    if own is None and not is_all:
        raise UserError("The selected thread is in no team: \"ompd threads\" lists those that are.")
    if is_all or own is None:
        return every
    region = own.known.region
    return [one for one in every if one.known.region is not None and region is not None and
            one.known.region.key == region.key] or [own]


def _frames(thread: Thread, from_selected: bool = False) -> Iterator[_Found]:
    """The user's frames of a thread, and of those that continue it, innermost first; those outside
    of the frame that is selected."""
    process = sessions.process()
    first = thread.sb.GetSelectedFrame().GetFrameID() if from_selected else 0
    for row in labelled_stacks.current().rows(thread):
        level = None if row.frame is None or row.frame.system else row.frame.level
        owner: Any = row.thread
        if level is None or owner is None or owner == thread and level < first:
            continue
        frame = process.frame(owner, level)
        if frame is not None:
            yield _Found("", frame, owner)


def _has(frame: Frame, name: str) -> bool:
    return any(one.name == name for one in frame.variables())


def _in_thread(thread: Thread, wanted: str, name: str, anchor: Optional[_Found],
               is_static: bool) -> Optional[_Found]:
    function = None if anchor is None else anchor.frame.function
    for one in _frames(thread):
        if is_static or one.frame.function == function and _has(one.frame, name):
            value = one.frame.sb.GetValueForVariablePath(wanted)
            if not value.IsValid() and is_static:
                found = sessions.process().target.FindFirstGlobalVariable(name)
                value = found if wanted == name else lldb.SBValue()
            if value.IsValid() and not value.GetError().Fail():
                return _Found(_written(value), one.frame, one.owner if not is_static else thread)
            if is_static:
                return None
    return None


def _written(value: Any) -> str:
    """In one line, as gdb writes values: {1, 2, {x = 3}}."""
    return _of_parts(value, [_MOST_PARTS], 0)


def _of_parts(value: Any, left: List[int], depth: int) -> str:
    """LEFT: how many further parts of it are written."""
    left[0] -= 1
    parts = value.GetNumChildren(_MOST_PARTS + 1)
    shown, summary = value.GetValue(), value.GetSummary()
    if shown is not None or summary is not None or not parts or depth > _DEEPEST:
        words = " ".join(word for word in (shown, summary) if word)
        return words or ("{...}" if parts else "<not available>")
    is_array = value.GetType().GetCanonicalType().IsArrayType()
    written: List[str] = []
    for at in range(parts):
        if left[0] <= 0 or at >= _MOST_PARTS:
            written.append("...")
            break
        part = value.GetChildAtIndex(at)
        told = _of_parts(part, left, depth + 1)
        written.append(told if is_array else "%s = %s" % (part.GetName() or "", told))
    return "{%s}" % ", ".join(written)


def _label(members: List[Member], is_all: bool) -> str:
    numbers = thread_paths.ranges(one.numbers for one in members if one.numbers) if is_all else \
        text.ranges(one.numbers[-1] for one in members if one.numbers).replace(" ", ",")
    return "thread%s %s:" % ("" if len(members) == 1 else "s", numbers)


def locals_(_given: SimpleNamespace) -> List[str]:
    with explanations.explained():
        frames = (one.frame for one in _frames(reports.selected(), True))
        body = next((one for one in frames if _is_body(one)), None)
        if body is None or body.function is None:
            raise UserError("The selected frame is in no body of an OpenMP construct: \"frame "
                            "variable\" lists its variables.")
        place, line = body.function.file, body.function.line
        source = None if place is None else clauses.read(place.path, line)
        rows: Dict[str, List[str]] = {}
        for variable in reversed(body.variables()):
            value = body.sb.FindVariable(variable.name)
            if "." not in variable.name and value.IsValid():
                rows[variable.name] = [_class_of(body, variable, source, line, value),
                                       escaped.shown(variable.name), escaped.lines(_written(value))]
        return [text.place(_place_of(body)) + ":", *(
            "  %-*s  %s = %s" % (max(len(row[0]) for row in rows.values()), kind,
                                 text.style("variable", name), shown)
            for kind, name, shown in rows.values())]


def _place_of(frame: Frame) -> places.Place:
    function, line = frame.function, frame.line
    return places.Place(None if function is None else symbol_names.of_function(function),
                        None if line.file is None else line.file.name, line.line or None)


def _is_body(frame: Frame) -> bool:
    function = frame.function
    return function is not None and outlined.is_continued(function) and \
        not outlined.is_wrapper(frame)


def _class_of(frame: Frame, variable: interface.Variable, source: Optional[clauses.Clauses],
              line: int, value: Any) -> str:
    """Of a variable that is declared in front of the body the class by the clauses."""
    declared = value.GetDeclaration()
    if declared.IsValid() and declared.GetLine() >= line:
        return "local"
    older = frame.older
    own = variable.address is None or older is not None and \
        frame.sp <= variable.address < older.sp
    if source is None:
        return "private" if own else "shared"
    if source.is_task and not own and variable.name not in source.classes:
        return "captured"
    return source.class_of(variable.name, own)


def thread(given: SimpleNamespace) -> List[str]:
    process = sessions.process()
    with explanations.explained(), Snapshot.current() as snapshot:
        everybody = thread_paths.everybody(snapshot)
        if not given.words:
            own = thread_paths.among(everybody, process.selected())
            return ["The selected thread is %s." % (
                "no OpenMP thread" if own is None else
                own.name("LWP %d" % own.thread.lwp).partition(",")[0])]
        found = thread_paths.find(thread_paths.parse(given.words[0]),
                                  thread_paths.index(everybody),
                                  thread_paths.among(everybody, process.selected()))
        frame = stitched_stack.current().walker.user_frame(found.thread)
        said = "[Switching to %s]" % found.name("LWP %d" % found.thread.lwp)
    process.sb.SetSelectedThread(found.thread.sb)
    if frame is not None:
        found.thread.sb.SetSelectedFrame(frame.level or 0)
    return [said]
