# SPDX-License-Identifier: MIT
"""Data-sharing clauses of a construct, read from its source line.

GCC's debug information does not say why a variable has a copy in each thread; the directive
does.
"""

from __future__ import annotations

import re

from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.source import source_file

if TYPE_CHECKING:
    from typing import Dict, Iterator, List, Optional, Set, Tuple

_C = regex(r"^\s*#\s*pragma\s+omp\b")
_FORTRAN = regex(r"^\s*[!c*]\$omp\b&?", re.I)
_CLAUSE = regex(r"\b(\w+)\s*\(")
_LOOP = regex(r"\bfor\s*\([^;=]{0,256}?\b(\w+)\s*=|^\s*do\s+(?:\d+\s+)?(\w+)\s*=", re.I | re.M)
_COMMENT = regex(r"/\*.*?\*/|//[^\n]*", re.S)

_MOST_LINES = 64
_MOST_BEHIND = 8
# GCC makes functions of the bodies of these.
_BODIES = {"parallel", "task", "taskloop", "teams", "target"}

THREADPRIVATE = "threadprivate"
# Clause -> what a person calls a variable that stands in it.
_CLASSES = {
    "private": "private", "firstprivate": "firstprivate", "lastprivate": "lastprivate",
    "linear": "linear", "shared": "shared", "reduction": "reduction",
    "in_reduction": "reduction", "task_reduction": "reduction", "copyin": THREADPRIVATE,
}
_COPIED = ("private", "firstprivate", "lastprivate", "linear", "reduction")


class Clauses(NamedTuple):
    """What stands in one directive."""

    words: List[str]
    classes: Dict[str, str]  # by variable
    default: Optional[str]  # the argument of a default clause
    loops: Set[str]  # the variables of the loops that it binds
    is_fortran: bool
    # What a num_threads clause asks for, 0 without one; None where that is no number, or an `if`
    # clause may ask for one.
    threads: Optional[int] = 0

    @property
    def is_task(self) -> bool:
        return bool({"task", "taskloop"} & set(self.words))

    def class_of(self, name: str, own: bool) -> str:
        """The class of a variable that the construct's function got from around it. OWN:
        the thread has a copy. GCC gives a copy, too, of what is shared and never changed."""
        if self.is_fortran:
            name = name.lower()
        if name in self.classes:
            return self.classes[name]
        if name in self.loops:
            return "private"
        if self.default in ("private", "firstprivate"):
            return self.default
        if self.is_task:
            return "firstprivate" if own else "shared"
        return "shared"

    def is_copied(self, name: str) -> bool:
        """Whether the body has a variable of its own in place of that around it."""
        return self.class_of(name, False) in _COPIED


def read(path: str, line: int) -> Optional[Clauses]:
    """The Clauses of the directive that opens the body which begins at a line of a source file,
    there or a few lines before; None when there is none to be read."""
    lines = source_file.lines(path)
    for number in range(line, max(line - _MOST_BEHIND, 0), -1):
        found = parse(lines[number - 1:number - 1 + _MOST_LINES])
        if found is not None and _BODIES & set(found.words):
            return found
    return None


def at(path: str, line: int) -> Optional[Clauses]:
    """The Clauses of the directive on a line of a source file, or None."""
    return parse(source_file.lines(path)[line - 1:line - 1 + _MOST_LINES])


def parse(lines: List[str]) -> Optional[Clauses]:
    """The Clauses from the lines that begin with it, or None."""
    fortran = bool(_FORTRAN.match(lines[0])) if lines else False
    if not lines or not fortran and not _C.match(lines[0]):
        return None
    text, rest = _joined(lines, fortran)
    classes: Dict[str, str] = {}
    default, collapse = None, 1
    threads: Optional[int] = 0
    head = _CLAUSE.search(text)
    for name, argument in _arguments(text):
        if name == "default":
            default = argument.strip().lower()
        elif name in ("collapse", "ordered") and argument.strip().isdigit():
            collapse = max(collapse, min(int(argument), _MOST_LINES))
        elif name.lower() == "num_threads":
            number = re.fullmatch(r"\s*(?:strict\s*:)?\s*(\d{1,9})\s*", argument)
            threads = int(number.group(1)) if number and threads is not None else None
        elif name.lower() == "if":
            threads = None
        elif name in _CLASSES:
            for variable in _variables(argument):
                classes[variable] = _CLASSES[name]
    words = (text[:head.start()] if head else text).split()
    loops: Set[str] = set()
    if {"for", "do", "simd", "loop", "distribute", "taskloop"} & set(words):
        found = [a or b.lower() for a, b in _LOOP.findall(rest)]
        loops = set(found[:collapse])
    return Clauses(words, classes, default, loops, fortran, threads)


def _joined(lines: List[str], fortran: bool) -> Tuple[str, str]:
    """(the directive without its sentinel and continuations, the source after it)"""
    parts = []
    at = 0
    for at, line in enumerate(lines):
        sentinel = (_FORTRAN if fortran else _C).match(line)
        if fortran and sentinel is None:
            break
        piece = line[sentinel.end():] if sentinel else line
        piece = re.sub(r"!.*", "", piece) if fortran else _COMMENT.sub(" ", piece)
        piece = piece.strip()
        goes_on = piece.endswith("&" if fortran else "\\")
        parts.append(piece.lstrip("&").rstrip("&\\"))
        if not goes_on:
            break
    text = " ".join(parts)
    return (text.lower() if fortran else text), "\n".join(lines[at + 1:])


def _arguments(text: str) -> Iterator[Tuple[str, str]]:
    """Each clause with what is between its parentheses."""
    at = 0
    while True:
        found = _CLAUSE.search(text, at)
        if not found:
            return
        depth, end = 1, found.end()
        while end < len(text) and depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        yield found.group(1), text[found.end():end - 1]
        at = end


def _variables(argument: str) -> List[str]:
    """Names in a clause's list: `+:a, b[0:n]` are a and b."""
    without = re.sub(r"\[[^]]{0,256}\]|\([^()]*\)", "", argument)
    head, colon, tail = without.partition(":")
    # linear(a: 2) has its list before the colon, the others after it.
    lists = [tail, head] if colon and "::" not in without else [without]
    for words in lists:
        names = [word.strip().strip("/") for word in words.split(",")]
        names = [word for word in names if re.match(r"[A-Za-z_]\w*\Z", word)]
        if names:
            return names
    return []
