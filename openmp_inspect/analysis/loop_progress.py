# SPDX-License-Identifier: MIT
"""How far a thread is in the loop whose iterations its team shares: by the loop's variable, and the
source of its first line. For instance

    #pragma omp for
    for (int i = 0; i < n; i++)     i is 1500, n is 4000, thread 1 of 4: its own are 1000-1999

What is computed from the source is inferred: a macro may have been defined by the compiler's options,
and a variable may have another value than when the loop began.
"""

from __future__ import annotations

from openmp_inspect.core import debug, errors
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.source import directives, loop_headers, source_file
from openmp_inspect.code import outlined, symbol_names
from openmp_inspect.host import interface

if TYPE_CHECKING:
    from typing import Optional, Tuple
    from openmp_inspect.analysis.thread_rows import ThreadRow
    from openmp_inspect.host.interface import Variable
    from openmp_inspect.source.loop_headers import LoopHeader
    from openmp_inspect.stacks.thread_stack import StackFrame
    from openmp_inspect.stacks.user_frames import Walker
    _Range = Tuple[int, int]

_MOST_FRAMES = 16
_FARTHEST = 5  # lines of a loop from its directive
_SHARED = {"for", "do"}
_OTHERWISE = regex(r"\b(schedule|collapse|distribute|ordered|tile|order)\b", 2)  # re.I
_COLLAPSED = regex(r"\b(collapse|tile)\b", 2)
_DYNAMIC = regex(r"\bschedule\s*\(\s*(\w+\s*:\s*)?(dynamic|guided)\b", 2)
_OF_CLANG = ".omp.iv", ".omp.lb", ".omp.ub"  # iteration, and a thread's first and last, from 0
_SIZES = 1, 2, 4, 8  # bytes of an integer


class _Loop(NamedTuple):
    path: str
    line: int  # of its directive
    first: int  # its own
    header: LoopHeader


class LoopProgress(NamedTuple):
    """`variable` is `value`, which is inferred where it is `derived`. Inferred, None if not known,
    are `all`: the (first, last) iteration of the loop, `own`: of those that the thread has at
    present. `next`: what a dynamic schedule hands out next, None if that is nothing or not known;
    `file`, as the program has it, and `line`: of the loop."""

    variable: Name
    value: int
    derived: bool
    all: Optional[_Range]
    own: Optional[_Range]
    next: Optional[int]
    file: Optional[Name]
    line: int


def of_row(row: ThreadRow) -> Optional[LoopProgress]:
    """That of a thread which works, or None. Call while the snapshot lives."""
    try:
        return None if row.thread is None else _of_thread(row)
    except HostError:
        debug.ignored()
        return None


def _of_thread(row: ThreadRow) -> Optional[LoopProgress]:
    walker = row.stacks.walker
    for count, frame in enumerate(walker.user_frames(row.thread)):
        loop = _around(walker, frame)
        if loop is not None:
            return _in_loop(row, frame, loop)
        if count == _MOST_FRAMES or outlined.is_body(frame.name):
            break
    return None


def _in_loop(row: ThreadRow, frame: StackFrame, loop: _Loop) -> Optional[LoopProgress]:
    header, own = loop.header, None
    value, bounds = _own_value(frame, header.variable), _bounds(frame, loop)
    numbers = [_own_value(frame, name) for name in _OF_CLANG]
    is_clang = _variable(frame, _OF_CLANG[0]) is not None
    if is_clang and _COLLAPSED.search(_directive(loop)):
        return None  # these count the iterations of all
    if is_clang:  # its variable of that name may be another one, with the first value
        found = [None if number is None or bounds is None else bounds[0] + number * header.step
                 for number in numbers]
        value = found[0]
        own = None if found[1] is None or found[2] is None else (found[1], found[2])
    elif bounds is not None:
        own = _own(row, loop, bounds)
    place = row.stacks.walker.place_of(frame)
    if value is None or bounds != _holding(value, bounds) or (place.line or 0) < loop.first:
        return None  # it may be before the loop
    return LoopProgress(Name(header.variable), value, is_clang, bounds, _holding(value, own),
                        _handed_out(row, loop), place.file, loop.first)


def _around(walker: Walker, frame: StackFrame) -> Optional[_Loop]:
    """The innermost loop that a team shares in which the user's FRAME is, or None."""
    place = walker.place_of(frame)
    for extent in walker.within.of(frame, place):
        if _SHARED & set(extent.words.split()):
            file = frame.frame.line.file
            return None if file is None else _from(file.path, extent.line, extent.last + 1)
    start = symbol_names.start_of(frame.frame) if outlined.is_body(frame.name) else None
    line = None if start is None else symbol_names.body_line(frame.process, start)
    file = None if start is None else frame.process.line_at(start).file
    if not line or file is None or not walker.within.is_as_built(file):
        return None
    words, first = directives.above(file.path, line, None)
    return _from(file.path, first, first + 1) if _SHARED & set(words) else None


def _from(path: str, directive: int, line: int) -> Optional[_Loop]:
    headers = ((number, loop_headers.at(path, number)) for number in range(line, line + _FARTHEST))
    return next((_Loop(path, directive, number, header) for number, header in headers
                 if header is not None), None)


def _variable(frame: StackFrame, name: str) -> Optional[Variable]:
    return next((one for one in frame.frame.variables() if one.name == name), None)


def _own_value(frame: StackFrame, name: str) -> Optional[int]:
    """The integer in the variable of a FRAME with this NAME, or None."""
    found = _variable(frame, name)
    return None if found is None else _integer(found, frame)


def _value(frame: StackFrame, name: str) -> Optional[int]:
    """The same; where it has none, of the static one."""
    found = _variable(frame, name) or frame.process.variable(name)
    return None if found is None else _integer(found, frame)


def _integer(found: Variable, frame: StackFrame) -> Optional[int]:
    if found.type.kind == "reference" and found.leads_to is not None:
        found = interface.Variable(found.name, found.leads_to, found.type.target())
    kind, size = found.type, found.type.size
    if kind.kind != "other" or size not in _SIZES or kind.name in ("float", "double"):
        return None
    value = frame.frame.word(found.name) if found.address is None else \
        int.from_bytes(frame.process.read(found.address, size), "little")
    # Whether the type has a sign is not known.
    sign = 1 << (8 * size - 1)
    return None if value is None or value & sign else value & (sign - 1)


def _bounds(frame: StackFrame, loop: _Loop) -> Optional[_Range]:
    header = loop.header
    first, end = (loop_headers.evaluated(loop.path, one, lambda name: _value(frame, name))
                  for one in (header.first, header.end))
    if first is None or end is None:
        return None
    count = -((first - end) // header.step) if header.is_beyond else (end - first) // header.step + 1
    return (first, first + (count - 1) * header.step) if count > 0 else None


def _holding(value: Optional[int], some: Optional[_Range]) -> Optional[_Range]:
    """The bounds, unless a VALUE that is not between them shows that they are not those."""
    return some if value is not None and some is not None and min(some) <= value <= max(some) else None


def _directive(loop: _Loop) -> str:
    return " ".join(source_file.lines(loop.path)[loop.line - 1:loop.first - 1])


def _own(row: ThreadRow, loop: _Loop, bounds: _Range) -> Optional[_Range]:
    """Those of BOUNDS that a static schedule without a chunk gives to a thread: as many to each, and
    one more to the first ones."""
    known = row.known
    region = None if known is None else errors.known(lambda: known.region)
    if known is None or region is None or _OTHERWISE.search(_directive(loop)):
        return None
    size, number = errors.known(lambda: region.size), errors.known(lambda: known.number)
    if not size or number is None:
        return None
    step = loop.header.step
    each, more = divmod((bounds[1] - bounds[0]) // step + 1, size)
    first = each * number + min(number, more)
    count = each + (number < more)
    return (bounds[0] + first * step, bounds[0] + (first + count - 1) * step) if count else None


def _handed_out(row: ThreadRow, loop: _Loop) -> Optional[int]:
    known = row.known
    if known is None or not _DYNAMIC.search(_directive(loop)):
        return None
    found = errors.known(lambda: known.loop) or {}
    following, end = (None if one is None else one - (one >> 63 << 64)
                      for one in map(found.get, ("next", "end")))
    is_left = following is None or end is None or (end - following) * loop.header.step > 0
    return following if is_left else None
