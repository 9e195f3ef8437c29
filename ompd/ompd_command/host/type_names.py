# SPDX-License-Identifier: MIT
"""Types in words of C, as gdb prints them, and in those of the linker's names of C++:
`const char *` and `char const*`.

In C++ structures have no "struct" before them, and the namespaces that they are in.
"""

from __future__ import annotations

from ompd_command.host import dwarf_constants as dw
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import FrozenSet, Iterator, List, Optional, Tuple
    from ompd_command.host.dwarf import Die
    from ompd_command.host.units import UnitsOfFile

_DEEPEST = 32  # types of types
_MOST_PARAMETERS = 64
_MOST_TYPES = 256  # in one name
_UNKNOWN = "?"
_ANONYMOUS = "(anonymous namespace)"
_POINTERS = {dw.POINTER_TYPE: "*", dw.REFERENCE_TYPE: "&", dw.RVALUE_REFERENCE_TYPE: "&&"}
_TAGGED = {dw.STRUCTURE_TYPE: "struct ", dw.UNION_TYPE: "union ", dw.ENUMERATION_TYPE: "enum ",
           dw.CLASS_TYPE: "class "}
_PREFIXED = {dw.NAMESPACE, dw.MODULE, dw.UNION_TYPE, *dw.STRUCTURES}
# The order in which names of C++ have what DWARF's have as "long unsigned int".
_ORDER = ("signed", "unsigned", "char", "short", "long", "int")


def prefix(units: UnitsOfFile, die: Die) -> str:
    """The namespaces, modules and classes that a DIE is in, each with "::" behind it."""
    unit = units.unit_of(die.cu)
    if unit is None or not (unit.is_cplusplus or unit.is_fortran):
        return ""
    found = ""
    declared = die.specification() or die.origin()
    owner = units.unit_of(declared.cu)
    around = [] if owner is None else owner.tree.ancestors(declared)
    for outer in around:
        tag = outer.tag
        if tag in _PREFIXED:
            found = (outer.name or (_ANONYMOUS if tag == dw.NAMESPACE else "")) + "::" + found
        elif tag == dw.SUBPROGRAM:
            if unit.is_fortran and outer == around[0] and die.tag == dw.SUBPROGRAM and outer.name:
                found = outer.name + "::"
            break
    return "" if found == "::" else found


def name(units: UnitsOfFile, die: Optional[Die], skipped: int) -> str:
    """Of a type; None is void. The outer dimensions of an array may be SKIPPED."""
    printer = _Printer(units, False)
    if die is not None and skipped:
        return printer.text(die.type, _in_brackets(lengths(die)[skipped:]), 0)
    return printer.text(die, "", 0)


def parameters(units: UnitsOfFile, function: Die, canonical: bool) -> str:
    """Those of a function of C++ as its name has them: "(int, char**) const"."""
    printer = _Printer(units, canonical)
    given = list(zip(function.children({dw.FORMAL_PARAMETER, dw.UNSPECIFIED_PARAMETERS}),
                     range(_MOST_PARAMETERS)))
    names = [printer.parameter(one, 0) for one, _ in given if not one.flag(dw.AT_ARTIFICIAL)]
    text = "(%s)" % ", ".join(names or ([] if canonical else ["void"]))
    this = given[0][0] if given and given[0][0].flag(dw.AT_ARTIFICIAL) else None
    pointer = None if this is None else _qualified(this.type)[1]
    if pointer is not None and pointer.tag == dw.POINTER_TYPE and pointer.type is not None and \
            pointer.type.tag == dw.CONST_TYPE:
        text += " const"
    return text


def _qualified(die: Optional[Die]) -> Tuple[FrozenSet[int], Optional[Die]]:
    """(tags of qualifiers, what they qualify)"""
    found = set()
    for _ in range(_DEEPEST):
        tag = None if die is None else die.tag
        if die is None or tag not in dw.QUALIFIERS:
            break
        found.add(tag)
        die = die.type
    return frozenset(found), die


class _Printer:
    def __init__(self, units: UnitsOfFile, canonical: bool) -> None:
        self._units = units
        self._canonical = canonical
        self._left = _MOST_TYPES

    def parameter(self, die: Die, depth: int) -> str:
        return "..." if die.tag == dw.UNSPECIFIED_PARAMETERS else self.text(die.type, "", depth)

    def text(self, die: Optional[Die], declarator: str, depth: int,
             around: FrozenSet[int] = frozenset()) -> str:
        """The type around what is declared: "*" of a pointer to it, for example. Qualifiers AROUND
        an array are those of its elements."""
        self._left -= 1
        if depth > _DEEPEST or self._left < 0:
            return _UNKNOWN
        tags, die = _qualified(die)
        qualifiers = self._words(tags | around, die)
        tag = None if die is None else die.tag
        if die is None or tag is None:
            return self._base("void", qualifiers, declarator)
        if tag in _POINTERS:
            return self._pointer(die, qualifiers, declarator, depth)
        if tag == dw.ARRAY_TYPE:
            return self.text(die.type, declarator + _in_brackets(lengths(die)), depth + 1,
                             tags | around)
        if tag == dw.SUBROUTINE_TYPE:
            return self.text(die.type, declarator + self._arguments(die, depth), depth + 1)
        return self._base(self._named(die), qualifiers, declarator)

    def _pointer(self, die: Die, qualifiers: str, declarator: str, depth: int) -> str:
        inner = _POINTERS[die.tag]
        if qualifiers:
            inner += qualifiers if self._canonical else " " + qualifiers
            inner += " " if declarator[:1] not in ("", "[") and not self._canonical else ""
        inner += declarator
        target = _qualified(die.type)[1]
        if target is not None and target.tag in (dw.ARRAY_TYPE, dw.SUBROUTINE_TYPE):
            inner = "(%s)" % inner
        return self.text(die.type, inner, depth + 1)

    def _arguments(self, die: Die, depth: int) -> str:
        given = zip(die.children({dw.FORMAL_PARAMETER, dw.UNSPECIFIED_PARAMETERS}),
                    range(_MOST_PARAMETERS))
        names = [self.parameter(one, depth + 1) for one, _ in given]
        if names == ["..."]:
            names = []  # gdb takes it for none
        return "(%s)" % ", ".join(names or ([] if self._canonical else ["void"]))

    def _words(self, tags: FrozenSet[int], die: Optional[Die]) -> str:
        words = " ".join(word for tag, word in dw.QUALIFIERS.items() if tag in tags)
        if dw.RESTRICT_TYPE in tags and self._is_cplusplus(die):
            words = words.replace("restrict", "__restrict__")
        return words

    def _is_cplusplus(self, die: Optional[Die]) -> bool:
        unit = None if die is None else self._units.unit_of(die.cu)
        return unit is not None and unit.is_cplusplus

    def _base(self, text: str, qualifiers: str, declarator: str) -> str:
        if self._canonical:
            return text + (" " + qualifiers if qualifiers else "") + declarator
        if qualifiers:
            text = qualifiers + " " + text
        return text + (" " + declarator if declarator else "")

    def _named(self, die: Die) -> str:
        """What a type with a name is called."""
        tag, given = die.tag, die.name
        in_cplusplus = self._is_cplusplus(die)
        kind = _TAGGED.get(tag, "")
        if given is None:
            return kind + "{...}" if kind else _UNKNOWN
        if tag == dw.BASE_TYPE:
            return _in_order(given)
        if in_cplusplus:
            return prefix(self._units, die) + given
        return kind + given


def _in_brackets(sizes: List[Optional[int]]) -> str:
    return "".join("[%s]" % ("" if size is None else size) for size in sizes)


def _in_order(given: str) -> str:
    """The name of a base type as C++ has it: "unsigned long" of "long unsigned int"."""
    words = given.split()
    if len(words) < 2 or any(word not in _ORDER for word in words):
        return given
    if "int" in words and ("long" in words or "short" in words):
        words.remove("int")
    return " ".join(sorted(words, key=_ORDER.index))


def lengths(array: Die) -> List[Optional[int]]:
    """The number of elements of each dimension, None where that is not a constant."""
    return [None if high is None else max(high - low + 1, 0) for low, high in bounds(array)]


def bounds(array: Die) -> Iterator[Tuple[int, Optional[int]]]:
    """(first index, last index or None) of each dimension."""
    for die, _ in zip(array.children({dw.SUBRANGE_TYPE}), range(_DEEPEST)):
        low, high, count = (_signed(die, code) for code in
                            (dw.AT_LOWER_BOUND, dw.AT_UPPER_BOUND, dw.AT_COUNT))
        low = low or 0
        yield low, high if high is not None else None if count is None else low + count - 1


def _signed(die: Die, code: int) -> Optional[int]:
    found = die.own(code)
    if found is None or found.form in dw.SIGNED:
        return None if found is None else found.signed()
    number = found.number()
    return None if number is None else number - ((number >> 63) << 64)
