# SPDX-License-Identifier: MIT
"""Teams of which all threads stay inside the runtime, so that it is not the program that keeps them:

    0/3   at the end of the region, called at heat.c:19 the same call at all stops
    1/3   no code of the program on its stack           likewise
    2/3   sleeps, no code of the program on its stack   likewise, and has not run

A team that goes from region to region, or executes tasks, is seen in the program's code at some stop; one
whose threads wait at different places of that is another matter.
"""

from __future__ import annotations

from openmp_inspect.core import debug, errors
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.analysis.thread_samples import Samples

if TYPE_CHECKING:
    from typing import Dict, Hashable, List, Optional, Tuple
    from openmp_inspect.host.interface import Process, Thread
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from openmp_inspect.analysis.evidence_items import Evidence, Node
    from openmp_inspect.analysis.thread_rows import ThreadRow

    _Place = Tuple[int, int]  # return address and stack pointer of the user's newest frame, zeros: none

_STARTS = ("start_thread", "clone3", "clone")  # at the oldest end of a stack that was unwound
_MOST_MEMBERS = 64
_RAN = 0.01  # seconds that a thread that spins has had a processor, at least


class _Member:
    """A thread in its _Place: `samples` of one that was called from user code, and so tells one region
    from the next."""

    def __init__(self, stacks: StitchedStacks, row: Optional[ThreadRow]) -> None:
        thread = None if row is None else row.thread
        self.place = _place(stacks, thread)
        if row is None or self.place and self.place[0] and not row.wait.is_barrier:
            self.place = None  # what it has called waits for something else
        self._seconds = _seconds(stacks.process, thread)
        self._sleep = None if row is None else row.sleep
        self.samples = Samples(stacks.process, thread, {}, True) if thread is not None and self.place and \
            self.place[0] else None

    def take(self, stacks: StitchedStacks, thread: Optional[Thread]) -> None:
        if self.place is not None and _place(stacks, thread) != self.place:
            self.place = None
        if self.place is not None and self.samples is not None and thread is not None:
            self.samples.take(stacks, thread)

    def stays(self, node: Node) -> bool:
        """Whether what it has on its stack is the same again, or it sleeps on."""
        return self.samples is not None and (self.samples.stays() or self._sleeps(node))

    def _sleeps(self, node: Node) -> bool:
        """One that was released, and has not run, was not given a processor; one that sleeps on another
        word, or value, is in another wait."""
        return node.row is not None and node.row.is_confirmed and \
            node.row.sleep == self._sleep and self._used(node) < _RAN

    def has_run(self, node: Node) -> bool:
        """Whether it was given a processor, or needs none."""
        return self._sleeps(node) or self._used(node) >= _RAN

    def _used(self, node: Node) -> float:
        now = None if node.row is None else _seconds(node.row.process, node.row.thread)
        return 0.0 if now is None or self._seconds is None else now - self._seconds


class Teams:
    """Those that are so at a first look, FOUND; and are still, after further ones."""

    def __init__(self, found: Evidence) -> None:
        self._teams = {key: {lwp: _Member(found.stacks, node.row) for lwp, node in team.items()}
                       for key, team in _teams(found).items()}
        self._drop()

    def _drop(self) -> None:
        """Those of which a thread is elsewhere, or two call the runtime from different places."""
        for key, team in list(self._teams.items()):
            places = [one.place for one in team.values()]
            if None in places or len({place[0] for place in places if place and place[0]}) > 1:
                del self._teams[key]

    def members(self) -> List[int]:
        """The kernel ids of their threads."""
        return [lwp for team in self._teams.values() for lwp in team]

    def take(self, stacks: StitchedStacks) -> None:
        """At a further stop, at which threads have these STACKS."""
        for team in self._teams.values():
            for lwp, member in team.items():
                member.take(stacks, stacks.threads.get(lwp))
        self._drop()

    def mark(self, found: Evidence) -> None:
        """Marks these teams in what a last look has FOUND, unless a thread that is in none may let them
        go on, as by an event of a task."""
        self.take(found.stacks)
        for key, nodes in _teams(found).items():
            before = self._teams.get(key)
            if before is None or set(before) != set(nodes) or not (
                    any(before[lwp].stays(node) for lwp, node in nodes.items()) and
                    all(before[lwp].has_run(node) for lwp, node in nodes.items())):
                continue
            others = [node for node in found.nodes.values() if node.kind == "thread" and
                      node.what != "idle" and node not in nodes.values()]
            region = next(node.row.region for node in nodes.values() if node.row is not None)
            if region is None or others:
                continue
            team = found.team(region)
            team.flags.add("inside")
            for node in nodes.values():
                node.flags.add("inside")
                found.member(team, node)


def _teams(found: Evidence) -> Dict[Hashable, Dict[int, Node]]:
    """{key of a region: {kernel id: Node of a member}} of those whose members are all known."""
    teams: Dict[Hashable, Dict[int, Node]] = {}
    sizes: Dict[Hashable, Optional[int]] = {}
    for node in found.nodes.values():
        row = node.row
        region = None if row is None or not row.stopped else row.region
        if row is not None and row.lwp is not None and region is not None:
            teams.setdefault(region.key, {})[row.lwp] = node
            sizes[region.key] = errors.known(lambda region=region: region.size)
    return {key: team for key, team in teams.items()
            if 1 < len(team) <= _MOST_MEMBERS and len(team) == sizes[key]}


def _place(stacks: StitchedStacks, thread: Optional[Thread]) -> Optional[_Place]:
    """Where user code has called the runtime that a thread is inside of; None: it is not inside, or its
    stack was not unwound."""
    is_inside, frame = False, None
    if thread is None:
        return None
    try:
        for frame in stacks.walker.stack(thread):
            if frame.is_user:
                return (frame.pc, frame.sp) if is_inside else None
            is_inside = is_inside or frame.is_runtime
    except HostError:
        debug.ignored()
        return None
    return (0, 0) if is_inside and frame is not None and frame.name in _STARTS else None


def _seconds(process: Process, thread: Optional[Thread]) -> Optional[float]:
    times = None if thread is None else process.times(thread)
    return times and times.processor
