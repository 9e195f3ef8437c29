# SPDX-License-Identifier: MIT
"""Text for people: gdb's styles, tables, and signs that the terminal can show."""

from __future__ import annotations

import functools
import os
import re

import gdb

from gdb_openmp.core import debug
from gdb_openmp.core.lazy_regex import regex
from gdb_openmp.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import escaped, gdb_text, modules

if TYPE_CHECKING:
    from typing import Collection, Iterable, List, Optional, Protocol, Sequence, Tuple
    from gdb_openmp.core.static_typing import GdbValue

    class Place(Protocol):
        """As places.Place."""

        address: Optional[int]
        function: Optional[str]
        file: Optional[str]
        line: Optional[int]

        @property
        def fullname(self) -> Optional[str]:
            """The absolute name of the file on this machine, or None."""
    Rows = Sequence[Sequence[str]]  # of cells

_COLOURS = ("none", "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_INTENSITY = {"bold": "1", "dim": "2"}
_USUAL_SCREEN = 80  # where gdb's is as wide as it likes
_LONGEST_NAME = 36  # of a function in a place
_LEAST_ROOM = 24  # for the last cell of a row that is broken
_STEP = 4  # how deep a cell stands that has no such room
_BREAKS = regex(r"(?<!\btask)(?<!\bthread)(?<!\bregion)(?<!\(in) (?!\(\))")
_ADDRESS = regex(r"\b0x[0-9a-f]+\b")
_ESCAPES = regex("\033\\[[0-9;]*m")


@functools.lru_cache(maxsize=None)
def _terminal() -> bool:
    """Whether gdb itself would style: a terminal, and not one that a front end reads."""
    return os.environ.get("TERM", "dumb") != "dumb" and os.isatty(1) and not front_end()


@functools.lru_cache(maxsize=None)
def front_end() -> Optional[str]:
    """What gdb was started to speak with a front end: "mi", "dap", or None."""
    try:
        with open("/proc/self/cmdline", "rb") as command_line:
            words = b" ".join(command_line.read().split(b"\0"))
    except OSError:
        debug.ignored()
        return "mi"
    found = re.search(rb" (?:-i|--?interpreter)[= ]?(mi|dap)", words)
    return found.group(1).decode() if found else None


def style(role: str, text: str) -> str:
    """TEXT as gdb styles a "filename", "function", "address" or "title"."""
    if not text or not gdb.parameter("style enabled") or not _terminal():
        return text
    codes = []
    try:
        intensity = gdb.parameter("style %s intensity" % role)
        if intensity in _INTENSITY:
            codes.append(_INTENSITY[intensity])
        for ground, base in (("foreground", 30), ("background", 40)):
            colour = gdb.parameter("style %s %s" % (role, ground))
            if str(colour) in _COLOURS[1:]:
                codes.append(str(base + _COLOURS.index(str(colour)) - 1))
            elif str(colour) != "none" and hasattr(colour, "escape_sequence"):
                # gdb 17: a gdb.Color, which may be one of many more
                codes.append(colour.escape_sequence(ground == "foreground")[2:-1])
    except RuntimeError:
        debug.ignored()
        return text
    return "\033[%sm%s\033[m" % (";".join(codes), text) if codes else text


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
    """The table() in which fewer lines are wider than the screen."""
    screen = gdb.parameter("width") or _USUAL_SCREEN
    return min((table(rows, most=most, usual=usual) for usual in (True, False)),
               key=lambda lines: sum(_width(line) > screen for line in lines))


def fitted(rows: Rows, most: Optional[int] = None,
           leads: Optional[Sequence[str]] = None) -> List[str]:
    """Lines of a table as wide as gdb's screen at most, as far as that can be: if need be
    cells wider than MOST push their row only, and last cells are broken between words, or go
    below. What then stands before them is blank, or begins with the row's own of LEADS."""
    screen = gdb.parameter("width")
    lines = table(rows)
    if not too_wide(lines, screen or _USUAL_SCREEN):
        return lines
    lines = narrowed(rows, most)
    if not screen:
        return lines
    result = []
    for at, (row, line) in enumerate(zip(rows, lines)):
        if _width(line) <= screen:
            result.append(line)
            continue
        column = _width(line) - _width(row[-1])
        first = line[:len(line) - len(row[-1])]
        lead = leads[at] if leads else ""
        if screen - column < _LEAST_ROOM:
            result.append(first.rstrip())
            column, first = len(lead) + _STEP, ""
        for words in wrapped(row[-1], screen - column):
            result.append((first or lead.ljust(column)) + words)
            first = ""
    return result


def too_wide(lines: Iterable[str], screen: Optional[int] = None) -> bool:
    """Whether one of them is wider than gdb's screen, or that wide one."""
    screen = screen or gdb.parameter("width")
    return bool(screen) and any(_width(line) > screen for line in lines)


def hanging(line: str, indent: str) -> str:
    """A line broken between words as wide as gdb's screen is, further lines under INDENT."""
    if not too_wide([line]):
        return line
    lead = len(line) - len(line.lstrip())
    lines = wrapped(line[lead:], gdb.parameter("width") - len(indent))
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


def worded(words: str) -> str:
    """WORDS, of which some are the target's, for a cell: addresses styled."""
    return _ADDRESS.sub(lambda found: style("address", found.group()), escaped.shown(words))


def place(where: Place) -> str:
    """A places.Place as gdb writes it: `function () at file:line`; "-" if nothing is known."""
    words = []
    if where.function:
        words.append(function(where.function))
    if where.file and where.line:
        if words:
            words.append("at")
        words.append(source_line(where.file, where.line))
    if not words and where.address is not None:
        return style("address", escaped.shown(modules.named(where.address)))
    return " ".join(words) or "-"


def function(name: str) -> str:
    """`relax ()`, in short."""
    return style("function", escaped.short(name, _LONGEST_NAME)) + " ()"


def source_line(file: str, line: int) -> str:
    """`heat.c:52`"""
    return "%s:%d" % (style("filename", file_name(file)), line)


def file_name(path: str, relative: Optional[str] = None) -> str:
    """A path as a person may see it, as long as file_base() says."""
    return escaped.shown(file_base(path, relative))


def file_base(path: str, relative: Optional[str] = None) -> str:
    """As `set filename-display` says. By default short, since it stands in a column, or
    RELATIVE if that is given."""
    try:
        display = gdb.parameter("filename-display")
    except RuntimeError:
        debug.ignored()
        display = None
    if display == "absolute":
        return path
    return relative if relative and display != "basename" else os.path.basename(path)


def sign(pretty: str, plain: str) -> str:
    """PRETTY where the terminal's character set has it."""
    return pretty if escaped.has(pretty) else plain


def path_step(number: Optional[int], size: int) -> str:
    """`2/4`: one step of a path; a NUMBER of None is not known."""
    return "%s/%d" % ("?" if number is None else number, size)


def thread_path(steps: Iterable[Tuple[Optional[int], int]]) -> str:
    """`2/4 · 0/2` of a Thread's path."""
    return sign(" \u00b7 ", " . ").join(path_step(*one) for one in steps)


def of_value(value: GdbValue) -> str:
    """The text that a gdb.Value is, in C or Fortran; gdb.error or ValueError if it is none."""
    if value.type.code == gdb.TYPE_CODE_STRING:
        written = str(gdb_text.exact(value.format_string, repeat_threshold=0, max_elements=0))
        return written[1:-1].replace("''", "'")
    return str(gdb_text.exact(value.string))


def ranges(numbers: Iterable[int]) -> str:
    """[1, 2, 3, 7] as "1-3 7", the form that `thread apply` understands."""
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
    """gdb's number of a thread of the selected inferior as gdb's commands take it: "2.1" where
    there are several inferiors."""
    return _lead() + str(number)


def threads(numbers: Iterable[int]) -> str:
    """ranges() of such threads."""
    return " ".join(_lead() + part for part in ranges(numbers).split())


def _lead() -> str:
    return "%d." % gdb.selected_inferior().num if len(gdb.inferiors()) > 1 else ""


def remark(sentence: str) -> str:
    """A sentence below a table, broken as wide as gdb's screen is."""
    width = gdb.parameter("width")
    return "\n".join(wrapped(sentence, width)) if width else sentence


def labelled(label: str, words: str) -> str:
    """A line below a verdict: a LABEL and WORDS, broken as wide as gdb's screen is."""
    width = gdb.parameter("width") or _USUAL_SCREEN
    first, *rest = wrapped(words, width - 11) if len(words) + 11 > width else [words]
    return "\n".join([("  %-8s %s" % (label, first)).rstrip()] + [" " * 11 + one for one in rest])


def count(number: int, noun: str) -> str:
    return "%d %s%s" % (number, noun, "" if number == 1 else "s")


def in_inferior(word: str) -> str:
    """The number of a thread without that of the selected inferior before it."""
    inferior, dot, rest = word.partition(".")
    if not dot or not inferior.isdigit():
        return word
    if int(inferior) != gdb.selected_inferior().num:
        raise gdb.GdbError('Thread %s is of another inferior: type "inferior %s" first.' %
                           (word, inferior))
    return rest


def numbers(words: Iterable[str], known: Collection[int], noun: str) -> List[int]:
    """["1-3", "7"] as [1, 2, 3, 7]; GdbError for anything else, or a number that is not KNOWN.
    The selected inferior's number may stand before them, as in "2.1-3"."""
    result: List[int] = []
    for word in words:
        found = re.match(r"(\d{1,9})(?:-(\d{1,9}))?\Z", in_inferior(word))
        if not found:
            raise gdb.GdbError('"%s" is no %s number: give numbers or ranges, as "1 3-5".' %
                               (word, noun))
        first, last = int(found.group(1)), int(found.group(2) or found.group(1))
        some = [number for number in known if first <= number <= last]
        if not some or first == last and first not in known:
            raise gdb.GdbError("There is no %s %s." % (noun, word))
        result += some
    return sorted(set(result))
