# SPDX-License-Identifier: MIT
"""Bodies of clang's that code calls itself, without the runtime."""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import call_site, entry_points, machine_code, outlined
from openmp_inspect.host import processes

if TYPE_CHECKING:
    from typing import Iterator, Optional, Tuple


def called_behind(address: int, construct: Optional[str]) -> Optional[int]:
    """The body that the code from ADDRESS on calls, before the call that ends the construct."""
    for target, end in _calls(address):
        if target is not None and outlined.body_at(target):
            return target
        called = entry_points.find(call_site.called_at(end))
        if called is not None and called.part == "end" and called.construct == construct:
            return None
    return None


def behind(address: int) -> int:
    """Where the body begins to which the one at ADDRESS only hands its arguments on, or ADDRESS
    itself."""
    name = outlined.body_at(address)
    if not name or outlined.is_inner(name):
        return address
    return next((target for target, _ in _calls(address) if target is not None and
                 outlined.is_inner(outlined.body_at(target))), address)


def _calls(address: int) -> Iterator[Tuple[Optional[int], int]]:
    """(target if it is in the instruction, where it returns to) of the calls in the code from
    ADDRESS on, as it lies there."""
    machine = processes.current().machine
    for at, one in machine_code.run(machine, outlined.opening_code(address), address):
        if one.flow == "call":
            yield one.target, at + one.length
