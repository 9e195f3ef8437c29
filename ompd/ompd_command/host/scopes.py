# SPDX-License-Identifier: MIT
"""Functions and blocks of a unit by their code.

GCC has the functions that it makes of OpenMP constructs inside of the one that they were made of,
whose code is elsewhere, or which has none of its own as all its calls were inlined:

    update                     DW_TAG_subprogram, DW_AT_inline
        update._omp_fn.0       DW_TAG_subprogram, code
    main                       DW_TAG_subprogram, code
        update                 DW_TAG_inlined_subroutine, DW_AT_abstract_origin

So a search that goes only where the code of an outer DIE has the address would miss it. Around
update._omp_fn.0 are an instance of `update` and then `main`.
"""

from __future__ import annotations

import bisect

from ompd_command.host import dwarf_constants as dw
from openmp_inspect.core.cached import fact
from openmp_inspect.core.static_typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any, Collection, Dict, Iterator, List, Optional, Sequence, Tuple
    from ompd_command.host.die_tree import DieTree
    from ompd_command.host.dwarf import Die

    Ranges = List[Tuple[int, int, Die]]

_FUNCTIONS = {dw.SUBPROGRAM, dw.INLINED_SUBROUTINE}
_DEEPEST = 64
_MOST_DIES = 1 << 21
_MOST_DECLARED = 1 << 16


class Declared(NamedTuple):
    """DIEs outside of functions and classes."""

    functions: List[Die]  # with code, and abstract ones
    variables: List[Die]
    classes: List[Die]


class Scopes:
    """Those of a unit; addresses are the file's."""

    def __init__(self, tree: DieTree) -> None:
        self._tree = tree

    @fact
    def declared(self) -> Declared:
        found = Declared([], [], [])
        owners = [self._tree.unit]
        kept = {dw.SUBPROGRAM: found.functions, dw.VARIABLE: found.variables,
                dw.NAMESPACE: owners, dw.MODULE: owners,
                **{tag: found.classes for tag in dw.STRUCTURES}}
        for owner in owners:
            children = self._tree.children(owner)
            for tag, place in zip(children.tags, children.places):
                lists = kept.get(tag)
                if lists is not None and len(lists) < _MOST_DECLARED:
                    lists.append(self._tree.die_at(place))
        found.functions[:] = [die for die in found.functions if die.own(dw.AT_DECLARATION) is None]
        return found

    @fact
    def _outer(self) -> Ranges:
        return _by_ranges(self.declared.functions)

    @fact
    def _nested(self) -> Ranges:
        """Those in functions, and in classes that are local to these, as lambdas are."""
        return _by_ranges([inner for function in self.declared.functions
                           for inner in _functions_in(function)])

    @fact
    def _in_classes(self) -> Ranges:
        return _by_ranges([inner for owner in self.declared.classes
                           for inner in _functions_in(owner)])

    def at(self, pc: int) -> List[Die]:
        """The scopes with code at PC, innermost first: blocks and inlined functions, the last being
        the function that has them."""
        function = _found(self._outer, pc) or _found(self._nested, pc) or \
            _found(self._in_classes, pc)
        found: List[Die] = []
        while function is not None and len(found) < _DEEPEST:
            found.insert(0, function)
            function = next(_blocks_at(function, pc), None)
        return found

    def around(self, function: Die) -> List[Die]:
        """The functions that one is declared in, innermost first, inlined ones, too."""
        found: List[Die] = []
        for _ in range(_DEEPEST):
            outer = [die for die in self._tree.ancestors(function) if die.tag in _FUNCTIONS]
            known = [die.ranges() for die in outer]
            abstract = next((at for at, ranges in enumerate(known) if not ranges), len(outer))
            found += outer[:abstract]
            instance = None if abstract == len(outer) else self._instance(outer[abstract])
            if instance is None:
                break
            found.append(instance)
            function = instance
        return found

    def _instance(self, abstract: Die) -> Optional[Die]:
        """Code of an ABSTRACT function, or None."""
        own = (die for _, _, die in self._outer if die.reference(dw.AT_ABSTRACT_ORIGIN) == abstract)
        return next(own, None) or self._inlined.get(abstract)

    @fact
    def _inlined(self) -> Dict[Die, Die]:
        """{abstract function: one that is inlined}"""
        wanted = {dw.INLINED_SUBROUTINE, *dw.BLOCKS}
        found: Dict[Die, Die] = {}
        for _, _, function in [*self._outer, *self._nested]:
            for die in _beneath(function, wanted, wanted):
                origin = die.reference(dw.AT_ABSTRACT_ORIGIN)
                if die.tag == dw.INLINED_SUBROUTINE and origin is not None:
                    found.setdefault(origin, die)
        return found


def _beneath(top: Die, wanted: Collection[int], entered: Collection[int]) -> Iterator[Die]:
    """The descendants with one of the tags WANTED that are reached through tags that are
    ENTERED."""
    walks = [top.children(wanted)]
    for _ in range(_MOST_DIES):
        die = next(walks[-1], None)
        if die is None:
            walks.pop()
            if not walks:
                break
            continue
        yield die
        if die.tag in entered and len(walks) < _DEEPEST:
            walks.append(die.children(wanted))


def _functions_in(top: Die) -> Iterator[Die]:
    wanted = {dw.SUBPROGRAM, *dw.BLOCKS, *dw.STRUCTURES}
    return (die for die in _beneath(top, wanted, wanted) if die.tag == dw.SUBPROGRAM)


def _by_ranges(functions: Sequence[Die]) -> Ranges:
    found = [(start, end, die) for die in functions for start, end in die.ranges()]
    return sorted(found, key=lambda one: one[:2])


def _found(ranges: Ranges, pc: int) -> Optional[Die]:
    behind: Any = (pc, 1 << 64)
    at = bisect.bisect_right(ranges, behind) - 1
    return ranges[at][2] if at >= 0 and pc < ranges[at][1] else None


def _blocks_at(scope: Die, pc: int) -> Iterator[Die]:
    """The next inner ones with code at PC. What is in a block without code of its own is as if it
    were outside of that."""
    for die in scope.children({dw.INLINED_SUBROUTINE, *dw.BLOCKS}):
        if die.has_code_at(pc):
            yield die
        elif die.tag in dw.BLOCKS and not die.ranges():
            yield from (inner for inner in _beneath(die, {dw.INLINED_SUBROUTINE, *dw.BLOCKS}, ())
                        if inner.has_code_at(pc))
