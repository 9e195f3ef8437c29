# SPDX-License-Identifier: MIT
"""Where debuggers without steps of their own over the runtime stop for a body: at the call that opens
it, and on the lines of it that a person wrote. Call all of it in a host's sessions."""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.source import directives
from openmp_inspect.code import entry_points, machine_code, symbol_names, values

if TYPE_CHECKING:
    from typing import Dict, FrozenSet, List, Tuple
    from openmp_inspect.host.interface import Process
    from openmp_inspect.code.entry_point_table import Entry
    from openmp_inspect.code.machine_code import Instruction

_MOST_LINES = 1 << 10  # of a body


def openings(process: Process) -> Dict[int, Tuple[int, Entry]]:
    """Where the runtime is called with a body: address -> (where the function begins, its Entry). The
    address is behind the first instruction, as some debuggers' own steps into functions pass over a
    breakpoint on that, if the arguments are still in their registers there."""
    found: Dict[int, Tuple[int, Entry]] = {}
    for address, entry in entry_points.openings(process).items():
        code = process.read(address, machine_code.LONGEST)
        first = machine_code.decoded(process.machine, code, 0, address)
        keeps = first is not None and _keeps_arguments(process.machine, code, first)
        found[address + (first.length if first is not None and keeps else 0)] = address, entry
    return found


def _keeps_arguments(machine: str, code: bytes, first: Instruction) -> bool:
    """Whether the FIRST instruction of a function goes on to the next one, and is not known to write
    into the register of an argument."""
    executor = values.of_machine(machine)
    done = None if executor is None else executor.effect(code[:first.length], 0)
    return first.flow == "other" and (
        executor is None or done is None or done.register not in executor.ARGUMENTS)


def lines_of_directive(process: Process, body: int) -> FrozenSet[int]:
    """The lines of a BODY on which no more is done than its directive means, if others follow: also
    those of the loops that it shares out, and what clang has on the lines of sections and brackets."""
    line, places, path = symbol_names.body_line(process, body), _lines(process, body), \
        symbol_names.source_path(process, body)
    if not line or not path:
        return frozenset()
    numbers, loops = set(places.values()), directives.loops(path, line)
    of_calls = {number for (start, end), number in places.items() if _calls(process, start, end)}
    found = frozenset(number for number in numbers if number <= line or number in loops or
                      directives.is_section(path, number) or
                      directives.is_no_code(path, number) and number not in of_calls)
    return found if found < numbers else frozenset()


def own_lines(process: Process, body: int) -> List[int]:
    """The addresses at which the other lines of a BODY begin; none where all is the directive's."""
    skipped = lines_of_directive(process, body)
    return [start for (start, _), number in _lines(process, body).items() if number not in skipped] \
        if skipped else []


def _lines(process: Process, body: int) -> Dict[Tuple[int, int], int]:
    """The numbers of lines of a BODY by the beginnings and ends of their code."""
    found: Dict[Tuple[int, int], int] = {}
    function = symbol_names.innermost(process, body)
    at = body if function is None else function.start
    while function is not None and at < function.end and len(found) < _MOST_LINES:
        line = process.line_at(at)
        if line.last < at:
            break
        if line.line:
            found[at, line.last + 1] = line.line
        at = line.last + 1
    return found


def _calls(process: Process, start: int, end: int) -> bool:
    """Whether code calls something, or cannot be read."""
    known = start
    for at, one in machine_code.run(process.machine, process.read(start, end - start), start):
        if one.flow == "call":
            return True
        known = at + one.length
    return known < end
