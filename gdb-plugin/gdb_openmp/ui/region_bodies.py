# SPDX-License-Identifier: MIT
"""Outlined bodies: their lines, and which task is in one."""

from __future__ import annotations


import gdb

from openmp_inspect.core import debug, errors
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.source import directives
from openmp_inspect.code import code_owner, entry_points, outlined, symbol_names
from openmp_inspect.stacks import enclosing_body, labels
from gdb_openmp.host import call_arguments, debug_information, frames, gdb_text, process, \
    selection, symbols
from gdb_openmp.program import address_space, entry_arguments
from gdb_openmp.ui import frame_walk, session

if TYPE_CHECKING:
    from typing import List, Optional, Pattern, Sequence
    from openmp_inspect.code.entry_point_table import Entry
    from openmp_inspect.code.places import Place
    from gdb_openmp.host.gdb_types import GdbFrame

_STRAIGHT = 1024  # bytes
_PROLOGUE = 32
_BRANCH = regex(r"(j|loop|ret|rep ret|b\b|b\.|br\b|cb|tb)")
_EPILOGUE = 32
_RESTORE = regex(r"(rep )?(ret|pop|leave|nop|xchg\s+%?ax|ld[pr]\s.*\[sp|"
                 r"(add|sub|mov|lea)\w?\s+(%?[re]?sp,|.*,%[re]sp$))")
_CALL = regex(r"(call|blr?\b)")
_UNKNOWN = (errors.OmpdError, errors.NoLibrary, gdb.error)


class BodyLine(NamedTuple):
    """Where a line of a body begins. Those before the directive are of variables that are fetched.
    clang has variables fetched on the line of a bracket, too, shares out a loop on the loop's
    line, has code that ends a section on the section's, and lets the body return on that of its
    last statement or bracket. But destructors are called on the line of a bracket."""

    pc: int
    number: int
    own: bool  # what a person wrote into the body is done there


def lines(body: int) -> List[BodyLine]:
    """The Lines of a body, by rising address. Without those of bodies inside, as
    is_preparing()."""
    sal = gdb.find_pc_line(body)
    block = gdb.block_for_pc(body)
    if sal.symtab is None or block is None:
        return []
    while block.function is None and block.superblock is not None:
        block = block.superblock
    table = [(entry.pc, entry.line) for entry in debug_information.line_entries(sal.symtab)]
    places = sorted(place for place in table if block.start <= place[0] < block.end)
    ends = [pc for pc, _ in places[1:]] + [block.end]
    line, path = symbol_names.body_line(process.current(), body), gdb_text.full_name(sal.symtab)
    loops = directives.loops(path, line) if line else ()
    numbers, directive_line = {number for _, number in places}, _directive_line(body)
    inner = {number for pc, number in table
             if number in numbers and _is_within(pc, number, directive_line)}
    return [BodyLine(pc, number, line is not None and number > line and number not in loops and
                 not directives.is_section(path, number) and not _returns(pc, end) and
                 not (directives.is_no_code(path, number) and _is_straight(pc, end, _CALL)))
            for (pc, number), end in zip(places, ends) if number not in inner]


def _is_within(pc: int, number: int, line: int) -> bool:
    """Whether a line with this NUMBER, whose code is at PC, is inside a body of clang's whose
    directive is behind a LINE."""
    body = outlined.holding(process.current(), pc)
    return body is not None and (symbol_names.body_line(process.current(), body) or 0) < number and \
        line < _directive_line(body)


def _directive_line(body: int) -> int:
    """That of the directive with this BODY, or 0."""
    own = process.current()
    line, path = symbol_names.body_line(own, body) or 0, symbol_names.source_path(own, body)
    return directives.above(path, line, None).line if path else line


def is_preparing(frame: GdbFrame) -> bool:
    """Whether a FRAME is on a line of a body that it is about to have called: clang gives the code
    that fetches a variable for the body the line of its first use there."""
    sal, function = frame.find_sal(), frame.function()
    if sal.symtab is None or function is None:
        return False
    body = outlined.holding(process.current(), frame.pc())
    line = function.line if body is None else _directive_line(body)
    return any(_is_within(entry.pc, sal.line, line)
               for entry in sal.symtab.linetable().line(sal.line) or ())


def _returns(start: int, end: int) -> bool:
    """Whether the code from START to END does no more than to return from a function."""
    if not 0 < end - start <= _EPILOGUE:
        return False
    code = [one["asm"] for one in
            gdb.selected_frame().architecture().disassemble(start, end - 1)]
    return all(_RESTORE.match(text) for text in code) and any("ret" in text for text in code)


def entrance(body: int) -> int:
    """The address in a body at which its variables have their values: its first line behind
    the directive's, if the way there is straight. clang has a task's variables copied by a call
    on the line of the directive, which may be behind the first code of the block's line."""
    places = lines(body)
    own = [number for number, place in enumerate(places) if place.own]
    if outlined.is_task(symbols.at(body)[0]):
        while len(own) > 1 and own[1] != own[0] + 1:
            own.pop(0)
    inside = places[own[0]].pc if own else None
    if inside is None or not 0 <= inside - body <= _STRAIGHT:  # cold code may be before it
        return body
    return inside if _is_straight(body, inside, _BRANCH) else body


def statement(body: int, places: Sequence[BodyLine]) -> List[int]:
    """The address, in a list, at which the one line begins that a body with these PLACES is
    on, behind what makes its frame; none where gdb does not know. GCC 14 has no second place
    there: then it is where gdb's own breakpoint on the body would be."""
    name = symbols.at(body)[0]
    block = symbols.function_block(body)
    if len(places) > 1 or block is None or not name or not symbols.PLAIN.match(name):
        return [place.pc for place in places[1:2]]
    return [pc for pc in symbols.function_addresses(name) if block.start <= pc < block.end]


def is_before_inlined(frame: GdbFrame) -> bool:
    """Whether the inner half of a clang body, inlined, begins where the newest FRAME is: gdb shows
    the thread as if it were at the directive, and "step" goes in without an instruction."""
    pc = frame.pc()
    if frame.type() == gdb.INLINE_FRAME:
        return False
    code = gdb.block_for_pc(pc)
    while code is not None and code.function is None and code.start == pc:
        code = code.superblock
    return code is not None and code.start == pc and code.function is not None and \
        outlined.is_of_clang(gdb_text.symbol_name(code.function)) and \
        not (code.superblock.function is None and code.superblock.is_static)


def runs_body(frame: GdbFrame) -> bool:
    """Whether a FRAME runs a body that the runtime called, or that clang's code called itself,
    as for a construct that one thread executes. GCC's may also be called by their other half."""
    return frame_walk.is_body_frame(frame) or \
        outlined.is_of_clang(gdb_text.frame_name(frame_walk.real(frame)) or "")


def _is_straight(start: int, end: int, *others: Pattern[str]) -> bool:
    """Whether none of the instructions from START to before END is one of OTHERS."""
    if start == end:
        return True
    code = gdb.selected_frame().architecture().disassemble(start, end - 1)
    return not any(other.match(instruction["asm"]) for instruction in code for other in others)


def opening_at(frame: GdbFrame) -> Optional[Entry]:
    """The Entry of the runtime's function, called with a body, in whose first instructions a
    thread stands in the newest FRAME, as at a breakpoint on that function; or None."""
    start = symbol_names.start_of(process.Frame(frame))
    if start is None:
        return None
    entry = entry_points.openings(process.current()).get(start)
    if entry is None or not 0 <= frame.pc() - start <= _PROLOGUE:
        return None
    return entry if _is_straight(start, frame.pc(), _BRANCH, _CALL) else None


def show(frame: Optional[GdbFrame]) -> None:
    """Prints a gdb.Frame of the selected thread, and selects it; if the thread is about to open a
    construct, with the line of the directive: that of the call is mostly the one of the statement
    before."""
    line = None
    try:
        place = _opened_by(gdb.newest_frame())
        sal = None if frame is None else frame.find_sal()
        if place is not None and place.line and sal is not None and sal.symtab is not None and \
                place.line != sal.line and place.file == gdb_text.file_name(sal.symtab):
            line = gdb_text.printed("list %d,%d" % (place.line, place.line))
    except _UNKNOWN:
        debug.ignored()
    selection.show(frame, line)


def _opened_by(frame: GdbFrame) -> Optional[Place]:
    """The user_frames.Place of the construct that the newest FRAME is called to open, or None."""
    entry = opening_at(frame)
    if entry is None or not call_arguments.known(frame):
        return None
    body = entry_arguments.body(frame, entry)
    return address_space.stacks().walker.construct(body) if body else None


def bookkeeping(frame: GdbFrame) -> bool:
    """Whether a thread that stands in FRAME does what the directive itself means: takes
    copies, shares out iterations. A body that is all on one line has no such place."""
    if not runs_body(frame):
        return False
    start = symbol_names.start_of(process.Frame(frame_walk.real(frame)))
    if start is None or frame.type() == gdb.INLINE_FRAME:
        return False
    line = symbol_names.body_line(process.current(), start)
    return line is not None and frame.find_sal().line <= line and any(
        place.own for place in lines(start))


def is_target(frame: GdbFrame, caller: GdbFrame) -> bool:
    """Whether a FRAME has the body of a target construct, which clang's code in CALLER called."""
    return outlined.is_target(gdb_text.frame_name(frame)) and _is_called(frame, caller)


def is_called_by_directive(frame: GdbFrame, caller: GdbFrame) -> bool:
    """Whether a FRAME is of a function of the system that a directive's line in CALLER called:
    clang's code calls memset() for taskloops and memcpy() for copies."""
    owner = code_owner.of(process.Frame(frame))
    return owner == code_owner.SYSTEM and _is_called(frame, caller) and \
        is_at_directive(caller)


def is_at_directive(frame: GdbFrame) -> bool:
    """Whether a FRAME is on the line of a directive."""
    sal = frame.find_sal()
    return sal.symtab is not None and directives.is_at(gdb_text.full_name(sal.symtab), sal.line)


def _is_called(frame: GdbFrame, caller: GdbFrame) -> bool:
    return bool(caller.is_valid() and frames.older(frame) == caller)


def at_line(pc: int) -> bool:
    """Whether a line begins at PC, where a call has returned to, other than the call's."""
    here, call = gdb.find_pc_line(pc), gdb.find_pc_line(pc - 1)
    return here.symtab is not None and here.pc == pc and here.line != call.line


def position() -> str:
    """", thread 0 of 4" for the selected thread, or nothing when that is not known."""
    team = session.place_in_team()
    return ", thread %d of %d" % team if team else ""


def in_region() -> bool:
    """Whether the selected thread is in a parallel region."""
    return session.of_selected(lambda thread: thread.region) is not None


class Directive(NamedTuple):
    """A directive in words, as "#pragma omp parallel at heat.c:28", and its line or None."""

    words: str
    line: Optional[int]


def opening_words(runtime_frame: GdbFrame, is_task: bool) -> Optional[str]:
    """The directive for which the call was made that RUNTIME_FRAME is a part of, when what it
    runs is the body of that directive; None for a task that is run in a call for something
    else. IS_TASK: what it runs is an explicit task."""
    called = next((called for _, called in frame_walk.callers(runtime_frame)), ())
    words = entry_points.directive_of_call(called)
    if words is not None and words.startswith("parallel") and is_task:
        return None  # the barrier at the end of the region runs tasks
    return words


def directive(runtime_frame: GdbFrame, body: int, is_task: bool, current: bool = True) -> Directive:
    """The Directive of a body that RUNTIME_FRAME called, or user code itself. CURRENT: it is the
    selected thread's innermost one. A body that ends in a jump has left its place to another
    function, which is at BODY."""
    name = symbols.at(body)[0]
    if frame_walk.is_user(runtime_frame):
        return _directive("task" if outlined.is_task(name) else
                          "target" if outlined.is_target(name) else "parallel", body)
    opening = opening_words(runtime_frame, is_task)
    words = opening or ("task" if is_task else "parallel")
    if name is None or outlined.is_body(name):
        return _directive(words, body)
    found = None
    caller = frame_walk.user(runtime_frame) if opening else None
    if caller is not None:
        found = entry_points.body_of_call(process.current(), caller.pc(), caller.type() == gdb.TAILCALL_FRAME)
    elif current and not is_task:
        found = session.body_of_region()
    if found:
        return _directive(words, found)
    return Directive(labels.worded(words, symbol_names.source_path(process.current(), body))
                     if opening or is_task else enclosing_body.UNKNOWN_REGION, None)


def _directive(words: str, body: int) -> Directive:
    return Directive(labels.of_body(process.current(), words, body), _directive_line(body) or None)


def implicit() -> bool:
    """Whether the selected thread's task is its part of a region; so too if unknown."""
    return not session.of_selected(
        lambda thread: thread.task is not None and not thread.task.implicit)
