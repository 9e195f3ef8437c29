# SPDX-License-Identifier: MIT
"""Verdicts as a person reads them: a sentence and how certain it is, who holds and waits for
what and where, the cause, and what to type next."""

from __future__ import annotations

import collections
import re

from openmp_inspect.core import errors, escaped, proc_files, screen, text
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface
from openmp_inspect.code import libc_names, signal_handlers
from openmp_inspect.stacks import labels, libc_waits
from openmp_inspect.analysis import evidence_items
from openmp_inspect.report import cause_words, node_words, thread_times

if TYPE_CHECKING:
    from typing import Dict, List, Optional, Sequence, Tuple
    from openmp_inspect.host.interface import Process
    from openmp_inspect.model.objects import Region
    from openmp_inspect.analysis import thread_rows
    from openmp_inspect.analysis.evidence_items import Edge, Node
    from openmp_inspect.analysis.labelled_stacks import LabelledStacks
    from openmp_inspect.analysis.verdicts import Verdict

    Line = Tuple[str, str, str]  # who, what, where
    Next = Sequence[Tuple[str, str]]  # what to type, what for

_WIDTH = 80
_NEXT_COLUMN = 21  # at least, for what is to be typed
_LEAST_ROOM = 20  # columns for what is said of a thread
_MOST_LINES = 12  # of one verdict's links
_MOST_TASKS = 3
_MOST_HELD_UP = 3
_MOST_PROCESSES = 4
_MOST_SIGNALS = 3
_LEAST_STACK = 64  # MiB, of one that is proposed
_MOST_STACK = 1 << 40  # bytes, of one that is believed
_NUMBERS = regex(r"\b1 thread (wait|hold|poll|are)\b")
_MORE = regex(r"( and \d+ more(?:, which)? )(is|makes|works|repeats)\b")
_MANY = {"is": "are", "makes": "make", "works": "work", "repeats": "repeat"}
_RELEASED = "lock", "nest_lock", "mutex"  # things that a handler of a signal may release
_HEADS = {"nothing": "nothing waits"}


def lines(verdict: Verdict, stacks: LabelledStacks, more_next: Next = ()) -> List[str]:
    """Lines of one verdict. MORE_NEXT: what to type besides. Call while the
    snapshot lives."""
    mark = "" if verdict.certainty == "none" else "[%s]" % verdict.certainty
    return _head(sentence(verdict), mark) + body(verdict, stacks, more_next)


def body(verdict: Verdict, stacks: LabelledStacks, more_next: Next = ()) -> List[str]:
    """Those below the sentence."""
    words = Words(verdict)
    result = words.rows(stacks) if verdict.certainty != "none" or verdict.waits else words.loops()
    more = len(result) - _MOST_LINES
    if more > 0:
        result = result[:_MOST_LINES] + [("", "and %d more lines: %s" % (
            more, screen.current().typed("ompd why -json")), "")]
    return _table(result) + words.remarks(more_next)


def _head(said: str, mark: str) -> List[str]:
    """What is SAID, and behind all of that the MARK at the right edge."""
    width = screen.current().width() or _WIDTH
    first, *rest = text.wrapped(said, width - len(mark) - 2)
    found = [first] + ["  " + one for one in text.wrapped(" ".join(rest), width - len(mark) - 4)
                       ] * bool(rest)
    if mark:
        found[-1] = found[-1].ljust(max(min(width, _WIDTH) - len(mark), len(found[-1]) + 1)) + mark
    return found


def summary(verdict: Verdict) -> str:
    """One line for under other commands."""
    return '%s. Type "%s".' % (sentence(verdict), screen.current().typed("ompd why"))


def sentence(verdict: Verdict) -> str:
    """What lines() begin with."""
    return headline(verdict.kind, Words(verdict).sentence())


def headline(kind: str, words: str) -> str:
    """A verdict's KIND and its sentence."""
    return "%s: %s" % (_HEADS.get(kind, kind), words)


def awaited_children(verdict: Verdict) -> List[int]:
    """Ids of the children that threads wait for, where nothing else is known of why they do."""
    waits = verdict.certainty == "none" and any(
        node.row is not None and node.row.thread is not None and
        libc_names.waits_for_child(node.row.call.name) for node in verdict.at)
    return verdict.stacks.process.children() if waits else []


def _other_processes(verdict: Verdict) -> List[Tuple[str, str]]:
    """[(what to type, what for)] where threads wait for other processes."""
    own = verdict.stacks.process
    found: Dict[int, str] = {}
    for row in (node.row for node in verdict.at):
        if row is None or row.thread is None:
            continue
        wait = row.libc_wait
        if wait is not None and wait.processes:
            found.update((one, "it has locked %s" % (wait.name or "a file"))
                         for one in wait.processes if one != own.pid)
        elif wait is not None and wait.kind == "mutex":
            process = own.process_of(wait.owner)
            if process and process != own.pid:
                found.setdefault(process, "it holds %s" % (row.wait.what or "%#x" % wait.address))
    for child in awaited_children(verdict):
        found.setdefault(child, "another child" if found else "its child")
    attach = screen.current().to_attach
    if len(found) > _MOST_PROCESSES:
        return [(attach + " PID", "one of %d other processes" % len(found))]
    return [("%s %d" % (attach, process), words) for process, words in found.items()]


def _table(result: Sequence[Line]) -> List[str]:
    """Rows of (who, what, where), no wider than the screen."""
    rows = [["  " + who, what, where] for who, what, where in result]
    width = screen.current().width() or _WIDTH
    found = text.table(rows)
    if not text.too_wide(found, width):
        return found
    found = []
    column = max(len(row[0]) for row in rows) + 2
    room = max(width - column, _LEAST_ROOM)
    for who, what, where in rows:
        lines = text.wrapped(what, room)
        if where and len(text.plain(lines[-1])) + 2 + len(text.plain(where)) > room:
            lines += ["  " + one for one in text.wrapped(where, room - 2)]
        elif where:
            lines[-1] += "  " + where
        found += [(lead.ljust(column) + one).rstrip()
                  for lead, one in zip([who] + [""] * len(lines), lines)]
    return found


class Words:
    """The parts of a verdict's sentences."""

    def __init__(self, verdict: Verdict) -> None:
        self._verdict = verdict
        self._threads = self._about()

    def _about(self) -> List[Node]:
        """Nodes of the threads that it is about."""
        at = [node for node in self._verdict.at if node.kind == "thread"]
        return sorted(at or {edge.from_ for edge in self._verdict.waits}, key=node_words.order)

    def sentence(self) -> str:
        verdict = self._verdict
        nodes, first = self._threads, None
        call = next((node.call for node in nodes if node.call is not None), None)
        if "{call}" in verdict.template:
            nodes = [node for node in nodes if node.call == call]
        if nodes:
            first = node_words.who(nodes[0])
            if len(nodes) > 1:
                first += " and %d more" % (len(nodes) - 1)
        thing = self.thing()
        crash = nodes[0].crash if nodes else None
        waiting = verdict.threads + (verdict.other_count if thing and thing.what == "join" else 0)
        said = verdict.template.format(
            thread=first, threads=text.count(waiting, "thread"),
            thing="lock" if thing is None else thing.noun if thing.what == "mutex" else
            node_words.THINGS.get(thing.what, "lock"),
            name=node_words.name(thing) if thing else "a lock",
            call="%s ()" % call if call else "the kernel",
            signal=crash.signal if crash else "a signal",
            states=self._states() if "{states}" in verdict.template else "")
        if waiting == 1:
            said = said.replace(" to wake them", " to wake it")
        if thing is not None and node_words.is_gil(thing):
            said = said.replace("a " + thing.noun, "the " + thing.noun)
        said = said.replace(" a atomic", " an atomic")
        said = _MORE.sub(lambda found: found.group(1) + _MANY[found.group(2)], said)
        return escaped.shown(_NUMBERS.sub(lambda found: "1 thread " + (
            "is" if found.group(1) == "are" else found.group(1) + "s"), said))

    def _states(self) -> str:
        """How many threads wait, work, are in the kernel, or run on."""
        verdict = self._verdict
        lwps = [node.row and node.row.lwp for node in verdict.at if node.what == "unknown"]
        running, held = len(lwps), sum(lwp in self._verdict.stacks.process.unstopped() for lwp in lwps)
        # What waits and is at large a handler of a signal may wake.
        asleep = [node_words.device(node) or node.call
                  for node in verdict.at if node.what in ("asleep", "mpi", "waits")]
        awaited = {edge.from_ for edge in verdict.holds}
        actors = {edge.to for edge in verdict.holds}
        moved = [edge.to.what for edge in verdict.waits if "moved" in edge.from_.flags]
        go_on = " %s from %s." % (
            "They go on" if len(moved) > 1 else "It goes on",
            "region to region" if set(moved) == {"region_end"} else "wait to wait") if moved else ""
        polls = sum(node.what == "works" and "loops" in node.flags for node in verdict.at)
        # Not where one of those that work has nothing to do with it.
        if verdict.threads and verdict.other_count and not asleep and not running and \
                all(edge.to in awaited for edge in verdict.waits) and \
                actors == {node for node in verdict.at if node.what == "works"}:
            return "%s wait for %d that %s.%s" % (
                text.count(verdict.other_count, "thread"), verdict.threads,
                ("poll" if polls == verdict.threads else "work") + "s" * (verdict.threads == 1), go_on)
        places = collections.Counter(
            "waiting for %s" % call if isinstance(call, escaped.Name) else
            "in %s ()" % call if call is not None and
            (libc_waits.is_mpi(call) or len(set(asleep)) == 1)
            else "in the kernel" for call in asleep)
        said: List[str] = []
        for count, one, many in ((verdict.other_count, "waits", "wait"),
                                 (polls, "polls", "poll"),
                                 (verdict.threads - polls, "works", "work"),
                                 *((count, "is " + place, "are " + place)
                                   for place, count in sorted(places.items())),
                                 (running - held, "is running", "are running"),
                                 (held, "is not known", "are not known")):
            if count:
                said.append("%s %s" % (text.count(count, "thread") if not said else count,
                                       one if count == 1 else many))
        return ", ".join(said or ["no thread works or waits for another one"]) + "." + go_on

    def thing(self) -> Optional[Node]:
        """The Node of the lock that it is about, or of another thing, or None."""
        verdict = self._verdict
        things = [node for node in verdict.at if node.kind == "thing"] + \
            [edge.to for edge in verdict.waits] + [edge.from_ for edge in verdict.holds]
        things = [node for node in things if node.kind == "thing"]
        return next((node for node in things if node.what in node_words.LOCKISH),
                    things[0] if things else None)

    # Lines: (who, what, where)

    def rows(self, stacks: LabelledStacks) -> List[Line]:
        verdict = self._verdict
        result = self._team() + self._crash(stacks)
        held: Dict[Node, List[Edge]] = {}
        for edge in verdict.holds:
            if edge.to.kind == "thread" and edge.from_.kind == "thing" and \
                    edge.from_.what in node_words.LOCKISH:
                held.setdefault(edge.to, []).append(edge)
        waits = {edge.from_: edge for edge in verdict.waits}
        alike: Dict[Tuple[Line, ...], List[Node]] = {}
        working = self._working()
        for node in sorted(set(waits) | set(held) | set(working),
                           key=lambda node: (not node.name, node_words.order(node))):
            if node in held:
                result += self._holder(node, held[node], waits.get(node))
            elif node in waits:
                alike.setdefault((("", *node_words.wait(waits[node])),), []).append(node)
            else:
                alike.setdefault((("", *node_words.doing(node)), *_name(node),
                                  *cause_words.work(node, len(working))), []).append(node)
        for ((_, what, where), *more), nodes in alike.items():
            result.append((node_words.whose(nodes),
                         _since(node_words.plural(what, nodes), nodes, waits), where))
            result += more + (self._stack_of(nodes[0]) if len(nodes) == 1 else [])
        result += self._arrivals() + self._parted() + self._held_up()
        if verdict.id == "wait-orphan" and verdict.stacks.process.is_forked():
            result.append(("fork", "this is a child of fork (), without its parent's other threads", ""))
        snapshot = verdict.stacks.snapshot
        if verdict.id == "runtime" and snapshot is not None:
            result += [("runtime", node_words.runtime(snapshot.process, one), "")
                       for one in snapshot.runtimes]
        result += [("lacks", node_words.inferred_mark(node) + str(node.name or ""), "")
                 for node in verdict.at if node.what in ("share", "team")]
        return result + self._handlers() + self._tasks()

    def _handlers(self) -> List[Line]:
        """Those of signals, where they are why it is not certain."""
        verdict = self._verdict
        if not verdict.is_handled or verdict.certainty == "certain" or verdict.cause_id == "handler" or \
                not any(edge.from_.what in _RELEASED for edge in verdict.holds):
            return []
        names = signal_handlers.names(self._verdict.stacks.process)
        more = len(names) - _MOST_SIGNALS
        said = ", ".join(names[:_MOST_SIGNALS]) + " and %d more" % more * (more > 0)
        return [("but", "the process handles %s: a handler may release it" % said, "")] if names else []

    def loops(self) -> List[Line]:
        """Of threads that no other one waits for: those that wait for a device or are in a loop that only
        reads, what two looks tell, and what else stands on their stacks."""
        alike: Dict[Tuple[Line, ...], List[Node]] = {}
        for node in self._working()[:evidence_items.MOST_READ]:
            more = _name(node) + self._stack_of(node)
            if more or node_words.device(node):
                alike.setdefault((("", *node_words.doing(node)), *more), []).append(node)
        result: List[Line] = []
        for ((_, what, where), *lines_of), nodes in alike.items():
            result += [(node_words.whose(nodes), _since(node_words.plural(what, nodes), nodes, {}), where),
                       *lines_of]
        return result

    def _arrivals(self) -> List[Line]:
        """How many threads have arrived at each barrier, where it is not known which."""
        verdict = self._verdict
        if verdict.id != "barrier-mismatch" or len({edge.to for edge in verdict.waits}) > 1:
            return []
        counted = {node.what: node.arrived for edge in verdict.holds
                   for node in (edge.from_, edge.to) if node.arrived is not None}
        if len(counted) < 2:
            return []
        return [("", "of these %d have arrived at a barrier, %d at the end of the" % (
            counted["barrier"], counted["region_end"]), ""),
                ("", "region; the runtime does not keep which", "")]

    def _parted(self) -> List[Line]:
        """Where threads of a team have called the same barrier from two lines for the first time."""
        region = self._region() if self._verdict.id == "barrier-mismatch" else None
        parted = None if region is None else errors.known(lambda: region.parted)
        if parted is None:
            return []
        number, *calls = parted
        found = map(self._verdict.stacks.walker.place_before, calls)
        places = {(str(place.file), place.line or 0): place for place in found if place is not None}
        if len(places) < 2:
            return []
        # Which of them was the first one is chance.
        return [("parted", "at %s barrier of the region, called at" % text.ordinal(number),
                 " and ".join(node_words.line_words(place) for _, place in sorted(places.items())))]

    def _held_up(self) -> List[Line]:
        """The locks for which others wait while a thread does that nobody is left to wake: what would have
        woken it may be among them."""
        alike: Dict[Line, List[Node]] = {}
        for edge in self._verdict.others if self._verdict.id == "wait-orphan" else ():
            if edge.to.what in node_words.LOCKISH:
                alike.setdefault(("", *node_words.wait(edge)), []).append(edge.from_)
        return [(node_words.whose(nodes), node_words.plural(what, nodes), where)
                for (_, what, where), nodes in list(alike.items())[:_MOST_HELD_UP]]

    def _working(self) -> List[Node]:
        return [node for node in self._verdict.at if node.kind == "thread" and
                node.what not in ("crashed", "absent", "ended")]

    def _holder(self, node: Node, edges: Sequence[Edge], wait: Optional[Edge]) -> List[Line]:
        result: List[Line] = []
        for edge in edges:
            result.append((node_words.who(node) if not result else "",
                         "%sholds %s%s" % (
                             node_words.inferred_mark(edge), node_words.name(edge.from_),
                             node_words.in_task(edge)),
                         node_words.since(edge)))
        if wait is not None:
            what, where = node_words.wait(wait)
            result.append(("", _since(what, [node], {node: wait}), where))
        elif node.what not in ("ended", "absent"):
            result += [("", *node_words.doing(node)), *_name(node)]
        return result + self._stack_of(node)

    def _stack_of(self, node: Node) -> List[Line]:
        """What stands on the stack of a thread, and on that of an interpreter."""
        return cause_words.handler(node) + cause_words.exiting(node) + cause_words.shared(node) + \
            cause_words.python(node)

    def _region(self) -> Optional[Region]:
        """That whose barrier it is about."""
        things = [edge.to for edge in self._verdict.waits] + \
            [edge.from_ for edge in self._verdict.holds]
        return next((node.region for node in things if node.region is not None), None)

    def _team(self) -> List[Line]:
        region = self._region()
        if region is None:
            return []
        size = errors.known(lambda: region.size)
        stacks = self._verdict.stacks
        where = stacks.place_of(region)
        absent = sum(node.missing for node in {edge.to for edge in self._verdict.holds})
        words = text.count(size, "thread") if size else ""
        if absent and size:
            words = "%s, of which %d %s" % (words, size - absent,
                                            "exists" if size - absent == 1 else "exist")
        return [("team", "a parallel region" if where is None else "%s at %s" % (
            node_words.directive(where), node_words.line_words(where)), words),
                *(cause_words.ended(stacks, region, absent)
                  if self._verdict.cause_id == "member-ended" else ())]

    def _crash(self, stacks: LabelledStacks) -> List[Line]:
        node = next((node for node in self._verdict.at if node.what == "crashed"), None)
        if node is None or node.row is None:
            return []
        where = node.row.place
        # A stack that is full may have too many frames to be labelled.
        left = _left(node.row, stacks) if "overflow" not in node.flags else []
        if "uncaught" not in node.flags:
            left = left[:1]
        return ([("at", node_words.place_words(where), "")] if where is not None else []) + \
            cause_words.crash(node) + (_task_of(node.row) or left)

    def _tasks(self) -> List[Line]:
        found = list({edge.from_.task: edge for edge in reversed(self._verdict.holds)
                      if edge.from_.task is not None}.items())[::-1]
        result = [("task %d" % row.number, node_words.task_state(row, edge), "")
                for row, edge in found[:_MOST_TASKS]]
        if len(found) > _MOST_TASKS:
            result.append(("", "and more tasks: " + screen.current().typed("ompd tasks"), ""))
        return result

    def remarks(self, more_next: Next = ()) -> List[str]:
        """The lines below: who else waits, the cause, what to type."""
        verdict = self._verdict
        result: List[str] = []
        if verdict.others:
            nodes = {edge.from_ for edge in verdict.others}
            numbers = node_words.thread_numbers(nodes)
            result.append("  %s more %s for %s%s." % (
                len(nodes), "thread waits" if len(nodes) == 1 else "threads wait",
                "it" if len(self._threads) == 1 else "these",
                ": " + numbers if len(numbers) <= node_words.LONGEST_NUMBERS else ""))
        pairs = []
        if verdict.cause:
            words = verdict.cause
            if verdict.id == "lock-orphan" and re.search("released|initialised|never left", words):
                words += "  [possible]"
            pairs.append(("cause", words))
        label, proposed = "next", [(typed, purpose) for typed, purpose in dict(
            [*self.next(), *more_next]).items() if typed]
        column = max([_NEXT_COLUMN, *(len(typed) for typed, _ in proposed)])
        for typed, purpose in proposed:
            pairs.append((label, "%s  %s" % (typed.ljust(column), purpose)))
            label = ""
        return result + [text.labelled(*pair) for pair in pairs]

    def next(self) -> List[Tuple[str, str]]:
        """[(what to type, what for)]."""
        numbers = [text.thread(node.row.thread.num) for node in self.worth_a_look()
                   if node.row is not None and node.row.thread is not None][:2]
        first, second = (numbers + ["", ""])[:2]
        larger = max([_LEAST_STACK] + [4 * node.stack >> 20 for node in self._threads
                                       if node.stack < _MOST_STACK])
        process = self._verdict.stacks.process
        watches = screen.current().watches and process.origin == interface.LIVE
        elsewhere = _other_processes(self._verdict) if self._verdict.certainty == "none" else []
        words = {"first": first, "second": second, "megabytes": larger, "launcher": _launcher(process)}
        return elsewhere + [
            (screen.current().typed(typed.format(**words).rstrip()), purpose)
            for typed, purpose in self._verdict.next
            if (numbers or "{" not in typed) and (watches or "-watch" not in typed)]

    def worth_a_look(self) -> List[Node]:
        """Threads whose stacks tell most first: those it is about, holders, and one of each place
        at which threads wait."""
        verdict = self._verdict
        found = [node for node in verdict.at if node.kind == "thread"] + \
            [edge.to for edge in verdict.holds if edge.to.kind == "thread" and
             edge.from_.what in node_words.LOCKISH]
        found.sort(key=lambda node: (node.what == "works", *node_words.order(node)))
        alike: Dict[Tuple[str, str], Node] = {}
        for edge in sorted(verdict.waits, key=lambda edge: node_words.order(edge.from_)):
            alike.setdefault(node_words.wait(edge), edge.from_)
        return list(dict.fromkeys(node for node in found + list(alike.values())
                                  if node.what != "idle"))


def _name(node: Node) -> List[Line]:
    return [("", str(node.name), "")] if node.name else []


def _since(what: str, nodes: Sequence[Node], waits: Dict[Node, Edge]) -> str:
    """WHAT they do, and since when if that is one of the WAITS."""
    polls = {node for node, edge in waits.items() if edge.kind == "polls"}
    times = thread_times.waited_words(
        None if node.row is None else thread_times.waited(node.row, node in polls)
        for node in nodes)
    # Not "of #pragma omp for for 7 s".
    return "%s%s %s" % (what, "," * what.endswith(" for"), times) if times else what


def _launcher(process: Process) -> str:
    """The process that has started this one."""
    found = proc_files.parent(process.pid) if process.origin == interface.LIVE else 0
    return str(found) if found > 1 else "PID"


def _left(row: thread_rows.ThreadRow, stacks: LabelledStacks) -> List[Line]:
    """The innermost construct that an exception would leave, which none may."""
    thread = row.thread
    found = () if thread is None else stacks.rows(thread, created=False)
    label = next((one.label for one in found if one.label is not None), None)
    place = None if label is None else label.place
    if label is None or place is None or not place.line:
        return []
    return [("in", re.sub(r"^in ", "", str(label.words)), node_words.line_words(place)),
            ("", "inside of which it has to be caught", "")]


def _task_of(row: thread_rows.ThreadRow) -> List[Line]:
    """What a thread that crashed was about, where it ran an explicit task."""
    known = row.known
    task = None if known is None else errors.known(lambda: known.task)
    if task is None or errors.known(lambda: task.kind) != "explicit":
        return []
    function = errors.known(lambda: task.function)
    where = row.stacks.walker.construct(function) if function else None
    words = "a task" if where is None else "the task of %s" % node_words.place_words(where)
    # Those of a taskloop can have none.
    bare = errors.known(lambda: task.dependence_count) == 0 and not (
        function and "taskloop" in labels.of_body(row.process, "task", function))
    return [("in", words + ", which has no depend clause" * bare, "")]
