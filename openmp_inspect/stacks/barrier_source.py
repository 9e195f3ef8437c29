# SPDX-License-Identifier: MIT
"""Which construct a call of a barrier is about: GCC and clang make the same call at the end of a
worksharing construct as for `barrier` itself.

For instance, where a team waits in `GOMP_barrier ()` at heat.c:35:

    33  #pragma omp for                      that call is the end of the loop, since line 35 is
    34  for (i = 0; i < n; i++)              the last statement of what belongs to line 33
    35      a[i] = b[i];

Compilers that optimise may make one call of several, which has the line of any of them. So
where a function has fewer such calls than constructs that end with a barrier, none is named.
They may give the call any line, and gfortran does; where a function has one such construct and
one such call, that is it, whatever its line.

clang tells the runtime which construct the call is for, and where that is; but the end of a
loop is like any other implicit barrier.
"""

from __future__ import annotations

import re

from openmp_inspect.core import caches, debug, text
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.source import directives, source_file
from openmp_inspect.code import call_location, call_site, entry_points, machine_code, symbol_names
from openmp_inspect.stacks import kept_arguments
from openmp_inspect.host import processes

if TYPE_CHECKING:
    from typing import Dict, Hashable, List, Optional, Sequence, Tuple
    from openmp_inspect.host.interface import Function, Thread
    from openmp_inspect.code.call_location import BarrierCall
    from openmp_inspect.code.places import Place
    from openmp_inspect.stacks.user_frames import Walker

_LOCATED = ("__kmpc_barrier", "__kmpc_cancel_barrier")
_MOST_CODE = 1 << 16  # bytes of a function that are searched for calls
_WAITS = regex(r"\s*(barrier|(for|do|sections|single|workshare|loop)\b(?!.*\bnowait\b))", re.I)
_LOOP_END = regex(r"\s*(for|do|loop)\b(?!.*\blastprivate\b)", re.I)
_WORKSHARING = {"for", "do", "sections", "single", "workshare", "loop"}


def words(walker: Walker, place: Optional[Place]) -> Optional[str]:
    """What threads wait for that are inside the call of a barrier at PLACE, a places.Place:
    "explicit", "end of for FILE:LINE", or None where neither the source nor its line determines it,
    or not for all threads. WALKER: a user_frames.Walker."""
    if place is None or place.address is None or not place.file or not place.line:
        return None
    called = call_site.called_at(place.address)
    if entry_points.is_region(called):
        return None  # the barrier at the end of a region, which the runtime has for itself
    try:
        path, found = walker.within.of_line(place.address - 1, place.line)
        lines = source_file.lines(path) if path else ()
        calls, constructs = _counted(place.address, lines)
        if called in _LOCATED:
            call = call_location.barrier_before(place.address, place.line) \
                if lines and calls >= len(constructs) else None
            return None if call is None else _described(walker, place, call)
        if calls < len(constructs) and _is_optimised(place.address):
            return None
    except (HostError, OSError, ValueError):
        debug.ignored()
        return None
    if 0 < place.line <= len(lines):
        said = directives.behind_sentinel(lines[place.line - 1]) or ""
        if re.match(r"\s*barrier\b", said, re.I):
            return "explicit"
    ends = [(name, extent.line) for extent in found for name in extent.directive.names
            if name in _WORKSHARING]
    if not ends and calls == len(constructs) == 1:
        ends = [end for end in constructs if end[0] in _WORKSHARING]
    return "end of %s %s:%d" % (ends[0][0], text.file_name(place.file), ends[0][1]) \
        if ends else None


def words_of(walker: Walker, place: Place, thread: Thread) -> Optional[str]:
    """The same of one THREAD: a call that clang has made of several has what one thread has
    called it with. Call in selection_kept()."""
    if place.address is None or \
            call_site.called_at(place.address) not in _LOCATED:
        return None
    ident = kept_arguments.first(walker.stack(thread))
    call = call_location.barrier_at(ident) if ident else None
    return None if call is None else _described(walker, place, call)


def _described(walker: Walker, place: Place, call: BarrierCall) -> Optional[str]:
    """As words(), of a call that clang describes."""
    if call.construct == "barrier":
        return "explicit"
    construct = call.construct
    if construct == "implicit":
        path, _ = walker.within.of_line((place.address or 1) - 1, call.line)
        lines = source_file.lines(path) if path else ()
        said = directives.behind_sentinel(lines[call.line - 1]) if call.line <= len(lines) else ""
        loop = _LOOP_END.match(said or "")
        if loop is None:
            return None
        construct = loop.group(1).lower()
    return "end of %s %s:%d" % (construct, call.file, call.line)


# By program space, start of a function, and what it calls: as _counted().
_known: Dict[Tuple[Hashable, int, Optional[int]],
             Tuple[int, List[Tuple[str, int]]]] = caches.of_code()


def _counted(address: int, lines: Sequence[str]) -> Tuple[int, List[Tuple[str, int]]]:
    """(how many calls of that barrier the function has to which the call that returns to ADDRESS
    belongs, [(name, line)] of the constructs that end with one on its LINES of its file)."""
    process = processes.current()
    function, file = symbol_names.innermost(address - 1), process.line_at(address - 1).file
    if function is None or file is None:
        return 0, []
    target = call_site.target(address)
    key = process.code_key, function.start, target
    if key not in _known:
        own = file.lines_between(function.start, function.end)
        first, last = max(min(own, default=1), 1), max(own, default=0)
        waits = ((_WAITS.match(directives.behind_sentinel(line) or ""), number)
                 for number, line in enumerate(lines[first - 1:last], first))
        _known[key] = _calls(function, target), [(found.group(1).split()[0].lower(), number)
                                              for found, number in waits if found]
    return _known[key]


def _is_optimised(address: int) -> bool:
    """Whether the code before ADDRESS may be; what is not GCC's does not tell."""
    file = processes.current().line_at(address - 1).file
    options = "" if file is None else file.producer()
    return not options.startswith("GNU ") or \
        bool(re.search(r" -O([1-9sgz]|fast)?(?!\S)", options))


def _calls(function: Function, wanted: Optional[int]) -> int:
    """How many instructions in a function call, or jump to, the address WANTED; 0 where not all of
    them are known."""
    process, known, count = processes.current(), function.start, 0
    code = process.read(known, min(function.end - known, _MOST_CODE))
    for at, one in machine_code.run(process.machine, code, known):
        known = at + one.length
        count += one.target is not None and one.target == wanted
    return count if known >= function.end else 0
