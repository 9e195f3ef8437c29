# SPDX-License-Identifier: MIT
"""Bodies of clang's that code calls itself, without the runtime; and what a body calls."""

from __future__ import annotations

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import call_site, entry_points, machine_code, outlined

if TYPE_CHECKING:
    from typing import Iterator, Optional, Tuple
    from openmp_inspect.host.interface import Process

_LARGEST, _PIECE = 1 << 16, 256  # bytes of code


def called_behind(process: Process, address: int, construct: Optional[str]) -> Optional[int]:
    """The body that the code from ADDRESS on calls, before the call that ends the construct."""
    for target, end in _calls(process, address):
        if target is not None and outlined.body_at(process, target):
            return target
        called = entry_points.find(call_site.called_at(process, end))
        if called is not None and called.part == "end" and called.construct == construct:
            return None
    return None


def behind(process: Process, address: int) -> int:
    """Where the body begins to which the one at ADDRESS only hands its arguments on, or ADDRESS
    itself."""
    name = outlined.body_at(process, address)
    if not name or outlined.is_inner(name):
        return address
    return next((target for target, _ in _calls(process, address) if target is not None and
                 outlined.is_inner(outlined.body_at(process, target))), address)


def call_of(process: Process, body: int, name: str) -> Optional[int]:
    """Where the first call of a function of this NAME returns to in the code of a BODY, as it lies there; or
    None."""
    code = b""
    symbol, offset = process.symbol_at(body)
    try:
        while symbol is not None and not offset and len(code) < _LARGEST and \
                process.symbol_at(body + len(code))[0] == symbol:
            code += process.read(body + len(code), _PIECE)
    except HostError:
        debug.ignored()  # it may be the last one of its page
    return next((at + one.length for at, one in machine_code.run(process.machine, code, body)
                 if one.flow == "call" and call_site.called_at(process, at + one.length) == name and
                 process.symbol_at(at)[0] == symbol), None)


def _calls(process: Process, address: int) -> Iterator[Tuple[Optional[int], int]]:
    """(target if it is in the instruction, where it returns to) of the calls in the code from
    ADDRESS on, as it lies there."""
    machine = process.machine
    for at, one in machine_code.run(machine, outlined.opening_code(process, address), address):
        if one.flow == "call":
            yield one.target, at + one.length
