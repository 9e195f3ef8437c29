# SPDX-License-Identifier: MIT
"""Threads in words, and as objects for JSON.

There are hundreds of threads that mostly do the same, so whatever does not depend on the one
thread is put into words once: a wait by its WaitState, a place by its address.
"""

from __future__ import annotations

import os

from openmp_inspect.core import cached, errors, escaped, json_output, screen, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.stacks import stitched_stack
from openmp_inspect.analysis import wait_state
from openmp_inspect.analysis.wait_state import IDLE
from openmp_inspect.report import path_words, thread_times

if TYPE_CHECKING:
    from typing import Any, Dict, Hashable, List, Optional, Sequence, Tuple
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.model.objects import Thread
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.model.sync import Lock
    from openmp_inspect.code.places import Place
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from openmp_inspect.analysis.thread_rows import ThreadRow
    from openmp_inspect.analysis.wait_state import WaitState


class ThreadWords:
    """Lives during one command, of a Space, whose `process` it is; SNAPSHOT: that of the rows, or
    None."""

    def __init__(self, here: Space, snapshot: Optional[Snapshot]) -> None:
        self._here, self._snapshot = here, snapshot
        self.process = here.process
        self._selected = self.process.selected_number
        self._lead = screen.current().before_threads()
        self._paths = path_words.paths(here)
        self._texts: Dict[Hashable, str] = {}
        # For long cells and for short ones; the latter by the first row of those that are alike.
        self._waits: Tuple[Dict[WaitState, Tuple[str, str]], ...] = {}, {}
        self._doings: Tuple[Dict[Tuple[ThreadRow, WaitState], Tuple[str, ...]], ...] = {}, {}

    def cells(self, row: ThreadRow, short: bool = False) -> Tuple[str, ...]:
        """Those of the table: number, path, state, what is waited for and where it is; in fewer
        words if SHORT."""
        number = "  -"
        if row.thread is not None:
            mark = "* " if row.thread.num == self._selected else "  "
            number = "%s%s%d" % (mark, self._lead, row.thread.num)
        key, known = (row.alike or row, row.wait), self._doings[short]
        if key not in known:
            known[key] = (*self._wait(row.wait, short), self.where(row))
        state, waits, where = known[key]
        since = thread_times.waited_words([thread_times.waited(row)])
        return number, self._paths.of(row), state, _joined(waits, since), where

    def _wait(self, wait: WaitState, short: bool = False) -> Tuple[str, str]:
        """(state, what is waited for): equal ones are one object."""
        found = self._waits[short].get(wait)
        if found is None:
            found = self._waits[short][wait] = wait.words, text.worded(wait.waits_for(short))
        return found

    def where(self, row: ThreadRow) -> str:
        """Where a thread is."""
        if row.thread is None:
            return self._unseen(row)
        if not row.stopped:
            return "(running)"
        if row.wait is IDLE:
            return "-"
        # Of a thread inside the runtime the system's function says nothing.
        inside = row.is_openmp and row.wait.name != "in_call"
        return self._text(row.place if row.place is not None or inside else row.innermost)

    def _unseen(self, row: ThreadRow) -> str:
        """Why the debugger does not have a thread that the runtime knows."""
        known = row.known
        try:
            return "-" if known is None else "LWP %d, not seen by %s" % (
                known.lwp, screen.current().debugger)
        except errors.OmpdError as error:
            return errors.short(error)

    def _text(self, place: Optional[Place]) -> str:
        if place is None:
            return "-"
        key = place.function, place.file, place.line, place.address
        if key not in self._texts:
            self._texts[key] = text.place(place)
        return self._texts[key]

    # Its runtime, where there are several

    def runtimes(self, rows: Sequence[ThreadRow]) -> List[Optional[str]]:
        """The names of the files of the runtimes that threads are in teams of, where several
        runtimes have threads; else none."""
        if not self._runtimes:
            return []  # the model's Threads need not be made
        found = (self._runtime_file(row.known) for row in rows)
        return [escaped.shown(os.path.basename(file)) if file else None for file in found]

    def _runtime_file(self, known: Optional[Thread]) -> Optional[str]:
        """The path of it."""
        if known is None or not self._runtimes:
            return None
        return self._runtimes.get(errors.known(lambda: known.runtime))

    @cached.fact
    def _runtimes(self) -> Dict[int, str]:
        """Number of a runtime -> its file, of those that threads have used, where there are
        several."""
        if self._snapshot is None or not self._snapshot.has_several_runtimes:
            return {}
        found = {one.number: one.file or self.process.program or ""
                 for one in self._snapshot.runtimes if one.threads}
        return found if len(found) > 1 else {}

    # JSON

    def facts(self, row: ThreadRow) -> Dict[str, Any]:
        """The object of a thread."""
        wait, holder = row.wait, row.wait.holder
        answer: Dict[str, Any] = {
            "id": row.thread.num if row.thread else None,
            "lwp": row.lwp if row.thread is None else self.process.shown_id(row.thread),
            "selected": row.thread is not None and row.thread.num == self._selected,
            "number": None, "team_size": None, "path": None,
            "level": None, "state": None if wait.name == "not_openmp" else wait.full_name,
            "call": wait.call, "derived": "state" in wait.inferred, "inferred": wait.inferred,
            "wait_id": json_output.address(wait.variable or wait.wait_id),
            "waits_for": _or_none(wait.waits_for().raw), "owner": holder and holder.number,
            "since": holder and holder.since and json_output.place_facts(holder.since),
            "arrived": wait.arrivals and wait.arrivals.arrived, "holds": [], "stack": None,
            "runtime": self._runtime_file(row.known), **thread_times.wait_facts(row)}
        if row.known is not None and wait is not IDLE:
            answer.update(self._facts_of(row.known))
        answer.update(json_output.place_facts(row.place))
        return answer

    def _facts_of(self, known: Thread) -> Dict[str, Any]:
        """What is known of a thread that is not idle."""
        answer: Dict[str, Any] = {}
        steps = errors.known(lambda: known.path)
        if steps:
            answer["number"], answer["team_size"] = steps[-1]
            answer["path"] = [list(step) for step in steps]
        stack = errors.known(lambda: known.stack)
        answer["level"] = errors.known(lambda: known.level)
        answer["holds"] = [_held(stitched_stack.of(self._here), lock) for lock in self._held_by(known)]
        answer["stack"] = [json_output.address(stack.get(end))
                           for end in ("low", "high")] if stack else None
        return answer

    @cached.fact
    def _held(self) -> Dict[int, List[Lock]]:
        """{kernel id: [sync.Lock]} of what threads have acquired, where that is recorded."""
        found: Dict[int, List[Lock]] = {}
        snapshot = self._snapshot
        for lock in snapshot.locks if snapshot is not None and snapshot.recorded else ():
            lwp = errors.known(lambda lock=lock: lock.owner and lock.owner.lwp)
            if lwp is not None:
                found.setdefault(lwp, []).append(lock)
        return found

    def _held_by(self, known: Thread) -> Sequence[Lock]:
        return self._held.get(errors.known(lambda: known.lwp), ())


def _joined(waits: str, since: str) -> str:
    return waits if not since else since if waits == "-" else "%s, %s" % (waits, since)


def _or_none(words: str) -> Optional[str]:
    return None if words in ("-", "?") else words


def _held(stacks: StitchedStacks, lock: Lock) -> Dict[str, Any]:
    """A sync.Lock that a thread has acquired, and where it did so."""
    return dict({"kind": lock.kind, "wait_id": json_output.address(lock.address),
                 "frame": json_output.address(lock.frame),
                 "object": json_output.exact(wait_state.thing(stacks.process,
                     lock.wait_state, lock.address, stacks.object_at))},
                **json_output.place_facts(stacks.walker.call(lock.codeptr)))
