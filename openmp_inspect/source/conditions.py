# SPDX-License-Identifier: MIT
"""Which lines of a source the preprocessor kept, as far as the source alone determines.

A line that was compiled decides the conditions around it. Of the others those are known that
ask for _OPENMP or a plain number; from one that is not known its first branch is read, and
what depends on it is no certain answer (Group.certain).
"""

from __future__ import annotations

import re

from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

KEYWORDS = ("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif")
_MOST_NESTED = 64
_DEFINED = regex(r"(!?)\s*defined\s*(?:\(\s*_OPENMP\s*\)|\s_OPENMP)\s*\Z")
_FALSE, _TRUE = 0, 1  # else None: it is not known


class Odd(Exception):
    """The source is not what a compiler would take, or beyond what is decided here."""


class Conditional(NamedTuple):
    """A line of the preprocessor."""

    line: int
    keyword: str  # "if" and its like, "elif" and its like, "else" or "endif"
    argument: str


class Lines(NamedTuple):
    first: int
    last: int


class Branch:
    """From a Conditional to the next one of its ConditionalBlock."""

    __slots__ = ("line", "end", "holds")

    def __init__(self, line: int, holds: Optional[int]) -> None:
        self.line = line
        self.end = line  # until the next one is found
        self.holds = holds  # _TRUE, _FALSE or None

    def has(self, line: int) -> bool:
        return self.line < line < self.end


class ConditionalBlock:
    """From #if to #endif. `taken`: the index of the branch that is read, or None."""

    def __init__(self, line: int, parent: Optional[ConditionalBlock]) -> None:
        self.line = self.end = line
        self.parent = parent
        self.branches: List[Branch] = []
        self.taken: Optional[int] = None
        self.certain = True

    def decide(self, line: int) -> None:
        """Choose the branch for a look at LINE."""
        holds = [branch.holds for branch in self.branches]
        around = [at for at, branch in enumerate(self.branches) if branch.has(line)]
        open_ = [at for at, held in enumerate(holds) if held is not _FALSE]
        if around:
            self.taken, self.certain = around[0], True
        else:
            self.taken = open_[0] if open_ else None
            self.certain = not open_ or holds[open_[0]] is _TRUE

    def left_out(self) -> Iterator[Lines]:
        """Each run of lines that is not read."""
        for at, branch in enumerate(self.branches):
            if at != self.taken:
                yield Lines(branch.line + 1, branch.end - 1)


def groups(directives: Iterable[Conditional]) -> List[ConditionalBlock]:
    """The ConditionalBlocks of a file's conditionals, in order; Odd where they do not pair."""
    found: List[ConditionalBlock] = []
    open_: List[ConditionalBlock] = []
    for line, keyword, argument in directives:
        if keyword in ("if", "ifdef", "ifndef"):
            if len(open_) >= _MOST_NESTED:
                raise Odd
            group = ConditionalBlock(line, open_[-1] if open_ else None)
            group.branches.append(Branch(line, _holds(keyword, argument)))
            found.append(group)
            open_.append(group)
            continue
        if not open_:
            raise Odd
        open_[-1].branches[-1].end = line
        if keyword == "endif":
            open_.pop().end = line
        else:
            branches = open_[-1].branches
            held = _TRUE if keyword == "else" else _holds(keyword[2:], argument)
            before = [other.holds for other in branches]
            if _TRUE in before:
                held = _FALSE
            elif held is _TRUE and None in before:
                held = None
            branches.append(Branch(line, held))
    if open_:
        raise Odd
    return found


def _holds(keyword: str, argument: str) -> Optional[int]:
    argument = argument.strip()
    if keyword in ("ifdef", "ifndef"):
        return None if argument != "_OPENMP" else int(keyword == "ifdef")
    if re.match(r"\d+[uUlL]*\Z", argument):
        return int(int(argument.rstrip("uUlL")) != 0)
    if argument == "_OPENMP":
        return _TRUE
    found = _DEFINED.match(argument)
    return None if found is None else int(not found.group(1))


class Reading(NamedTuple):
    """How a file is read for a look at one of its lines."""

    left_out: List[Lines]  # what is not read
    uncertain: List[ConditionalBlock]  # what is read, and may be another branch


def choice(found: Sequence[ConditionalBlock], line: int) -> Tuple[Tuple[int, int], ...]:
    """What of a LINE decides how the rest is read: equal for lines that are read alike."""
    return tuple((at, number) for at, group in enumerate(found)
                 for number, branch in enumerate(group.branches) if branch.has(line))


def decide(found: Sequence[ConditionalBlock], line: int) -> Reading:
    """Choose the branches for a look at LINE."""
    result = Reading([], [])
    read: Dict[ConditionalBlock, bool] = {}
    for group in found:
        group.decide(line)
        above = group.parent
        read[group] = above is None or read[above] and _reads(above, group.line)
        result.left_out.extend(group.left_out())
        if read[group] and not group.certain:
            result.uncertain.append(group)
    return result


def _reads(group: ConditionalBlock, line: int) -> bool:
    return group.taken is not None and group.branches[group.taken].has(line)
