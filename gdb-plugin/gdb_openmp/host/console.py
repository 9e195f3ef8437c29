# SPDX-License-Identifier: MIT
"""gdb's console: its styles and settings of what it shows, who reads it, and words typed there."""

from __future__ import annotations

import functools
import os
import re

import gdb

from openmp_inspect.core import debug, screen
from openmp_inspect.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import gdb_text

if TYPE_CHECKING:
    from typing import Optional
    from gdb_openmp.host.gdb_types import GdbValue

_COLOURS = ("none", "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_INTENSITY = {"bold": "1", "dim": "2"}


class Screen(screen.Screen):
    debugger = "gdb"
    product = "plugin"
    to_choose_library = "set ompd library"
    trusted_place = "gdb's auto-load safe-path"
    to_record = 'type "ompd on" before "run", or start it with ompd-run'
    to_record_foreign = 'type "set environment OMP_DEBUG enabled" before "run", or start it with ' \
        "OMP_DEBUG=enabled"
    to_record_again = '; or "ompd on" before "run"'
    to_attach = "gdb -p"
    all_frames = '; "bt -no-filters" shows what there is'
    watches = True

    def put(self, text: str) -> None:
        gdb.write(text)

    def charset(self) -> str:
        return gdb_text.host_charset()

    def width(self) -> int:
        return gdb.parameter("width") or 0

    def offers_verdicts(self) -> bool:
        return bool(gdb.parameter("ompd verdicts"))

    def style(self, role: str) -> str:
        if not gdb.parameter("style enabled") or not _terminal():
            return ""
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
            return ""
        return ";".join(codes)

    def file_name(self, path: str, relative: str) -> str:
        """As `set filename-display` says."""
        try:
            display = gdb.parameter("filename-display")
        except RuntimeError:
            debug.ignored()
            display = None
        if display == "absolute":
            return path
        return super().file_name(path, "" if display == "basename" else relative)

    def before_threads(self) -> str:
        return "%d." % gdb.selected_inferior().num if len(gdb.inferiors()) > 1 else ""


def write(text: str) -> None:
    """Shows TEXT on the screen that is used."""
    screen.current().write(text)


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


def of_value(value: GdbValue) -> str:
    """The text that a gdb.Value is, in C or Fortran; gdb.error or ValueError if it is none."""
    if value.type.code == gdb.TYPE_CODE_STRING:
        written = str(gdb_text.exact(value.format_string, repeat_threshold=0, max_elements=0))
        return written[1:-1].replace("''", "'")
    return str(gdb_text.exact(value.string))


def in_inferior(word: str) -> str:
    """The number of a thread without that of the selected inferior before it."""
    inferior, dot, rest = word.partition(".")
    if not dot or not inferior.isdigit():
        return word
    if int(inferior) != gdb.selected_inferior().num:
        raise gdb.GdbError('Thread %s is of another inferior: type "inferior %s" first.' %
                           (word, inferior))
    return rest
