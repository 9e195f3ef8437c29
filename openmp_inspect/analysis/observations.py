# SPDX-License-Identifier: MIT
"""What can be observed of single threads at a stop, each when it is asked for."""

from __future__ import annotations

from openmp_inspect.core import errors
from openmp_inspect.core.cached import fact
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.stacks import libc_waits, unwind_cache
from openmp_inspect.analysis import wait_state

if TYPE_CHECKING:
    from typing import Optional
    from openmp_inspect.host.interface import Process, Thread as HostThread
    from openmp_inspect.bindings.query import Handle, WaitTimes
    from openmp_inspect.model.objects import Thread
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.stacks.stitched_stack import StitchedStacks


class Observations:
    """Lives during one command. `registers`, `stacks`, `waits`, `names`: see their modules;
    `stitched`: the StitchedStacks, whose `walker` and `process` these are; `threads`: [(kernel id,
    interface.Thread)]; `placed`: whether a thread that the snapshot does not have is none of the
    runtime's."""

    def __init__(self, stacks: StitchedStacks, snapshot: Optional[Snapshot],
                 assume_stopped: bool = False) -> None:
        self.stitched, here = stacks, stacks.space
        process = self.process = stacks.process
        self.snapshot = snapshot
        self.placed = snapshot is not None and _are_its_own(process, snapshot)
        self.threads = process.threads()
        self.numbers = {lwp: thread.num for lwp, thread in self.threads}
        self.walker = stacks.walker
        self.registers = process.registers()
        self.stacks = unwind_cache.Stacks(self.walker, self.registers, here.memory)
        self.waits = libc_waits.Waits(self.walker, here.memory, self.numbers)
        self.names = wait_state.Names(snapshot, self.numbers, stacks.object_at)
        self.still = here.still or assume_stopped

    def is_stopped(self, thread: HostThread) -> bool:
        return self.still or not thread.is_running()

    @fact
    def wait_times(self) -> Optional[WaitTimes]:
        """The query.WaitTimes of the process, or None."""
        snapshot = self.snapshot
        return None if snapshot is None else errors.known(lambda: snapshot.wait_times)

    @fact
    def now(self) -> Optional[float]:
        """As interface.Process.monotonic()."""
        return self.process.monotonic()

    def known(self, handle: Handle) -> Thread:
        """The model's Thread of a handle."""
        assert self.snapshot is not None  # else there are no handles
        return self.snapshot.thread(handle)


def _are_its_own(process: Process, snapshot: Snapshot) -> bool:
    """Whether kernel ids are those that the process has, so that a thread which SNAPSHOT does not
    have is none of the runtime's: that was found out, or one of them is in there."""
    return process.knows_kernel_ids or not snapshot.lwps or \
        any(number in snapshot.lwps for number, _ in process.threads())
