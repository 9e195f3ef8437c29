# SPDX-License-Identifier: MIT
"""Which locks the functions on a thread's stack have acquired, by the calls in their code."""

from __future__ import annotations

from openmp_inspect.core import debug, errors
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import call_argument, critical_calls

if TYPE_CHECKING:
    from typing import Container, Dict, List, Sequence, Tuple, TypeVar
    from openmp_inspect.host.interface import Thread
    from openmp_inspect.stacks.user_frames import Walker
    _Key = TypeVar("_Key")

_MOST_STACKS = 64  # that are unwound in search of holders; where there are more no holder is named
_MOST_FRAMES = 256  # of user code


def holders(walker: Walker, threads: Sequence[Tuple[_Key, Thread]],
            wanted: Container[int]) -> Dict[int, Tuple[_Key, int]]:
    """{lock: (the key of the thread that has acquired it, it seems, to where the call for that returns)}
    of the locks WANTED that one of these alone has. THREADS: (a key, the thread)."""
    found: Dict[int, List[Tuple[_Key, int]]] = {}
    for key, thread in threads if len(threads) <= _MOST_STACKS else ():
        for lock, call in _of_thread(walker, thread).items():
            if lock in wanted:
                found.setdefault(lock, []).append((key, call))
    return {lock: owners[0] for lock, owners in found.items() if len(owners) == 1}


def _of_thread(walker: Walker, thread: Thread) -> Dict[int, int]:
    """{lock: to where the call returns that has acquired it} of those of a thread."""
    found: Dict[int, int] = {}
    for frame, _ in zip(walker.user_frames(thread), range(_MOST_FRAMES)):
        for lock, call in critical_calls.locks(walker.process, frame.pc, frame.is_called).items():
            try:
                found.setdefault(call_argument.evaluated(lock, frame.frame), call)
            except errors.HostError:
                debug.ignored()
    return found
