# SPDX-License-Identifier: MIT
"""The rows of "ompd threads": each thread with its WaitState, and where it is.

There are hundreds of threads that mostly do the same, so whatever does not depend on the one
thread is put into words once: a wait by its WaitState, a place by its address, a path by the
region.
"""

from __future__ import annotations

import os

from openmp_inspect.core import cached, debug, errors, escaped, json_output, screen, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import processes
from openmp_inspect.bindings import spaces
from openmp_inspect.model.objects import Thread
from openmp_inspect.stacks import libc_waits, stitched_stack, unwind_cache
from openmp_inspect.analysis import thread_place, wait_inference, wait_state
from openmp_inspect.analysis.wait_state import IDLE, UNKNOWN

if TYPE_CHECKING:
    from typing import Any, Dict, Hashable, List, Optional, Sequence, Tuple, Union
    from openmp_inspect.host.interface import Process, Sleep, Thread as HostThread
    from openmp_inspect.bindings.query import Handle, ThreadKind
    from openmp_inspect.model.objects import Region
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.model.sync import Lock
    from openmp_inspect.code.places import Place
    from openmp_inspect.analysis.wait_state import Holder, WaitState
    Alike = Tuple[WaitState, Optional[Place], str, Optional[str]]  # of the threads of a kind


def _lwp_of(known: Optional[Thread]) -> Optional[int]:
    return None if known is None else errors.known(lambda: known.lwp)


class Row:
    """One thread. `lwp` is its kernel id, or None; `cells` are the table's, `short` the same in
    fewer words; `wait` is its WaitState, `place` its places.Place or None, `where` that in
    words."""

    __slots__ = ("head", "thread", "selected", "wait", "place", "where", "lwp", "_known", "_rows")

    def __init__(self, rows: Rows, lwp: Optional[int], thread: Optional[HostThread],
                 known: Optional[Union[Thread, Handle]], selected: bool) -> None:
        self._rows = rows
        self.lwp = lwp
        self.thread = thread
        self._known: Any = known
        self.selected = selected
        self.place: Optional[Place] = None
        self.where = "-"
        self.wait = UNKNOWN
        self.head: Tuple[str, str] = "", ""  # its number and its path in words

    @property
    def known(self) -> Optional[Thread]:
        """The model's Thread, or None; made of its handle when it is asked for."""
        known: Optional[Thread] = self._known
        if known is not None and not isinstance(known, Thread):
            known = self._known = self._rows.known(known)
        return known

    @property
    def cells(self) -> Tuple[str, ...]:
        return (*self.head, *self._rows.words(self.wait), self.where)

    @property
    def short(self) -> Tuple[str, ...]:
        return (*self.head, *self._rows.words(self.wait, True), self.where)

    @property
    def runtime(self) -> Optional[str]:
        """The name of the file of the runtime that it is in a team of, where several runtimes
        have threads; else None."""
        # Without several runtimes the model's Thread need not be made.
        path = self._rows.runtime_file(self.known) if self._rows.runtimes else None
        return escaped.shown(os.path.basename(path)) if path else None

    @property
    def stopped(self) -> bool:
        """Whether its stack can be looked at."""
        return self.thread is not None and self._rows.is_stopped(self.thread)

    @property
    def sleep(self) -> Optional[Sleep]:
        """The interface.Sleep of a thread that the debugger knows, or None."""
        return self._rows.registers.sleep(self.thread)

    @property
    def stands(self) -> Optional[Tuple[int, int]]:
        """(address of the next instruction, stack pointer), or None where the kernel does
        not have them."""
        return self._rows.registers.of(self.thread)

    @property
    def call(self) -> libc_waits.Call:
        """The libc_waits.Call that its user code is inside of. Call in selection_kept()."""
        return self._rows.inference.call(self)

    @property
    def libc_wait(self) -> Optional[libc_waits.LibcWait]:
        """The libc_waits.LibcWait of a thread that sleeps, else None. Call in
        selection_kept()."""
        sleep = self.sleep
        return None if sleep is None else self._rows.waits.wait(sleep, self.call)

    @property
    def is_confirmed(self) -> bool:
        """Whether the word that it sleeps on still has its value: nobody has released it."""
        sleep = self.sleep
        return sleep is not None and self._rows.waits.is_unchanged(sleep)

    @property
    def region(self) -> Optional[Region]:
        """The model's Region that it is in, or None, also where that cannot be had."""
        known = self.known
        return None if known is None else errors.known(lambda: known.region)

    @property
    def is_released(self) -> bool:
        """Whether the barrier or lock of libgomp that it sleeps on has released it: it will run."""
        sleep = self.sleep
        return sleep is not None and sleep.address != 0 and bool(self._rows.waits.has_passed(sleep))

    @property
    def region_key(self) -> Optional[Hashable]:
        return None if self.region is None else self.region.key

    def team_size(self) -> Optional[int]:
        """The number of threads in its team, or None; an OmpdError where it cannot be had."""
        region = None if self.known is None else self.known.region
        return None if region is None else region.size

    def move(self, place: Optional[Place]) -> None:
        """It is at PLACE, a places.Place, as other threads show."""
        self.place = place
        self._rows.locate(self)

    def facts(self) -> Dict[str, Any]:
        """The row as an object for JSON."""
        return _facts_of(self, self._rows)

    def as_holder(self, derived: bool) -> Holder:
        """The wait_state.Holder that it is."""
        if self.known is not None:
            return self._rows.names.of(self.known, derived)
        assert self.lwp is not None  # the debugger knows the thread
        return self._rows.names.at(self.lwp, derived)


_NOBODY = (None, None, None)
_WAITED_FOR = {"simple": "wait_lock", "nest": "wait_nest_lock"}  # in which state, by its kind


def _are_its_own(process: Process, snapshot: Snapshot) -> bool:
    """Whether kernel ids are those that the process has, so that a thread which SNAPSHOT does not
    have is none of the runtime's: that was found out, or one of them is in there."""
    return process.knows_kernel_ids or not snapshot.lwps or \
        any(number in snapshot.lwps for number, _ in process.threads())


class Rows:
    """What is shared by the rows of all threads. `inference`, `names`, `waits`, `registers`: see
    their modules; `walker`: a user_frames.Walker."""

    def __init__(self, snapshot: Optional[Snapshot], assume_stopped: bool = False) -> None:
        process = self._process = processes.current()
        self._snapshot = snapshot
        self._recorded = snapshot is not None and snapshot.recorded
        self._placed = snapshot is not None and _are_its_own(process, snapshot)
        self._kinds: Optional[Dict[Optional[int], ThreadKind]] = None
        self._threads = process.threads()
        self._numbers = {lwp: thread.num for lwp, thread in self._threads}
        walker = self.walker = stitched_stack.current().walker
        here = spaces.current()
        self._still = here.still or assume_stopped
        self.registers = process.registers()
        stacks = unwind_cache.Stacks(walker, self.registers, here.memory)
        self._stacks = stacks
        self._places = thread_place.Finder(stacks, walker, self._recorded)
        self.names = wait_state.Names(snapshot, self._numbers, stitched_stack.object_at)
        self.waits = libc_waits.Waits(walker, here.memory, self._numbers)
        self.inference = wait_inference.Inference(snapshot, stacks, walker, self.waits, self.names)
        self._alike: Dict[Hashable, Alike] = {}
        self._ways: Dict[Hashable, Tuple[str, int]] = {}  # by the keys of regions
        self._texts: Dict[Hashable, str] = {}
        # For long cells and for short ones.
        self._words: Tuple[Dict[WaitState, Tuple[str, str]], ...] = {}, {}
        self._dot = text.sign(" \u00b7 ", " . ")

    def listed(self) -> List[Row]:
        """[Row] of the debugger's threads. Call in selection_kept()."""
        lead = screen.current().before_threads()
        selected = self._process.selected_number
        if self._snapshot is not None and self._recorded and self._snapshot.bulk:
            self._kinds = self._snapshot.kinds
        by_lwp = None if self._snapshot is None or self._kinds is not None else \
            self._snapshot.by_lwp
        found = []
        kinds, seen = self._kinds, self._alike  # this loop is a hot one
        for lwp, thread in self._threads:
            number = thread.num
            mark = "%s%s%d" % ("* " if number == selected else "  ", lead, number)
            kind, member, known = kinds.get(lwp, _NOBODY) if kinds is not None else \
                (None, None, None if by_lwp is None else by_lwp.get(lwp))
            row = Row(self, lwp, thread, known, number == selected)
            alike = None
            if kind is not None and (self._still or not thread.is_running()):
                alike = seen.get(kind)
            if alike is not None:
                row.wait, row.place, row.where, way = alike
                row.head = mark, way % member if way else "-"
            else:
                self._look(row)
                row.head = mark, self._path(row)
                self._keep(row, kind)
            found.append(row)
        return found

    def one(self, thread: HostThread) -> Row:
        """The Row of a thread, with no more than that thread itself shows. Call in
        selection_kept()."""
        lwp = self._process.kernel_id(thread)
        known = None if self._snapshot is None else self._snapshot.thread_of(lwp)
        row = Row(self, lwp, thread, known, True)
        self._look(row)
        return row

    def is_stopped(self, thread: HostThread) -> bool:
        return self._still or not thread.is_running()

    def known(self, handle: Handle) -> Thread:
        """The model's Thread of a handle."""
        assert self._snapshot is not None  # else there are no handles
        return self._snapshot.thread(handle)

    def words(self, wait: WaitState, short: bool = False) -> Tuple[str, str]:
        """(state, what is waited for) as cells: equal ones are one object."""
        found = self._words[short].get(wait)
        if found is None:
            found = self._words[short][wait] = wait.words, text.worded(wait.waits_for(short))
        return found

    def _look(self, row: Row) -> None:
        """Finds place and wait of a thread."""
        stopped = self.is_stopped(row.thread)
        if stopped:
            row.place = self._places.of(row.thread, row.known)
        if self._placed or row.known is not None:
            row.wait = self.inference.of(row, stopped)
        self.locate(row)

    def locate(self, row: Row) -> None:
        """Puts the place of a row into words."""
        if not self.is_stopped(row.thread):
            row.where = "(running)"
        elif row.wait is not IDLE:
            # Of a thread inside the runtime the system's function says nothing.
            inside = row.known is not None and (row.wait is None or row.wait.name != "in_call")
            row.where = self._text(row.place if row.place or inside else
                                   self._stacks.innermost(row.thread))

    def _keep(self, row: Row, kind: Optional[Hashable]) -> None:
        """What goes for the others of its kind: threads inside the runtime for the same
        call differ in their numbers only, unless one's own stack says what it does there."""
        if kind is None or row.wait.derived or row.wait.name == "overhead":
            return
        way = None
        try:
            if row.wait is not IDLE:
                if row.place is None or row.known is None or not row.known.codeptr:
                    return
                region = row.known.region
                way = "%d/1" if region is None else "%s%%d/%d" % self._way(region)
        except errors.OmpdError:
            debug.ignored()
            return
        self._alike[kind] = row.wait, row.place, row.where, way

    def _text(self, place: Optional[Place]) -> str:
        if place is None:
            return "-"
        key = place.function, place.file, place.line, place.address
        if key not in self._texts:
            self._texts[key] = text.place(place)
        return self._texts[key]

    # Who

    def runtime_file(self, known: Optional[Thread]) -> Optional[str]:
        """The path of the runtime that a model's Thread, or None, is in a team of, where
        several runtimes have threads; else None."""
        if known is None or not self.runtimes:
            return None
        return self.runtimes.get(errors.known(lambda: known.runtime))

    @cached.fact
    def runtimes(self) -> Dict[int, str]:
        """Number of a runtime -> its file, of those that threads have used, where there are
        several."""
        if self._snapshot is None or not self._snapshot.has_several_runtimes:
            return {}
        found = {one.number: one.file or self._process.program or ""
                 for one in self._snapshot.runtimes if one.threads}
        return found if len(found) > 1 else {}

    def _path(self, row: Row) -> str:
        known = row.known
        if known is None:
            return "-" if self._placed else "?"
        if row.wait is IDLE:
            return "-"
        try:
            region = known.region
            if region is None:
                return "%s/1" % known.number
            lead, size = self._way(region)
            try:
                return "%s%d/%d" % (lead, known.number, size)
            except errors.OmpdError:
                debug.ignored()
                return "%s?/%d" % (lead, size)
        except errors.OmpdError:
            debug.ignored()
            return "?"

    def _way(self, region: Region) -> Tuple[str, int]:
        found = self._ways.get(region.key)
        if found is None:
            lead = "".join(text.path_step(*step) + self._dot for step in region.way)
            found = self._ways[region.key] = lead, region.size
        return found

    def unlisted(self) -> List[Row]:
        """[Row] of threads that the runtime knows and the debugger does not: ended, or not seen
        yet. Until its first instructions after fork() have run, a child remembers its parent's."""
        found: List[Row] = []
        if self._snapshot is None or not self._placed:
            return found
        seen = self._process.kernel_ids_of_others().union(self._numbers)
        if self._kinds is not None and self._kinds.keys() <= seen:
            return found
        for thread in self._snapshot.threads:
            try:
                if thread.lwp in seen:
                    continue
                where = "LWP %d, not seen by %s" % (thread.lwp, screen.current().debugger)
            except errors.OmpdError as error:
                where = errors.short(error)
            row = Row(self, _lwp_of(thread), None, thread, False)
            row.where = where
            row.wait = self.inference.of(row, False)
            row.head = "  -", self._path(row)
            found.append(row)
        return found

    # What it holds

    @cached.fact
    def _held(self) -> Dict[int, List[Lock]]:
        """{kernel id: [sync.Lock]} of what threads have acquired, where that is recorded."""
        found: Dict[int, List[Lock]] = {}
        for lock in self._snapshot.locks if self._snapshot is not None and self._recorded else ():
            lwp = errors.known(lambda lock=lock: lock.owner and lock.owner.lwp)
            if lwp is not None:
                found.setdefault(lwp, []).append(lock)
        return found

    def held_by(self, known: Thread) -> Sequence[Lock]:
        """[sync.Lock] that a model's Thread has acquired, where that is recorded."""
        return self._held.get(errors.known(lambda: known.lwp), ())


def _facts_of(row: Row, rows: Rows) -> Dict[str, Any]:
    """The object for JSON of a Row, of these ROWS."""
    known, wait = row.known, row.wait
    holder = wait.holder
    answer: Dict[str, Any] = {
        "id": row.thread.num if row.thread else None,
        "lwp": row.lwp if row.thread is None else processes.current().shown_id(row.thread),
        "selected": row.selected,
        "number": None, "team_size": None, "path": None,
        "level": None, "state": None if wait.name == "not_openmp" else wait.full_name,
        "call": wait.call, "derived": "state" in wait.inferred, "inferred": wait.inferred,
        "wait_id": json_output.address(wait.variable or wait.wait_id),
        "waits_for": _or_none(wait.waits_for()), "owner": holder and holder.number,
        "since": holder and holder.since and json_output.place_facts(holder.since),
        "arrived": wait.arrivals and wait.arrivals.arrived, "holds": [], "stack": None,
        "runtime": rows.runtime_file(known)}
    if known is not None and wait.name != "idle":
        path = errors.known(lambda: known.path)
        if path:
            answer["number"], answer["team_size"] = path[-1]
            answer["path"] = [list(step) for step in path]
        answer["level"] = errors.known(lambda: known.level)
        answer["holds"] = [_held(lock, rows) for lock in rows.held_by(known)]
        stack = errors.known(lambda: known.stack)
        answer["stack"] = [json_output.address(stack.get(end))
                           for end in ("low", "high")] if stack else None
    answer.update(json_output.place_facts(row.place))
    return answer


def _or_none(words: str) -> Optional[str]:
    return None if words in ("-", "?") else words


def _held(lock: Lock, rows: Rows) -> Dict[str, Any]:
    """A sync.Lock that a thread has acquired, and where it did so."""
    name = None if lock.kind is None else _WAITED_FOR.get(lock.kind, "wait_" + lock.kind)
    return dict({"kind": lock.kind, "wait_id": json_output.address(lock.address),
                 "frame": json_output.address(lock.frame),
                 "object": wait_state.thing(name, lock.address, stitched_stack.object_at)},
                **json_output.place_facts(rows.walker.call(lock.codeptr)))
