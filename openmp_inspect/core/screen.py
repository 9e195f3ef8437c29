# SPDX-License-Identifier: MIT
"""Where text for people goes, and what can be shown there. A debugger has a Screen of its own and
says so once, in use(); without one it is standard output. Whatever a host prints, of its errors,
too, goes through printable()."""

from __future__ import annotations

import contextlib
import os
import re
import sys

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Collection, Iterator, List, Set

_PLAIN = "\033[m"


class Screen:
    """Standard output, without styles; and the words in which debuggers differ."""

    debugger = "this command"
    product = "command"  # what ours is
    to_choose_library = "--library"  # before the path of the OMPD library to load
    trusted_place = "the directories that are trusted"  # from where one is loaded without that
    to_record = "start it with ompd-run"  # so that a program records what it does
    to_record_foreign = "start it with OMP_DEBUG=enabled"  # the same on LLVM's runtime
    to_record_again = ""  # after the variable of the environment that has to be set for it
    to_attach = "ompd"  # before the id of another process
    for_every_verdict = "-all"  # the option of "ompd why"
    all_frames = ""  # after "no frame of the program"
    shows_times = False  # whether tables have the time that threads had a processor
    watches = False  # whether "ompd why -watch" is understood

    def __init__(self) -> None:
        self._sequences: Set[str] = {_PLAIN}  # that were used

    def write(self, text: str) -> None:
        """Shows TEXT, which is printable() but for our styles."""
        self.put(printable(text, self._sequences))

    def put(self, text: str) -> None:
        """Where write() gets what it may show to."""
        sys.stdout.write(text)

    def charset(self) -> str:
        """The name of its character set, as str.encode() takes it."""
        return sys.stdout.encoding or "ascii"

    def typed(self, command: str) -> str:
        """A COMMAND of ours as a person types it for the process that commands are about; "" where none
        can be, as that is about to end."""
        return command

    def width(self) -> int:
        """Columns of a line; 0: it may be as wide as it likes."""
        return 0

    def offers_verdicts(self) -> bool:
        """Whether tables end with a verdict that is certain."""
        return True

    def styled(self, role: str, text: str) -> str:
        """TEXT as a "filename", "function", "address", "variable" or "title" is styled."""
        parameters = self.style(role)
        if not parameters:
            return text
        begins = "\033[%sm" % parameters
        self._sequences.add(begins)
        return begins + text + _PLAIN

    def style(self, _role: str) -> str:
        """The parameters of the terminal's sequence for that; "": none."""
        return ""

    def file_name(self, path: str, relative: str) -> str:
        """A PATH as the user wants names of files; RELATIVE is how the program's compiler had it,
        or "" where a short name is wanted."""
        return relative or os.path.basename(path)

    def before_threads(self) -> str:
        """What stands before the number of a thread where several processes are debugged."""
        return ""


class Document(Screen):
    """What is written into a file: UTF-8 and no styles, with words and names as SCREEN has them."""

    def __init__(self, screen: Screen) -> None:
        super().__init__()
        self._screen = screen
        for name, word in vars(Screen).items():
            if isinstance(word, (str, bool)) and not name.startswith("_"):
                setattr(self, name, getattr(screen, name))

    def charset(self) -> str:
        return "utf-8"

    def offers_verdicts(self) -> bool:
        return False

    def file_name(self, path: str, relative: str) -> str:
        return self._screen.file_name(path, relative)

    def before_threads(self) -> str:
        return self._screen.before_threads()

    def typed(self, command: str) -> str:
        return self._screen.typed(command)


_used: List[Screen] = [Screen()]  # one


def use(screen: Screen) -> None:
    """Has text for people go to SCREEN."""
    _used[:] = [screen]


def current() -> Screen:
    return _used[0]


def has(text: str) -> bool:
    """Whether the screen's character set has all of this."""
    try:
        text.encode(current().charset())
    except (UnicodeError, LookupError):
        debug.ignored()
        return False
    return True


def printable(text: str, styles: Collection[str] = ()) -> str:
    """TEXT with its lines, its tabs and these STYLES. What else is not printable, or is not in the
    screen's character set, becomes \\xNN or \\uNNNN."""
    kept, rest = (*styles, "\n", "\t"), text
    for one in kept:
        rest = rest.replace(one, " ")
    if rest.isprintable() and (rest.isascii() or has(rest)):
        return text
    parts = re.split("(%s)" % "|".join(map(re.escape, kept)), text)
    codes = {ord(sign): _code(ord(sign)) for sign in set(text)
             if not (sign.isprintable() and has(sign))}
    return "".join(part if at % 2 else part.translate(codes) for at, part in enumerate(parts))


def _code(number: int) -> str:
    if 0xDC80 <= number <= 0xDCFF:
        number -= 0xDC00  # a byte that could not be decoded
    return "\\x%02x" % number if number < 0x100 else \
        "\\u%04x" % number if number < 0x10000 else "\\U%08x" % number


@contextlib.contextmanager
def document() -> Iterator[None]:
    """What is put into words inside is for a Document."""
    before = current()
    use(Document(before))
    try:
        yield
    finally:
        use(before)
