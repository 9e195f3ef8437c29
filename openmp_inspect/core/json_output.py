# SPDX-License-Identifier: MIT
"""Answers for programs: JSON."""

from __future__ import annotations

import json

from openmp_inspect.core import escaped, screen
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Dict, Optional
    from openmp_inspect.core.escaped import Name
    from openmp_inspect.core.text import Place


def write_json(value: Any) -> None:
    screen.current().write(text(value))


def text(value: Any) -> str:
    """One line for each element of an array, so that a reader may go by lines, too. Names are
    whole and exact; bytes that are not UTF-8 are written as \\xNN."""
    value = _in_unicode(value)
    if isinstance(value, list) and value:
        return "[" + ",\n ".join(json.dumps(item) for item in value) + "]\n"
    return json.dumps(value) + "\n"


def _in_unicode(value: Any) -> Any:
    if isinstance(value, escaped.Name):
        value = value.raw
    if isinstance(value, str):
        return value if value.isascii() else \
            value.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    if isinstance(value, dict):
        return {_in_unicode(name): _in_unicode(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_in_unicode(one) for one in value]
    return value


def place_facts(place: Optional[Place]) -> Dict[str, Any]:
    """A places.Place, or None, as keys of an object."""
    return {"function": exact(place.function) if place else None,
            "file": exact(place.file) if place else None,
            "fullname": place.fullname if place else None,
            "line": place.line if place else None}


def exact(name: Optional[Name]) -> Optional[str]:
    """What the target calls something, whole; None for what has no name."""
    return None if name is None else name.raw


def address(value: Optional[int]) -> Optional[str]:
    """An address of the target, as `0x7ffe10`; None for none."""
    return "%#x" % value if value else None
