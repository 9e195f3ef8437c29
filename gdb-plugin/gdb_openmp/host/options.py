# SPDX-License-Identifier: MIT
"""What commands have in common: help, errors, completion of options."""

from __future__ import annotations

import contextlib

import gdb

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.core import errors, screen

if TYPE_CHECKING:
    from typing import Any, Iterable, Iterator, List


@contextlib.contextmanager
def user_errors() -> Iterator[None]:
    """UserErrors inside become gdb's own."""
    try:
        yield
    except errors.UserError as error:
        raise gdb.GdbError(str(error)) from None


def after_dash(word: str, names: Iterable[str]) -> List[str]:
    """Those of the option NAMES that the WORD of a completion may become: gdb completes what
    follows the dash."""
    start = word.lstrip("-")
    lead = word[:len(word) - len(start)]
    return [lead + name for name in names if name.startswith(start)]


class Helpful(gdb.Command):
    """The base of commands: "-help" alone prints the help, else act() does the work. gdb prints
    what GdbErrors say."""

    def __init__(self, name: str, *more: Any) -> None:
        super().__init__(name, *more)
        self.name = name

    def invoke(self, argument: str, from_tty: bool) -> None:
        if argument.strip() in ("-help", "--help"):
            gdb.execute("help " + self.name)
            return
        try:
            self.act(argument, from_tty)
        except gdb.GdbError as error:
            raise gdb.GdbError(screen.printable(str(error))) from None

    def act(self, argument: str, from_tty: bool) -> None:
        raise NotImplementedError


def no_arguments(command: str, argument: str) -> None:
    """Raises GdbError if a COMMAND that takes no argument was given one."""
    if argument.strip():
        raise gdb.GdbError('"%s" takes no argument.' % command)
