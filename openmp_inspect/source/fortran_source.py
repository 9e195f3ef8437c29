# SPDX-License-Identifier: MIT
"""Fortran source, free and fixed form: its statements and directives, one by one.

fortran_blocks.py finds what belongs to the directives.
"""

from __future__ import annotations

import re

from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.source import conditions, directives, fortran_blocks
from openmp_inspect.source.conditions import Conditional, Odd
from openmp_inspect.source.directive_names import Directive

if TYPE_CHECKING:
    from typing import Callable, Iterable, Iterator, List, Optional, Sequence, Set, Tuple
    from openmp_inspect.source.conditions import ConditionalBlock, Lines
    from openmp_inspect.source.extents import Extent

_QUOTE = regex(r"['\"!]")
_FREE_SENTINEL = regex(r"\s*!\$omp(?=[\s&]|\Z)", re.I)
_FREE_CONDITIONAL = regex(r"\A(\s*)!\$(?=[\s&])")
_FIXED_SENTINEL = regex(r"[!c*]\$omp", re.I)
_FIXED_CONDITIONAL = regex(r"[!c*]\$(?=[ \d]{3}[^\n]|[ \d]*\t)", re.I)
_OTHER_SENTINEL = regex(r"\s*[!c*]\$acc\b", re.I)
_CPP = regex(r"#\s*(\w*)\s*(.*)")
_MOST_CONTINUED = 4096


def _without_comments(words: str) -> str:
    """What the preprocessor makes of a line; an opened comment that does not end stays."""
    end = words.rfind("*/") + 2
    return re.sub(r"/\*.*?\*/", "", words[:end]) + words[end:] if end > 1 else words


class FortranItem:
    """A statement or directive. `text`: in small letters, and a statement without blanks and
    label; `literal` text is ''. `shares`: another one stands on its last line, behind it."""

    __slots__ = ("first", "last", "directive", "shares", "label", "text")

    def __init__(self, first: int, last: int, text: str, directive: Optional[Directive] = None,
                 shares: bool = False) -> None:
        self.first = first
        self.last = last
        self.directive = directive
        self.shares = shares
        self.text = re.sub(r"\A\d{0,5}", "", text)
        self.label = text[:len(text) - len(self.text)]


class _Logical:
    """A line with its continuations."""

    def __init__(self, first: int, directive: bool) -> None:
        self.first = self.last = first
        self.directive = directive
        self.parts: List[str] = []
        self.quote = ""  # of a literal that goes on

    def add(self, code: str, number: int) -> None:
        """Another physical line, without sentinel; ends "&" where free form goes on."""
        kept: List[str] = []
        at = 0
        if self.quote:
            code = self._literal_end(code, 0, kept)
        while True:
            found = _QUOTE.search(code, at)
            if found is None:
                kept.append(code[at:])
                break
            kept.append(code[at:found.start()])
            if found.group() == "!":
                break
            self.quote = found.group()
            code = self._literal_end(code, found.end(), kept)
            at = 0
        self.parts.append("".join(kept))
        self.last = number
        if len(self.parts) > _MOST_CONTINUED:
            raise Odd

    def _literal_end(self, code: str, at: int, kept: List[str]) -> str:
        """What is behind the literal; that goes on where there is nothing."""
        end = code.find(self.quote, at)
        if end < 0:
            if code.rstrip().endswith("&"):
                kept.append("&")
            return ""
        kept.append("''")
        self.quote = ""
        return code[end + 1:]


class FortranSource:
    """The text of a source; see c_source.CSource."""

    def __init__(self, text: str, fixed: bool, width: int) -> None:
        self._lines = text.split("\n")
        self._fixed = fixed
        self._width = width
        self.conditionals: List[Conditional] = []
        self._includes: Set[int] = set()
        for number, line in enumerate(self._lines, 1):
            found = _CPP.match(line)
            if found:
                keyword, rest = found.groups()
                if keyword in conditions.KEYWORDS:
                    self.conditionals.append(Conditional(number, keyword, _without_comments(rest)))
                elif keyword == "include":
                    self._includes.add(number)
                elif keyword == "line" or keyword.isdigit() or \
                        line.rstrip().endswith("\\"):
                    raise Odd

    def extents(self, make: Callable[[Directive, int, int], Extent], left_out: Iterable[Lines],
                uncertain: Sequence[ConditionalBlock]) -> List[Extent]:
        """See c_source.CSource.extents()."""
        if uncertain and self._matters(uncertain):
            raise Odd
        hidden = bytearray(len(self._lines) + 2)
        for first, last in left_out:
            hidden[first:last + 1] = b"\1" * (last + 1 - first)
        blocks = fortran_blocks.Blocks(make)
        for logical in (self._fixed_form if self._fixed else self._free_form)(hidden):
            if logical.quote:
                raise Odd
            for item in _items(logical):
                blocks.add(item)
        return blocks.end()

    def _matters(self, uncertain: Sequence[ConditionalBlock]) -> bool:
        """Whether there is more than plain statements under conditions that are not known."""
        for group in uncertain:
            for line in self._lines[group.line:group.end - 1]:
                if re.match(r"\s*([!c*]\$|\d)|.*\b(do|end|block)", line, re.I):
                    return True
        return False

    def _free_form(self, hidden: bytearray) -> Iterator[_Logical]:
        open_: Optional[_Logical] = None
        for number, line in enumerate(self._lines, 1):
            if hidden[number]:
                continue
            if line.startswith("#"):
                if number in self._includes:
                    if open_ is not None:
                        raise Odd
                    yield _included(number)
                continue
            sentinel = _FREE_SENTINEL.match(line)
            if sentinel:
                line = line[sentinel.end():]
            elif _OTHER_SENTINEL.match(line):
                raise Odd
            else:
                line = _FREE_CONDITIONAL.sub(r"\1  ", line, count=1)
            if not line.strip() or line.lstrip()[0] == "!":
                continue
            if open_ is None:
                open_ = _Logical(number, bool(sentinel))
            elif open_.directive != bool(sentinel):
                raise Odd
            elif line.lstrip()[0] == "&":
                line = line.lstrip()[1:]
            open_.add(line, number)
            piece = open_.parts[-1].rstrip()
            if piece.endswith("&"):
                open_.parts[-1] = piece[:-1]
                continue
            yield open_
            open_ = None
        if open_ is not None:
            raise Odd

    def _fixed_form(self, hidden: bytearray) -> Iterator[_Logical]:
        open_: Optional[_Logical] = None
        for number, line in enumerate(self._lines, 1):
            if hidden[number]:
                continue
            if line.startswith("#"):
                if number in self._includes:
                    if open_ is not None:
                        yield open_
                    open_ = _included(number)
                continue
            directive = bool(_FIXED_SENTINEL.match(line))
            if _OTHER_SENTINEL.match(line):
                raise Odd
            if directive:
                line = "     " + line[5:]
            elif _FIXED_CONDITIONAL.match(line):
                line = "  " + line[2:]
            if line[:1] in ("!", "c", "C", "*", "d", "D") or not line.strip():
                continue
            continued, label, line = self._columns(line)
            if not line.strip() or line.lstrip()[0] == "!" and not (
                    continued and open_ is not None and open_.quote):
                continue
            if continued and (open_ is None or open_.directive != directive):
                raise Odd
            if open_ is None or not continued:
                if open_ is not None:
                    yield open_
                open_ = _Logical(number, directive)
                open_.parts.append(label)
            open_.add(line, number)
        if open_ is not None:
            yield open_

    def _columns(self, line: str) -> Tuple[bool, str, str]:
        """Whether it continues the line before, its label, and the rest."""
        tab = line[:6].find("\t")
        if tab >= 0:
            continued = line[tab + 1:tab + 2] in tuple("123456789")
            return continued, "" if continued else line[:tab].strip(), \
                line[tab + 1 + continued:]
        if self._width:
            line = line[:self._width]
        label = line[:5].strip()
        if label.startswith("!"):
            return False, "", ""
        return line[5:6] not in ("", " ", "0"), label, line[6:]


def _included(number: int) -> _Logical:
    """As the statement that does the same."""
    result = _Logical(number, False)
    result.parts.append("include''")
    return result


def _items(logical: _Logical) -> Iterator[FortranItem]:
    """The statements of a line, or the directive."""
    text = "".join(logical.parts).lower()
    if logical.directive:
        said = directives.behind_sentinel("!$omp " + text)
        yield FortranItem(logical.first, logical.last, "", Directive(said or ""))
        return
    pieces = [re.sub(r"\s+", "", piece) for piece in text.split(";")]
    pieces = [piece for piece in pieces if piece]
    for number, piece in enumerate(pieces, 1):
        yield FortranItem(logical.first, logical.last, piece, shares=number < len(pieces))
