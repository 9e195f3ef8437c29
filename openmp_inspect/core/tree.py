# SPDX-License-Identifier: MIT
"""Trees drawn with lines."""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.core import text

if TYPE_CHECKING:
    from typing import (Callable, Dict, Hashable, Iterable, Iterator, List, Optional, Sequence, Set,
                        Tuple, TypeVar)
    Item = TypeVar("Item")
    Key = TypeVar("Key", bound=Hashable)


def grow(items: Sequence[Item], key_of: Callable[[Item], Key],
         parent_of: Callable[[Item], Optional[Key]]) -> Tuple[List[Item], Dict[Key, List[Item]]]:
    """(roots, children by key) of items; one whose parent is not among them is a root. Of
    items that hang below one another in a circle the first is taken for a root."""
    there = {key_of(item) for item in items}
    roots: List[Item] = []
    children: Dict[Key, List[Item]] = {}
    for item in items:
        above = parent_of(item)
        if above is None or above not in there:
            roots.append(item)
        else:
            children.setdefault(above, []).append(item)
    seen: Set[Key] = set()
    _reach(roots, children, key_of, seen)
    for item in items:
        if key_of(item) not in seen:
            above = parent_of(item)
            if above is not None:
                children[above].remove(item)
            roots.append(item)
            _reach([item], children, key_of, seen)
    return roots, children


def _reach(roots: Iterable[Item], children: Dict[Key, List[Item]], key_of: Callable[[Item], Key],
           seen: Set[Key]) -> None:
    todo = list(roots)
    while todo:
        key = key_of(todo.pop())
        seen.add(key)
        todo += children.get(key, [])


def _signs() -> Tuple[str, str, str]:
    """(branch, last branch, bar)"""
    return text.sign("\u251c\u2500 ", "|- "), text.sign("\u2514\u2500 ", "`- "), \
        text.sign("\u2502  ", "|  ")


def walk(roots: Sequence[Item],
         children_of: Callable[[Item], Sequence[Item]]) -> Iterator[Tuple[Item, str]]:
    """(item, the lines drawn before it) from the roots down. Deep trees need no deep
    recursion."""
    branch, last, bar = _signs()
    todo = [(root, "", "") for root in reversed(roots)]
    while todo:
        item, lead, below = todo.pop()
        yield item, lead
        children = children_of(item)
        for child in reversed(children):
            final = child is children[-1]
            todo.append((child, below + (last if final else branch),
                         below + ("   " if final else bar)))


def continued(lead: str) -> str:
    """What is drawn before further lines of an item that has LEAD before its first."""
    branch, last, bar = _signs()
    return lead.replace(branch, bar).replace(last, "   ")
