# SPDX-License-Identifier: MIT
"""Loops of the source by their first line: variable, bounds and step, as far as they are numbers or
plain names."""

from __future__ import annotations

import functools

from openmp_inspect.core import caches
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.source import directives, source_file

if TYPE_CHECKING:
    from typing import Callable, Optional

_FARTHEST = 4  # lines of a header
_PART = r"\s*([^;,()!]{1,64}?)\s*"
_C = regex(r"\s*for\s*\((?:[\w:]+\s+){0,3}(\w+)\s*=" + _PART + r";\s*(\w+)\s*(<=?|>=?|!=)" + _PART +
           r";([^;()]{1,64})\)")
_FORTRAN = regex(r"\s*do\s+(?:\d+\s+)?(\w+)\s*=" + _PART + "," + _PART + r"(?:," + _PART +
                 r")?(?:!.*)?\n", 2)  # re.I
_STEP = regex(r"\s*(?:(\+\+|--)\s*(\w+)|(\w+)\s*(\+\+|--)|(\w+)\s*([+-])=\s*(\d{1,9}))\s*\Z")
_NUMBER = regex(r"[+-]?(?:0x[0-9a-f]{1,16}|\d{1,18})\Z", 2)
_SUFFIX = regex(r"(?:[ul]{1,3}|_\d)\Z", 2)
_SUM = regex(r"(\w+)\s*([+-])\s*(\w+)\Z")
_CONSTANTS = r"(?m)^\s*#\s*define\s+%s[ \t]+([^\n]{1,64}?)[ \t]*$|" \
    r"\benum\b[^{};]{0,99}\{[^{}]{0,999}?\b%s\s*=\s*([^,{}]{1,64}?)\s*[,}]|" \
    r"\bconst(?:expr)?\s+(?:\w+\s+){1,3}%s\s*=\s*([^;,]{1,64}?)\s*[;,]|" \
    r"(?i:\bparameter\b[^\n]{0,99}\b%s\s*=\s*(\w{1,64}))"


class LoopHeader(NamedTuple):
    """`first` and `end` are expressions of the source; `end`: the last value, or with `is_beyond` the
    first one that it does not have."""

    variable: str
    first: str
    end: str
    is_beyond: bool
    step: int


@functools.lru_cache(maxsize=4096)
def at(path: str, line: int) -> Optional[LoopHeader]:
    """That of the loop which begins on a LINE of the source, or None."""
    found = "\n".join(source_file.lines(path)[line - 1:line - 1 + _FARTHEST]) + "\n"
    return _fortran(found) if directives.is_fortran(path) else _c(found)


def _c(source: str) -> Optional[LoopHeader]:
    found = _C.match(source)
    step = None if found is None else _STEP.match(found.group(6))
    if found is None or step is None:
        return None
    variable = found.group(1)
    if found.group(3) != variable or variable not in step.groups():
        return None
    size = int(step.group(7) or 1)
    is_down = "-" in (step.group(1) or step.group(4) or step.group(6))
    return LoopHeader(variable, found.group(2), found.group(5), "=" not in found.group(4) or
                      found.group(4) == "!=", -size if is_down else size)


def _fortran(source: str) -> Optional[LoopHeader]:
    found = _FORTRAN.match(source)
    step = "1" if found is None else found.group(4) or "1"
    if found is None or not _NUMBER.match(step):
        return None
    return LoopHeader(found.group(1).lower(), found.group(2), found.group(3), False, int(step, 0))


def evaluated(path: str, expression: str, value: Callable[[str], Optional[int]]) -> Optional[int]:
    """An EXPRESSION of the source: a number, a name, or the sum or difference of two of them. VALUE:
    that of a variable, by name; other names are constants that the file defines once."""
    found = _SUM.match(expression)
    if found is not None:
        first, second = (evaluated(path, found.group(part), value) for part in (1, 3))
        return None if first is None or second is None else \
            first + second if found.group(2) == "+" else first - second
    if not expression.isidentifier():
        return _number(expression)
    known = value(expression)
    return _constant(path, expression) if known is None else known


def _number(text: str) -> Optional[int]:
    """As 4000, 0x10UL, 8_8 or 1 << 12."""
    text, _, shift = text.strip(" ()").partition("<<")
    plain = _SUFFIX.sub("", text.strip())
    if not _NUMBER.match(plain) or shift and not _NUMBER.match(shift.strip()):
        return None
    return (int(plain, 16) if "x" in plain.lower() else int(plain)) << min(int(shift or 0), 63)


@functools.lru_cache(maxsize=4096)
def _constant(path: str, name: str) -> Optional[int]:
    """The number for which a NAME stands in all of a file: a macro, or a constant."""
    text = "\n".join(source_file.lines(path))
    found = {one for part in regex(_CONSTANTS % ((name,) * 4)).findall(text) for one in part if one}
    return _number(found.pop()) if len(found) == 1 else None


caches.when_code_changes(at.cache_clear)  # the source may have been edited
caches.when_code_changes(_constant.cache_clear)
