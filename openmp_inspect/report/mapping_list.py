# SPDX-License-Identifier: MIT
"""What devices have a copy of: "ompd mappings"."""

from __future__ import annotations

import re

from openmp_inspect.core import debug, errors, escaped, json_output, text
from openmp_inspect.core.errors import Unreadable, UserError
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.report import device_list, explanations
from openmp_inspect.stacks import stitched_stack

if TYPE_CHECKING:
    from typing import Any, Collection, Dict, List, Optional, Tuple
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from openmp_inspect.core.escaped import Name
    from openmp_inspect.bindings.query import MappingFacts
    from openmp_inspect.code.places import Place

_HEAD = ["Device", "Host", "Bytes", "On the device", "Mapped", "Variable", "Declared", "Mapped at"]
_CELL = 24
_LONGEST = 512  # bytes of clang's string
_MOST_NAMED = 1000  # rows whose variables are looked for
_NOT_KNOWN = "Which of two copies is newer is not known."


class _Mapping(NamedTuple):
    facts: MappingFacts
    variable: Optional[Name]
    # Of its declaration, or of an expression without one.
    file: Optional[Name]
    line: Optional[int]
    at: Optional[Place]  # of the construct that has mapped it


def facts(here: Space, device: Optional[str] = None, wanted: Optional[str] = None) -> List[Dict[str, Any]]:
    """An object for each range that is mapped to the DEVICE with this number or, None, to any one, or
    of these the one that has the address, or the variable, WANTED. UserError where they are not
    known."""
    with explanations.explained(here.process), Snapshot.of(here) as snapshot:
        return [{"device": one.facts.device, "runtime": one.facts.runtime,
                 "host": json_output.address(one.facts.host), "bytes": one.facts.bytes,
                 "address": json_output.address(one.facts.address),
                 "references": one.facts.references, "held": one.facts.held,
                 "forever": None if one.facts.forever is None else bool(one.facts.forever),
                 "variable": json_output.exact(one.variable),
                 "file": json_output.exact(one.file), "line": one.line,
                 "mapped_at": json_output.place_facts(one.at) if one.at is not None else None}
                for one in _chosen(snapshot, device, wanted)[0]]


def lines(here: Space, device: Optional[str] = None, wanted: Optional[str] = None) -> List[str]:
    """The table; UserError likewise."""
    with explanations.explained(here.process), Snapshot.of(here) as snapshot:
        rows, is_all = _chosen(snapshot, device, wanted)
        if not rows:
            return ["Nothing is mapped to a device." if device is None and wanted is None else
                    "Nothing of that is mapped to a device."] if is_all else device_list.cut(is_all)
        cells = [_HEAD, *map(_cells, rows)]
        shown = [True] * 6 + [any(one.line for one in rows), any(one.at for one in rows)]
        cells = [[cell for cell, is_shown in zip(row, shown) if is_shown] for row in cells]
        return [*text.fitted(cells, most=_CELL), text.remark(_NOT_KNOWN), *device_list.cut(is_all)]


def remarks(snapshot: Snapshot, name: str, addresses: Collection[int]) -> List[str]:
    """That devices have copies of what a user calls NAME, which is at these ADDRESSES, if they have."""
    mappings, _ = errors.known(lambda: snapshot.mappings) or ([], True)
    devices = sorted({one.device for one in mappings for address in addresses
                      if one.host <= address < one.host + one.bytes})
    return [text.remark("Device%s %s %s a copy of %s. %s" % (
        "" if len(devices) == 1 else "s", text.ranges(devices), "has" if len(devices) == 1 else "have",
        escaped.shown(name), _NOT_KNOWN))] if devices else []


def _chosen(snapshot: Snapshot, device: Optional[str],
            wanted: Optional[str]) -> Tuple[List[_Mapping], bool]:
    """Those that are asked for, and whether these are all."""
    number = None if device is None else _number(device)
    mappings, is_all = device_list.asked(lambda: snapshot.mappings)
    found = sorted(mappings, key=lambda one: (one.runtime, one.device, one.host))
    if number is not None:
        devices, are_all = device_list.asked(lambda: snapshot.devices)
        if are_all and all(one.number != number for one in devices):
            raise UserError('There is no device %d: "ompd devices" lists them.' % number)
        found = [one for one in found if one.device == number]
    address = _address(wanted)
    if address is not None:
        found = [one for one in found if one.host <= address < one.host + one.bytes]
    with snapshot.process.selection_kept():
        stacks = stitched_stack.of(snapshot.space)
        rows = [_named(stacks, one, at < _MOST_NAMED) for at, one in enumerate(found)]
    if address is None and wanted is not None:
        rows = [one for one in rows if one.variable is not None and
                re.match(re.escape(wanted) + r"(\W|\Z)", one.variable.raw)]
    return rows, is_all


def _number(word: str) -> int:
    if not word.isdecimal():
        raise UserError('"-device" takes the number of a device.')
    return int(word)


def _address(wanted: Optional[str]) -> Optional[int]:
    """The address that is WANTED, or None, also of a name."""
    try:
        return None if wanted is None else int(wanted, 0)
    except ValueError:
        debug.ignored()
        return None


def _named(stacks: StitchedStacks, one: MappingFacts, by_address: bool) -> _Mapping:
    """By the debugger, or else as the directive has it, which may name a part of it."""
    name, file, line = _directive(stacks.space, one.source)
    at = stacks.walker.call(one.codeptr) if one.codeptr and by_address else None
    return _Mapping(one, (stacks.object_at(one.host) if by_address else None) or name, file, line, at)


def _directive(here: Space, source: Optional[int]) -> Tuple[Optional[Name], Optional[Name], Optional[int]]:
    """Variable, file and line by the string that clang has made of what is mapped."""
    try:
        raw = here.memory.read_string(source, _LONGEST) if source else b""
    except Unreadable:
        debug.ignored()
        raw = b""
    found = re.fullmatch(r";(.*);(.*);(\d{1,7});\d*;;", raw.decode("utf-8", "surrogateescape"), re.S)
    if found is None or not int(found.group(3)):
        return None, None, None
    return escaped.name(found.group(1)) or None, escaped.name(found.group(2)) or None, \
        int(found.group(3))


def _cells(one: _Mapping) -> List[str]:
    of = one.facts
    return [str(of.device), text.style("address", "%#x" % of.host), str(of.bytes),
            "?" if of.address is None else text.style("address", "%#x" % of.address), _references(of),
            "-" if one.variable is None else text.style("variable", text.worded(one.variable)),
            "-" if one.file is None or one.line is None else text.source_line(one.file, one.line),
            "-" if one.at is None else text.place(one.at)]


def _references(of: MappingFacts) -> str:
    if of.forever:
        return "for ever"
    if of.references is None:
        return "?"
    return text.count(of.references, "time") + (", %d held" % of.held if of.held else "")
