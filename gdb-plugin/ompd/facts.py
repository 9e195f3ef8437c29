# SPDX-License-Identifier: MIT
"""Attributes that are asked for once, and what has a handle in a snapshot."""

from ompd.errors import OmpdError


class fact:  # pylint: disable=invalid-name
    """An attribute that is computed once, its OmpdError included. What stands in the
    object's dictionary under its name already is not computed."""

    def __init__(self, compute):
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner, name):
        self._name = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        kept = instance.__dict__.setdefault("_facts", {})
        if self._name not in kept:
            try:
                kept[self._name] = self._compute(instance)
            except OmpdError as error:
                kept[self._name] = error
        value = kept[self._name]
        if isinstance(value, OmpdError):
            raise value
        return value


def optional(compute, *none_when):
    """COMPUTE's result, or None when it answers one of these codes."""
    try:
        return compute()
    except OmpdError as error:
        if error.kind in none_when:
            return None
        raise


# What an attribute answers None for: the runtime holds nothing of the kind.
NOT_HELD = ("unavailable", "unsupported", "needs_state_tracking")


class Item:
    """What has a handle in a snapshot. Equal when it is the same object of the target."""

    def __init__(self, snapshot, handle, key):
        self.snapshot = snapshot
        self.handle = handle
        self.key = key
        self._query = snapshot._query

    def __eq__(self, other):
        return type(other) is type(self) and other.key == self.key

    def __hash__(self):
        return hash(self.key)
