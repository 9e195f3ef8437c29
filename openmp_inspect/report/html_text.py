# SPDX-License-Identifier: MIT
"""The only way of words into a page: whatever a name of the target holds, it is text there, and
never an element, an attribute, a style or a script."""

from __future__ import annotations

import html
import re

from openmp_inspect.core import escaped
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Iterable, Union

    Attribute = Union[str, int, None]


_NUMBERS = re.compile("[0-9 -]*")  # which may be many


def words(said: object) -> str:
    """What is SAID, for between elements and, quoted, for attributes: in short, and without
    characters that are not seen or that change how others are."""
    return html.escape(escaped.shown(str(said)), quote=True)


def block(lines: Iterable[str]) -> str:
    """Lines in which blanks count."""
    return "<pre>%s</pre>\n" % "\n".join(map(words, lines))


def element(name: str, content: str, **attributes: Attribute) -> str:
    """An element with CONTENT that is a part of a page, and attributes, whose values are words;
    "_" is "-" in their names, "class_" is "class", and those of None are left out."""
    return "<%s%s>%s</%s>" % (name, "".join(
        ' %s="%s"' % (key.rstrip("_").replace("_", "-"),
                      value if _NUMBERS.fullmatch(str(value)) else words(value))
        for key, value in attributes.items() if value is not None), content, name)


def text(name: str, said: object, **attributes: Attribute) -> str:
    """An element with words in it."""
    return element(name, words(said), **attributes)
