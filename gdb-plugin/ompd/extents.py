# SPDX-License-Identifier: MIT
"""Which directives' constructs a line of the source lies in.

GCC makes no function of the body of a loop, a section, a single or critical construct, and
the runtime hears little of them: the source alone tells. Where it is odd, or tells more than
one story, there is no answer.
"""

import functools
import os
import re

from ompd import conditions, csource, directives, fortransource, sourcefile

_LARGEST_FILE = 1 << 20
_MOST_READINGS = 16  # of one file, by the conditions around lines
_FIXED_FORM = (".f", ".for", ".ftn", ".fpp")
OUTSIDE, PARTLY, INSIDE = range(3)


class Extents:
    """The constructs of one file as it is read for a look at one of its lines, in the order
    of their directives."""

    def __init__(self, found):
        self._found = found

    def around(self, line, first=None, body=None):
        """Extents that hold a LINE, innermost first: in a function that begins on line FIRST,
        or in a body that the compiler made, which has code of the lines in BODY, among them
        that of its directive or the one behind. Only those of which a person is to be told;
        none where that is not certain."""
        told = []
        for extent in reversed(self._found):
            if first is not None and extent.line < first:
                break
            place = extent.place(line)
            if place == OUTSIDE:
                continue
            if extent.opens:
                if body is None:
                    return told if extent.doubtful else []
                certain = not extent.doubtful and place == INSIDE and any(
                    number in body for number in range(extent.line, extent.last + 2))
                return told if certain else []
            if extent.told and place == INSIDE:
                told.append(extent)
        return told if body is None else []


class Extent:
    """What belongs to a directive. `words`: its name in the source, with that of a critical
    section; `line`, `last`: its lines; `opens`: the compiler makes a function of it, or may;
    `doubtful`: it is not known whether it does, or where it ends; `told`: a person is to be
    told of it."""

    def __init__(self, directive, line, last):
        self.directive = directive
        self.words = directive.words
        self.line = line
        self.last = last
        self.opens = directive.opens
        self.told = directive.told
        self.doubtful = directive.kind == "unknown"
        self.first = self.end = None  # lines that are inside as a whole
        self.partly = ()

    def holds(self, first, end, partly=()):
        self.first, self.end, self.partly = first, end, partly

    def doubt(self, end):
        """It may go on to line END, and nothing is certain there."""
        self.opens = self.doubtful = True
        self.holds(self.last + 1, end, (self.line,))

    def place(self, line):
        if line in self.partly:
            return PARTLY
        return INSIDE if self.first is not None and self.first <= line <= self.end else OUTSIDE


def around(path, line, first=None, body=None, options="", built=None):
    """As Extents.around(), of the file at PATH. OPTIONS: those that it was compiled with;
    BUILT: when the program was made, in seconds."""
    try:
        status = sourcefile.status(path)
        if status.st_size > _LARGEST_FILE or \
                built is not None and int(status.st_mtime) > built:
            return []
        form = _form(path, options)
        source = _source(path, form, status.st_mtime_ns, status.st_size)
        return source.at(line).around(line, first, body) if source is not None else []
    except (conditions.Odd, OSError, ValueError, MemoryError, RecursionError):
        return []


def forget():
    """Free what is kept of sources."""
    _source.cache_clear()


def _form(path, options):
    """(whether a file is in Fortran's fixed form or None for C, its last column or 0)"""
    if directives.sentinel(path) != "!$omp":
        return None, 0
    fixed = os.path.splitext(path)[1].lower() in _FIXED_FORM
    forms = re.findall(r"(?<!\S)-f(free|fixed)-form\b", options)
    fixed = forms[-1] == "fixed" if forms else fixed
    widths = re.findall(r"(?<!\S)-ffixed-line-length-(none|\d+)", options)
    width = 0 if widths and widths[-1] == "none" else int(widths[-1]) if widths else 72
    return fixed, width if fixed else 0


@functools.lru_cache(maxsize=64)
def _source(path, form, _changed, _size):
    """A Source, or None for one that is odd, or has nothing of OpenMP."""
    data = sourcefile.data(path)
    if len(data) > _LARGEST_FILE or b"\0" in data or not re.search(rb"(?i)omp\b", data):
        return None
    try:
        return Source(data.decode("utf-8", "replace"), *form)
    except conditions.Odd:
        return None


class Source:
    """One file. FIXED: Fortran's fixed form, with so many columns, or its free form; None: C
    or C++."""

    def __init__(self, text, fixed=None, width=0):
        text = text.replace("\r\n", "\n")
        self._file = csource.File(text) if fixed is None else \
            fortransource.File(text, fixed, width)
        self._groups = conditions.groups(self._file.conditionals)
        self._read = {}

    def at(self, line):
        """The Extents for a look at LINE; Odd where there is no answer."""
        key = conditions.choice(self._groups, line)
        if key not in self._read:
            if len(self._read) >= _MOST_READINGS:
                self._read.clear()
            try:
                self._read[key] = Extents(self._file.extents(
                    Extent, *conditions.decide(self._groups, line)))
            except conditions.Odd:
                self._read[key] = None
        if self._read[key] is None:
            raise conditions.Odd
        return self._read[key]
