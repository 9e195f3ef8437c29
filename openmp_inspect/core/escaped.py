# SPDX-License-Identifier: MIT
"""Names of the target as a terminal may get them.

A function, a file, a lock or a setting may be called anything: what would move the cursor,
change the direction of the text, end the line or fill the screen is shown as what it is.
"""

from __future__ import annotations

from openmp_inspect.core import screen
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Optional, Union

    Text = Union[str, "Name"]

_LONGEST = 240
LONGEST_FUNCTION = 48  # name of one that short() leaves as it is
_HEAD, _CUT, _TAIL = 160, "...", 77  # of one that is longer


def shown(name: str) -> str:
    """NAME without characters that are not printable or that the screen's character set lacks,
    which become \\xNN or \\uNNNN, and without the middle of one that is too long."""
    if len(name) <= _LONGEST:
        return _printable(name)
    return _printable(name[:_HEAD]) + _CUT + _printable(name[-_TAIL:])


def short(name: Text, longest: int = LONGEST_FUNCTION) -> str:
    """A function's name for a line of text, as brief()."""
    return shown(brief(exact(name), longest))


def brief(name: str, longest: int = LONGEST_FUNCTION) -> str:
    """A function's name without template arguments that make it longer than that."""
    if len(name) <= longest or "<" not in name or name.startswith("<"):
        return name
    kept, depth = "", 0
    for at, sign in enumerate(name):
        opens = sign == "<" and not kept.endswith(("operator", "operator<"))
        if opens and depth == 0:
            kept += "<...>"
        depth += opens
        if depth == 0:
            kept += sign
        elif sign == ">" and name[at - 1] != "-":
            depth -= 1
    return kept if depth == 0 else name


def encodable(path: str) -> str:
    """A path for a front end, which finds the file by it: exact as far as it can be written."""
    return path if screen.has(path) else _printable(path)


def _printable(name: str) -> str:
    if name.isprintable() and name.isascii():
        return name
    return screen.printable(name).replace("\n", "\\x0a").replace("\t", "\\x09")


class Name:
    """Text of the target: str() and "%s" have it as shown(). It is no str, which tables and files
    take: `raw` is what it is, for what is looked up, compared and exact, as in JSON."""

    __slots__ = ("raw",)

    def __init__(self, raw: str) -> None:
        self.raw = raw

    def __str__(self) -> str:
        return shown(self.raw)

    def __bool__(self) -> bool:
        return bool(self.raw)

    def __eq__(self, other: object) -> bool:
        return self.raw == (other.raw if isinstance(other, Name) else other)

    def __hash__(self) -> int:
        return hash(self.raw)


def name(text: Optional[Text]) -> Optional[Name]:
    """What the target calls something, or None where it does not."""
    return Name(text) if isinstance(text, str) else text


def exact(text: Text) -> str:
    """What is not escaped yet, for what does that or what looks it up."""
    return text if isinstance(text, str) else text.raw
