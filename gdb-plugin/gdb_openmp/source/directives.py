# SPDX-License-Identifier: MIT
"""Directives as the source has them: which one opened the body that begins on a line."""

from __future__ import annotations

import functools
import os
import re

from gdb_openmp.core import caches
from gdb_openmp.core.lazy_regex import regex
from gdb_openmp.core.static_typing import TYPE_CHECKING, NamedTuple
from gdb_openmp.source import source_file

if TYPE_CHECKING:
    from typing import Dict, Optional, Tuple

_FORTRAN = (".f", ".for", ".ftn", ".fpp", ".f90", ".f95", ".f03", ".f08")
_DIRECTIVE = regex(r"(?:\s*#\s*pragma\s+omp|[!cC*]\$omp|.*_Pragma\s*\(\s*\"\s*omp|"
                   r"\s*!\$omp)\b\s*(.*)", re.I)
_FARTHEST = 5  # lines of a body's first statement from its directive
_WORDS = ("target", "teams", "distribute", "parallel", "for", "do", "simd", "sections", "loop",
          "masked", "master", "task", "taskloop", "workshare", "single")

# Kind of body -> the words of which one makes a directive open such.
_OPENING: Dict[Optional[str], Tuple[str, ...]] = {
    "region": ("parallel", "teams"), "task": ("task", "taskloop"), "taskloop": ("taskloop",),
    "target": ("target",), None: ("parallel", "teams", "task", "taskloop", "target")}


def sentinel(file: Optional[str]) -> str:
    """How directives begin in the language of a source file."""
    fortran = file and os.path.splitext(file)[1].lower() in _FORTRAN
    return "!$omp" if fortran else "#pragma omp"


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
        words = _words(source)
        if any(word in words for word in wanted):
            return Opening(words, number)
        if number != line and not words and not _is_no_code(source):
            break
    return Opening((), line)


caches.when_code_changes(above.cache_clear)  # the source may have been edited


def behind_sentinel(source: str) -> Optional[str]:
    """What the directive on a line of source says, or None if there is none."""
    found = _DIRECTIVE.match(source)
    return found.group(1) if found else None


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
