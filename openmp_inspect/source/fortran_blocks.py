# SPDX-License-Identifier: MIT
"""Where constructs of OpenMP end in Fortran: with their loop, or with a directive."""

from __future__ import annotations


from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.source.conditions import Odd

if TYPE_CHECKING:
    from typing import Callable, List, Optional, Sequence, Tuple
    from openmp_inspect.source.directive_names import Directive
    from openmp_inspect.source.extents import Extent
    from openmp_inspect.source.fortran_source import FortranItem

_DO = regex(r"(?:\w+:)?do(?:(\d{1,5}),?)?(?:\w+=(.*)|while\(.*|concurrent\(.*)?\Z")
_END_DO = regex(r"enddo\w*\Z")
_BLOCK = regex(r"(?:\w+:)?block\Z")
_END_BLOCK = regex(r"endblock(?!data)\w*\Z")
_END_OF_UNIT = regex(r"end(?:(?:subroutine|function|program|module|submodule|procedure)"
                     r"\w*)?\Z")
_PARENTHESES = regex(r"\([^()]*\)")
_MOST_NESTED = 256
_NO_NEED = {"atomic", "dispatch", "allocators", "tile", "unroll", "declare", "assumes",
            "metadirective"}  # their end is of no interest


class _Open:
    """What has begun: a "do" with its label, a "block", or a "directive"."""

    __slots__ = ("kind", "item", "label", "extents")

    def __init__(self, kind: str, item: FortranItem, label: Optional[str] = None,
                 extents: Sequence[Extent] = ()) -> None:
        self.kind = kind
        self.item = item
        self.label = label
        self.extents = extents  # those that end with it


class Blocks:
    """What belongs to the directives of a source, whose items are added one by one. MAKE: what
    makes an Extent of a Directive and its first and last line. All raises Odd."""

    def __init__(self, make: Callable[[Directive, int, int], Extent]) -> None:
        self._make = make
        self._found: List[Extent] = []
        self._open: List[_Open] = []
        self._waiting: List[Extent] = []  # of loops that have not begun
        self._fresh: Optional[_Open] = None  # the directive right before the statement
        # names of the directives whose construct has just ended
        self._ended: Tuple[Tuple[str, ...], ...] = ()

    def add(self, item: FortranItem) -> None:
        if item.directive is not None:
            self._directive(item, item.directive)
        else:
            self._statement(item)
            self._fresh = None

    def end(self) -> List[Extent]:
        """The extents of all."""
        if self._open or self._waiting:
            raise Odd
        return self._found

    def _push(self, one: _Open) -> None:
        if len(self._open) >= _MOST_NESTED:
            raise Odd
        self._open.append(one)

    def _directive(self, item: FortranItem, directive: Directive) -> None:
        kind, names = directive.kind, directive.names
        if kind == "unknown" or self._waiting and kind != "loop":
            raise Odd
        if kind == "end":
            self._end(item, names[1:])
            return
        extent = self._make(directive, item.first, item.last)
        self._found.append(extent)
        self._ended, self._fresh = (), None
        if kind == "loop":
            self._waiting.append(extent)
        elif kind == "section":
            self._close_section(item.first - 1)
            self._push(_Open("directive", item, extents=(extent,)))
        elif kind == "block":
            self._fresh = _Open("directive", item, extents=(extent,))
            self._push(self._fresh)

    def _end(self, item: FortranItem, names: Tuple[str, ...]) -> None:
        if not names or names[0] in _NO_NEED:
            return
        names = _construct(names)
        if names in self._ended:
            self._ended = ()
            return
        if "sections" in names:
            self._close_section(item.first - 1)
        top = self._open.pop() if self._open else None
        if top is None or top.item.directive is None or \
                _construct(top.item.directive.names) != names:
            raise Odd
        top.extents[0].holds(top.item.last + 1, item.first - 1)
        self._ended, self._fresh = (), None

    def _close_section(self, last: int) -> None:
        top = self._open[-1] if self._open else None
        if top is not None and top.item.directive is not None and \
                top.item.directive.kind == "section":
            self._open.pop()
            top.extents[0].holds(top.item.last + 1, last)

    def _statement(self, item: FortranItem) -> None:
        text = item.text
        self._ended = ()
        loop = _DO.match(text)
        if loop and _is_loop(loop.group(2)):
            self._push(_Open("do", item, loop.group(1), tuple(self._waiting)))
            self._waiting = []
            return
        if self._waiting or text == "include''" and self._open:
            raise Odd
        if _BLOCK.match(text):
            extents: Sequence[Extent] = ()
            if self._fresh is not None:
                extents = self._open.pop().extents
            self._push(_Open("block", item, extents=extents))
        elif _END_BLOCK.match(text):
            self._close("block", item)
        elif _END_OF_UNIT.match(text) and self._open:
            raise Odd
        if item.label and any(one.label == item.label for one in self._open):
            while self._open and self._open[-1].label == item.label:
                self._close("do", item)
            if any(one.label == item.label for one in self._open):
                raise Odd
        elif _END_DO.match(text):
            self._close("do", item)

    def _close(self, kind: str, item: FortranItem) -> None:
        top = self._open.pop() if self._open else None
        if top is None or top.kind != kind:
            raise Odd
        for extent in top.extents:
            partly = (item.last,) if item.shares else ()
            extent.holds(extent.last + 1, item.last - bool(partly), partly)
        self._ended += tuple(_construct(extent.directive.names) for extent in top.extents)


def _construct(names: Tuple[str, ...]) -> Tuple[str, ...]:
    """The names without a clause that is one elsewhere."""
    return names[:-1] if len(names) > 1 and names[-1] == "ordered" else names


def _is_loop(bounds: Optional[str]) -> bool:
    """Whether what is behind "=" has a comma of its own: else it is an assignment."""
    if bounds is None:
        return True
    for _ in range(_MOST_NESTED):
        shorter = _PARENTHESES.sub("", bounds)
        if shorter == bounds:
            break
        bounds = shorter
    return "," in bounds
