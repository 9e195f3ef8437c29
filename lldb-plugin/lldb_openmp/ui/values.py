# SPDX-License-Identifier: MIT
"""Variables of several threads: "ompd print", "ompd locals"; "ompd thread". What lldb's "frame
variable" understands is printed: no code of the program runs for it."""

from __future__ import annotations

import itertools

import lldb

from openmp_inspect.core import escaped, text
from openmp_inspect.core.errors import UserError
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.source import clauses
from openmp_inspect.code import outlined, places, symbol_names
from openmp_inspect.analysis import labelled_stacks
from openmp_inspect.report import explanations, mapping_list, thread_paths
from lldb_openmp.host import line_tables, sessions
from lldb_openmp.host.frames import Frame

if TYPE_CHECKING:
    from types import SimpleNamespace
    from typing import Any, Dict, Iterable, Iterator, List, Optional
    from openmp_inspect.report.thread_paths import Member
    from lldb_openmp.host.frames import Thread

_MOST_PARTS, _DEEPEST = 200, 8  # of a value that is written
_PATH = regex(r"([*&]*)\s*([A-Za-z_]\w*)\s*(.*)")
_LOST, _UNKNOWN = "<optimized out>", "<not available>"
_BOUND = "vla"  # clang's name of an argument that has the bound of an array


class _Found(NamedTuple):
    """A value in a frame, which may be another thread's."""

    text: str
    frame: Frame
    owner: Thread
    address: int = line_tables.NOWHERE


def print_(given: SimpleNamespace) -> List[str]:
    wanted = " ".join(given.words)
    path = _PATH.match(wanted)
    if path is None:
        raise UserError('Give a variable to print, as in "ompd print x".')
    name = path.group(2)
    with explanations.explained(sessions.process()), Snapshot.of(sessions.space()) as snapshot:
        thread = sessions.selected()
        members = _members(snapshot, thread, given.all)
        known = itertools.takewhile(lambda one: not _is_undescribed(one.frame),
                                    _frames(thread, True))
        anchor = next((one for one in known if _has(one.frame, name)), None)
        found: Dict[str, List[Member]] = {}
        sources, addresses = set(), {line_tables.NOWHERE}
        for member in members:
            one = _static(member.thread, path) if anchor is None else \
                _in_thread(member.thread, path, anchor)
            text_of = one.text if one is not None else "(not known here)"
            found.setdefault(text_of, []).append(member)
            addresses.update(() if one is None else [one.address])
            if one is not None and one.owner != member.thread:
                sources.add((escaped.short(one.frame.name or "?"), one.owner.num))
        if list(found) == ["(not known here)"]:
            raise UserError('No frame of these threads has "%s".' % escaped.shown(wanted))
        rows = [(_label(group, given.all), value) for value, group in found.items()]
        width = max(len(label) for label, _ in rows)
        return ["%-*s  %s" % (width, label, value) for label, value in rows] + [
            text.remark("%s is that of %s () in thread %s." % (
                escaped.shown(name), function, text.thread(number)))
            for function, number in sorted(sources)] + mapping_list.remarks(
                snapshot, wanted, addresses)


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
    for row in labelled_stacks.of(sessions.stacks()).rows(thread):
        level = None if row.frame is None or row.frame.system else row.frame.level
        owner: Any = row.thread
        if level is None or owner is None or owner == thread and level < first:
            continue
        frame = process.frame(owner, level)
        if frame is not None:
            yield _Found("", frame, owner)


def _variables(frame: Frame) -> Dict[str, Any]:
    """The SBValue of each variable of the source that a frame has, by its name, inner blocks first.
    In one block clang's copy of a variable hides the argument, which is the variable around."""
    found: Dict[str, Any] = {}
    for block in frame.blocks():
        for one in sorted(block, key=_is_argument):
            if outlined.is_programmers(one.GetName()) and not _is_bound(one) and \
                    not _is_copied_in(frame, one):
                found.setdefault(one.GetName(), one)
    return found


def _is_argument(variable: Any) -> bool:
    return bool(variable.GetValueType() == lldb.eValueTypeVariableArgument)


def _is_bound(variable: Any) -> bool:
    return variable.GetName() == _BOUND and variable.IsRuntimeSupportValue() and \
        _is_argument(variable)


def _is_copied_in(body: Frame, variable: Any) -> bool:
    """Whether it is the primary thread's copy of a threadprivate variable, which clang hands to the
    BODY of a region with copyin: the directive says so, or the argument is declared where the
    variable is."""
    if not _is_argument(variable) or not variable.GetType().IsReferenceType():
        return False
    source = _directive(body)
    if source is not None:
        return source.classes.get(variable.GetName()) == clauses.THREADPRIVATE
    other, declared = sessions.process().thread_local(variable.GetName()), variable.GetDeclaration()
    return other is not None and declared.IsValid() and other.GetDeclaration() == declared


def _referent(value: Any) -> Any:
    """What an SBValue refers to, itself if it is no reference."""
    return value.Dereference() if value.GetType().IsReferenceType() else value


def _in_thread(thread: Thread, path: Any, anchor: _Found) -> Optional[_Found]:
    """The value that a match of _PATH leads to in the frame of the function that ANCHOR's is of, or
    None."""
    function, name, frames = anchor.frame.function, path.group(2), _frames(thread)
    for one in frames:
        if one.frame.function != function or not _has(one.frame, name):
            continue
        variable = _variables(one.frame).get(name)
        if _is_copy_lost(one.frame, name, variable):
            return _Found(_LOST, one.frame, one.owner)
        if not _is_known(variable):
            return _Found(_UNKNOWN, one.frame, one.owner)
        value = _led_to(_whole(variable, frames), path)
        return _found(value, one.frame, one.owner)
    return None


def _has(frame: Frame, name: str) -> bool:
    variable = _variables(frame).get(name)
    return variable is not None or _is_copy_lost(frame, name, variable)


def _led_to(value: Any, path: Any) -> Any:
    """Where a match of _PATH leads to from the variable that it begins with."""
    before, _, rest = path.groups()
    if rest:
        value = _referent(value.GetValueForExpressionPath(rest))
    for sign in reversed(before):
        value = value.Dereference() if sign == "*" else value.AddressOf()
    return value


def _whole(variable: Any, frames: Iterable[_Found]) -> Any:
    """What a variable or reference is. Of an array of variable length clang's bodies have the
    address alone: it is as one of the FRAMES around has it. lldb misreads the bounds of gcc's,
    whose types it gives a length."""
    value = _referent(variable)
    address = value.GetLoadAddress()
    if not _is_argument(variable) or address == line_tables.NOWHERE or \
            value.GetType().IsArrayType():
        return value
    others = (_variables(one.frame).get(variable.GetName()) for one in frames)
    return next((one for one in others if one is not None and
                 one.GetType().GetName().endswith("[]") and one.GetLoadAddress() == address), value)


def _static(thread: Thread, path: Any) -> Optional[_Found]:
    """The same of what is no variable of a function."""
    process, name = sessions.process(), path.group(2)
    for one in _frames(thread):
        if _has(one.frame, name):
            return None  # a variable of another function
        own = process.thread_local_of(thread, name)
        if own is None and any(known.name == name for known in one.frame.variables()):
            return None  # the argument that is another thread's
        value = one.frame.sb.GetValueForVariablePath(path.group()) if own is None else \
            _led_to(own, path)
        if not value.IsValid():
            found = process.target.FindFirstGlobalVariable(name)
            value = _led_to(found, path) if found.IsValid() else found
        return _found(value, one.frame, thread)
    return None


def _found(value: Any, frame: Frame, owner: Thread) -> Optional[_Found]:
    return _Found(_written(value), frame, owner, value.GetLoadAddress()) if _is_known(value) else None


def _is_known(value: Any) -> bool:
    return bool(value.IsValid() and not value.GetError().Fail())


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
        return words or ("{...}" if parts else _UNKNOWN)
    is_array = value.GetType().GetCanonicalType().IsArrayType()
    written: List[str] = []
    for at in range(parts):
        if left[0] <= 0 or at >= _MOST_PARTS:
            written.append("...")
            break
        part = value.GetChildAtIndex(at)
        result = _of_parts(part, left, depth + 1)
        written.append(result if is_array else "%s = %s" % (part.GetName() or "", result))
    return "{%s}" % ", ".join(written)


def _label(members: List[Member], is_all: bool) -> str:
    numbers = thread_paths.ranges(one.numbers for one in members if one.numbers) if is_all else \
        text.ranges(one.numbers[-1] for one in members if one.numbers).replace(" ", ",")
    return "thread%s %s:" % ("" if len(members) == 1 else "s", numbers)


def locals_(_given: SimpleNamespace) -> List[str]:
    with explanations.explained(sessions.process()):
        frames = list(_frames(sessions.selected(), True))
        at = next((at for at, one in enumerate(frames) if _is_body(one.frame)), None)
        body = None if at is None else frames[at].frame
        if at is None or body is None:
            raise UserError("The selected frame is in no body of an OpenMP construct: \"frame "
                            "variable\" lists its variables.")
        rows = [(_class_of(body, name, value), escaped.shown(name),
                 _LOST if _is_copy_lost(body, name, value) else
                 _written(_whole(value, frames[at + 1:])))
                for name, value in _variables(body).items()]
        width = max((len(kind) for kind, _, _ in rows), default=0)
        return [text.place(_place_of(body)) + ":", *(
            "  %-*s  %s = %s" % (width, kind, text.style("variable", name), shown)
            for kind, name, shown in rows)]


def _place_of(frame: Frame) -> places.Place:
    function, line = frame.function, frame.line
    return places.Place(None, None if function is None else symbol_names.of_function(frame.process, function),
                        None if line.file is None else line.file.name, line.line or None)


def _is_body(frame: Frame) -> bool:
    function = frame.function
    return function is not None and outlined.is_continued(function) and \
        not outlined.is_wrapper(frame)


def _directive(body: Frame) -> Optional[clauses.Clauses]:
    function = body.function
    place = None if function is None else function.file
    return None if function is None or place is None else clauses.read(place.path, function.line)


def _is_copy_lost(frame: Frame, name: str, variable: Any) -> bool:
    """Whether a body has a copy of its own of a variable, by its directive, which the debug
    information leaves out: there is no VARIABLE of that NAME, or an argument, as optimised bodies of
    clang's have, is a reference to that around it."""
    has_own = variable is not None and not (_is_argument(variable) and
                                            variable.GetType().IsReferenceType())
    source = None if has_own or not _is_body(frame) else _directive(frame)
    return source is not None and source.is_copied(name)


def _is_undescribed(frame: Frame) -> bool:
    """Whether lldb knows no variable of a body, as of the part that gcc puts elsewhere."""
    return frame.function is None and outlined.is_body(frame.name or "")


def _class_of(frame: Frame, name: str, value: Any) -> str:
    """Of a variable that is declared in front of the body the class by the clauses."""
    source, declared, function = _directive(frame), value.GetDeclaration(), frame.function
    if declared.IsValid() and function is not None and declared.GetLine() >= function.line > 0:
        return "local"
    shown, older = _referent(value), frame.older
    own = not (shown.GetLocation() or "").startswith("0x") or older is not None and \
        frame.sp <= shown.GetLoadAddress() < older.sp
    if source is None:
        return "private" if own else "shared"
    if source.is_task and not own and name not in source.classes:
        return "captured"
    kind = source.class_of(name, own)
    is_copy = value.IsRuntimeSupportValue() and not _is_argument(value)  # for a construct inside
    return "private" if kind == "shared" and is_copy else kind


def thread(given: SimpleNamespace) -> List[str]:
    process = sessions.process()
    with explanations.explained(process), Snapshot.of(sessions.space()) as snapshot:
        everybody = thread_paths.everybody(snapshot)
        if not given.words:
            own = thread_paths.among(everybody, process.selected())
            return ["The selected thread is %s." % (
                "no OpenMP thread" if own is None else
                own.name("LWP %d" % own.thread.lwp).partition(",")[0])]
        found = thread_paths.find(thread_paths.parse(given.words[0]),
                                  thread_paths.index(everybody),
                                  thread_paths.among(everybody, process.selected()))
        frame = sessions.stacks().walker.user_frame(found.thread)
        said = "[Switching to %s]" % found.name("LWP %d" % found.thread.lwp)
    process.sb.SetSelectedThread(found.thread.sb)
    if frame is not None:
        found.thread.sb.SetSelectedFrame(frame.level or 0)
    return [said]
