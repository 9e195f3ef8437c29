# SPDX-License-Identifier: MIT
"""A thread that runs on another one's stack, as when longjmp () has left a worker for what the initial
thread has set:

    thread 1                    thread 2, which has begun in start_thread ()
    GOMP_parallel ()            hang ()
    (overwritten)               main ()
                                __libc_start_main ()    where thread 1 has begun

What libc knows of a thread lies where its stack begins, but of the initial thread: what is between two
of these belongs to one stack.
"""

from __future__ import annotations

import bisect
import itertools

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.stacks import crash_site

if TYPE_CHECKING:
    from typing import Dict
    from openmp_inspect.host.interface import Thread
    from openmp_inspect.stacks.user_frames import Walker

# In which a thread begins; debuggers may not show what calls main ().
_STARTS = ("main", "start_thread", "clone3", "clone")
_MOST_FRAMES = 256
_MOST_THREADS = 64  # whose stacks are unwound


def owners(walker: Walker) -> Dict[int, Thread]:
    """{kernel id of a thread: the other one on whose stack it has begun, and which is on that, too}."""
    process = walker.process
    registers = process.registers()
    found: Dict[int, Thread] = {}
    try:
        pthreads = {process.pthread(one) or 0: one for _, one in process.threads()}
        order = sorted(pthreads)
        at = {one: bisect.bisect(order, place[1]) for one, place in (
            (one, registers.of(one)) for _, one in process.threads()) if place is not None}
        strays = [(lwp, one) for lwp, one in process.threads() if one in at and
                  pthreads.get(order[at[one]] if at[one] < len(order) else 0) != one]
        for lwp, one in strays[:_MOST_THREADS]:
            if not crash_site.start_of(process, one):
                continue
            start = next((frame.sp for frame in itertools.islice(walker.stack(one), _MOST_FRAMES)
                          if frame.name.partition("(")[0] in _STARTS), None)
            if start is None:  # a stack that the program has made, as for a coroutine
                continue
            owner = pthreads[order[at[one]]] if at[one] < len(order) else next(
                (other for _, other in process.threads() if crash_site.start_of(process, other) == 0), None)
            if owner is not None and at[one] == at.get(owner) == bisect.bisect(order, start):
                found[lwp] = owner
    except HostError:
        debug.ignored()
    return found
