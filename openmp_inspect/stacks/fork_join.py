# SPDX-License-Identifier: MIT
"""Whether a thread that is inside LLVM's runtime, with no frame of its region's body, is at the
barrier that ends the region, or still on its way into the body.

The primary thread enters the body through a function that has a name in the stripped runtime, too:

    sched_yield ?? ?? ?? ?? __kmpc_fork_call main       is at the end
    ?? __kmp_fork_call __kmpc_fork_call main            begins

The function that a worker runs calls one to wait for a region, and to be released at the end of the
last, another one at that end, until those below the worker in the barrier's tree have arrived, and
bodies by their address:

    ?? ?? ?? ??+45a9d ??+ad7cb start_thread             idle, or has arrived: memory says so
    ?? ?? ?? ??+45a47 ??+ad7cb start_thread             is at the end

So it is at the end if it is in a call of that function which is none of those in which threads wait
of which memory says that they are idle, or have arrived and are leaves of the tree. Without one of
these nothing is known.
"""

from __future__ import annotations

from openmp_inspect.core import caches, debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import call_site, code_owner

if TYPE_CHECKING:
    from typing import Dict, Hashable, List, Optional, Set
    from openmp_inspect.host.interface import Process
    from openmp_inspect.stacks.segments import Gap
    from openmp_inspect.stacks.thread_stack import StackFrame, ThreadStack

_FORK = "__kmp_fork_call"
_CALLER = -2  # the worker's function among the runtime's frames, behind the one that pthreads start

# By what is loaded: where waiting workers return to.
_docks: Dict[Hashable, Set[int]] = caches.of_code()


def learn(stack: ThreadStack) -> None:
    """The ThreadStack is that of a worker that is idle, or has arrived and is a leaf."""
    call = _call(_frames(stack, 0))
    # One that has not got to where it waits is not in the kernel.
    if call is not None and stack.newest is not None and \
            stack.newest.owner == code_owner.SYSTEM:
        _docks.setdefault(stack.process.code_key, set()).add(call.pc)


def has_learnt(process: Process) -> bool:
    """Whether the ends of workers' regions can be distinguished from their beginnings."""
    return process.code_key in _docks


def is_at_end(stack: ThreadStack, gap: Gap) -> bool:
    """Whether a thread is at the end of the region that GAP of its ThreadStack belongs to, where
    its body is not; False, too, where that is not known."""
    if gap.kind == "task":
        return True  # there are none before the body
    frames, process = _frames(stack, gap.level), stack.process
    try:
        if not gap.bottom:
            return len(frames) > 1 and process.symbol(_FORK) is not None and \
                all(frame.name != _FORK for frame in frames)
        call, docks = _call(frames), _docks.get(process.code_key, set())
        if call is None or call.pc in docks or call_site.is_indirect(call.frame):
            return False
        start = process.function_start(call.pc - 1)
        return start is not None and \
            any(start == process.function_start(dock - 1) for dock in docks)
    except HostError:
        debug.ignored()
        return False


def _frames(stack: ThreadStack, level: int) -> List[StackFrame]:
    """Those of the runtime, from the LEVEL of the newest one on to the next that is the user's."""
    found = []
    for frame in stack:
        if frame.level >= level and frame.is_user:
            break
        if frame.level >= level and frame.is_runtime:
            found.append(frame)
    return found


def _call(frames: List[StackFrame]) -> Optional[StackFrame]:
    """The frame of the function that a worker runs, if it is inside a call, or None."""
    return frames[_CALLER] if len(frames) > -_CALLER else None
