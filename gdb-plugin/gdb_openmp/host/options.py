# SPDX-License-Identifier: MIT
"""Commands with options in gdb's dash style."""

from __future__ import annotations

import contextlib

import gdb

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.core import dash_options, errors, json_output, screen

if TYPE_CHECKING:
    from types import SimpleNamespace
    from typing import Any, Iterable, Iterator, List, Optional, Tuple


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


class Command(Helpful):
    """The base of one with options. Subclasses set `name`; `flags`, options without and
    `values`, options with a value; `takes`, how many other words there may be; and
    `category`. They define run(given, from_tty): GIVEN has an attribute for each option,
    False or None when it was not used, and `words`. An option may be shortened as long as
    it stays unique. Those with an option -json define answer(given): what it prints, as
    plain objects."""

    name: str
    flags: Tuple[str, ...] = ()
    values: Tuple[str, ...] = ()
    takes = 0
    category = gdb.COMMAND_STATUS

    def __init__(self) -> None:
        super().__init__(self.name, self.category)

    def act(self, argument: str, from_tty: bool) -> None:
        self.dont_repeat()
        given = self.parse(gdb.string_to_argv(argument))
        with user_errors():
            if getattr(given, "json", False):
                json_output.write_json(self.answer(given))
            else:
                self.run(given, from_tty)

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        raise NotImplementedError

    def answer(self, given: SimpleNamespace) -> Any:
        raise NotImplementedError

    def parse(self, words: List[str]) -> SimpleNamespace:
        """GIVEN for these words; GdbError if the command does not take them."""
        with user_errors():
            return dash_options.parsed(dash_options.Shape(
                self.name, self.flags, self.values, self.takes), words)

    def complete(self, text: str, word: Optional[str]) -> List[str]:
        if word is None:
            return []  # gdb asks how words are separated
        before = text[:len(text) - len(word)].split()
        last = before[-1].lstrip("-") if before and before[-1].startswith("-") else None
        if last is not None and last in self.values:
            return [value for value in self.offer(last) if value.startswith(word)]
        if text.rstrip().endswith("-") or text.split()[-1:] and \
                text.split()[-1].startswith("-"):
            return after_dash(word, self.flags + self.values)
        return []

    def offer(self, option: str) -> Iterable[str]:
        """Values that an option may be completed to."""
        return []
