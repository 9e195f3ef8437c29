# SPDX-License-Identifier: MIT
"""Whether a thread ends the program, by its stack, and what for:

    Cache::~Cache ()        what exit () runs: a destructor, a function of atexit ()
    __run_exit_handlers ()
    exit ()
    gomp_fatal ()           its caller: the runtime after an error, main () or another function
    GOMP_parallel ()
    denoise ()
"""

from __future__ import annotations

import itertools

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import libc_names

if TYPE_CHECKING:
    from typing import Optional
    from openmp_inspect.host.interface import Thread
    from openmp_inspect.code.places import Place
    from openmp_inspect.stacks.user_frames import Walker

_MOST_FRAMES = 256  # from the newest one to exit ()
_EXITS = ("exit", "quick_exit")


class Exit(NamedTuple):
    """`caller`: the user's function that has called exit (), or the runtime if `by_runtime`; None:
    main () has returned, or it is not known. `runs`: the user's that exit () has called, or None."""

    caller: Optional[Place]
    by_runtime: bool
    returned: bool
    runs: Optional[Place]


def of_thread(walker: Walker, thread: Thread) -> Optional[Exit]:
    """The Exit that a stopped thread is in, or None."""
    runs = None
    try:
        stack = itertools.islice(walker.stack(thread), _MOST_FRAMES)
        for frame in stack:
            if frame.is_user:
                runs = walker.place_of(frame)
            elif not frame.is_runtime and libc_names.plain(frame.name or "") in _EXITS:
                older = [next(stack, None)]
                by_runtime = older[0] is not None and older[0].is_runtime
                returned = older[0] is not None and libc_names.is_start(older[0].name or "")
                caller = next((one for one in itertools.chain(older, stack)
                               if one is not None and one.is_user), None)
                return Exit(None if caller is None or returned else walker.place_of(caller),
                            by_runtime, returned, runs)
    except HostError:
        debug.ignored()
    return None
