# SPDX-License-Identifier: MIT
"""Which DIE of a unit is in which: libdw leads downwards only.

DIEs are in memory in the order of the file, each before those in it, so that one path leads down to
any. Children that were listed are kept.
"""

from __future__ import annotations

import bisect

from ompd_command.host.dwarf import Die
from openmp_inspect.core.static_typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Dict, List

_DEEPEST = 64


class Children(NamedTuple):
    places: List[int]  # the `addr` of each
    tags: List[int]


class DieTree:
    """Of the UNIT with this DIE."""

    def __init__(self, unit: Die) -> None:
        self.unit = unit
        self._children: Dict[int, Children] = {}

    def children(self, parent: Die) -> Children:
        place = parent.addr or 0
        found = self._children.get(place)
        if found is None:
            found = self._children[place] = Children([], [])
            for child, tag in parent.children_in_place():
                found.places.append(child.addr or 0)
                found.tags.append(tag)
        return found

    @property
    def size(self) -> int:
        """The number of DIEs that were listed."""
        return sum(len(children.places) for children in self._children.values())

    def die_at(self, place: int) -> Die:
        return Die(place, self.unit.cu)

    def ancestors(self, die: Die) -> List[Die]:
        """Those that a DIE of this unit is in, innermost first; the unit is the last. None if it is
        not in the tree."""
        found: List[Die] = []
        at, place = self.unit, die.addr or 0
        while at != die and len(found) < _DEEPEST:
            found.insert(0, at)
            children = self.children(at)
            number = bisect.bisect_right(children.places, place) - 1
            if number < 0:
                return []
            at = self.die_at(children.places[number])
        return found if at == die else []
