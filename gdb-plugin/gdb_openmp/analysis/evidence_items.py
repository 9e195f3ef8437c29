# SPDX-License-Identifier: MIT
"""The pieces of evidence that ompd_ext_get_verdicts() judges, with what a person is shown of
each.

A Node is a thread, a thing that is waited for, or a task; an Edge says that one waits for, or
needs, another. Numbers are handed out in the order in which nodes are found.
"""

import struct

from gdb_openmp.bindings import abi5

_LAYOUT = struct.Struct("=QIIIIQQQ")  # ompd_ext_evidence_t
INFERRED = ("stacks", "source")


class Node:
    """`item`: the thread_rows.Row of a thread, a task_rows.Row of a task, one of `rows`, or None;
    `name`: of a thing, in words; `address`: its own; `call`: the function that a thread sleeps in,
    or the fatal_signal.Crash of one; `missing`: how many threads that do not exist it stands for;
    `arrived`: how many threads are at a barrier, as the runtime counts them."""

    def __init__(self, number, kind, what, witness):
        self.number = number
        self.kind = kind
        self.what = what
        self.witness = witness
        self.flags = set()
        self.item = self.name = self.address = self.region = self.call = None
        self.rows = None
        self.missing = 0
        self.arrived = None
        self.lock = None  # the sync.Lock, if it is one


class Edge:
    """`kind`: "waits" or "needs". `lock`, `owner`: of a need for the snapshot.Thread that holds a
    sync.Lock, else None."""

    def __init__(self, kind, from_, to, witness, flags=()):
        self.kind = kind
        self.from_ = from_
        self.to = to
        self.witness = witness
        self.flags = set(flags)
        self.lock = self.owner = None


class Evidence:
    """What has been found, in an order of no meaning."""

    def __init__(self):
        self.nodes = {}  # key -> Node
        self.edges = {}  # (kind, number, number) -> Edge
        self.process = set()  # flags
        self.unknown = []  # sentences: what is missing to know more
        self.order = []  # Nodes and Edges by the index that the library answers with

    def node(self, key, kind, what, witness):
        """(The Node of that KEY, whether it is new)."""
        found = self.nodes.get(key)
        if found is not None:
            return found, False
        found = self.nodes[key] = Node(len(self.nodes) + 1, kind, what, witness)
        return found, True

    def waits(self, thread, thing, witness, confirmed):
        return self._edge("waits", thread, thing, witness,
                          ("confirmed",) if confirmed else ())

    def needs(self, thing, other, witness):
        return self._edge("needs", thing, other, witness, ())

    def _edge(self, kind, from_, to, witness, flags):
        key = kind, from_.number, to.number
        if key not in self.edges:
            self.edges[key] = Edge(kind, from_, to, witness, flags)
        return self.edges[key]

    def packed(self):
        """The array for the library."""
        pieces = [self._piece("process", "kernel", 0, self.process, 0, 0, 0)]
        self.order = [None]
        for node in self.nodes.values():
            tables = {"thread": abi5.DOING, "thing": abi5.THING, "task": abi5.PROGRESS}
            pieces.append(self._piece(node.kind, node.witness, tables[node.kind][node.what],
                                      node.flags, node.number, 0, node.number))
            self.order.append(node)
        for edge in self.edges.values():
            pieces.append(self._piece(edge.kind, edge.witness, 0, edge.flags,
                                      edge.from_.number, edge.to.number, 0))
            self.order.append(edge)
        return b"".join(pieces), len(pieces), _LAYOUT.size

    @staticmethod
    def _piece(kind, witness, what, flags, number, other, own):
        bits = sum(abi5.WHY_FLAG[flag] for flag in flags)
        return _LAYOUT.pack(0, abi5.EVIDENCE[kind], abi5.WITNESS[witness], what, bits,
                            number, other, own)
