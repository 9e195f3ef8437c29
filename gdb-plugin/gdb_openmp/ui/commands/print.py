# SPDX-License-Identifier: MIT
"""ompd print"""

from __future__ import annotations


import gdb
import gdb.types

from openmp_inspect.core import debug, escaped, text
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import symbol_names
from openmp_inspect.report import mapping_list, thread_paths
from gdb_openmp.host import console, gdb_text, inferiors, options, process
from gdb_openmp.host.debug_information import Function
from gdb_openmp.program import address_space
from gdb_openmp.ui import (
    captured_variables, convenience_functions, function_scopes, session)
from gdb_openmp.ui.commands import apply

if TYPE_CHECKING:
    from typing import (Dict, Hashable, List, Match, Optional, Pattern, Sequence, Set,
                        Tuple, Union)
    from gdb_openmp.host.gdb_types import GdbFrame, GdbSymbol, GdbThread
    from gdb_openmp.ui.captured_variables import BodyFinder
    from gdb_openmp.ui.function_scopes import FunctionScope
    from openmp_inspect.report.thread_paths import Member

# Evaluating it has no effect.
_VARIABLE = regex(r"[A-Za-z_]\w*((\.|->)\w+|\[\w+\])*\Z")
_OPTION = regex(r"-(all|team)(\s+|$)")
_FORMAT = regex(r"/([a-zA-Z]+)(\s+|$)")
# A string or character; or a name, with what it may follow if it is to be a variable's.
_STRING = r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'%s)"""
_NAME = r"|((?:%s|::|\$)\s*)?\b([A-Za-z_]\w*)\b(?!\s*::)"
_C_TOKEN = regex(_STRING % "" + _NAME % r"->|\.")
_FORTRAN_TOKEN = regex(_STRING % r"|\.[A-Za-z]+\." + _NAME % "%")


class Command(options.Helpful):
    """Print the value of an expression in each thread of the team.

Usage: ompd print [-all | -team] [/FMT] EXPRESSION

One line for each value, with the OpenMP numbers of the threads that have it.
The expression is evaluated in each thread's innermost frame of the function
that its variables belong to, seen from the selected frame. A variable of the
function around a region that the debug information of the region's body leaves
out is taken from the encountering thread, and said to be. /FMT is as in
"print".

  -team  the team of the selected thread; so it is without an option
  -all   every OpenMP thread, with its path through nested teams"""

    def __init__(self) -> None:
        super().__init__("ompd print", gdb.COMMAND_DATA)

    def act(self, argument: str, from_tty: bool) -> None:
        which, form, expression = _parse(argument)
        session.need_program()
        with session.sentences(), session.snapshot() as snapshot:
            convenience_functions.stopped_thread()
            chosen = apply.choose(snapshot, which)
            table = _Table(captured_variables.BodyFinder(snapshot), expression, form)
            with inferiors.selection_kept():
                table.fill(chosen)
        for line in table.lines(which) + mapping_list.remarks(snapshot, expression, table.addresses):
            console.write(line + "\n")

    def complete(self, text: str, word: Optional[str]) -> Union[int, List[str]]:
        if text.startswith("-") and " " not in text:
            return [] if word is None else options.after_dash(word, ("all", "team"))
        return int(gdb.COMPLETE_EXPRESSION)


def _parse(argument: str) -> Tuple[str, str, str]:
    which, form = "team", ""
    while True:
        found = _OPTION.match(argument)
        if found:
            which = found.group(1)
        else:
            found = _FORMAT.match(argument)
            if not found:
                break
            form = "/" + found.group(1)
        argument = argument[found.end():]
    if not argument.strip():
        raise gdb.GdbError('Give an expression to print, as in "ompd print x".')
    return which, form, argument.strip()


class _Table:
    def __init__(self, finder: BodyFinder, expression: str, form: str) -> None:
        self._finder = finder
        self._walker = address_space.stacks().walker
        self._expression = expression
        self._form = form
        self._values: Dict[str, List[Member]] = {}  # by text
        self._failed: Dict[str, List[Member]] = {}  # likewise
        self.addresses: Set[int] = set()  # of the variable, if it is one
        # (variable, function) -> numbers of the threads that it is taken from.
        self._sources: Dict[Tuple[str, str], Set[int]] = {}

    def fill(self, members: Sequence[Member]) -> None:
        thread, frame = gdb.selected_thread(), convenience_functions.selected_frame()
        anchor = self._anchor(frame)
        if anchor is None:
            frame.select()
            self._must_mean_something()
        for member in members:
            try:
                here = frame if member.thread.ptid == thread.ptid else None
                value = self._in_thread(member.thread, anchor, here)
                self._values.setdefault(value, []).append(member)
            except gdb.error as error:
                self._failed.setdefault(str(error), []).append(member)
        if not self._values and len(self._failed) == 1:
            raise gdb.GdbError(next(iter(self._failed)))

    def _must_mean_something(self) -> None:
        """What does not name anything in the selected frame is not looked for by chance in
        what other threads do."""
        frame = gdb.selected_frame()
        try:
            gdb.execute("whatis " + self._expression, False, True)  # evaluates nothing
        except gdb.error as error:
            if str(error).startswith(("No symbol", "A syntax error")) and not any(
                    _of_module(name, level.function)
                    for name in _names(self._expression, frame)
                    for level in function_scopes.levels(frame)[-1:]):
                raise gdb.GdbError(str(error)) from None

    def lines(self, which: str) -> List[str]:
        label_of = _numbers if which == "team" else _paths
        rows = [(label_of(members), value) for found in (self._values, self._failed)
                for value, members in found.items()]
        width = max((len(label) for label, _ in rows), default=0)
        lines = ["%-*s  %s" % (width, label, value) for label, value in rows]
        return lines + [text.remark("%s is that of %s () in thread%s %s." % (
            escaped.shown(name), escaped.short(function), "" if len(owners) == 1 else "s",
            text.threads(owners)))
                        for (name, function), owners in sorted(self._sources.items())]

    def _anchor(self, frame: GdbFrame) -> Optional[GdbSymbol]:
        """The function whose variables the expression names: the innermost from the
        selected frame outwards that has one of them. None: it names no local variable."""
        wanted = _names(self._expression, frame)
        seen: Set[Hashable] = set()
        for other in self._walker.user_frames(
                gdb.selected_thread(), process.Frame(frame)):
            if other.code is not None and other.code in seen:
                continue  # recursion: it has the variables that it had there
            seen.add(other.code)
            around = process.gdb_frame(other.frame)
            found = function_scopes.levels(around)
            if found and any(_local(name, found, around) for name in wanted):
                return found[0].function
        return None

    def _in_thread(self, thread: GdbThread, anchor: Optional[GdbSymbol],
                   here: Optional[GdbFrame]) -> str:
        if thread.is_running():
            raise gdb.error("(running)")
        thread.switch()
        frame = None
        if anchor is None:
            found = self._walker.user_frame(thread) or self._walker.stack(thread).newest
            if found is None:
                raise gdb.error("(its registers cannot be read)")
        else:
            found = next((f for f in self._walker.user_frames(
                thread, None if here is None else process.Frame(here))
                          if self._walker.runs(f, Function(anchor))), None)
            if found is None:
                raise gdb.error("(not in %s ())" %
                                escaped.short(symbol_names.of_function(process.current(), Function(anchor))))
        frame = process.gdb_frame(found.frame)
        frame.select()
        expression = self._rewritten(frame, thread)
        convenience_functions.Variable.finder = self._finder
        try:
            if _VARIABLE.match(self._expression):
                self.addresses.update(_addresses(expression))
            return gdb_text.printed("output%s %s" % (self._form, expression))
        finally:
            convenience_functions.Variable.finder = None

    def _rewritten(self, frame: GdbFrame, thread: GdbThread) -> str:
        """The expression with variables of functions around the body as $_omp_var()."""
        found = function_scopes.levels(frame)
        if len(found) < 2:
            return self._expression

        def replace(match: Match[str]) -> str:
            if match.group(1) or match.group(2):
                return match.group(0)
            name = match.group(3)
            depth, spelling = function_scopes.where(name, found, frame)
            if name in found[0].copied_in:
                return "'%s'::%s" % (gdb_text.file_name(found[0].copied_in[name].symtab), name)
            if depth is None and _member_of_this(name, found):
                depth, spelling, name = 1, "this", '$_omp_var("this")->' + name
            elif depth:
                name = ("$_omp_var('%s')" if _fortran(frame) else '$_omp_var("%s")') % spelling
            elif depth is None and _fortran(frame):
                name = _of_module(name, found[-1].function)
                return match.group(0) if name is None else name
            if depth == 0 and function_scopes.is_copy_lost(spelling, found[0], found[1:]):
                raise gdb.error("(optimized out)")
            if depth == 0 and function_scopes.is_handed(
                    found[0].symbols[spelling], found[1:]):
                return "(*&%s)" % spelling
            if not depth:
                return match.group(0)
            is_static = not found[depth].symbols[spelling].needs_frame
            if is_static and function_scopes.is_described_inside(found[0].function):
                return match.group(0)
            _, owner, level = convenience_functions.variable(self._finder, spelling, thread)
            thread.switch()
            frame.select()
            function = symbol_names.of_function(process.current(), Function(level.function))
            is_own = gdb_text.symbol_name(level.function) == \
                gdb_text.symbol_name(found[0].function)
            if not is_static and not is_own:
                self._sources.setdefault((spelling, function), set()).add(owner.num)
            return name
        return _token(frame).sub(replace, self._expression)


def _addresses(expression: str) -> List[int]:
    """Where it is in memory, if it is. That of an array which is not gdb would make, by a call in the
    program: an array is where its first element is."""
    try:
        value = gdb.parse_and_eval(expression)
        while value.type.strip_typedefs().code == gdb.TYPE_CODE_ARRAY:
            value = value[value.type.strip_typedefs().range()[0]]
        return [] if value.address is None else [int(value.address)]
    except (gdb.error, RuntimeError):
        debug.ignored()
        return []


def _fortran(frame: GdbFrame) -> bool:
    """Whether gdb reads expressions as Fortran in this frame."""
    language = gdb.parameter("language")
    return language == "fortran" or language in ("auto", "local") and \
        function_scopes.is_fortran(frame)


def _of_module(name: str, function: GdbSymbol) -> Optional[str]:
    """The full name of a variable of the module that a procedure stands in, or None: gdb
    does not look there from the body of a region."""
    full = gdb_text.symbol_name(function).rpartition("::")[0] + "::" + name.lower()
    found = not full.startswith("::") and gdb_text.symbol(full)
    return full if found and found.is_variable else None


def _token(frame: GdbFrame) -> Pattern[str]:
    return _FORTRAN_TOKEN if _fortran(frame) else _C_TOKEN


def _names(expression: str, frame: GdbFrame) -> List[str]:
    return [m.group(3) for m in _token(frame).finditer(expression)
            if m.group(3) and not m.group(1) and not m.group(2)]


def _local(name: str, found: Sequence[FunctionScope], frame: GdbFrame) -> bool:
    depth, _ = function_scopes.where(name, found, frame)
    return depth is not None or any(_fields(level, name) for level in found)


def _member_of_this(name: str, found: Sequence[FunctionScope]) -> bool:
    """Whether a name is a member of the object of a member function, which its region's
    body did not capture."""
    return "this" not in found[0].symbols and len(found) > 1 and _fields(found[1], name)


def _fields(level: FunctionScope, name: str) -> bool:
    this = level.symbols.get("this")
    if this is None:
        return False
    try:
        kind = this.type.strip_typedefs().target().strip_typedefs()
        return bool(gdb.types.has_field(kind, name))
    except (TypeError, RuntimeError):
        debug.ignored()
        return False


def _numbers(members: Sequence[Member]) -> str:
    return _label(text.ranges(m.numbers[-1] for m in members if m.numbers).replace(" ", ","),
                  members)


def _paths(members: Sequence[Member]) -> str:
    return _label(thread_paths.ranges(m.numbers for m in members if m.numbers), members)


def _label(numbers: str, members: Sequence[Member]) -> str:
    unnumbered = text.threads(m.thread.num for m in members if not m.numbers)
    if not numbers:
        return "gdb's %s %s:" % ("thread" if len(members) == 1 else "threads",
                                 unnumbered.replace(" ", ","))
    also = " (and gdb's %s)" % unnumbered.replace(" ", ",") if unnumbered else ""
    return "%s %s%s:" % ("thread" if len(members) == 1 else "threads", numbers, also)
