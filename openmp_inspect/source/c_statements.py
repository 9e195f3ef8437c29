# SPDX-License-Identifier: MIT
"""Where the statement behind a directive ends, in C and C++ without comments, literals and
lines of the preprocessor.

A macro may stand for anything. What does not look like a statement as it is has no end.
"""

from __future__ import annotations

import bisect
import re

from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Dict, List, Optional, Sequence, Tuple
    from openmp_inspect.source.extents import Extent

_BRACKET = regex(r"[(){}\[\]]")
_CLOSING = {")": "(", "}": "{", "]": "["}
_TOKEN = regex(r"\s*([A-Za-z_$]\w*|\d[\w.]*|\[\s*\[|::|->|\S)")
# A name may follow these.
_PREFIXES = {"new", "delete", "throw", "sizeof", "alignof", "typename", "template", "operator",
             "return", "goto", "not", "and", "or", "xor", "bitor", "bitand", "compl", "co_await",
             "co_yield", "co_return", "asm", "__asm__", "const", "constexpr", "static", "auto",
             "unsigned", "signed", "int", "long", "short", "char", "float", "double", "bool",
             "struct", "union", "enum", "class", "volatile", "__extension__", "else", "using"}
_AFTER_BRACES = {";", ",", "(", ".", "?", ":", "[", "->", "+", "-", "*", "/", "<", ">", "=", "!",
                 "&", "|", "^", "%"}
_DEEPEST = 64
_MOST_TOKENS = 1 << 16  # of one statement outside of brackets


class Doubt(NamedTuple):
    """Text that may be another."""

    start: int
    end: int
    torn: bool  # it has brackets without a partner


class Found:
    """A directive in the code. `stop`: where what belongs to it ends, or None; `doubtful`:
    that may be anywhere before."""

    __slots__ = ("extent", "begin", "end", "stop", "doubtful")

    def __init__(self, extent: Extent, begin: int, end: int) -> None:
        self.extent = extent
        self.begin = begin
        self.end = end
        self.stop: Optional[int] = None
        self.doubtful = False


class Statements:
    """Of one text. MARK stands in it for a directive."""

    def __init__(self, code: str, mark: str) -> None:
        self._code = code
        self._mark = mark
        self._partner: Dict[int, int] = {}  # of opening brackets
        self._opens: List[int] = []  # positions of "{" that are closed, and
        self._parents: Dict[int, Optional[int]] = {}  # the ones around these
        self._directives: Dict[int, Found] = {}  # by position
        self._match()

    def _match(self) -> None:
        open_: List[int] = []
        for found in _BRACKET.finditer(self._code):
            at, sign = found.start(), found.group()
            if sign in "({[":
                open_.append(at)
                continue
            if open_ and self._code[open_[-1]] == _CLOSING[sign]:
                self._partner[open_.pop()] = at
            else:
                while open_ and self._code[open_[-1]] != _CLOSING[sign]:
                    open_.pop()  # it is never closed
                if open_:
                    open_.pop()  # nor is this one, for certain
        around: List[int] = []
        for at in sorted(at for at in self._partner if self._code[at] == "{"):
            while around and self._partner[around[-1]] < at:
                around.pop()
            self._parents[at] = around[-1] if around else None
            self._opens.append(at)
            around.append(at)

    @staticmethod
    def balanced(code: str) -> bool:
        open_: List[str] = []
        for found in _BRACKET.finditer(code):
            sign = found.group()
            if sign in "({[":
                open_.append(sign)
            elif not open_ or open_.pop() != _CLOSING[sign]:
                return False
        return not open_

    def _brace_around(self, at: int) -> Optional[int]:
        """The innermost "{" whose block a position is in, or None."""
        index = bisect.bisect_left(self._opens, at) - 1
        brace: Optional[int] = self._opens[index] if index >= 0 else None
        while brace is not None and self._partner[brace] < at:
            brace = self._parents[brace]
        return brace

    def find(self, directives: Sequence[Found], doubts: Sequence[Doubt]) -> None:
        """Give each of DIRECTIVES its `stop`. Both are in order."""
        # block -> where its next section, which comes later, begins
        following: Dict[Optional[int], int] = {}
        starts = [doubt.start for doubt in doubts]
        for one in reversed(directives):
            block = self._brace_around(one.begin)
            closing = len(self._code) if block is None else self._partner[block]
            kind = one.extent.directive.kind
            self._directives[one.begin] = one
            if kind in ("alone", "end"):
                continue
            if kind == "section":
                one.stop = following.get(block, closing)
                following[block] = one.begin
                one.doubtful = block is None
            else:
                one.stop = self._statement(one.end, 0)
                one.doubtful = one.stop is None or one.stop > closing or \
                    kind == "loop" and not self._is_loop(one.end)
            number = bisect.bisect_left(starts, one.end)
            while not one.doubtful and one.stop is not None and number < len(doubts) and \
                    starts[number] < one.stop:
                start, end, torn = doubts[number]
                brace = self._brace_around(start)
                one.doubtful = torn or end > one.stop or brace is None or brace < one.end
                number += 1
            if one.doubtful:
                one.stop = closing

    def _next(self, at: int) -> Tuple[str, int]:
        """The next token, and its position; ("", end) where there is none."""
        found = _TOKEN.match(self._code, at)
        return (found.group(1), found.start(1)) if found else ("", len(self._code))

    def _behind(self, at: int, opening: str) -> Optional[int]:
        """The position behind the brackets that open next, or None."""
        token, at = self._next(at)
        close = self._partner.get(at) if token == opening else None
        return None if close is None else close + 1

    def _is_loop(self, at: int) -> bool:
        token = self._next(at)[0]
        return token in ("for", "{", self._mark) or token.startswith("[")

    def _statement(self, at: int, depth: int) -> Optional[int]:
        """The position behind the statement that begins next, or None."""
        token, at = self._next(at)
        behind = at + len(token)
        if depth > _DEEPEST or not token:
            return None
        if token == self._mark:
            one = self._directives.get(at)
            return None if one is None or one.doubtful else one.stop
        if token == "{":
            return self._behind(at, "{")
        if token == ";":
            return behind
        if token.startswith("[") and token != "[":
            close = self._partner.get(at)
            return None if close is None else self._statement(close + 1, depth + 1)
        if token in ("__extension__", "__attribute__"):
            end = self._behind(behind, "(") if token == "__attribute__" else behind
            return None if end is None else self._statement(end, depth + 1)
        if token == "if":
            return self._if(behind, depth)
        if token in ("for", "while", "switch"):
            end = self._behind(behind, "(")
            return None if end is None else self._statement(end, depth + 1)
        if token == "do":
            return self._do(behind, depth)
        if token == "try":
            return self._try(behind)
        if token in ("case", "default", "else", "catch"):
            return None
        if re.match(r"[A-Za-z_$]", token) and self._next(behind)[0] == ":":
            return self._statement(self._next(behind)[1] + 1, depth + 1)
        return self._simple(at)

    def _if(self, at: int, depth: int) -> Optional[int]:
        """Behind "if"."""
        while True:
            token, begin = self._next(at)
            while token in ("constexpr", "consteval", "!"):
                at = begin + len(token)
                token, begin = self._next(at)
            behind = at if token == "{" else self._behind(at, "(")
            end = None if behind is None else self._statement(behind, depth + 1)
            if end is None:
                return None
            token, begin = self._next(end)
            if token != "else":
                return end
            at = begin + len(token)
            token, begin = self._next(at)
            if token != "if":
                return self._statement(at, depth + 1)
            at = begin + len(token)

    def _do(self, at: int, depth: int) -> Optional[int]:
        end = self._statement(at, depth + 1)
        token, begin = self._next(end) if end is not None else ("", 0)
        end = self._behind(begin + len(token), "(") if token == "while" else None
        token, begin = self._next(end) if end is not None else ("", 0)
        return begin + 1 if token == ";" else None

    def _try(self, at: int) -> Optional[int]:
        end = self._behind(at, "{")
        token, begin = self._next(end) if end is not None else ("", 0)
        if token != "catch":
            return None
        while token == "catch":
            end = self._behind(begin + len(token), "(")
            end = None if end is None else self._behind(end, "{")
            if end is None:
                return None
            token, begin = self._next(end)
        return end

    def _simple(self, at: int) -> Optional[int]:
        """An expression, or the like, that ends with ";"."""
        last, called = "", 0
        name: Optional[str] = None
        for number in range(_MOST_TOKENS):
            token, begin = self._next(at)
            if token in ("", "}", ")", "]", self._mark, "for", "while", "if", "do", "switch"):
                return None
            if token == ";":
                return begin + 1
            word = bool(re.match(r"[A-Za-z_$]", token))
            if word and (last == "}" or name is not None and name not in _PREFIXES or
                         called == number and number):
                return None  # a macro stands for more than a name
            if last == "}" and token not in _AFTER_BRACES:
                return None
            if token[0] in "([{":
                close = self._partner.get(begin)
                if close is None or token == "{" and called == number and number:
                    return None
                if token == "(" and number == 1 and name is not None:
                    called = 2
                at, last = close + 1, {"(": ")", "[": "]", "{": "}"}[token[0]]
                name = None
                continue
            at, last, name = begin + len(token), token, token if word else None
        return None
