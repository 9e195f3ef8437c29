# SPDX-License-Identifier: MIT
"""Which construct a call of a barrier is about: GCC and clang make the same call at the end of a
worksharing construct as for `barrier` itself.

For instance, where a team waits in `GOMP_barrier ()` at heat.c:35:

    33  #pragma omp for                      that call is the end of the loop, since line 35 is
    34  for (i = 0; i < n; i++)              the last statement of what belongs to line 33
    35      a[i] = b[i];
"""

import re

import gdb

from gdb_openmp.core import debug
from gdb_openmp.host import text
from gdb_openmp.source import directives, source_file

_WORKSHARING = {"for", "do", "sections", "single", "workshare", "loop"}


def words(walker, place):
    """What a thread waits for that is inside the call of a barrier at PLACE, a places.Place:
    "explicit", "end of for FILE:LINE", or None where neither the source nor its line tells.
    WALKER: a user_frames.Walker."""
    if place is None or place.address is None or not place.line:
        return None
    try:
        path, found = walker.within.of_line(place.address - 1, place.line)
    except (gdb.error, RuntimeError, AttributeError, OSError, ValueError):
        debug.ignored()
        return None
    lines = source_file.lines(path) if path else ()
    if 0 < place.line <= len(lines):
        said = directives.behind_sentinel(lines[place.line - 1]) or ""
        if re.match(r"\s*barrier\b", said, re.I):
            return "explicit"
    for extent in found:
        name = next((name for name in extent.directive.names if name in _WORKSHARING), None)
        if name is not None:
            return "end of %s %s:%d" % (name, text.file_name(place.file), extent.line)
    return None
