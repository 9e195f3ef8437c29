# SPDX-License-Identifier: MIT
"""The stacks of a stopped program, and what those of all threads say of its regions."""

from __future__ import annotations

from openmp_inspect.core import cached, debug, errors, escaped
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.bindings import callbacks
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.code.places import Place
from openmp_inspect.code import code_owner, entry_points, image_symbols, symbol_names
from openmp_inspect.stacks import stack_variables, user_frames
from openmp_inspect.stacks.labelled_stack import LabelledStack
from openmp_inspect.stacks.gap_matcher import Matcher

if TYPE_CHECKING:
    from typing import Any, Dict, Hashable, List, Optional, Tuple
    from openmp_inspect.host.interface import Process
    from openmp_inspect.core.errors import Problem
    from openmp_inspect.host import interface
    from openmp_inspect.model.objects import Region, Thread
    from openmp_inspect.model.sync import Lock
    from openmp_inspect.stacks.labelled_stack import Matched
    from openmp_inspect.bindings.spaces import Space

_MOST_MEMBERS = 64  # of a team, searched for the construct


def of(here: Space) -> StitchedStacks:
    """The StitchedStacks of a Space at this stop."""
    found = here.kept(StitchedStacks)
    if found.unwinding != here.process.unwinding:
        here.forget()
        found = here.kept(StitchedStacks)
    return found


def _has_critical(process: Process) -> bool:
    """Whether the program or one of its libraries calls what begins a critical section, or that is
    not known."""
    runtimes = code_owner.runtimes(process)
    begins = entry_points.caught("critical", ("start",))
    return not runtimes.whole >= runtimes.gomp | runtimes.kmp or any(
        image is None or not image.undefined.isdisjoint(begins)
        for image in image_symbols.of_user(process).values())


class StitchedStacks:
    """Lives until the program runs on: one walker for all commands, and with it one unwinding
    of each stack, and the Snapshot of the stop."""

    def __init__(self, here: Space) -> None:
        self.space = here
        self.process = here.process
        self.unwinding = self.process.unwinding
        self.walker = user_frames.Walker(here)
        # Region key -> address of its body, where a stack shows it.
        self.bodies: Dict[Hashable, Optional[int]] = {}
        # Region key -> whether threads inside the runtime are at its end.
        self.ending: Dict[Hashable, bool] = {}
        self.files: Dict[Hashable, Name] = {}  # region key -> the source file of its construct
        # The Snapshot, or the error that says why there is none.
        self._opened: Optional[Tuple[Optional[Snapshot], Optional[Problem]]] = None
        self._stacks: Dict[Hashable, LabelledStack] = {}  # by ptid
        self._objects: Dict[int, Optional[str]] = {}  # by address
        self._variables: Optional[stack_variables.Objects] = None
        self._held: Optional[Dict[Thread, List[Lock]]] = None
        self.labelled: Any = None  # what labelled_stacks.py makes of them

    @cached.fact
    def threads(self) -> Dict[int, interface.Thread]:
        """Threads by their kernel ids."""
        return dict(self.process.threads())

    @property
    def snapshot(self) -> Optional[Snapshot]:
        """The Snapshot, or None where there are stacks only."""
        return self._open()[0]

    @property
    def problem(self) -> Optional[Problem]:
        """The error that says why there is no Snapshot, or None."""
        return self._open()[1]

    def _open(self) -> Tuple[Optional[Snapshot], Optional[Problem]]:
        if self._opened is None:
            snapshot = problem = None
            try:
                snapshot = self.space.kept(Snapshot)
                snapshot.threads  # pylint: disable=pointless-statement
            except (errors.OmpdError, errors.NoLibrary, errors.HostError) as error:
                problem = error
            callbacks.raise_pending()
            self._opened = snapshot, problem
        return self._opened

    def forget(self) -> None:
        """The Snapshot is over; there is no other one."""
        self._opened = None, None

    def object_at(self, address: int) -> Optional[Name]:
        """An expression for the object at ADDRESS, static, on a stack or on the heap, or None."""
        return escaped.name(symbol_names.static_object_at(self.process, address) or self._unnamed(address))

    def _unnamed(self, address: int) -> Optional[str]:
        """That for one on a stack, as `s.lock`, or to which a pointer there leads, or None."""
        if not self.space.still:
            return None
        if address not in self._objects:
            with self.process.selection_kept():
                self._variables = self._variables or \
                    stack_variables.Objects(self.walker, self.threads.values())
                self._objects[address] = self._variables.name_of(address)
        return self._objects[address]

    def held_by(self, known: Optional[Thread]) -> List[Lock]:
        """The model's Locks of critical sections that a thread is in."""
        if known is None:
            return []
        if self._held is None:
            held: Dict[Thread, List[Lock]] = {}
            try:
                snapshot = self.snapshot if _has_critical(self.process) else None
                for lock in snapshot.locks if snapshot is not None else ():
                    if lock.kind == "critical" and lock.owner is not None and lock.codeptr:
                        held.setdefault(lock.owner, []).append(lock)
            except (errors.OmpdError, errors.HostError):
                debug.ignored()
            self._held = held
        return self._held.get(known, [])

    def known(self, thread: interface.Thread) -> Optional[Thread]:
        """The model's Thread of a thread, or None."""
        if self.snapshot is None:
            return None
        try:
            lwp = self.process.kernel_id(thread)
            return self.innermost(thread, lwp) or self.snapshot.by_lwp.get(lwp)
        except (errors.OmpdError, errors.HostError):
            debug.ignored()
            return None

    def innermost(self, thread: interface.Thread, lwp: Optional[int]) -> Optional[Thread]:
        """Of a thread that several runtimes have in a region, the model's Thread as that has it which
        has the newest frame of one: the thread waits there, or executes what that has called.

            futex  gomp_team_barrier_wait  f  GOMP_parallel  g  __kmp_invoke_microtask    libgomp's
            futex  __kmp_wait  __kmpc_barrier  f  GOMP_parallel  g  __kmp_invoke_microtask    libomp's

        None of others, and where its stack cannot be read."""
        snapshot = self.snapshot
        if snapshot is None or lwp is None or lwp not in snapshot.in_several:
            return None
        process = self.process
        found = {one.runtime: one for one in snapshot.in_several[lwp]}
        files = {process.image_at(one.entry): found[one.number] for one in snapshot.runtimes
                 if one.entry and one.number in found}
        return next((files[file] for file in (
            process.image_at(frame.pc) for frame in self.walker.stack(thread)
            if frame.is_runtime) if file in files), None)

    def host_thread(self, known: Optional[Thread]) -> Optional[interface.Thread]:
        """The thread of a model's Thread, or None."""
        return None if known is None else self.threads.get(errors.known(lambda: known.lwp))

    def primary(self, region: Region) -> Optional[interface.Thread]:
        """The thread that encountered a Region, or None."""
        return self.host_thread(errors.known(lambda: region.master))

    def stack(self, thread: interface.Thread) -> LabelledStack:
        """The LabelledStack of a thread. Empty where it cannot be read."""
        frames = self.walker.stack(thread)
        found = self._stacks.get(thread.ptid)
        if found is None or found.frames is not frames:
            found = self._stacks[thread.ptid] = LabelledStack(frames, self.known(thread), self)
        return found

    def match(self, of: LabelledStack) -> Matched:
        """The Matched of a LabelledStack."""
        return Matcher(self, of).matched()

    def construct(self, region: Region) -> Optional[Place]:
        """The Place of a Region's construct by its body, which the stack of some member shows;
        where that has no symbol, what encountered it on the primary thread's stack, without a
        line. None: neither is known."""
        if region.key not in self.bodies:
            members: Optional[List[Thread]] = errors.known(
                lambda: [region.master] + region.team[:_MOST_MEMBERS])
            for thread in map(self.host_thread, members or ()):
                if thread is not None and region.key not in self.bodies:
                    self.stack(thread).matched  # pylint: disable=pointless-statement
        body = self.bodies.setdefault(region.key, None)  # looked for once
        return self.walker.construct(body) if body else self._encountering(region)

    def place_of(self, region: Region) -> Optional[Place]:
        """The Place of a Region's construct by its function where that is known, or else by
        stacks, as construct()."""
        function = errors.known(lambda: region.function)
        return self.walker.construct(function) if function else self.construct(region)

    def _encountering(self, region: Region) -> Optional[Place]:
        """The Place of the code that is inside the call which runs a Region, or None."""
        primary = self.primary(region)
        of = None if primary is None else self.stack(primary)
        gap = None if of is None else of.matched.region_gaps.get(region.key)
        frame = None if of is None or gap is None else of.behind(gap)
        return None if frame is None else Place(self.process, frame.function, None, None, frame.address, True)

    def learn(self, thread: interface.Thread) -> None:
        """Finds the constructs of a thread's regions from stacks, where they are not recorded. Call
        before its stack is labelled."""
        if self.snapshot is not None and not self.snapshot.recorded:
            for entered in self.stack(thread).entered:
                self.construct(entered.region)
                if entered.region.key not in self.ending:
                    self.ending[entered.region.key] = self._ends(entered.region)

    def _ends(self, region: Region) -> bool:
        """Whether members without a frame of the body are those that have arrived at the end
        of a region: libgomp counts them."""
        try:
            barrier = region.barrier
            if barrier is None or barrier.state != "wait_barrier_implicit" or \
                    region.size > _MOST_MEMBERS:
                return False
            members = [self.host_thread(member) for member in region.team]
        except errors.OmpdError:
            debug.ignored()
            return False
        gaps = [self.stack(thread).matched.region_gaps.get(region.key)
                for thread in members if thread]
        kinds = [gap.kind for gap in gaps if gap is not None]
        return barrier.is_met_by(kinds.count("inside"), kinds.count("task"))
