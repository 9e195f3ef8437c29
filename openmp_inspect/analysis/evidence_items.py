# SPDX-License-Identifier: MIT
"""The pieces of evidence that ompd_ext_get_verdicts() judges, with what a person is shown of
each.

A Node is a thread, a thing that is waited for, or a task; an Edge says that one waits for, or
needs, another. Numbers are handed out in the order in which nodes are found.
"""

from __future__ import annotations

import struct

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.bindings import abi5

if TYPE_CHECKING:
    from typing import Callable, Dict, Hashable, Iterable, List, Optional, Set, Tuple, Union
    from openmp_inspect.core.escaped import Name
    from openmp_inspect.model.objects import Region, Task, Thread
    from openmp_inspect.model.sync import Lock
    from openmp_inspect.code.places import Place
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from openmp_inspect.analysis import task_rows, thread_rows
    from openmp_inspect.host.interface import Crash, Thread as HostThread

    Key = Tuple[str, Hashable]  # of a Node: what kind of thing, and which

_LAYOUT = struct.Struct("=QIIIIQQQ")  # ompd_ext_evidence_t
# OpenMP's locks, by the state of who waits.
LOCKS = {"wait_lock": "lock", "wait_nest_lock": "nest_lock", "wait_critical": "critical",
         "wait_atomic": "atomic"}
STARTS = ("overhead", "starting")  # states of a thread that may wait for a region to begin
INFERRED = ("stacks", "source")
MOST_READ = 16  # threads that work whose code is read


class Node:
    """`row`: of a thread, `task`: the row of a task, one of `tasks`; `name`: of a thing, in words;
    `address`: its own; `call`: the function that a thread sleeps in; `crash`: of one that crashed,
    `stack`: bytes of its stack, 0 if not known, `stack_owner`: the debugger's thread on whose stack
    it runs, if that is not its own; `missing`: how many threads that do not exist it stands for;
    `others`: how many locks that are held alike; `arrived`: how many threads are at a barrier, as
    the runtime counts them; `noun`: what kind of mutex a thing is; `arrivals`: at a barrier of
    glibc, and of how many, or None; `object`: the variable of the program that has what is slept
    on, `readers`: how many threads have a read-write lock for reading, `by`: the Node of the thread
    that seems to initialise a thing, `acquired`: the Place where its owner seems to have acquired
    it, `holder`: the Edge to that one; `polls`: Edges to the locks that a thread polls; `team`: the
    Node of the team that may end a thing. `stacks`: those of its Evidence."""

    def __init__(self, stacks: StitchedStacks, number: int, kind: str, what: str, witness: str) -> None:
        self.stacks = stacks
        self.number = number
        self.kind = kind
        self.what = what
        self.witness = witness
        self.flags: Set[str] = set()
        self.row: Optional[thread_rows.ThreadRow] = None
        self.task: Optional[task_rows.TaskRow] = None
        self.tasks: Optional[task_rows.TaskRows] = None
        self.name: Optional[Name] = None
        self.address: Optional[int] = None
        self.region: Optional[Region] = None
        self.team: Optional[Node] = None
        self.call: Optional[str] = None
        self.crash: Optional[Crash] = None
        self.stack = 0
        self.stack_owner: Optional[HostThread] = None
        self.missing = self.others = 0
        self.arrived: Optional[int] = None
        self.noun = "mutex"
        self.arrivals: Optional[Tuple[int, int]] = None
        self.object: Optional[Name] = None
        self.readers = 0
        self.by: Optional[Node] = None
        self.acquired: Optional[Place] = None
        self.holder: Optional[Edge] = None
        self.polls: List[Edge] = []
        self.lock: Optional[Lock] = None


class Edge:
    """`kind`: "waits", "polls", "needs" or "member". `lock`, `owner`: of a need for the
    snapshot.Thread that holds a sync.Lock, else None; `task`: the Task that holds it where that is
    suspended."""

    def __init__(self, kind: str, from_: Node, to: Node, witness: str,
                 flags: Iterable[str] = ()) -> None:
        self.kind = kind
        self.from_ = from_
        self.to = to
        self.witness = witness
        self.flags = set(flags)
        self.lock: Optional[Lock] = None
        self.owner: Optional[Thread] = None
        self.task: Optional[Task] = None


class Evidence:
    """What has been found of the threads whose `stacks` these are, in an order of no meaning."""

    def __init__(self, stacks: StitchedStacks) -> None:
        self.stacks = stacks
        self.nodes: Dict[Key, Node] = {}
        self.edges: Dict[Tuple[str, int, int], Edge] = {}  # by kind and the numbers of Nodes
        self.process: Set[str] = set()  # flags
        self.unknown: List[str] = []  # sentences: what is missing to know more
        self.begun = 0  # threads that were not there at a look before
        # Whether a region, by its key, has explicit tasks that are not complete; while the snapshot lives.
        self.has_tasks: Callable[[Optional[Hashable]], bool] = lambda region: False
        # Nodes and Edges by the index that the library answers with; the process is neither.
        self.order: List[Union[Node, Edge, None]] = []

    def node(self, key: Key, kind: str, what: str, witness: str) -> Tuple[Node, bool]:
        """(The Node of that KEY, whether it is new)."""
        found = self.nodes.get(key)
        if found is not None:
            return found, False
        found = self.nodes[key] = Node(self.stacks, len(self.nodes) + 1, kind, what, witness)
        return found, True

    def team(self, region: Region) -> Node:
        """The Node of a region's team."""
        team, _ = self.node(("team", region.key), "team", "", "runtime")
        team.region = region
        return team

    def member(self, team: Node, thread: Node) -> Edge:
        return self._edge("member", team, thread, "runtime", ())

    def waits(self, thread: Node, thing: Node, witness: str, confirmed: bool) -> Edge:
        return self._edge("waits", thread, thing, witness,
                          ("confirmed",) if confirmed else ())

    def polls(self, thread: Node, lock: Node, witness: str) -> Edge:
        edge = self._edge("polls", thread, lock, witness, ())
        thread.polls.append(edge)
        return edge

    def waits_no_more(self, thread: Node) -> None:
        """The Node of a thread that was said to wait: it works."""
        for key in [key for key, edge in self.edges.items()
                    if edge.kind == "waits" and edge.from_ is thread]:
            del self.edges[key]
        thread.what = "works"
        thread.flags.discard("confirmed")

    def needs(self, thing: Node, other: Node, witness: str) -> Edge:
        return self._edge("needs", thing, other, witness, ())

    def _edge(self, kind: str, from_: Node, to: Node, witness: str, flags: Iterable[str]) -> Edge:
        key = kind, from_.number, to.number
        if key not in self.edges:
            self.edges[key] = Edge(kind, from_, to, witness, flags)
        return self.edges[key]

    def running(self) -> List[Node]:
        """The Nodes of threads that the debugger has not stopped."""
        return [node for node in self.nodes.values() if "running" in node.flags]

    def packed(self) -> Tuple[bytes, int, int]:
        """The array for the library."""
        pieces = [self._piece("process", "kernel", 0, self.process, 0, 0, 0)]
        self.order = [None]
        for node in self.nodes.values():
            tables = {"thread": abi5.DOING, "thing": abi5.THING, "task": abi5.PROGRESS,
                      "team": {"": 0}}
            pieces.append(self._piece(node.kind, node.witness, tables[node.kind][node.what],
                                      node.flags, node.number,
                                      0 if node.team is None else node.team.number, node.number))
            self.order.append(node)
        for edge in self.edges.values():
            pieces.append(self._piece(edge.kind, edge.witness, 0, edge.flags,
                                      edge.from_.number, edge.to.number, 0))
            self.order.append(edge)
        return b"".join(pieces), len(pieces), _LAYOUT.size

    @staticmethod
    def _piece(kind: str, witness: str, what: int, flags: Iterable[str], number: int, other: int,
               own: int) -> bytes:
        bits = sum(abi5.WHY_FLAG[flag] for flag in flags)
        return _LAYOUT.pack(0, abi5.EVIDENCE[kind], abi5.WITNESS[witness], what, bits,
                            number, other, own)
