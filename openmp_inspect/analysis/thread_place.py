# SPDX-License-Identifier: MIT
"""Where each thread is in the user's code. Nothing is unwound where the library knows."""

from __future__ import annotations

from openmp_inspect.core import debug, errors
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Optional
    from openmp_inspect.host.interface import Thread as HostThread
    from openmp_inspect.model.objects import Thread
    from openmp_inspect.code.places import Place
    from openmp_inspect.stacks.unwind_cache import Stacks
    from openmp_inspect.stacks.user_frames import Walker


class PlaceFinder:
    """Lives during one command. STACKS: an unwind_cache.Stacks, WALKER a user_frames.Walker;
    RECORDED: whether places of calls are."""

    def __init__(self, stacks: Stacks, walker: Walker, recorded: bool) -> None:
        self._stacks = stacks
        self._walker = walker
        self._recorded = recorded

    def of(self, thread: HostThread, known: Optional[Thread]) -> Optional[Place]:
        """The places.Place of a stopped thread, of which KNOWN is the model's Thread or
        None. None where no user code is on its stack, and no construct is known."""
        try:
            if known is None:
                return self._stacks.place(thread)
            return None if known.state == "idle" else self._in_task(thread, known)
        except errors.OmpdError:
            debug.ignored()
            return self._stacks.place(thread)

    def _in_task(self, thread: HostThread, known: Thread) -> Optional[Place]:
        """The place of the call that the thread is inside the runtime for; else the
        innermost user frame of the current task, which is below the frame that called its
        body. There is none once the body has been left, at the barrier that ends a region,
        or was left by a tail call into the runtime: then the construct has to do. What else
        is on the stack is the way to the construct."""
        if not self._recorded:
            return self._stacks.place(thread) or self._ended(known)
        call = known.codeptr
        region = known.region
        if call and not (region is not None and call == region.codeptr):
            place = self._walker.call(call)
            if place is not None:
                return place
        if call and known.state == "wait_barrier_implicit":
            return self._construct(known)
        task = known.task
        body_called_by = task.frames[0] if task is not None else 0
        if body_called_by == 0 and known.state != "wait_barrier_implicit":
            return self._stacks.place(thread)
        place = self._stacks.place(thread, body_called_by) if body_called_by else None
        return self._construct(known) if place is None else place

    def _ended(self, known: Thread) -> Optional[Place]:
        """The construct whose body a thread without a frame of the user's has left, where the
        runtime has its function."""
        try:
            return self._construct(known) if known.state == "wait_barrier_implicit" else None
        except errors.OmpdError:
            debug.ignored()
            return None

    def _construct(self, known: Thread) -> Optional[Place]:
        task, region = known.task, known.region
        function = (task.function if task is not None else None) or \
            (region.function if region is not None else None)
        return self._walker.construct(function) if function else None
