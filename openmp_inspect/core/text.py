# SPDX-License-Identifier: MIT
"""Text for people: tables, wrapped lines, numbers, and signs that the screen can show."""

from __future__ import annotations

import time

from openmp_inspect.core import escaped, screen
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Iterable, List, Optional, Protocol, Sequence, Tuple
    from openmp_inspect.core.escaped import Name, Text

    class Place(Protocol):
        """As places.Place."""

        address: Optional[int]
        function: Optional[Name]
        file: Optional[Name]
        line: Optional[int]

        @property
        def fullname(self) -> Optional[str]:
            """The absolute name of the file on this machine, or None."""

        @property
        def code(self) -> str:
            """"FILE+0xOFFSET" of its address, or that alone."""
    Rows = Sequence[Sequence[str]]  # of cells

_USUAL_SCREEN = 80  # where the screen is as wide as it likes
_LONGEST_NAME = 36  # of a function in a place
_LEAST_ROOM = 24  # for the last cell of a row that is broken
_STEP = 4  # how deep a cell stands that has no such room
_BREAKS = regex(r"(?<!\btask)(?<!\bthread)(?<!\bregion)(?<!\(in) (?!\(\)|m?s\b)")
_ADDRESS = regex(r"\b0x[0-9a-f]+\b")
_ESCAPES = regex("\033\\[[0-9;]*m")


def style(role: str, text: str) -> str:
    """TEXT as a "filename", "function", "address", "variable" or "title"."""
    return screen.current().styled(role, text) if text else text


def plain(text: str) -> str:
    """TEXT without styles."""
    return _ESCAPES.sub("", text)


def _width(text: str) -> int:
    return len(_ESCAPES.sub("", text)) if "\033" in text else len(text)


def _pad(text: str, width: int) -> str:
    if "\033" in text:
        return text + " " * (width - _width(text))
    return text.ljust(width)


def table(rows: Rows, indent: str = "", most: Optional[int] = None,
          usual: bool = False) -> List[str]:
    """Lines of a list of rows of cells, in columns; the last one is as wide as it likes. A
    cell wider than MOST pushes the rest of its row only; if USUAL, one that is wider than half
    of its column, too."""
    if not rows:
        return []
    columns = list(zip(*rows))[:-1]
    styled = any("\033" in cell for column in columns for cell in set(column))
    lengths = [sorted(map(_width if styled else len, column)) for column in columns]
    widths = [length[-1] if most is None else
              min(length[-1], max(most, length[len(length) // 2] if usual else 0))
              for length in lengths]
    if not styled:
        line = indent + "".join("%%-%ds  " % width for width in widths) + "%s"
        return [(line % tuple(row)).rstrip() for row in rows]
    return [(indent + "  ".join(list(map(_pad, row, widths)) + [row[-1]])).rstrip()
            for row in rows]


def narrowed(rows: Rows, most: Optional[int]) -> List[str]:
    """The table() in which fewer rows below the head are wider than the screen."""
    wide = screen.current().width() or _USUAL_SCREEN
    return min((table(rows, most=most, usual=usual) for usual in (True, False)),
               key=lambda lines: sum(_width(line) > wide for line in lines[1:]))


def fitted(rows: Rows, most: Optional[int] = None,
           leads: Optional[Sequence[str]] = None) -> List[str]:
    """Lines of a table as wide as the screen at most, as far as that can be: if need be
    cells wider than MOST push their row only, and last cells are broken between words, or go
    below. What then stands before them is blank, or begins with the row's own of LEADS."""
    wide = screen.current().width()
    lines = table(rows)
    if not too_wide(lines, wide or _USUAL_SCREEN):
        return lines
    lines = narrowed(rows, most)
    if not wide:
        return lines
    result = []
    for at, (row, line) in enumerate(zip(rows, lines)):
        if _width(line) <= wide:
            result.append(line)
            continue
        column = _width(line) - _width(row[-1])
        first = line[:len(line) - len(row[-1])]
        lead = leads[at] if leads else ""
        if wide - column < _LEAST_ROOM:
            result.append(first.rstrip())
            column, first = len(lead) + _STEP, ""
        for words in wrapped(row[-1], wide - column):
            result.append((first or lead.ljust(column)) + words)
            first = ""
    return result


def too_wide(lines: Iterable[str], width: Optional[int] = None) -> bool:
    """Whether one of them is wider than the screen, or than WIDTH."""
    width = width or screen.current().width()
    return bool(width) and any(_width(line) > width for line in lines)


def hanging(line: str, indent: str) -> str:
    """A line broken between words as wide as the screen is, further lines under INDENT."""
    if not too_wide([line]):
        return line
    lead = len(line) - len(line.lstrip())
    lines = wrapped(line[lead:], screen.current().width() - len(indent))
    return ("\n" + indent).join([line[:lead] + lines[0]] + lines[1:])


def wrapped(words: str, width: int) -> List[str]:
    """Lines of words that are that wide at most, but for longer words."""
    lines: List[str] = []
    for word in _BREAKS.split(words):
        if lines and _width(lines[-1]) + 1 + _width(word) <= width:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines


def worded(words: Text) -> str:
    """WORDS, of which some are the target's, for a cell: addresses styled."""
    return _ADDRESS.sub(lambda found: style("address", found.group()),
                        escaped.shown(escaped.exact(words)))


def place(where: Place) -> str:
    """A places.Place as debuggers write it: `function () at file:line`; "-" if nothing is known."""
    words = []
    if where.function:
        words.append(function(where.function))
    if where.file and where.line:
        if words:
            words.append("at")
        words.append(source_line(where.file, where.line))
    if not words and where.address is not None:
        return style("address", escaped.shown(where.code))
    return " ".join(words) or "-"


def function(name: Text) -> str:
    """`relax ()`, in short."""
    return style("function", escaped.short(name, _LONGEST_NAME)) + " ()"


def source_line(file: Text, line: int) -> str:
    """`heat.c:52`"""
    return "%s:%d" % (style("filename", file_name(file)), line)


def file_name(path: Text, relative: Optional[str] = None) -> str:
    """A path as a person may see it, as long as file_base() says."""
    return str(file_base(path, relative))


def file_base(path: Text, relative: Optional[str] = None) -> Name:
    """As the user wants names of files: short, since it stands in a column, or RELATIVE if that is
    given."""
    return escaped.Name(screen.current().file_name(escaped.exact(path), relative or ""))


def sign(pretty: str, plain: str) -> str:
    """PRETTY where the terminal's character set has it."""
    return pretty if screen.has(pretty) else plain


def path_step(number: Optional[int], size: int) -> str:
    """`2/4`: one step of a path; a NUMBER of None is not known."""
    return "%s/%d" % ("?" if number is None else number, size)


def thread_path(steps: Iterable[Tuple[Optional[int], int]]) -> str:
    """`2/4 · 0/2` of a Thread's path."""
    return sign(" \u00b7 ", " . ").join(path_step(*one) for one in steps)


def ranges(numbers: Iterable[int]) -> str:
    """[1, 2, 3, 7] as "1-3 7", as commands take them."""
    return " ".join(str(a) if a == b else "%d-%d" % (a, b) for a, b in successive(numbers))


def successive(numbers: Iterable[int]) -> List[List[int]]:
    """The same as [[1, 3], [7, 7]]."""
    parts: List[List[int]] = []
    for number in sorted(set(numbers)):
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return parts


def thread(number: int) -> str:
    """The number of a thread as commands take it: "2.1" where several processes are debugged."""
    return screen.current().before_threads() + str(number)


def threads(numbers: Iterable[int]) -> str:
    """ranges() of such threads."""
    return " ".join(screen.current().before_threads() + part for part in ranges(numbers).split())


def remark(sentence: str) -> str:
    """A sentence below a table, broken as wide as the screen is."""
    width = screen.current().width()
    return "\n".join(wrapped(sentence, width)) if width else sentence


def labelled(label: str, words: str) -> str:
    """A line below a verdict: a LABEL and WORDS, broken as wide as the screen is."""
    width = screen.current().width() or _USUAL_SCREEN
    first, *rest = wrapped(words, width - 11) if len(words) + 11 > width else [words]
    return "\n".join([("  %-8s %s" % (label, first)).rstrip()] + [" " * 11 + one for one in rest])


def ordinal(number: int) -> str:
    """`the 4031st`."""
    last = 0 if number % 100 in (11, 12, 13) else number % 10
    return "the %d%s" % (number, {1: "st", 2: "nd", 3: "rd"}.get(last, "th"))


def moment(ago: float = 0.0) -> str:
    """2026-01-31 16:20:05+01:00, the local time so many seconds AGO."""
    found = time.strftime("%Y-%m-%d %H:%M:%S%z", time.localtime(time.time() - ago))
    return found[:-2] + ":" + found[-2:]


def count(number: int, noun: str) -> str:
    return "%d %s%s" % (number, noun, "" if number == 1 else "s")


def size(number: int) -> str:
    """256 KiB, 7.9 MiB"""
    unit = 1 << 20 if number >= 1 << 20 else 1 << 10
    found = number / unit
    return "%s %s" % ("%d" % found if found == int(found) or found >= 100 else "%.1f" % found,
                      "MiB" if unit == 1 << 20 else "KiB")
