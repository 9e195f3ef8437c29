# SPDX-License-Identifier: MIT
"""Attributes that are computed once."""

from __future__ import annotations

from openmp_inspect.core import debug
from openmp_inspect.core.errors import OmpdError
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Callable, Optional, TypeVar
    Answer = TypeVar("Answer")

_KEPT = "_facts"  # in an object's dictionary


class _Fact:
    """An attribute that is computed once, its OmpdError included. What stands in the
    object's dictionary under its name already is not computed."""

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: Optional[type] = None) -> Any:
        if instance is None:
            return self
        kept = instance.__dict__.setdefault(_KEPT, {})
        if self._name not in kept:
            try:
                kept[self._name] = self._compute(instance)
            except OmpdError as error:
                kept[self._name] = error
        value = kept[self._name]
        if isinstance(value, OmpdError):
            raise value
        return value


if TYPE_CHECKING:
    fact = property  # of which a type checker knows what it returns
else:
    fact = _Fact


def forget(instance: Any, *names: str) -> None:
    """Has the facts of these NAMES of an object, or all of them, computed when they are next used."""
    kept = instance.__dict__
    if not names:
        kept.pop(_KEPT, None)
    for name in names:
        kept.get(_KEPT, {}).pop(name, None)


def optional(compute: Callable[[], Answer], *none_when: str) -> Optional[Answer]:
    """COMPUTE's result, or None when it raises an OmpdError of one of these kinds."""
    try:
        return compute()
    except OmpdError as error:
        if error.kind in none_when:
            debug.ignored()
            return None
        raise


# What an attribute answers None for: the runtime holds nothing of the kind.
NOT_HELD = ("unavailable", "unsupported", "needs_state_tracking")
