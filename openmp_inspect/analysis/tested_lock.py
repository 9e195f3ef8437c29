# SPDX-License-Identifier: MIT
"""The lock that a thread polls, which OpenMP does not call a wait, and who has it."""

from __future__ import annotations

from openmp_inspect.core import errors
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import tested_locks
from openmp_inspect.stacks import acquired_locks, stitched_stack

if TYPE_CHECKING:
    from typing import Optional
    from openmp_inspect.host.interface import Thread as HostThread
    from openmp_inspect.code.places import Place


_MOST_STACKS = 64  # that are unwound in search of the holder


class TestedLock(NamedTuple):
    """`holder`: None if it is not known; `since`: where that has acquired it; `recorded`: both are,
    else they are inferred."""

    name: str
    holder: Optional[HostThread]
    since: Optional[Place]
    recorded: bool


def of_thread(thread: HostThread) -> Optional[TestedLock]:
    """That of a thread which does not wait, or None. Call in selection_kept(), while the snapshot
    lives."""
    stacks = stitched_stack.current()
    frame = next(iter(stacks.walker.user_frames(thread)), None)
    found = [] if frame is None else tested_locks.tested(frame.frame)
    if len(found) != 1:
        return None
    name = stitched_stack.object_at(found[0]) or "%#x" % found[0]
    snapshot = stacks.snapshot
    if snapshot is not None and snapshot.recorded:
        lock = errors.known(lambda: snapshot.lock_at(found[0]))
        owner = None if lock is None else errors.known(lambda: lock.owner)
        since = stacks.walker.place_at(lock.codeptr - 1) \
            if owner is not None and lock is not None and lock.codeptr else None
        return TestedLock(name, stacks.host_thread(owner), since, True)
    others = [one for one in stacks.threads.values() if one != thread]
    holders = [one for one in others if found[0] in acquired_locks.of_thread(stacks.walker, one)] \
        if len(others) < _MOST_STACKS else []
    return TestedLock(name, holders[0] if len(holders) == 1 else None, None, False)
