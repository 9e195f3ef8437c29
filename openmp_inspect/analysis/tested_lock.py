# SPDX-License-Identifier: MIT
"""Locks that a thread polls, which OpenMP does not call a wait: as recorded, else by its code."""

from __future__ import annotations

from openmp_inspect.core import errors
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import code_owner, tested_locks
from openmp_inspect.stacks import acquired_locks, stitched_stack

if TYPE_CHECKING:
    from typing import List, Optional
    from openmp_inspect.analysis.thread_rows import ThreadRow
    from openmp_inspect.host.interface import Thread as HostThread
    from openmp_inspect.model.objects import Thread
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.model.sync import Lock


_MOST_STACKS = 64  # that are unwound in search of the holder
_LEAST_TESTS = 2  # in a row: one may be all that the thread wanted to know


class TestedLock(NamedTuple):
    """`state`: of threads that wait for it, or None; `witness`: "recorded", or "stacks" of what is
    inferred; `lock`, `owner`: as the runtime has them, if that is known."""

    address: int
    state: Optional[str]
    witness: str
    lock: Optional[Lock] = None
    owner: Optional[Thread] = None


def held(row: ThreadRow, snapshot: Snapshot, recorded: bool) -> List[TestedLock]:
    """Those of a thread which does not wait: it goes on as soon as it has one of them. None if one
    is free. RECORDED: its process is. Call in selection_kept(), while the snapshot lives."""
    found = []
    for one in _of_row(row, recorded):
        lock = errors.known(lambda one=one: snapshot.lock_at(one.address, one.state))
        owner = None if lock is None else errors.known(lambda lock=lock: lock.owner)
        if lock is not None and owner is None and not lock.count:
            return []
        found.append(one._replace(lock=lock, owner=owner))
    return found


def _of_row(row: ThreadRow, recorded: bool) -> List[TestedLock]:
    known = row.known
    tests = None if known is None else errors.known(lambda: known.lock_tests)
    if tests is not None and tests.failed >= _LEAST_TESTS:
        return [TestedLock(tests.lock, None, "recorded")]
    # LLVM's runtime may not report tests.
    if row.thread is None or not row.stopped or \
            recorded and tests is None and not code_owner.foreign_runtime():
        return []
    frame = next(iter(stitched_stack.current().walker.user_frames(row.thread)), None)
    locks = {} if frame is None else tested_locks.tested(frame.frame)
    # The last one that was tested in vain is one of several.
    return [TestedLock(*one, "stacks") for one in locks.items()] \
        if tests is None or tests.lock in locks and len(locks) > 1 else []


def inferred_holder(address: int) -> Optional[HostThread]:
    """The one thread on whose stack a function has acquired the lock at ADDRESS, it seems, or None.
    Call likewise."""
    stacks = stitched_stack.current()
    if len(stacks.threads) > _MOST_STACKS:
        return None
    holders = [one for one in stacks.threads.values()
               if address in acquired_locks.of_thread(stacks.walker, one)]
    return holders[0] if len(holders) == 1 else None
