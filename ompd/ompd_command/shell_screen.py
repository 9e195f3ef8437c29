# SPDX-License-Identifier: MIT
"""Standard output, a terminal or not, and what a person types in a shell."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
import termios
import tty

from openmp_inspect.core import debug, escaped, screen
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Iterable, Iterator
    from ompd_command.targets import Target

_RANKS = " -job "  # of what is proposed for other ranks
_CLEARED = "\033[H\033[J"  # a terminal
_OF_THREADS = "ompd bt"  # takes the ids of threads, of a live process


def say(lines: Iterable[str]) -> None:
    """Shows LINES on the screen that is used."""
    screen.current().write("".join(line + "\n" for line in lines))


def redraw(lines: Iterable[str]) -> None:
    """Shows LINES on a terminal that has nothing else then."""
    sys.stdout.write(_CLEARED + screen.printable("".join(line + "\n" for line in lines)))
    sys.stdout.flush()


def columns() -> int:
    """How many the terminal has; 0: that is not known."""
    return _size("COLUMNS", 0)


def _size(variable: str, at: int) -> int:
    """That AT one of os.get_terminal_size(); a VARIABLE that is set is right."""
    try:
        return int(os.environ.get(variable, 0)) or os.get_terminal_size(sys.stdout.fileno())[at]
    except (OSError, ValueError):
        debug.ignored()
        return 0


def height() -> int:
    """Of the terminal, in lines."""
    return _size("LINES", 1) or 24


@contextlib.contextmanager
def keys(is_wanted: bool) -> Iterator[None]:
    """Within it each key that is typed is read at once, and not shown, if that IS_WANTED."""
    if not is_wanted:
        yield
        return
    before = termios.tcgetattr(0)
    tty.setcbreak(0)
    try:
        yield
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)


def complain(sentence: str) -> None:
    """Says on standard error what went wrong."""
    sys.stdout.flush()
    sys.stderr.write("ompd: %s\n" % screen.printable(sentence))
    sys.stderr.flush()


class Screen(screen.Screen):
    """`target`: what is typed for the one that is looked at, if there is one."""

    debugger = "ompd"
    to_record = 'start it with "ompd run"'
    to_choose_library = "-library"
    to_attach = "ompd why"
    for_every_verdict = "-every"
    shows_times = True
    watches = True
    target = ""
    _pid = 0
    _ends = False

    def look_at(self, target: Target, ends: bool) -> None:
        """ENDS: it is about to."""
        self._pid, self._ends = target.pid, ends
        self.target = escaped.shown(shlex.quote(target.core)) if target.core else str(target.pid)

    def width(self) -> int:
        return columns() if sys.stdout.isatty() else 0

    def typed(self, command: str) -> str:
        if self._ends and command.startswith("ompd "):
            return ""
        name = " ".join(command.split()[:2])
        if not self.target or not command.startswith("ompd ") or _RANKS in command:
            return command
        if name == _OF_THREADS and command != name:
            return command if self._pid else "%s %s" % (name, self.target)
        return "%s %s" % (command, self.target)
