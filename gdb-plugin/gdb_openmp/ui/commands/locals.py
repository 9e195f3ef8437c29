# SPDX-License-Identifier: MIT
"""ompd locals"""

from __future__ import annotations

import gdb

from openmp_inspect.core import debug, escaped, text
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import places, symbol_names
from openmp_inspect.source import clauses
from gdb_openmp.host import console, inferiors, options, process
from gdb_openmp.host.debug_information import Function, address_of
from gdb_openmp.program import address_space
from gdb_openmp.ui import (
    captured_variables, convenience_functions, function_scopes, session)

if TYPE_CHECKING:
    from typing import List, Optional, Sequence, Set, Tuple
    from gdb_openmp.host.gdb_types import GdbFrame, GdbSymbol, GdbThread, GdbValue
    from gdb_openmp.ui.captured_variables import BodyFinder
    from gdb_openmp.ui.function_scopes import FunctionScope

    Row = Tuple[str, str, str]  # class, name, value
    Known = Tuple[FunctionScope, GdbThread, GdbFrame]


class Command(options.Helpful):
    """List variables of a construct's body and around it, by class.

Usage: ompd locals

For the body that the selected frame is in, with what each is in OpenMP:
  local          declared in the body
  private, firstprivate, lastprivate, linear, reduction
                 the thread's own copy, by the clauses in the source; "private"
                 also stands for any copy where the source cannot be read
  shared         one for all
  threadprivate  the thread's own, where the construct copies it in
  captured       a task has it from around it, by value or shared: which of
                 the two is not known
  encloser's     not used in the body: it is in the frame of the function
                 around it, in the encountering thread"""

    def __init__(self) -> None:
        super().__init__("ompd locals", gdb.COMMAND_STACK, gdb.COMPLETE_NONE)

    def act(self, argument: str, from_tty: bool) -> None:
        self.dont_repeat()
        options.no_arguments("ompd locals", argument)
        session.need_program()
        with session.sentences(), session.snapshot() as snapshot:
            thread = convenience_functions.stopped_thread()
            with inferiors.selection_kept():
                body = captured_variables.body_frame(
                    thread, convenience_functions.selected_frame())
                if body is None:
                    raise gdb.GdbError("The selected frame is in no body of an OpenMP "
                                       'construct: "info locals" lists its variables.')
                lines = _lines(captured_variables.BodyFinder(snapshot), thread, body)
        for line in lines:
            console.write(line + "\n")


def _lines(finder: BodyFinder, thread: GdbThread, body: GdbFrame) -> List[str]:
    known, rest, reason = finder.chain(thread, body)
    if not known:
        return ["No debug information describes this body."]
    blocks = []
    hidden: Set[str] = set()
    for depth, (level, owner, frame) in enumerate(known):
        owner.switch()
        rows = _body_rows(known, hidden) if depth == 0 else _outer_rows(level, frame, hidden)
        blocks.append((_title(level, owner, frame, depth), rows))
    lines = []
    width = max((len(row[0]) for _, rows in blocks for row in rows), default=0)
    for title, rows in blocks:
        lines.append(title + (":" if rows else ": no other variables"))
        lines += ["  %-*s  %s = %s" % (width, kind, text.style("variable", escaped.shown(name)),
                                       value)
                  for kind, name, value in rows]
    if rest:
        lines.append(text.remark("%s () around it is not shown: %s." % (
            escaped.short(symbol_names.of_function(process.current(), Function(rest[0].function))), reason)))
    return lines


def _title(level: FunctionScope, owner: GdbThread, frame: GdbFrame, depth: int) -> str:
    walker, wanted = address_space.stacks().walker, process.Frame(frame)
    here = next((one for one in walker.stack(owner) if one.frame == wanted), None)
    place = walker.place_of(here) if here is not None else \
        places.Place(None, symbol_names.of_function(process.current(), Function(level.function)), None, None)
    title = text.place(place)
    if depth:
        title = "around it %s, in thread %s" % (title, text.thread(owner.num))
    return title


def _body_rows(known: Sequence[Known], hidden: Set[str]) -> List[Row]:
    """Rows of the innermost level. HIDDEN gets each name whose variable is one with that
    of the function around, so that it is shown once."""
    level, thread, frame = known[0]
    source = function_scopes.directive(level.function)
    outer = known[1] if len(known) > 1 else None
    rows = [(clauses.THREADPRIVATE, name, function_scopes.written(symbol, frame))
            for name, symbol in level.copied_in.items()]
    for name, symbol in level.symbols.items():
        if name in level.inner:
            rows.append(("local", name, function_scopes.written(symbol, frame)))
            continue
        address: Optional[int] = None
        shown: Optional[str] = None
        gone = False
        try:
            value = function_scopes.read(symbol, frame)
            address, gone = address_of(value), value.is_optimized_out
            own = captured_variables.is_own(value, frame)
        except gdb.error:
            debug.ignored()
            own = True
        if source is None:
            kind = "private" if own else "shared"
        else:
            kind = source.class_of(name, own)
        if function_scopes.is_copy_lost(name, level, () if outer is None else (outer[0],)):
            rows.append((kind, name, "<optimized out>"))
            continue
        same = kind == "shared"
        by_default = source is not None and source.is_task and name not in source.classes
        if by_default and not own:
            kind, same = "captured", False
        if outer is not None and name in outer[0].symbols:
            around = _outer(name, outer)
            thread.switch()
            if by_default and not own:
                # What a task got by value may stand in its block of arguments.
                same = around.address is not None and around.address == address
                if around.address is not None:
                    kind = "shared" if same else "firstprivate"
            bare = function_scopes.bare_array(symbol, [outer[0]])
            if around.text is not None and kind == "shared" and (gone or bare):
                shown, same = around.text, True
            elif around.value is not None and bare:
                shown = _with_bounds(symbol, frame, around.value)
        if same:
            hidden.add(name)
        rows.append((kind, name, shown or function_scopes.written(
            symbol, frame, () if outer is None else (outer[0],))))
    return rows


class Around(NamedTuple):
    """A variable in the function around; None for what is not known."""

    value: Optional[GdbValue] = None
    text: Optional[str] = None
    address: Optional[int] = None


def _outer(name: str, outer: Known) -> Around:
    level, owner, frame = outer
    owner.switch()
    found = Around()
    try:
        value = function_scopes.read(level.symbols[name], frame)
        found = Around(value, address=address_of(value))
        written = function_scopes.text_of(value)
        # gdb has words in angle brackets for what it cannot show.
        found = found if written.startswith("<") else found._replace(text=written)
    except gdb.error:
        debug.ignored()
    return found


def _with_bounds(symbol: GdbSymbol, frame: GdbFrame, around: GdbValue) -> Optional[str]:
    """As function_scopes.with_bounds(), written."""
    try:
        own = function_scopes.with_bounds(symbol, frame, around)
        return None if own is None else function_scopes.text_of(own)
    except gdb.error:
        debug.ignored()
        return None


def _outer_rows(level: FunctionScope, frame: GdbFrame, hidden: Set[str]) -> List[Row]:
    rows = [("encloser's", name, function_scopes.written(symbol, frame))
            for name, symbol in level.symbols.items() if name not in hidden]
    hidden.difference_update(level.symbols)
    return rows
