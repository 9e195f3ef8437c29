# SPDX-License-Identifier: MIT
"""Which construct a call of a barrier is about: GCC and clang make the same call at the end of a
worksharing construct as for `barrier` itself.

For instance, where a team waits in `GOMP_barrier ()` at heat.c:35:

    33  #pragma omp for                      that call is the end of the loop, since line 35 is
    34  for (i = 0; i < n; i++)              the last statement of what belongs to line 33
    35      a[i] = b[i];
    36  #pragma omp single                   GCC gives the call at its end line 35, too, or any other:
    37  swap ();                             it is the first that is called behind GOMP_single_start ()

Compilers that optimise may make one call of several, which has the line of any of them. So
where a function has fewer such calls than constructs that end with them, none is named.
They may give the call any line, and gfortran does; where a function has one such construct and
one such call, that is it, whatever its line.

clang tells the runtime which construct the call is for, and where that is; but the end of a
loop is like any other implicit barrier, and that of a reduction has but its directive's line.
"""

from __future__ import annotations

import re

from openmp_inspect.core import caches, debug, text
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.source import directives, source_file
from openmp_inspect.source.directive_names import Directive
from openmp_inspect.code import call_location, call_site, entry_points, machine_code, symbol_names
from openmp_inspect.stacks import kept_arguments

if TYPE_CHECKING:
    from typing import Dict, Hashable, List, Optional, Sequence, Set, Tuple
    from openmp_inspect.host.interface import Function, Process, Thread
    from openmp_inspect.code.call_location import BarrierCall
    from openmp_inspect.code.places import Place
    from openmp_inspect.stacks.user_frames import Walker

_ENDED = regex(r"end of ([\w ]+) (.+:\d+)$")
_LOCATED = ("__kmpc_barrier", "__kmpc_cancel_barrier")
REDUCTIONS = ("__kmpc_reduce", "__kmpc_reduce_nowait", "__kmpc_end_reduce")
_MOST_CODE = 1 << 16  # bytes of a function that are searched for calls
_MOST_LINES = 16  # of a directive
_WAITS = regex(r"\s*(barrier|(for|do|sections|single|workshare|loop|scope)\b(?!.*\bnowait\b))", re.I)
_IMPLICIT = regex(r"\s*(for|do|loop|scope)\b(?!.*\blastprivate\b)", re.I)
_REDUCES = regex(r"\breduction\s*\(", re.I)
_GOES_ON_REDUCED = regex(r"\b(parallel|nowait)\b", re.I)
_GOES_ON = regex(r"\s*(end\s*)?single\b.*\bnowait\b", re.I)
_WORKSHARING = {"for", "do", "sections", "single", "workshare", "loop", "scope"}
# What GCC ends with a call of its own, by the construct of that in the table of entry points.
_ENDED_APART = {
    "for": regex(r"(for|do)\b.*\b(ordered\b|schedule\s*\((?!\s*(\w+\s*:\s*)?(static|auto)\b))",
                 re.I),
    "sections": regex(r"sections\b", re.I), "single": regex(r"single\b(?=.*\bcopyprivate\b)", re.I)}
# Unless a macro says which schedule that is.
_IS_DYNAMIC = regex(r".*\b(ordered\b|(dynamic|guided|runtime)\b)", re.I)


class _Ends(NamedTuple):
    """The ends of constructs in a function, of which one is about a call: how many CALLS there are of
    the same barrier, 0 if that is not known, and [(name, line)] of the CONSTRUCTS that end with it.
    SINGLES: {return address of such a call: which call of GOMP_single_start () leads to it}, None
    where a `single` without a barrier may lead to the next one."""

    calls: int
    constructs: List[Tuple[str, int]]
    singles: Optional[Dict[int, int]]


def words(walker: Walker, place: Optional[Place]) -> Optional[str]:
    """What threads wait for that are inside the call of a barrier at PLACE, a places.Place:
    "explicit", "end of for FILE:LINE", or None where neither the source nor its line determines it,
    or not for all threads. WALKER: a user_frames.Walker."""
    if place is None or place.address is None or not place.file or not place.line:
        return None
    called = call_site.called_at(walker.process, place.address, place.jumped)
    if entry_points.is_region(called):
        return None  # the barrier at the end of a region, which the runtime has for itself
    try:
        path, found = walker.within.of_line(place.address - 1, place.line)
        lines = source_file.lines(path) if path else ()
        ends = _ends(walker.process, place.address, called, lines)
        if called in _LOCATED + REDUCTIONS:
            line = place.line if called in _LOCATED else None
            call = call_location.barrier_before(walker.process, place.address, line) \
                if lines and ends.calls >= len(ends.constructs) else None
            return None if call is None else _described(walker, place, call)
        if ends.calls < len(ends.constructs) and _is_optimised(walker.process, place.address):
            return None
        around = [(name, extent.line) for extent in found for name in extent.directive.names
                  if name in _WORKSHARING]
        end = _of_gcc(walker.process, place, ends, around, lines)
    except (HostError, OSError, ValueError):
        debug.ignored()
        return None
    if end is None or end[0] == "barrier":
        return end and "explicit"
    return "end of %s %s:%d" % (end[0], text.file_name(place.file), end[1])


def ended(said: str) -> Optional[Tuple[str, str]]:
    """("for", "FILE:LINE") of such words, None of others."""
    found = _ENDED.match(said)
    return None if found is None else (found.group(1), found.group(2))


def _of_gcc(process: Process, place: Place, ends: _Ends, around: List[Tuple[str, int]],
            lines: Sequence[str]) -> Optional[Tuple[str, int]]:
    """(name, line) of the one of ENDS that the call at PLACE is about, or None; AROUND it are these
    constructs, on the LINES of its file."""
    assert place.address is not None and place.line is not None
    constructs = ends.constructs
    singles = [one for one in constructs if one[0] == "single"]
    if singles and (ends.singles is None or not ends.calls):
        return None
    which = (ends.singles or {}).get(place.address)
    if which is not None:
        found = [one for one in around if one in singles]
        if len(singles) == 1 or found:
            return (found or singles)[0]
        return singles[which] if len(singles) == len(set((ends.singles or {}).values())) and \
            not _is_optimised(process, place.address) else None
    said = _directive(lines, place.line)
    if re.match(r"\s*barrier\b", said, re.I):
        return "barrier", place.line
    found = [one for one in constructs if one[1] == place.line and one not in singles] or \
        [one for one in around if one in constructs and one not in singles]
    if not found and ends.calls == len(constructs) == 1:
        found = constructs
    return found[0] if found else None


def words_of(walker: Walker, place: Optional[Place], thread: Thread) -> Optional[str]:
    """The same of one THREAD: a call that clang has made of several has what one thread has
    called it with."""
    frame = kept_arguments.entered(walker.stack(thread))
    if frame is None or not frame.is_runtime or frame.name not in _LOCATED + REDUCTIONS:
        return None
    ident = kept_arguments.first(walker.stack(thread))
    call = call_location.barrier_at(walker.process, ident) if ident else None
    return None if call is None else _described(walker, place, call)


def _described(walker: Walker, place: Optional[Place], call: BarrierCall) -> Optional[str]:
    """As words(), of a call that clang describes, of a thread that is at PLACE."""
    construct = call.construct
    if construct == "barrier":
        return "explicit"
    if construct in ("implicit", "reduction"):
        address = None if place is None else place.address
        path, _ = walker.within.of_line(address - 1, call.line) if address else (None, ())
        said = _directive(source_file.lines(path) if path else (), call.line)
        loop = _IMPLICIT.match(said)
        if construct == "implicit" and loop is None or \
                construct == "reduction" and not _REDUCES.search(said):
            return None
        construct = loop.group(1).lower() if loop is not None else Directive(said).words
    return "end of %s %s:%d" % (construct, call.file, call.line)


def _directive(lines: Sequence[str], number: int) -> str:
    """What the directive says that begins on the line with this NUMBER, "" if there is none."""
    if not 0 < number <= len(lines):
        return ""
    said = directives.behind_sentinel(lines[number - 1]) or ""
    for line in lines[number:number + _MOST_LINES] if said else ():
        if not said.rstrip().endswith(("\\", "&")):
            break
        said = "%s %s" % (said.rstrip()[:-1], line.strip())
    return said


# By program space, start of a function, and what it calls.
_known: Dict[Tuple[Hashable, int, Optional[int]], _Ends] = caches.of_code()


def _ends(process: Process, address: int, called: Optional[str], lines: Sequence[str]) -> _Ends:
    """The _Ends of the function with the call of CALLED that returns to ADDRESS, by the LINES of its
    file."""
    function, file = symbol_names.innermost(process, address - 1), process.line_at(address - 1).file
    if function is None or file is None:
        return _Ends(0, [], {})
    target = call_site.target(process, address)
    key = process.code_key, function.start, target
    if key not in _known:
        own = file.lines_between(function.start, function.end)
        first, last = max(min(own, default=1), 1), max(own, default=0)
        said = [(_directive(lines, number), number)
                for number in range(first, min(last, len(lines)) + 1)]
        goes_on = any(_GOES_ON.match(one) for one, _ in said)
        calls, singles = _calls(process, function, target)
        _known[key] = _Ends(
            calls, [(one.split()[0].lower(), number) for one, number in said
                    if _may_end_with(called, one)],
            None if goes_on else singles)
    return _known[key]


def _may_end_with(called: Optional[str], said: str) -> bool:
    """Whether what a directive SAID may end with a call of CALLED, an entry point that waits there."""
    if called is not None and called in REDUCTIONS:
        return _REDUCES.search(said) is not None and \
            (_GOES_ON_REDUCED.search(said) is not None) == called.endswith("_nowait")
    if not _WAITS.match(said):
        return False
    entry = entry_points.find(called)
    if entry is None or entry.construct is None or called in _LOCATED:
        return True
    apart = next((name for name, text in _ENDED_APART.items() if text.match(said.lstrip())), None)
    return apart == entry.construct or entry.construct == "barrier" and (
        apart is None or apart == "for" and not _IS_DYNAMIC.match(said))


def _is_optimised(process: Process, address: int) -> bool:
    """Whether the code before ADDRESS may be; what is not GCC's does not tell."""
    file = process.line_at(address - 1).file
    options = "" if file is None else file.producer()
    return not options.startswith("GNU ") or \
        bool(re.search(r" -O([1-9sgz]|fast)?(?!\S)", options))


def _calls(process: Process, function: Function, wanted: Optional[int]) -> Tuple[int, Dict[int, int]]:
    """How many instructions in a function call, or jump to, the address WANTED, and which are the
    first that are called behind a call of GOMP_single_start (), as in _Ends; 0 where not all of them
    are known."""
    known = function.start
    data = process.read(known, min(function.end - known, _MOST_CODE))
    code: Dict[int, machine_code.Instruction] = {}
    for at, one in machine_code.run(process.machine, data, known):
        code[at] = one
        known = at + one.length
    if known < function.end:
        return 0, {}
    starts = [at + one.length for at, one in code.items() if one.flow == "call" and
              call_site.called_at(process, at + one.length) == "GOMP_single_start"]
    singles = {at + code[at].length: number for number, start in enumerate(starts)
               for at in _first_calls(code, start) if code[at].target == wanted}
    return sum(one.target is not None and one.target == wanted for one in code.values()), singles


def _first_calls(code: Dict[int, machine_code.Instruction], start: int) -> Set[int]:
    """The calls in CODE that may be the next from START on."""
    seen, left = set(), {start}
    while left:
        at = left.pop()
        seen.add(at)
        one = code.get(at)
        if one is not None and one.flow in ("other", "branch"):
            left.add(at + one.length)
        if one is not None and one.flow in ("jump", "branch") and one.target is not None:
            left.add(one.target)
        left -= seen
    return {at for at in seen if at in code and (
        code[at].flow == "call" or code[at].flow == "jump" and code[at].target not in code)}
