# SPDX-License-Identifier: MIT
"""Threads, things and tasks of Evidence in words: who it is, what it does and waits for, and
where."""

from __future__ import annotations

import re

from openmp_inspect.core import errors, escaped, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface
from openmp_inspect.source import directives
from openmp_inspect.code import symbol_names
from openmp_inspect.stacks import barrier_source, python_state
from openmp_inspect.analysis.evidence_items import INFERRED, STARTS
from openmp_inspect.report import path_words

if TYPE_CHECKING:
    from typing import Iterable, Optional, Sequence, Tuple, Union
    from openmp_inspect.host.interface import Process
    from openmp_inspect.core.escaped import Name
    from openmp_inspect.bindings.query import RuntimeFacts
    from openmp_inspect.code.places import Place
    from openmp_inspect.analysis import task_rows
    from openmp_inspect.analysis.evidence_items import Edge, Node

LOCKISH = ("lock", "nest_lock", "critical", "atomic", "mutex")
THINGS = {"lock": "lock", "nest_lock": "nest lock", "critical": "critical section",
          "atomic": "atomic construct"}
LONGEST_NUMBERS = 32  # characters; "ompd threads" has those of hundreds
RUNTIMES = {"libgomp": "GCC libgomp", "libomp": "LLVM libomp"}


def order(node: Node) -> Tuple[int, int]:
    """A key to sort Nodes of threads by: those that the debugger has first, by their numbers."""
    row = node.row
    return (0, row.thread.num) if row is not None and row.thread is not None else (1, node.number)


def number(node: Node) -> Optional[int]:
    """The debugger's number of a thread, or None."""
    row = node.row
    return None if row is None or row.thread is None else row.thread.num


def who(node: Node) -> str:
    """A thread as "2 (1/4)": by the debugger's number and by OpenMP's."""
    row = node.row
    if row is None or row.thread is None:
        return "LWP %s" % node.name if node.name else \
            "a thread that has ended" if node.what == "ended" else "one that does not exist"
    number, path = text.thread(row.thread.num), path_words.path(row)
    return number if path in ("-", "?") else "%s (%s)" % (number, path)


def whose(nodes: Sequence[Node]) -> str:
    """Several threads, by their numbers or by how many they are."""
    if len(nodes) == 1:
        return who(nodes[0])
    numbers = thread_numbers(nodes)
    return numbers if len(numbers) <= LONGEST_NUMBERS else text.count(len(nodes), "thread")


def thread_numbers(nodes: Iterable[Node]) -> str:
    return text.threads([node.row.thread.num for node in nodes
                         if node.row is not None and node.row.thread is not None])


def name(thing: Node) -> str:
    """A thing in words, without an article."""
    if thing.what in LOCKISH and thing.name in (None, "-") and not thing.address:
        return "an unknown %s" % THINGS.get(thing.what, thing.noun)
    if thing.what == "critical":
        return "the critical section without a name" if thing.name in (None, "-", "unnamed") \
            else "critical section %s" % thing.name
    if thing.what == "atomic":
        return "the lock of atomic constructs"
    if thing.what == "mutex":
        return str(thing.name) if is_gil(thing) else "%s %s" % (thing.noun, thing.name)
    if thing.what in LOCKISH:
        return str(thing.name) if thing.name and thing.name != "-" else "%#x" % (thing.address or 0)
    return thing.what.replace("_", " ")


def is_gil(thing: Node) -> bool:
    return thing.noun == python_state.GIL


def acquired_at(thing: Node) -> Optional[Place]:
    """The Place of the call that acquired a lock, where that is recorded, or None."""
    lock = thing.lock
    if thing.acquired is not None:
        return thing.acquired
    return None if lock is None else \
        thing.stacks.walker.place_before(lock.codeptr or 0)


def since(edge: Edge) -> str:
    """Where the holder acquired the thing, in words, or nothing."""
    place = acquired_at(edge.from_)
    if place is None or not (place.line or place.function):
        return ""
    returned = "returned" in edge.flags or edge.to.what == "idle"
    return "%ssince %s%s" % ("~" * (edge.from_.acquired is not None), place_words(place),
                             ", which returned" if returned else "")


def in_task(edge: Edge) -> str:
    task = edge.task
    number = None if task is None else errors.known(lambda: task.id)
    return "" if number is None else " in task %d" % number


def inferred_mark(edge: Union[Edge, Node]) -> str:
    """Of an Edge or a Node."""
    return "~" if edge.witness in INFERRED else ""


def wait(edge: Edge) -> Tuple[str, str]:
    """(what, where) of a wait, of one thread."""
    thing, row, mark = edge.to, edge.from_.row, inferred_mark(edge)
    place = None if row is None else row.place
    where = "" if place is None else place_words(place)
    if edge.kind == "polls":
        return polls(edge), "at %s" % where if where else ""
    if thing.what in LOCKISH:
        return "%swants %s" % (mark, name(thing)), "at %s" % where if where else ""
    if thing.what == "region_end":
        return "%swaits at the %s of %s" % (
            mark, "beginning" if is_at_beginning(edge) else "end",
            directive(place, str(thing.name or "parallel"))), _region_at(thing, place)
    if thing.what == "join":
        return "waits in %s ()" % (edge.from_.call or "pthread_join"), where
    if thing.what == "iteration":
        return "%swaits for %s" % (mark, thing.name or "an iteration to be posted"), where
    guarded = symbol_names.guarded(thing.name)
    if thing.what == "other" and guarded:
        return "waits until %s is initialised%s" % (
            escaped.short(guarded), "" if thing.by is None else ", ~by %s" % who(thing.by)), where
    if thing.what in ("other", "semaphore"):
        return "waits in %s%s" % (
            "%s ()" % edge.from_.call if edge.from_.call else
            "the OpenMP runtime" if row is None or row.call.runtime else "the kernel",
            _known_of(thing) if edge.from_.call else ""), where
    if thing.what == "barrier":
        what, where = _barrier(None if row is None else row.wait.what, place, mark, where)
        number = None if row is None else row.barrier_number
        return what + (" (%s of its region)" % text.ordinal(number)
                       if number and number > 1 else ""), where
    words = {"taskwait": "at taskwait", "taskgroup": "at the end of taskgroup",
             "ordered": "for its turn"}
    return "%swaits %s" % (mark, words.get(thing.what, "for its event")), where


def is_at_beginning(edge: Edge) -> bool:
    """Whether what a thread waits for is not the end of a region but its beginning."""
    row = edge.from_.row
    return edge.to.what == "region_end" and row is not None and row.wait.name in STARTS


def _region_at(thing: Node, place: Optional[Place]) -> str:
    """Where the construct is at whose end a thread waits, whose innermost user code is at PLACE: in
    what opens the region, or in what has called that, which has left its frame."""
    construct = None if thing.region is None else \
        thing.stacks.place_of(thing.region)
    if construct is None or place is None or \
            (construct.file, construct.line) == (place.file, place.line):
        return "" if place is None else place_words(place)
    if construct.line:
        return line_words(construct)
    return "%s%s" % ("called from " * (construct.function != place.function), place_words(place))


def polls(edge: Edge) -> str:
    """What a thread does that tests a lock again and again, or some of which it needs one."""
    return "%spolls %s" % (inferred_mark(edge), " or ".join(
        "%s %s" % (THINGS.get(one.to.what, "lock"), name(one.to))
        for one in edge.from_.polls or [edge]))


def _known_of(thing: Node) -> str:
    """What is known of what a thread waits for in libc."""
    words = " on " + escaped.short(thing.object) if thing.object else ""
    if thing.readers:
        words += ", which %s" % ("1 thread reads" if thing.readers == 1 else
                                 "%d threads read" % thing.readers)
    return words + (", %d of %d arrived" % thing.arrivals if thing.arrivals else "")


def ended_construct(said: Optional[Name]) -> Optional[str]:
    """What ends with the barrier of which this is SAID, as "for heat.c:62", or None."""
    found = barrier_source.ended(str(said or ""))
    return " ".join(found) if found else None


def _barrier(said: Optional[Name], place: Optional[Place], mark: str, where: str) -> Tuple[str, str]:
    """(what, where) of a wait at a barrier of which is SAID that it ends a worksharing
    construct."""
    found = barrier_source.ended(str(said or ""))
    if found is None:
        return "%swaits at %s" % (mark, "a barrier" if said != "explicit" or place is None
                                  else directive(place, "barrier")), where
    function = ", " + text.function(place.function) if place is not None and place.function else ""
    return "~waits at the end of %s" % directive(place, found[0]), \
        text.style("filename", found[1]) + function


def plural(words: str, nodes: Sequence[Node]) -> str:
    if len(nodes) == 1:
        return words
    words = re.sub(r"\b(wait|want|work|loop|poll|i)s\b", lambda found: {"is": "are"}.get(
        found.group(), found.group(1)), words, count=1)
    return re.sub(r"\bfor its (turn|event)\b", r"for their \1", words)


def device(node: Node) -> Optional[Name]:
    """The device that a thread waits for, in words, or None."""
    return node.row.wait.what if node.row is not None and node.row.wait.name == "wait_target" else None


def doing(node: Node) -> Tuple[str, str]:
    """(what, where) of a thread that does not wait for another one."""
    where = place_words(node.row.place) if node.row is not None and node.row.place is not None else ""
    awaited = device(node)
    if awaited is not None and node.row is not None:
        return "%swaits for %s" % ("~" * node.row.wait.derived, awaited), where
    if node.call and node.what in ("asleep", "mpi", "waits"):
        return "is in %s ()" % node.call, where
    why = None if node.row is None else node.row.process.unstopped().get(node.row.lwp or 0)
    if "inside" in node.flags or node.what == "works" and node.row is not None and \
            node.row.wait.name == "overhead":
        return "is inside the OpenMP runtime", where
    return {"asleep": "sleeps in the kernel", "mpi": "sleeps in the kernel", "endless": "loops",
            "idle": "is idle", "unknown": "is " + escaped.shown(why or "running")
            }.get(node.what, "works"), where


def runtime(process: Process, one: RuntimeFacts) -> str:
    """A runtime and its version."""
    return RUNTIMES.get(one.kind or "", "?") + _version(process, one)


def _version(process: Process, one: RuntimeFacts) -> str:
    if one.first_version is None:
        return "" if one.kind == "libomp" or process.machine not in \
            interface.DECODED else " of another version than this library knows"
    if one.first_version == one.last_version:
        return " %d" % one.first_version
    return " %s to %s" % (one.first_version, one.last_version)


def unstopped(process: Process) -> str:
    """How many threads could not be stopped, and why; nothing where all were."""
    reasons = process.unstopped()
    return "%d of %s could not be stopped (%s)" % (
        len(reasons), text.count(len(process.threads()), "thread"),
        ", ".join(sorted({escaped.shown(why) for why in reasons.values()}))) if reasons else ""


def task_state(row: task_rows.TaskRow, edge: Edge) -> str:
    if edge.from_.tasks is not None:
        edge.from_.tasks.place(row)
    where = " (%s)" % place_words(row.place) if row.place is not None else ""
    if edge.from_.what == "detached":
        event = row.task.event
        return "has ended%s; its event%s is not fulfilled" % (
            where, " %#x" % event if event else "")
    if edge.from_.what == "created" and edge.to.kind == "thread":
        return "has not begun%s" % where
    if edge.to.task is not None:
        clause = next(((kinds[1], address) for one, address, kinds in row.predecessors
                       if one is edge.to.task and address), None)
        return "waits for task %d%s%s" % (edge.to.task.number, where, "" if clause is None else
                                          ", depend(%s: %s)" % (clause[0], _object(edge, clause[1])))
    return "is run by thread %s%s" % (whose([edge.to]), where) if edge.to.kind == "thread" \
        else row.state or "-"


def _object(edge: Edge, address: int) -> str:
    tasks = edge.from_.tasks
    return "%#x" % address if tasks is None else str(tasks.object(address))


def place_words(place: Place) -> str:
    """`file:line, function ()`."""
    words = []
    if place.file and place.line:
        words.append(line_words(place))
    if place.function:
        words.append(text.function(place.function))
    return ", ".join(words) or text.place(place)


def line_words(place: Place) -> str:
    if not place.file or not place.line:
        return text.place(place)
    return text.source_line(place.file, place.line)


def directive(place: Optional[Place], name: str = "parallel") -> str:
    """A directive, as its language writes it."""
    return "%s %s" % (directives.sentinel(None if place is None else place.file), name)
