# SPDX-License-Identifier: MIT
"""C and C++ source: where directives stand, with comments and literals out of the way.

cstatements.py finds what belongs to them.
"""

import bisect
import re

from ompd import cstatements, directives
from ompd.conditions import Odd
from ompd.directivenames import Directive

MARK = "\1"  # stands in the code where a directive does

_SPECIAL = re.compile(r"//|/\*|[\"'#]")
_LINE_COMMENT = re.compile(r"//(?:\\[ \t]*\n|[^\n])*")
_STRING = {sign: re.compile(r"%s(?:\\[ \t]*\n|\\.|[^%s\\\n])*%s" % (sign, sign, sign))
           for sign in "\"'"}
_REST = re.compile(r"(?:\\[ \t]*\n|\\.|[^\\\n])*")  # of a line that goes on behind a backslash
_RAW = re.compile(r"\"([^()\\\s\"]{0,16})\(")
_RAW_PREFIX = re.compile(r"(?<!\w)(?:u8|[uUL])?R\Z")
_NUMBER = re.compile(r"(?<![\w.'])\.?\d(?:'?\w|\.)*'?\Z")
_PRAGMA_OPERATOR = re.compile(r"(?<!\w)_Pragma\s*\(\s*L?\Z")
_LINE_END = re.compile(r"\\[ \t]*\n|\n|//|/\*|[\"']")
_WORD = re.compile(r"\s*#\s*(\w+)\s*(.*)", re.S)
_FAR = 64  # characters that are looked back
_CONDITIONALS = ("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif")
# Digraphs, trigraphs, and directives written as attributes.
_STRANGE = re.compile(r"<%|%>|%:|\?\?[=/<>(]|\[\s*\[[^][]*\bomp\b")


class File:
    """The text of a source. `conditionals`: (line, keyword, argument) of those of the
    preprocessor."""

    def __init__(self, text):
        self._text = text
        self._lines = [0] + [at.end() for at in re.finditer("\n", text)]
        self._pieces = []
        self._done = 0
        self._coded = -1  # where the last line begins that has code
        self._clear = 0  # only comments stand before this on its line
        self._open = {"'": 0, '"': 0}  # before this no literal of the kind ends
        self._pragmas = []  # (start, end, text behind the sentinel)
        self._includes = []
        self.conditionals = []
        if MARK in text:
            raise Odd
        self._scan()
        self._code = "".join(self._pieces) + text[self._done:]

    def line(self, at):
        """The number of the line of a position."""
        return bisect.bisect_right(self._lines, at)

    def _blank(self, start, end, left=""):
        """What is from START to END is no code; LEFT stands for it."""
        self._pieces.append(self._text[self._done:start])
        blank = re.sub(r"[^\n]", " ", self._text[start + len(left):end])
        self._pieces.append(left + blank)
        self._done = end

    def _scan(self):
        text, at = self._text, 0
        while True:
            found = _SPECIAL.search(text, at)
            if found is None:
                return
            sign, start = found.group(), found.start()
            if sign == "//":
                at = _LINE_COMMENT.match(text, start).end()
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

    def _hash(self, start):
        """A line of the preprocessor, if one begins here; the position behind it."""
        if not self._is_first(start):
            return start + 1
        end, words = self._logical(start)
        self._preprocess(start, end, words)
        return end

    def _is_first(self, at):
        """Whether nothing but comments stands before a position on its line. A line may be
        long: what is known of its beginning is not looked at again."""
        begin = self._lines[self.line(at) - 1]
        if begin != self._coded and self._text[max(begin, self._clear):at].strip():
            self._coded = begin
        return begin != self._coded

    def _string(self, sign, start):
        """Where the literal that begins at START ends, or None."""
        if start < self._open[sign]:
            return None
        found = _STRING[sign].match(self._text, start)
        if found is None:
            self._open[sign] = _REST.match(self._text, start + 1).end()
        return found and found.end()

    def _logical(self, start):
        """(end, words) of the preprocessor's line that begins at START: it goes on behind a
        backslash, and with a comment."""
        text, parts, at = self._text, [], start
        while True:
            found = _LINE_END.search(text, at)
            end = found.start() if found else len(text)
            parts.append(text[at:end])
            sign = found.group() if found else "\n"
            if sign == "\n":
                return end, "".join(parts)
            if sign == "//":
                at = _LINE_COMMENT.match(text, end).end()
            elif sign == "/*":
                at = _after_comment(text, end)
                parts.append(" ")
            elif sign[0] == "\\":
                at = found.end()
                parts.append(" ")
            else:
                at = self._string(sign, end) or end + 1
                parts.append(text[end:at])

    def _preprocess(self, start, end, words):
        found = _WORD.match(words)
        keyword, rest = found.groups() if found else ("", "")
        if keyword in _CONDITIONALS:
            self.conditionals.append((self.line(start), keyword, rest))
        elif keyword == "line" or keyword.isdigit():
            raise Odd  # lines have other numbers
        elif keyword in ("include", "include_next", "embed"):
            self._includes.append(start)
        elif keyword == "pragma":
            said = directives.behind_sentinel("#pragma " + rest)
            if rest.split()[:1] == ["acc"]:
                raise Odd
            if said is not None:
                self._pragmas.append((start, end, said))
                self._blank(start, end, MARK)
                return
        self._blank(start, end)

    def _literal(self, sign, start):
        text = self._text
        before = text[max(start - _FAR, self._done):start]
        if sign == '"' and _RAW_PREFIX.search(before):
            found = _RAW.match(text, start)
            end = -1 if found is None else text.find(")%s\"" % found.group(1), found.end())
            if end < 0:
                raise Odd
            end += len(found.group(1)) + 2
        elif sign == "'" and _NUMBER.search(text[max(start - _FAR, 0):start]):
            self._blank(start, start + 1, "_")  # between digits
            return start + 1
        else:
            end = self._string(sign, start)
            if end is None:
                return start + 1  # none ends here; extents() looks whether it is read
        operator = _PRAGMA_OPERATOR.search(before) if sign == '"' else None
        closed = operator and re.compile(r"\s*\)").match(text, end)
        if closed:
            begin = start - len(before) + operator.start()
            said = re.sub(r"\\([\"\\])", r"\1", text[start + 1:end - 1])
            said = directives.behind_sentinel("#pragma " + said)
            if said is not None:
                self._pragmas.append((begin, closed.end(), said))
            self._blank(begin, closed.end(), "" if said is None else MARK)
            return closed.end()
        self._blank(start, end, "0")
        return end

    def extents(self, make, left_out, uncertain):
        """What MAKE makes of each directive that is read, with its lines. LEFT_OUT: (first,
        last) lines that are not; UNCERTAIN: conditions.Groups."""
        code, start = [], 0
        for first, last in sorted(left_out):
            begin = self._start(first)
            end = self._start(last + 1)
            if begin >= start and end > begin:
                code += [self._code[start:begin], re.sub(r"[^\n]", " ", self._code[begin:end])]
                start = end
        code = "".join(code) + self._code[start:]
        if "'" in code or '"' in code or _STRANGE.search(code):
            raise Odd
        statements = cstatements.Statements(code, MARK)
        doubts = [(self._start(group.line), self._start(group.end + 1),
                   any(not statements.balanced(self._code[self._start(a + 1):self._start(b)])
                       for a, b, _ in group.branches)) for group in uncertain]
        doubts += [(at, at, False) for at in self._includes]
        found = [_Found(make(Directive(said), self.line(begin), self.line(max(begin, end - 1))),
                        begin, end) for begin, end, said in self._pragmas if code[begin] == MARK]
        unsure = [group.branches[group.taken][:2] for group in uncertain]
        statements.find(found, sorted(doubts))
        for one in found:
            self._place(one, code)
            if any(a < one.extent.line < b for a, b in unsure):
                one.extent.told = False
                one.extent.doubtful = one.extent.opens
        return [one.extent for one in found]

    def _start(self, line):
        """The position where a line begins."""
        return self._lines[line - 1] if line <= len(self._lines) else len(self._text)

    def _place(self, one, code):
        """Lines of what was found as positions."""
        extent = one.extent
        if one.doubtful:
            extent.doubt(self.line(one.stop))
        if one.doubtful or one.stop is None:
            return
        first, end, partly = extent.last + 1, self.line(one.stop - 1), []
        if code[one.end:self._start(extent.last + 1)].strip():
            partly.append(extent.last)
        if code[one.stop:self._start(end + 1)].strip():
            partly.append(end)
            end -= 1
        extent.holds(first, end, tuple(partly))


class _Found:
    """A directive in the code. `stop`: where what belongs to it ends, or None; `doubtful`:
    that may be anywhere before."""

    def __init__(self, extent, begin, end):
        self.extent = extent
        self.begin = begin
        self.end = end
        self.stop = None
        self.doubtful = False


def _after_comment(text, start):
    end = text.find("*/", start + 2)
    if end < 0:
        raise Odd
    return end + 2
