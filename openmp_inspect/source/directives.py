# SPDX-License-Identifier: MIT
"""Directives as the source has them: which one opened the body that begins on a line."""

from __future__ import annotations

import functools
import os
import re

from openmp_inspect.core import caches, escaped
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.source import source_file

if TYPE_CHECKING:
    from typing import Dict, List, Optional, Sequence, Tuple
    from openmp_inspect.core.escaped import Text

_FORTRAN = (".f", ".for", ".ftn", ".fpp", ".f90", ".f95", ".f03", ".f08")
_DIRECTIVE = regex(r"(?:\s*#\s*pragma\s+omp|[!cC*]\$omp|.*_Pragma\s*\(\s*\"\s*omp|"
                   r"\s*!\$omp)\b\s*(.*)", re.I)
_OF_LOOPS = ("for", "do", "loop", "distribute", "simd", "taskloop")
_LOOP = regex(r"\s*(for\s*\(|do\b)", re.I)
_SECTION = regex(r"section\b", re.I)
_MOST_LOOPS = 8
_FARTHEST = 5  # lines of a body's first statement from its directive
_WORDS = ("target", "teams", "distribute", "parallel", "for", "do", "simd", "sections", "loop",
          "masked", "master", "task", "taskloop", "workshare", "single")

# Kind of body -> the words of which one makes a directive open such.
_OPENING: Dict[Optional[str], Tuple[str, ...]] = {
    "region": ("parallel", "teams"), "task": ("task", "taskloop"), "taskloop": ("taskloop",),
    "target": ("target",), None: ("parallel", "teams", "task", "taskloop", "target")}


def is_fortran(file: Optional[Text]) -> bool:
    """Whether a source file is one of Fortran, by its name."""
    return file is not None and os.path.splitext(escaped.exact(file))[1].lower() in _FORTRAN


def sentinel(file: Optional[Text]) -> str:
    """How directives begin in the language of a source file."""
    return "!$omp" if is_fortran(file) else "#pragma omp"


class Opening(NamedTuple):
    words: Tuple[str, ...]  # with which the directive begins; none: there is no directive
    line: int


@functools.lru_cache(maxsize=4096)
def above(path: str, line: int, kind: Optional[str]) -> Opening:
    """The directive that opens the body which begins on a line of the source. An optimised
    body begins with its first statement: only what is no code may be in between. No words,
    and the same line, if there is none. KIND: "region", "task", "taskloop" or "target"; None:
    of any."""
    wanted = _OPENING[kind]
    lines = source_file.lines(path)
    for number in range(line, max(line - _FARTHEST, 0), -1):
        source = lines[number - 1] if number <= len(lines) else ""
        first = _first_line(lines, number)
        words = _words(lines[first - 1]) if first <= len(lines) else ()
        if any(word in words for word in wanted):
            return Opening(words, first)
        if number != line and not words and not _is_no_code(source):
            break
    return Opening((), line)


def _first_line(lines: Sequence[str], number: int) -> int:
    """The line with which the directive, or statement, begins that goes on in a line."""
    first = number
    while number - first < _FARTHEST and 1 < first <= len(lines) and \
            lines[first - 2].rstrip().endswith(("\\", "&")):
        first -= 1
    return first


caches.when_code_changes(above.cache_clear)  # the source may have been edited


def behind_sentinel(source: str) -> Optional[str]:
    """What the directive on a line of source says, or None if there is none."""
    found = _DIRECTIVE.match(source)
    return found.group(1) if found else None


def is_section(path: str, line: int) -> bool:
    """Whether a line of the source is the directive of a section."""
    return bool(_SECTION.match(behind_sentinel(_line(path, line)) or ""))


def may_be_at(path: str, line: int) -> bool:
    """Whether a line of the source, which may not be there, has the directive of a body."""
    return bool(above(path, line, None).words) or not source_file.lines(path)


def is_at(path: str, line: int) -> bool:
    """Whether a line of the source has a directive."""
    return behind_sentinel(_line(path, line)) is not None


def is_no_code(path: str, line: int) -> bool:
    """Whether a line of the source has but brackets and a comment."""
    source = _line(path, line)
    return source.strip() != "" and _is_no_code(source)


def loops(path: str, line: int) -> List[int]:
    """The lines of the loops which the directive at a line of the source, or shortly above, shares
    out: not those inside, which are statements of the body."""
    words, first = above(path, line, None)
    found: List[int] = []
    if any(word in words for word in _OF_LOOPS):
        collapsed = re.search(r"\bcollapse\s*\(\s*(\d{1,9})", _line(path, first))
        most = min(int(collapsed.group(1)), _MOST_LOOPS) if collapsed else 1
        found = [number for number in range(first + 1, first + 1 + most * _FARTHEST)
                 if _LOOP.match(_line(path, number))][:most]
    return found


def _line(path: str, number: int) -> str:
    return "".join(source_file.lines(path)[number - 1:number])


def _is_no_code(source: str) -> bool:
    """Whether a line has but brackets and a comment."""
    rest = source.strip("{} \t\f\v")
    return not rest or rest.startswith("//") or source.lstrip().startswith("!") or \
        rest.startswith("/*") and rest.endswith("*/")


def _words(source: str) -> Tuple[str, ...]:
    """The leading words of the directive on a line of source, or none."""
    words = []
    for word in re.findall(r"\w+|[^\w\s]+", behind_sentinel(source) or ""):
        if word.lower() not in _WORDS:
            break
        words.append(word.lower())
    return tuple(words)
