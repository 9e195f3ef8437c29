# SPDX-License-Identifier: MIT
"""One thread at a stop: what was observed of it, and what follows."""

from __future__ import annotations

from openmp_inspect.core import errors
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import code_owner
from openmp_inspect.model.objects import Thread
from openmp_inspect.stacks import python_state
from openmp_inspect.analysis.finding import UNKNOWN as NOTHING_FOUND
from openmp_inspect.analysis.wait_state import UNKNOWN

if TYPE_CHECKING:
    from typing import Any, Hashable, Optional, Tuple, Union
    from openmp_inspect.host.interface import Process, Sleep, Thread as HostThread
    from openmp_inspect.bindings.query import Handle, WaitTimes
    from openmp_inspect.model.objects import Region
    from openmp_inspect.code.places import Place
    from openmp_inspect.stacks import libc_waits
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from openmp_inspect.analysis.observations import Observations
    from openmp_inspect.analysis.wait_state import Holder


def is_of_llvm(process: Process, known: Optional[Thread]) -> bool:
    """Whether a model's Thread is that of LLVM's runtime; where that is not known, whether there is no
    other."""
    kind: Optional[str] = None if known is None else errors.known(lambda: known.runtime_kind)
    return bool(code_owner.foreign_runtime(process)) if kind is None else kind == "libomp"


class ThreadRow:
    """`lwp` is its kernel id, or None; `thread` the debugger's, or None. `finding`: what it shows
    by itself; `wait`: its WaitState; `place`: its places.Place or None. `alike`: the first one of
    those that differ in their numbers only, and then `member`, its number in its team."""

    __slots__ = ("thread", "lwp", "finding", "wait", "place", "alike", "member", "_known",
                 "_observed")

    def __init__(self, observed: Observations, lwp: Optional[int], thread: Optional[HostThread],
                 known: Optional[Union[Thread, Handle]]) -> None:
        self._observed = observed
        self.lwp = lwp
        self.thread = thread
        self._known: Any = known
        self.place: Optional[Place] = None
        self.finding = NOTHING_FOUND
        self.wait = UNKNOWN
        self.alike: Optional[ThreadRow] = None
        self.member: Optional[int] = None

    @property
    def known(self) -> Optional[Thread]:
        """The model's Thread, or None; made of its handle when it is asked for."""
        known: Optional[Thread] = self._known
        if known is not None and not isinstance(known, Thread):
            known = self._known = self._observed.known(known)
        return known

    @property
    def is_openmp(self) -> Optional[bool]:
        """Whether a runtime knows the thread; None: that is not known."""
        return True if self._known is not None else False if self._observed.placed else None

    @property
    def stopped(self) -> bool:
        """Whether its stack can be looked at."""
        return self.thread is not None and self._observed.is_stopped(self.thread)

    @property
    def sleep(self) -> Optional[Sleep]:
        """The interface.Sleep of a thread that the debugger knows, or None."""
        return self._observed.registers.sleep(self.thread)

    @property
    def position(self) -> Optional[Tuple[int, int]]:
        """(address of the next instruction, stack pointer), or None where the kernel does
        not have them."""
        return self._observed.registers.of(self.thread)

    @property
    def pc(self) -> Optional[int]:
        """The address of its next instruction, or None."""
        position = self.position
        return self._observed.stacks.pc(self.thread) if position is None else position[0]

    @property
    def stacks(self) -> StitchedStacks:
        return self._observed.stitched

    @property
    def process(self) -> Process:
        return self._observed.process

    @property
    def is_in_user_code(self) -> bool:
        """As Walker.is_in_user_code()."""
        return self._observed.stacks.is_in_user_code(self.thread)

    @property
    def call(self) -> libc_waits.CalledFunction:
        """The libc_waits.CalledFunction that its user code is inside of."""
        return self._observed.waits.call(self.thread, self.pc, self.place, self.sleep)

    @property
    def libc_wait(self) -> Optional[libc_waits.LibcWait]:
        """The libc_waits.LibcWait of a thread that sleeps, else None."""
        sleep = self.sleep
        return None if sleep is None else self._observed.waits.wait(sleep, self.call)

    @property
    def takes_gil(self) -> bool:
        """Whether it waits for Python's GIL, though it sleeps only for a moment each time."""
        wait = self.libc_wait
        return wait is not None and wait.noun == python_state.GIL and wait.owner != 0

    @property
    def python_place(self) -> Optional[Place]:
        """Where it is in a program in Python, or None."""
        return self._observed.waits.python.place(self.lwp)

    @property
    def has_python_signal(self) -> bool:
        """Whether a signal has arrived that Python handles when the thread is back in it."""
        return self._observed.waits.python.has_signal(self.lwp)

    @property
    def innermost(self) -> Optional[Place]:
        """The Place of the newest frame that has a name, or None."""
        return self._observed.stacks.innermost(self.thread)

    @property
    def is_confirmed(self) -> bool:
        """Whether the word that it sleeps on still has its value: nobody has released it."""
        sleep = self.sleep
        return sleep is not None and self._observed.waits.is_unchanged(sleep)

    @property
    def is_released(self) -> bool:
        """Whether the barrier or lock of libgomp that it sleeps on has released it: it will run."""
        sleep = self.sleep
        return sleep is not None and sleep.address != 0 and \
            bool(self._observed.waits.has_passed(sleep))

    @property
    def wait_times(self) -> Optional[WaitTimes]:
        """The query.WaitTimes of its process, or None."""
        return self._observed.wait_times

    @property
    def now(self) -> Optional[float]:
        """Seconds of the same clock when its process was stopped, or None."""
        return self._observed.now

    @property
    def barrier_number(self) -> Optional[int]:
        """Which barrier of its region it waits at, counted from 1, where that is recorded."""
        known = self.known
        return errors.known(lambda: known.barriers_entered) or None \
            if known is not None and self.wait.is_barrier and not self.wait.derived else None

    @property
    def region(self) -> Optional[Region]:
        """The model's Region that it is in, or None, also where that cannot be had."""
        known = self.known
        return None if known is None else errors.known(lambda: known.region)

    @property
    def region_key(self) -> Optional[Hashable]:
        return None if self.region is None else self.region.key

    def team_size(self) -> Optional[int]:
        """The number of threads in its team, or None; an OmpdError where it cannot be had."""
        region = None if self.known is None else self.known.region
        return None if region is None else region.size

    def as_holder(self, since: Optional[Place] = None) -> Holder:
        """The wait_state.Holder that it is, by its stack."""
        if self.known is not None:
            return self._observed.names.of(self.known, derived=True)._replace(since=since)
        assert self.lwp is not None  # the debugger knows the thread
        return self._observed.names.at(self.lwp, derived=True)._replace(since=since)
