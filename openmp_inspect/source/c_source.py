# SPDX-License-Identifier: MIT
"""C and C++ source: where directives stand, with comments and literals out of the way.

c_statements.py finds what belongs to them.
"""

from __future__ import annotations

import bisect
import re

from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.source import c_statements, conditions, directives
from openmp_inspect.source.c_statements import Doubt, Found
from openmp_inspect.source.conditions import Conditional, Odd
from openmp_inspect.source.directive_names import Directive

if TYPE_CHECKING:
    from typing import Callable, Iterable, List, Optional, Sequence, Tuple
    from openmp_inspect.source.conditions import ConditionalBlock, Lines
    from openmp_inspect.source.extents import Extent

MARK = "\1"  # stands in the code where a directive does

_SPECIAL = regex(r"//|/\*|[\"'#]")
_LINE_COMMENT = regex(r"//(?:\\[ \t]*\n|[^\n])*")
_STRING = {sign: regex(r"%s(?:\\[ \t]*\n|\\.|[^%s\\\n])*%s" % (sign, sign, sign))
           for sign in "\"'"}
_REST = regex(r"(?:\\[ \t]*\n|\\.|[^\\\n])*")  # of a line that goes on behind a backslash
_RAW = regex(r"\"([^()\\\s\"]{0,16})\(")
_RAW_PREFIX = regex(r"(?<!\w)(?:u8|[uUL])?R\Z")
_NUMBER = regex(r"(?<![\w.'])\.?\d(?:'?\w|\.)*'?\Z")
_PRAGMA_OPERATOR = regex(r"(?<!\w)_Pragma\s*\(\s*L?\Z")
_CLOSED = regex(r"\s*\)")
_LINE_END = regex(r"\\[ \t]*\n|\n|//|/\*|[\"']")
_WORD = regex(r"\s*#\s*(\w+)\s*(.*)", re.S)
_FAR = 64  # characters that are looked back
# Digraphs, trigraphs, and directives written as attributes.
_STRANGE = regex(r"<%|%>|%:|\?\?[=/<>(]|\[\s*\[[^][]*\bomp\b")


class _Pragma(NamedTuple):
    begin: int
    end: int
    text: str  # behind the sentinel


class CSource:
    """The text of a source; Odd where a compiler would not take it. `conditionals`: those of
    the preprocessor."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = [0] + [at.end() for at in re.finditer("\n", text)]
        self._pieces: List[str] = []
        self._done = 0
        self._coded = -1  # where the last line begins that has code
        self._clear = 0  # only comments stand before this on its line
        self._open = {"'": 0, '"': 0}  # before this no literal of the kind ends
        self._pragmas: List[_Pragma] = []
        self._includes: List[int] = []
        self.conditionals: List[Conditional] = []
        if MARK in text:
            raise Odd
        self._scan()
        self._code = "".join(self._pieces) + text[self._done:]

    def line(self, at: int) -> int:
        """The number of the line of a position."""
        return bisect.bisect_right(self._lines, at)

    def _blank(self, start: int, end: int, left: str = "") -> None:
        """What is from START to END is no code; LEFT stands for it."""
        self._pieces.append(self._text[self._done:start])
        self._pieces.append(left + _blanked(self._text[start + len(left):end]))
        self._done = end

    def _scan(self) -> None:
        text, at = self._text, 0
        while True:
            found = _SPECIAL.search(text, at)
            if found is None:
                return
            sign, start = found.group(), found.start()
            if sign == "//":
                at = _end(_LINE_COMMENT, text, start)
                self._blank(start, at)
            elif sign == "/*":
                at = _after_comment(text, start)
                if self._is_first(start) or self.line(at) != self.line(start):
                    self._clear = at
                self._blank(start, at)
            elif sign == "#":
                at = self._hash(start)
            else:
                at = self._literal(sign, start)

    def _hash(self, start: int) -> int:
        """A line of the preprocessor, if one begins here; the position behind it."""
        if not self._is_first(start):
            return start + 1
        end, words = self._logical(start)
        self._preprocess(start, end, words)
        return end

    def _is_first(self, at: int) -> bool:
        """Whether nothing but comments stands before a position on its line. A line may be
        long: what is known of its beginning is not looked at again."""
        begin = self._lines[self.line(at) - 1]
        if begin != self._coded and self._text[max(begin, self._clear):at].strip():
            self._coded = begin
        return begin != self._coded

    def _string(self, sign: str, start: int) -> Optional[int]:
        """Where the literal that begins at START ends, or None."""
        if start < self._open[sign]:
            return None
        found = _STRING[sign].match(self._text, start)
        if found is None:
            self._open[sign] = _end(_REST, self._text, start + 1)
            return None
        return found.end()

    def _logical(self, start: int) -> Tuple[int, str]:
        """The end and the words of the preprocessor's line that begins at START: it goes on
        behind a backslash, and with a comment."""
        text, at = self._text, start
        parts: List[str] = []
        while True:
            found = _LINE_END.search(text, at)
            end = found.start() if found else len(text)
            parts.append(text[at:end])
            sign = found.group() if found else "\n"
            if found is None or sign == "\n":
                return end, "".join(parts)
            if sign == "//":
                at = _end(_LINE_COMMENT, text, end)
            elif sign == "/*":
                at = _after_comment(text, end)
                parts.append(" ")
            elif sign[0] == "\\":
                at = found.end()
                parts.append(" ")
            else:
                at = self._string(sign, end) or end + 1
                parts.append(text[end:at])

    def _preprocess(self, start: int, end: int, words: str) -> None:
        found = _WORD.match(words)
        keyword, rest = found.groups() if found else ("", "")
        if keyword in conditions.KEYWORDS:
            self.conditionals.append(Conditional(self.line(start), keyword, rest))
        elif keyword == "line" or keyword.isdigit():
            raise Odd  # lines have other numbers
        elif keyword in ("include", "include_next", "embed"):
            self._includes.append(start)
        elif keyword == "pragma":
            said = directives.behind_sentinel("#pragma " + rest)
            if rest.split()[:1] == ["acc"]:
                raise Odd
            if said is not None:
                self._pragmas.append(_Pragma(start, end, said))
                self._blank(start, end, MARK)
                return
        self._blank(start, end)

    def _literal(self, sign: str, start: int) -> int:
        text = self._text
        before = text[max(start - _FAR, self._done):start]
        if sign == '"' and before.endswith("R") and _RAW_PREFIX.search(before):
            end = _after_raw(text, start)
        elif sign == "'" and _NUMBER.search(text[max(start - _FAR, 0):start]):
            self._blank(start, start + 1, "_")  # between digits
            return start + 1
        else:
            closing = self._string(sign, start)
            if closing is None:
                return start + 1  # none ends here; extents() looks whether it is read
            end = closing
        operator = _PRAGMA_OPERATOR.search(before) if "_Pragma" in before else None
        closed = _CLOSED.match(text, end) if sign == '"' else None
        if operator and closed:
            begin = start - len(before) + operator.start()
            words = re.sub(r"\\([\"\\])", r"\1", text[start + 1:end - 1])
            said = directives.behind_sentinel("#pragma " + words)
            if said is not None:
                self._pragmas.append(_Pragma(begin, closed.end(), said))
            self._blank(begin, closed.end(), "" if said is None else MARK)
            return closed.end()
        self._blank(start, end, "0")
        return end

    def extents(self, make: Callable[[Directive, int, int], Extent], left_out: Iterable[Lines],
                uncertain: Sequence[ConditionalBlock]) -> List[Extent]:
        """What MAKE makes of each directive that is read, with its lines. LEFT_OUT: those
        that are not; UNCERTAIN: read, and possibly another branch. Odd where code is read
        that is not understood."""
        pieces: List[str] = []
        start = 0
        for first, last in sorted(left_out):
            begin = self._start(first)
            end = self._start(last + 1)
            if begin >= start and end > begin:
                pieces += [self._code[start:begin], _blanked(self._code[begin:end])]
                start = end
        code = "".join(pieces) + self._code[start:]
        if "'" in code or '"' in code or _STRANGE.search(code):
            raise Odd
        statements = c_statements.Statements(code, MARK)
        doubts = [Doubt(self._start(group.line), self._start(group.end + 1), any(
            not statements.balanced(self._code[self._start(one.line + 1):self._start(one.end)])
            for one in group.branches)) for group in uncertain]
        doubts += [Doubt(at, at, False) for at in self._includes]
        found = [Found(make(Directive(said), self.line(begin), self.line(max(begin, end - 1))),
                       begin, end) for begin, end, said in self._pragmas if code[begin] == MARK]
        unsure = [group.branches[group.taken] for group in uncertain if group.taken is not None]
        statements.find(found, sorted(doubts))
        for one in found:
            self._place(one, code)
            if any(branch.has(one.extent.line) for branch in unsure):
                one.extent.shown = False
                one.extent.doubtful = one.extent.opens
        return [one.extent for one in found]

    def _start(self, line: int) -> int:
        """The position where a line begins."""
        return self._lines[line - 1] if line <= len(self._lines) else len(self._text)

    def _place(self, one: Found, code: str) -> None:
        """Lines of what was found as positions."""
        extent = one.extent
        if one.stop is None:
            return
        if one.doubtful:
            extent.doubt(self.line(one.stop))
            return
        first, end = extent.last + 1, self.line(one.stop - 1)
        partly: List[int] = []
        if code[one.end:self._start(extent.last + 1)].strip():
            partly.append(extent.last)
        if code[one.stop:self._start(end + 1)].strip():
            partly.append(end)
            end -= 1
        extent.holds(first, end, tuple(partly))


def _blanked(text: str) -> str:
    """As many blanks, on as many lines."""
    return "\n".join([" " * len(line) for line in text.split("\n")]) if "\n" in text else \
        " " * len(text)


def _end(pattern: re.Pattern[str], text: str, start: int) -> int:
    """Where what PATTERN matches from START on ends."""
    found = pattern.match(text, start)
    if found is None:
        raise Odd
    return found.end()


def _after_raw(text: str, start: int) -> int:
    """Where the raw literal that begins at START ends."""
    found = _RAW.match(text, start)
    if found is None:
        raise Odd
    closing = ")%s\"" % found.group(1)
    end = text.find(closing, found.end())
    if end < 0:
        raise Odd
    return end + len(closing)


def _after_comment(text: str, start: int) -> int:
    end = text.find("*/", start + 2)
    if end < 0:
        raise Odd
    return end + 2
