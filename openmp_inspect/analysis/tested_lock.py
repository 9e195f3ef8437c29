# SPDX-License-Identifier: MIT
"""The lock that a thread polls, which OpenMP does not call a wait: as recorded, else by its code."""

from __future__ import annotations

from openmp_inspect.core import errors
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import code_owner, tested_locks
from openmp_inspect.stacks import acquired_locks, stitched_stack

if TYPE_CHECKING:
    from typing import Optional
    from openmp_inspect.analysis.thread_rows import ThreadRow
    from openmp_inspect.host.interface import Thread as HostThread


_MOST_STACKS = 64  # that are unwound in search of the holder
_LEAST_TESTS = 2  # in a row: one may be all that the thread wanted to know


class TestedLock(NamedTuple):
    """`state`: of threads that wait for it, or None; `witness`: "recorded", or "stacks" of what is
    inferred."""

    address: int
    state: Optional[str]
    witness: str


def of_row(row: ThreadRow, recorded: bool) -> Optional[TestedLock]:
    """That of a thread which does not wait, or None. RECORDED: its process is. LLVM's runtime may
    not report tests. Call in selection_kept(), while the snapshot lives."""
    known = row.known
    tests = None if known is None else errors.known(lambda: known.lock_tests)
    if tests is not None:
        return TestedLock(tests.lock, None, "recorded") if tests.failed >= _LEAST_TESTS else None
    if row.thread is None or not row.stopped or recorded and not code_owner.foreign_runtime():
        return None
    frame = next(iter(stitched_stack.current().walker.user_frames(row.thread)), None)
    found = {} if frame is None else tested_locks.tested(frame.frame)
    return TestedLock(*next(iter(found.items())), "stacks") if len(found) == 1 else None


def inferred_holder(address: int) -> Optional[HostThread]:
    """The one thread on whose stack a function has acquired the lock at ADDRESS, it seems, or None.
    Call likewise."""
    stacks = stitched_stack.current()
    if len(stacks.threads) > _MOST_STACKS:
        return None
    holders = [one for one in stacks.threads.values()
               if address in acquired_locks.of_thread(stacks.walker, one)]
    return holders[0] if len(holders) == 1 else None
