# SPDX-License-Identifier: MIT
"""What is known of one thread's wait before it is decided which WaitState the thread is in."""

from __future__ import annotations

from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.analysis import wait_state

if TYPE_CHECKING:
    from typing import Optional
    from openmp_inspect.core.escaped import Name
    from openmp_inspect.model.objects import Region
    from openmp_inspect.stacks.libc_waits import LibcWait


class Finding(NamedTuple):
    """`name`, `wait_id`, `variable`, `witness`, `call` and `failed` as in WaitState. `region`:
    where the thread is, or None; `kind`: of the barrier in which it waits, if that is known;
    `said`: which construct that barrier is about, in words; `libc`: what it waits for in a `call`
    of libc; `device`: the number of the one that it waits for."""

    name: Optional[str]
    wait_id: Optional[int] = 0
    witness: str = "runtime"
    region: Optional[Region] = None
    kind: Optional[str] = None
    said: Optional[Name] = None
    variable: int = 0
    call: Optional[str] = None
    libc: Optional[LibcWait] = None
    failed: Optional[str] = None
    device: Optional[int] = None

    @property
    def derived(self) -> bool:
        """As WaitState.derived."""
        return self.witness in wait_state.INFERRED

    @property
    def is_lock(self) -> bool:
        return self.name is not None and wait_state.is_lock(self.name)

    @property
    def is_barrier(self) -> bool:
        return self.name is not None and wait_state.is_barrier(self.name)

    @property
    def is_vague(self) -> bool:
        """Whether the thread is in the runtime, by its stack, and no more is known."""
        return self.name == "overhead" and self.derived


IDLE = Finding("idle")
NOT_OPENMP = Finding("not_openmp")
UNKNOWN = Finding(None)
STARTING = Finding("starting", 0, "stacks")
INSIDE = Finding("overhead", 0, "stacks")
