# SPDX-License-Identifier: MIT
"""What a thread waits for, inferred from its stack where no record has it.

The call that left the user's code names the runtime's function, and that function says what
the thread is about. Only what is certain is returned (call_site.py).
"""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import branches, call_site, entry_points, symbol_names

if TYPE_CHECKING:
    from typing import Optional, Tuple
    from openmp_inspect.host.interface import Process
    from openmp_inspect.code.entry_point_table import Entry
    from openmp_inspect.code.places import Place
    Wait = Tuple[str, Optional[int]]  # a state and its wait id, as wait() has them

_CRITICAL = "wait_critical"
# Of these libgomp on Linux hands the address to the kernel, which is that of the lock or
# the named section itself. LLVM's runtime sleeps on something else.
FUTEXES = (_CRITICAL, "wait_lock", "wait_nest_lock")


def wait(process: Process, place: Place) -> Optional[Wait]:
    """(state, wait id) of a thread whose innermost user frame, a Place, is inside a call;
    None when the stack does not say. The wait id is 0 where only the state is known, None
    for the unnamed critical section."""
    if not place.called or place.address is None:
        return None
    function = call_site.called_at(process, place.address, place.jumped)
    entry = entry_points.find(function)
    if entry is None or entry.wait is None:
        return None
    if entry.object == "unnamed":
        return entry.wait, None
    return entry.wait, _object(process, entry, place.address)


def state_in(function: Optional[str]) -> Optional[str]:
    """The state of a thread that is inside this FUNCTION of the runtime, or None."""
    entry = entry_points.find(function)
    return None if entry is None else entry.wait


def section_at(process: Process, function: Optional[str], end: Optional[int]) -> Optional[int]:
    """The wait id of the critical section with a name that a call of an entry point is about
    which returns to END, or 0 where its code cannot be decoded."""
    entry = entry_points.find(function)
    return _object(process, entry, end) if end and entry is not None and entry.wait == _CRITICAL else 0


def _object(process: Process, entry: Entry, end: int) -> int:
    """The address of what a call waits for that returns to END, or 0."""
    found = 0
    if entry.object == 0 and entry.wait == _CRITICAL:
        found = call_site.argument_at(process, end, True)
    elif entry.object == 0:
        found = call_site.argument_at(process, end, False, lambda start: branches.lead_into(
            process, start, end))
    if not found and isinstance(entry.object, int) and entry.wait == _CRITICAL:
        found = call_site.checked_argument_at(process,
            end, lambda address: symbol_names.critical(process, address) is not None) or 0
    return found
