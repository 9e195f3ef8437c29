# SPDX-License-Identifier: MIT
"""What "ompd doctor" judges: facts about a process, a core, or what "run" would start. None is
what is not known."""

from __future__ import annotations

from openmp_inspect.core import errors
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Callable, Dict, FrozenSet, List, Optional, Sequence, Tuple
    from openmp_inspect.core.elf_symbols import NeededSymbols
    from openmp_inspect.core.thread_limits import Limit
    from openmp_inspect.model.objects import Region

    Clause = Callable[[Region], Optional[int]]

PROCESS, CORE, NEXT_RUN = "process", "core", "next run"
PRELOAD = "LD_PRELOAD"  # the variable of the environment that brings the hooks
_SETTINGS = "OMP_", "GOMP_", "KMP_"  # how names of variables that runtimes read begin
NO_LIMIT = 2**31 - 1  # of threads
# What calls target regions.
TARGETS = ("GOMP_target_ext", "__tgt_target_mapper", "__tgt_target_teams_mapper", "__tgt_target_kernel",
           "__tgt_target_nowait_mapper", "__tgt_target_teams_nowait_mapper", "__tgt_target_kernel_nowait")
_TEAM = ("nthreads", "dynamic", "thread_limit", "max_active_levels", "shortfall", "gone",
         "unbegun")


def is_setting(name: str) -> bool:
    """Whether a variable of the environment is of interest."""
    return name == PRELOAD or name.startswith(_SETTINGS)


class Runtime(NamedTuple):
    name: str  # of its file
    threads: Optional[int]
    users: Tuple[str, ...] = ()  # files that name it among the libraries that they need


class Team(NamedTuple):
    size: int
    threads: FrozenSet[int]  # kernel ids of its members, those that are known
    active_around: int = 0  # regions of several threads that it is in
    requested: Optional[int] = None  # by the num_threads clause, 0 without one
    clause: Optional[int] = None  # the same by the source; None where that does not tell
    nthreads: Optional[int] = None  # nthreads-var of the encountering task, and its like
    dynamic: Optional[int] = None
    thread_limit: Optional[int] = None
    max_active_levels: Optional[int] = None
    shortfall: Optional[str] = None  # why it is smaller than was asked for, or "none"
    gone: Optional[int] = None  # members that are no threads of this process
    unbegun: Optional[int] = None  # of these, such as have not begun


class StackUse(NamedTuple):
    thread: int  # the debugger's number
    used: int
    size: int


class Waiting(NamedTuple):
    """Threads of runtimes that wait, or have no work, at the stop."""

    asleep: int  # in the kernel
    spinning: int  # not so
    alone: bool  # whether all other threads of the process are asleep in the kernel


class Pools(NamedTuple):
    """Threads that runtimes keep for those that have opened regions."""

    owners: int  # outside of regions, or the primary ones of the outermost teams
    idle: int
    threads: FrozenSet[int]  # kernel ids of all that runtimes know


class Orders(NamedTuple):
    """Orders of locks that may deadlock, each in words, and whether all of them are known."""

    cycles: Tuple[str, ...]
    is_all: bool


class Mapped(NamedTuple):
    """The range of the host's memory that is mapped to a device the most often, not for ever."""

    name: str
    device: int
    times: int


class Devices(NamedTuple):
    """What target regions have."""

    number: int
    mapped: Optional[Mapped] = None
    is_all: bool = False  # whether all that is mapped is known


class Facts(NamedTuple):
    of: str = PROCESS
    runtimes: Optional[Tuple[Runtime, ...]] = None
    families: Tuple[str, ...] = ()  # of them: ignored_settings.GOMP, KMP
    unread: Optional[str] = None  # why the runtime cannot be read, in a sentence
    without_lines: Optional[str] = None  # whose debug information is not read, and why, likewise
    teams: Optional[Tuple[Team, ...]] = None
    icvs: Dict[str, str] = {}  # of the process and of its initial task, as far as is known
    settings: Optional[Dict[str, str]] = None
    masks: Optional[Dict[int, FrozenSet[int]]] = None  # kernel id -> processors
    parent: Optional[Tuple[str, FrozenSet[int]]] = None  # the name of its parent, and what that may use
    machine: Optional[int] = None  # processors that it has
    quota: Optional[float] = None  # processors that the control groups grant
    images: Dict[str, Optional[NeededSymbols]] = {}  # files of the user's; None: it cannot be read
    stacks: Tuple[StackUse, ...] = ()
    waiting: Optional[Waiting] = None
    pools: Optional[Pools] = None
    others: FrozenSet[int] = frozenset()  # kernel ids of threads, none of OpenMP's, that do not sleep
    limits: Optional[Sequence[Limit]] = None  # of how many threads there may be
    stack_limit: Optional[int] = None  # bytes that a thread's gets without a setting
    forked: Optional[bool] = None  # it is a child of fork that has not called exec
    threads: int = 0  # of the process
    hooks: Optional[str] = None  # recorded or why not, as RuntimeFacts; "no_hooks"
    orders: Optional[Orders] = None  # of OMP_OMPD=orders
    devices: Optional[Devices] = None
    mpi_level: Optional[int] = None  # of thread support that the MPI library has granted

    def importing(self, names: Tuple[str, ...]) -> List[str]:
        """The user's files that call one of these functions."""
        return [path for path, image in self.images.items()
                if image is not None and not image.undefined.isdisjoint(names)]


def team(region: Region, clause: Optional[Clause] = None) -> Team:
    """The Team of a Region; an OmpdError where it has just ended. CLAUSE returns what
    the num_threads clause of a Region asks for by the source."""
    details = errors.known(lambda: region.details) or {}
    members = (errors.known(lambda thread=thread: thread.lwp) for thread in region.team)
    return Team(
        region.size, frozenset(lwp for lwp in members if lwp is not None),
        sum(1 for around in region.chain[1:] if around.size > 1),
        requested=region.requested, clause=None if clause is None else clause(region),
        **{name: details.get(name) for name in _TEAM})
