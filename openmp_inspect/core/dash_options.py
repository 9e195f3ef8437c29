# SPDX-License-Identifier: MIT
"""Options as debuggers' commands have them: a dash and a word that may be shortened."""

from __future__ import annotations

import types

from openmp_inspect.core.errors import UserError
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import List, Sequence, Tuple


class Shape(NamedTuple):
    """What a command takes: its name; `flags`, options without and `values`, options with a value;
    how many other words there may be."""

    name: str
    flags: Tuple[str, ...] = ()
    values: Tuple[str, ...] = ()
    takes: int = 0
    before: str = ""  # a word behind which nothing is an option


def parsed(shape: Shape, words: Sequence[str]) -> types.SimpleNamespace:
    """An attribute for each option, False or None when it was not used, and `words`; UserError for
    what the command does not take."""
    given = types.SimpleNamespace(words=[])
    for name in shape.flags:
        setattr(given, name, False)
    for name in shape.values:
        setattr(given, name, None)
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == shape.before:
            given.words += [word, *rest]
            break
        if not word.strip("-") or not word.startswith("-"):
            given.words.append(word)
            continue
        name = _option(shape, word)
        if name in shape.flags:
            setattr(given, name, True)
        elif not rest:
            raise UserError('"%s -%s" needs a value.' % (shape.name, name))
        else:
            setattr(given, name, rest.pop(0))
    if len(given.words) > shape.takes:
        if not shape.takes:
            raise UserError('"%s" takes no argument.' % shape.name)
        raise UserError('"%s" does not take "%s": see "help %s".' % (
            shape.name, given.words[shape.takes], shape.name))
    return given


def _option(shape: Shape, word: str) -> str:
    every, start = shape.flags + shape.values, word.lstrip("-")
    found: List[str] = [name for name in every if name == start] or \
        [name for name in every if name.startswith(start)]
    if len(found) != 1:
        raise UserError('"%s" has no option "%s": see "help %s".' % (shape.name, word, shape.name))
    return found[0]
