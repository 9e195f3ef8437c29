# SPDX-License-Identifier: MIT
"""Evidence of who is in the teams that waits are about, and of members that are no threads of the
process: left behind by fork, or ended.

For instance, of a team of 4 of which the debugger sees 3 threads, and that has been made:

    libgomp's data of the fourth     in the process     child of fork   so
    its body is still to be fetched  no such thread     yes             it was left behind
    they are another member's now    no such thread     yes             the same
    its body was fetched             no such thread     -               it has ended
    the same, and the third's too    no such thread     yes             not known: they may have been
                                                                        in the region as it forked
    anything                         no such thread     no              it has ended
    anything                         some thread else   -               not known: it may be that one
"""

from __future__ import annotations

from openmp_inspect.core import errors
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.analysis import thread_rows

if TYPE_CHECKING:
    from typing import Dict, Hashable, List, Optional
    from openmp_inspect.model.objects import Region
    from openmp_inspect.analysis.evidence_items import Evidence, Node


class Teams:
    """Adds to EVIDENCE; THREADS: the Node of each thread, by kernel id. FORKED: whether the process is
    a child of fork, None if that is not known."""

    def __init__(self, evidence: Evidence, threads: Dict[Optional[int], Node],
                 forked: Optional[bool]) -> None:
        self._evidence = evidence
        self._threads = threads
        self._forked = forked
        self._members: Dict[Hashable, List[Node]] = {}  # by a region's key
        self._lost: Dict[Hashable, Node] = {}

    def members(self, region: Region) -> List[Node]:
        """Of the threads that the process has."""
        if region.key not in self._members:
            team = errors.known(lambda: region.team) or ()
            found = (self._threads.get(errors.known(lambda thread=thread: thread.lwp))
                     for thread in team)
            self._members[region.key] = [node for node in found if node is not None]
        return self._members[region.key]

    def all_members(self, region: Region) -> List[Node]:
        """The same, one that stands for such as are not known, and those that are lost."""
        members, lost = self.members(region), self._lost.get(region.key)
        size = errors.known(lambda: region.size)
        if size is None or size > len(members) + (0 if lost is None else lost.missing):
            unknown, _ = self._evidence.node(("unknown", region.key), "thread", "unknown", "runtime")
            members = members + [unknown]
        return members + ([] if lost is None else [lost])

    def missing(self, region: Region) -> int:
        """How many members of a region are not among these."""
        return (errors.known(lambda: region.size) or 0) - len(self.members(region))

    def lost(self, region: Region, is_made: bool) -> Optional[Node]:
        """The Node of members of a region that do not exist, or None. IS_MADE: who makes the team
        has made all threads that it is to have."""
        missing = self.missing(region)
        if missing <= 0:
            return None
        details = errors.known(lambda: region.details) or {}
        gone, unbegun = details.get("gone"), details.get("unbegun")
        may_be_left = self._forked is not False
        if may_be_left and isinstance(unbegun, int) and 0 < unbegun <= missing:
            return self._lose(region, "absent", "runtime", unbegun)
        if not is_made or self._others(region) >= missing:
            return None
        # So it is, too, where a process of fork has made a team, and its threads have ended.
        is_alone = may_be_left and len(self._threads) == 1 and (self._forked or unbegun is None)
        is_unclear = may_be_left and gone != missing and \
            not thread_rows.is_of_llvm(self._evidence.stacks.process, errors.known(lambda: region.master))
        if is_unclear and not is_alone and not self._forked:
            return None
        return self._lose(region, "absent", "stacks", missing) if is_alone or is_unclear else \
            self._lose(region, "ended", "kernel", missing)

    def _were_left(self, region: Region) -> bool:
        """Whether the only thread of the process was in a region with others as it was forked."""
        missing = self.missing(region)
        return len(self._threads) == 1 and missing > 0 and self._forked is not False and \
            (errors.known(lambda: region.details) or {}).get("gone") == missing

    def _others(self, region: Region) -> int:
        """How many threads of the process may be a region's members that are not known."""
        members = self.members(region)
        return sum(node not in members and not (node.what == "idle" and "confirmed" in node.flags)
                   for node in self._threads.values())

    def _lose(self, region: Region, what: str, witness: str, missing: int) -> Node:
        node, _ = self._evidence.node((what, region.key), "thread", what, witness)
        node.missing = missing
        self._lost[region.key] = node
        return node

    def relate(self) -> None:
        """Who is in each team. A member that exists and is not known may do anything."""
        for team in [node for node in self._evidence.nodes.values() if node.kind == "team"]:
            region = team.region
            assert region is not None  # Evidence.team() says of which
            if region.key not in self._lost and self._were_left(region):
                self._lose(region, "absent", "runtime", self.missing(region))
            members = self.all_members(region)
            if sorted(node.what == "absent" for node in members) == [False, True] and \
                    members[0].row is not None:
                team.flags.add("alone")
            for node in members:
                self._evidence.member(team, node)
