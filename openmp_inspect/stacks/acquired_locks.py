# SPDX-License-Identifier: MIT
"""Which locks the functions on a thread's stack have acquired, by the calls in their code."""

from __future__ import annotations

from openmp_inspect.core import debug, errors
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import call_argument, critical_calls

if TYPE_CHECKING:
    from typing import Set
    from openmp_inspect.host.interface import Thread
    from openmp_inspect.stacks.user_frames import Walker

_MOST_FRAMES = 256  # of user code


def of_thread(walker: Walker, thread: Thread) -> Set[int]:
    """The addresses of those that it has acquired, it seems."""
    found: Set[int] = set()
    for frame, _ in zip(walker.user_frames(thread), range(_MOST_FRAMES)):
        for lock in critical_calls.locks(walker.process, frame.pc, frame.is_called):
            try:
                found.add(call_argument.evaluated(lock, frame.frame))
            except errors.HostError:
                debug.ignored()
    return found
