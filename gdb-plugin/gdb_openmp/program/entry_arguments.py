# SPDX-License-Identifier: MIT
"""What functions of a runtime are called with, at their first instructions."""

from __future__ import annotations

from openmp_inspect.code import body_calls
from openmp_inspect.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import call_arguments, inferiors, process

if TYPE_CHECKING:
    from typing import Optional
    from openmp_inspect.code.entry_point_table import Entry
    from gdb_openmp.host.gdb_types import GdbFrame


def body(frame: GdbFrame, entry: Entry) -> Optional[int]:
    """The address of the body that an ENTRY is called with, whose first instructions FRAME is
    in, or None where the code cannot be decoded. gdb.error where it cannot be read."""
    if not isinstance(entry.body, int):  # "called"
        return body_calls.called_behind(process.current(), frame.older().pc(), entry.construct)
    argument = call_arguments.argument(frame, entry.body)
    if not entry.in_task:
        return argument
    size = inferiors.pointer().sizeof
    return inferiors.read_unsigned(argument + size, size)


def part_of_task(descriptor: int) -> int:
    """The number of the part that an untied task of clang's is to go on with, 0 for its beginning:
    the third member of its DESCRIPTOR. Each part queues the next one, which calls the body
    again. gdb.error where it cannot be read."""
    return inferiors.read_unsigned(descriptor + 2 * inferiors.pointer().sizeof, 4)
