# SPDX-License-Identifier: MIT
"""Directives by their names: what belongs to one, and whether the compiler makes a function
of that."""

from __future__ import annotations

import re

from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import List, Optional, Tuple

_OPENS = {"parallel", "task", "taskloop", "teams", "target"}
_LOOPS = {"for", "do", "simd", "distribute", "taskloop", "loop", "tile", "unroll"}
_SHOWN = {"for", "do", "sections", "section", "single", "master", "masked", "ordered",
          "critical", "taskgroup", "distribute", "loop", "workshare", "scope"}
_WITH_BLOCK = {"assume", "data"}
_WITH_STATEMENT = {"atomic", "dispatch", "allocators"}
_ALONE = {"barrier", "taskwait", "taskyield", "flush", "cancel", "cancellation", "threadprivate",
          "declare", "requires", "depobj", "scan", "interop", "error", "nothing", "begin",
          "end", "assumes", "allocate", "groupprivate"}
_NAMES = _OPENS | _LOOPS | _SHOWN | _WITH_BLOCK | _WITH_STATEMENT | _ALONE | {
    "enter", "exit", "update"}
_MOST_WORDS = 8
_LONGEST = 32  # of a word made of several


class Directive:
    """`names`: its words up to the first clause. `kind`: "alone", "statement" (what follows
    is no more than one), "loop", "block", "section", "end" (Fortran) or "unknown"."""

    def __init__(self, text: str) -> None:
        """TEXT: what follows the sentinel, without comments and continuations."""
        text = text.lstrip(" \t,")
        names: List[str] = []
        rest = text
        while len(names) < _MOST_WORDS:
            found = re.match(r"\s*([A-Za-z_]\w*)", rest)
            parts = _parts(found.group(1).lower()) if found else []
            if found is None or not parts:
                break
            names += parts
            rest = rest[found.end():]
        self.names = tuple(names)
        self.kind = _kind(self.names, rest)
        known = set(self.names)
        self.opens = self.kind == "unknown" or bool(_OPENS & known) and \
            self.kind in ("loop", "block") and "data" not in known
        self.shown = not self.opens and bool(_SHOWN & known) and \
            self.kind in ("loop", "block", "section")
        self.words = " ".join(self.names)
        self.section: Optional[str] = None  # the name of a critical section
        if self.names == ("critical",):
            found = re.match(r"\s*\(\s*(\w+)\s*\)", rest)
            if found:
                self.section = found.group(1)
                self.words += " (%s)" % self.section


def _parts(word: str) -> List[str]:
    """The names that a word is or, in Fortran, is made of: ENDDO."""
    if word in _NAMES:
        return [word]
    for at in range(2, len(word) - 1) if len(word) <= _LONGEST else ():
        if word[:at] in _NAMES:
            rest = _parts(word[at:])
            if rest:
                return [word[:at]] + rest
    return []


def _kind(names: Tuple[str, ...], rest: str) -> str:
    """REST: the clauses."""
    known = set(names)
    if not names:
        return "unknown"
    if names[0] in ("end", "section"):
        return names[0]
    if names[0] in _ALONE:
        return "alone"
    if names[0] == "target" and known & {"enter", "exit", "update"}:
        return "alone"
    if names[:2] == ("target", "data"):
        return "block"
    if names[0] == "ordered":
        return "alone" if re.search(r"\b(depend|doacross)\s*\(", rest, re.I) else "block"
    if names[0] in _WITH_STATEMENT:
        return "statement"
    return "loop" if known & _LOOPS else "block"
