# SPDX-License-Identifier: MIT
"""Which directives' constructs a line of the source lies in.

GCC makes no function of the body of a loop, a section, a single or critical construct, and
the runtime hears little of them: the source alone tells. Where it is odd, or tells more than
one story, there is no answer.
"""

from __future__ import annotations

import bisect
import functools
import os
import re

from openmp_inspect.core import caches, debug
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.source import c_source, conditions, directives, fortran_source, source_file

if TYPE_CHECKING:
    from typing import Container, Dict, List, Optional, Sequence, Tuple, Union
    from openmp_inspect.source.directive_names import Directive

_LARGEST_FILE = 1 << 20
_MOST_READINGS = 16  # of one file, by the conditions around lines
_FIXED_FORM = (".f", ".for", ".ftn", ".fpp")
OUTSIDE, PARTLY, INSIDE = range(3)


class Form(NamedTuple):
    fixed: Optional[bool]  # Fortran's fixed or free form; None: C or C++
    width: int  # the last column in fixed form, or 0


class Extents:
    """The constructs of one file as it is read for a look at one of its lines, in the order
    of their directives."""

    def __init__(self, found: Sequence[Extent]) -> None:
        self._found = found
        self._lines = [extent.line for extent in found]

    def around(self, line: int, first: Optional[int] = None,
               body: Optional[Container[int]] = None) -> List[Extent]:
        """Extents that hold a LINE, innermost first: in a function that begins on line FIRST,
        or in a body that the compiler made, which has code of the lines in BODY, among them
        that of its directive or the one behind. Only those that a person is to see;
        none where that is not certain."""
        found: List[Extent] = []
        for extent in reversed(self._found[:bisect.bisect_right(self._lines, line)]):
            if first is not None and extent.line < first:
                break
            place = extent.place(line)
            if place == OUTSIDE:
                continue
            if extent.opens:
                if body is None:
                    return found if extent.doubtful else []
                certain = not extent.doubtful and place == INSIDE and any(
                    number in body for number in range(extent.line, extent.last + 2))
                return found if certain else []
            if extent.shown and place == INSIDE:
                found.append(extent)
        return found if body is None else []


class Extent:
    """What belongs to a directive. `words`: its name in the source, with that of a critical
    section; `line`, `last`: its lines; `opens`: the compiler makes a function of it, or may;
    `doubtful`: it is not known whether it does, or where it ends; `shown`: a person is to
    see it."""

    def __init__(self, directive: Directive, line: int, last: int) -> None:
        self.directive = directive
        self.words = directive.words
        self.line = line
        self.last = last
        self.opens = directive.opens
        self.shown = directive.shown
        self.doubtful = directive.kind == "unknown"
        self.first, self.end = 0, -1  # lines that are inside as a whole
        self.partly: Tuple[int, ...] = ()

    def holds(self, first: int, end: int, partly: Tuple[int, ...] = ()) -> None:
        self.first, self.end, self.partly = first, end, partly

    def doubt(self, end: int) -> None:
        """It may go on to line END, and nothing is certain there."""
        self.opens = self.doubtful = True
        self.holds(self.last + 1, end, (self.line,))

    def place(self, line: int) -> int:
        """OUTSIDE, PARTLY or INSIDE."""
        if line in self.partly:
            return PARTLY
        return INSIDE if self.first <= line <= self.end else OUTSIDE


def around(path: str, line: int, first: Optional[int] = None,
           body: Optional[Container[int]] = None, options: str = "",
           built: Optional[int] = None) -> List[Extent]:
    """As Extents.around(), of the file at PATH; none where that cannot be read. OPTIONS: those
    that it was compiled with; BUILT: when the program was made, in seconds."""
    try:
        status = source_file.status(path)
        if status.st_size > _LARGEST_FILE or \
                built is not None and int(status.st_mtime) > built:
            return []
        form = _form(path, options)
        source = _source(path, form, status.st_mtime_ns, status.st_size)
        return source.at(line).around(line, first, body) if source is not None else []
    except (conditions.Odd, OSError, ValueError, MemoryError, RecursionError):
        debug.ignored()
        return []


def _form(path: str, options: str) -> Form:
    if not directives.is_fortran(path):
        return Form(None, 0)
    fixed = os.path.splitext(path)[1].lower() in _FIXED_FORM
    forms = re.findall(r"(?<!\S)-f(free|fixed)-form\b", options)
    fixed = forms[-1] == "fixed" if forms else fixed
    widths = re.findall(r"(?<!\S)-ffixed-line-length-(none|\d+)", options)
    width = 0 if widths and widths[-1] == "none" else int(widths[-1]) if widths else 72
    return Form(fixed, width if fixed else 0)


@functools.lru_cache(maxsize=64)
def _source(path: str, form: Form, _changed: int, _size: int) -> Optional[SourceExtents]:
    """SourceExtents, or None for one that is odd, or has nothing of OpenMP."""
    data = source_file.data(path)
    if len(data) > _LARGEST_FILE or b"\0" in data or not re.search(rb"(?i)omp\b", data):
        return None
    try:
        return SourceExtents(data.decode("utf-8", "replace"), form)
    except conditions.Odd:
        debug.ignored()
        return None


caches.when_code_changes(_source.cache_clear)


class SourceExtents:
    """One file; Odd where there is no answer for any line."""

    def __init__(self, text: str, form: Form) -> None:
        text = text.replace("\r\n", "\n")
        self._file: Union[c_source.CSource, fortran_source.FortranSource] = \
            c_source.CSource(text) if form.fixed is None else \
            fortran_source.FortranSource(text, form.fixed, form.width)
        self._groups = conditions.groups(self._file.conditionals)
        self._read: Dict[Tuple[Tuple[int, int], ...], Optional[Extents]] = {}

    def at(self, line: int) -> Extents:
        """The Extents for a look at LINE; Odd where there is no answer."""
        key = conditions.choice(self._groups, line)
        if key not in self._read:
            if len(self._read) >= _MOST_READINGS:
                self._read.clear()
            try:
                self._read[key] = Extents(self._file.extents(
                    Extent, *conditions.decide(self._groups, line)))
            except conditions.Odd:
                debug.ignored()
                self._read[key] = None
        found = self._read[key]
        if found is None:
            raise conditions.Odd
        return found
