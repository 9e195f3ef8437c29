# SPDX-License-Identifier: MIT
"""Functions of the user's that end in a jump to the runtime, and are on no stack while it waits.

For instance, at -O2:

    Mutex::lock:   jmp  omp_set_lock            the thread waits in here
    update:        call Mutex::lock             the innermost user frame: calls no runtime

Whatever Mutex::lock does by jumps is in its code; where only one of these goes to a function
that the asker knows, a thread that is inside the runtime for this call is in it.
"""

from __future__ import annotations

from openmp_inspect.core import caches, debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import call_site, machine_code

if TYPE_CHECKING:
    from typing import Callable, Dict, Hashable, Iterator, Optional, Set, Tuple
    from openmp_inspect.host.interface import Process

_LARGEST = 512  # bytes of a function that are read
_MOST_JUMPS = 4  # one after the other, from function to function

# By what is loaded, and the return address.
_known: Dict[Tuple[Hashable, int], Optional[str]] = caches.of_code()


def entry(process: Process, end: int, accepts: Callable[[str], bool]) -> Optional[str]:
    """The name of the function which the one that the call before END enters has left its frame
    to, if ACCEPTS takes the name of exactly one; else None."""
    key = process.code_key, end
    if key not in _known:
        start = _function(process, call_site.target(process, end))
        found = _reached(process, start, accepts, _MOST_JUMPS) if start else set()
        _known[key] = found.pop() if len(found) == 1 else None
    return _known[key]


def _function(process: Process, address: Optional[int]) -> Optional[int]:
    """Where the function begins that an entry of the linkage table leads to, or that is at
    ADDRESS itself; None where that is not known."""
    if address is None:
        return None
    name = call_site.name_of(process, address)
    if name is None or process.symbol_at(address) == (name, 0):
        return address
    return process.symbol(name)


def _reached(process: Process, start: int, accepts: Callable[[str], bool], jumps: int) -> Set[str]:
    """The names that ACCEPTS takes of functions which the one at START jumps to."""
    found: Set[str] = set()
    own = process.symbol_at(start)[0]
    for end, direct in _jumps(process, start):
        to = call_site.target(process, end, True) if direct is None else direct
        if to is None or own is None or process.symbol_at(end - 1)[0] != own:
            continue
        name = call_site.name_of(process, to)
        if name is not None and accepts(name):
            found.add(name)
        elif name not in (None, own) and jumps > 1:
            found |= _reached(process, _function(process, to) or to, accepts, jumps - 1)
    return found


def _jumps(process: Process, start: int) -> Iterator[Tuple[int, Optional[int]]]:
    """(end, target if it is in the instruction) of the jumps in the code at START."""
    try:
        code = process.read(start, _LARGEST)
    except HostError:
        debug.ignored()
        return
    for at, one in machine_code.run(process.machine, code, start):
        if one.flow == "jump":
            yield at + one.length, one.target
