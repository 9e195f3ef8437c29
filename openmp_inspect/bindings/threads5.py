# SPDX-License-Identifier: MIT
"""What extension5.Query says of threads. There may be thousands: their records come in one call,
and stay plain tuples."""

from __future__ import annotations

from functools import partial

from openmp_inspect.core.errors import OmpdError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.bindings import abi5, standard5
from openmp_inspect.bindings.query import Futexes, LockTests, State, ThreadFacts, \
    TargetFacts, ThreadKind, WaitTimes
from openmp_inspect.bindings.records5 import Records, Ref, THREAD, new_tuple, quick_ref, words

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple
    from openmp_inspect.bindings.dialect5 import Session5
    from openmp_inspect.bindings.query import Handle
    from openmp_inspect.bindings.records5 import ThreadRecord

# Of a thread's fields: the bit that says that one is known, and where it stands.
_HAS = {name: 1 << bit for name, bit in abi5.THREAD_BIT.items()}
_MOST = sum(_HAS[name] for name in ("lwp", "state", "thread_num", "level", "codeptr"))
_ALIKE = _MOST | _HAS["target"]  # one in a target construct is not like others
_SPECIAL = (None, "wait_lock", "idle")  # states that say more, or less, than most
_REGION_KNOWN = _HAS["region"]
_STATES = words(abi5.STATE)
_AT: Dict[str, int] = {name: THREAD.type._fields.index(name) for name in _HAS}
_DOCKED: int = THREAD.type._fields.index("docked")
BARRIER_KINDS = words(abi5.BARRIER_KIND)
_TARGETS = words(abi5.TARGET)

# For hot loops.
_quick_facts: Callable[[Tuple[Any, ...]], ThreadFacts] = partial(new_tuple, ThreadFacts)
_quick_kind: Callable[[Tuple[Any, ...]], ThreadKind] = partial(new_tuple, ThreadKind)


class Threads(Records):
    def __init__(self, session: Session5) -> None:
        super().__init__(session)
        self._by_id: Optional[Dict[int, ThreadRecord]] = None  # records of all threads
        self._lone: Dict[int, ThreadRecord] = {}  # of those that were asked for by themselves

    def threads(self) -> List[Ref]:
        return [Ref(record[1], record[2]) for record in self._thread_records().values()]

    def thread_of(self, lwp: int) -> Optional[Ref]:
        thread = super().thread_of(lwp)
        if thread is not None and self._by_id is None:
            self._lone[thread.id] = self._single("thread", thread, "ext_get_thread", THREAD)
        return thread

    def _look(self) -> None:
        self._thread_records()

    def _thread_records(self) -> Dict[int, ThreadRecord]:
        if self._by_id is None:
            data = self._vector("ext_get_threads", THREAD)
            self._by_id = {
                record[2]: record for record in THREAD.layout.iter_unpack(data)}
        return self._by_id

    def thread_facts(self) -> Iterator[ThreadFacts]:
        regions: Dict[int, Ref] = {}
        for record in self._thread_records().values():
            (known, address, number, lwp, _pthread, state, thread_num, _size, level, wait,
             codeptr, _frame, region, region_id, _task, _task_id, *_later) = record
            name = _STATES.get(state)
            facts: Dict[str, Any] = {
                "lwp": lwp, "codeptr": codeptr, "number": thread_num, "wait_id": wait,
                "state": name}
            if known & _MOST != _MOST or name in _SPECIAL or level == 0:
                self._correct(facts, known, state, level)
            if known & _REGION_KNOWN and region:
                if region_id not in regions:
                    regions[region_id] = Ref(region, region_id)
                facts["region"] = regions[region_id]
            yield _quick_facts((quick_ref((address, number)), number, facts))

    def kinds(self) -> Dict[Optional[int], ThreadKind]:
        found: Dict[Optional[int], ThreadKind] = {}
        for r in self._thread_records().values():
            lwp = r[3] or None
            if lwp in found and not r[0] & _REGION_KNOWN:
                continue  # of another runtime, which it only used
            kind = (r[5], r[8], r[9], r[10], r[13]) if r[0] & _ALIKE == _MOST else None
            found[lwp] = _quick_kind((kind, r[6], quick_ref((r[1], r[2]))))
        return found

    def in_several(self) -> Dict[int, List[Ref]]:
        if len(self._runtimes_of_threads()) < 2:
            return {}
        found: Dict[int, List[Ref]] = {}
        for record in self._thread_records().values():
            ref = Ref(record[1], record[2])
            if record[3] and self._ref_of_thread(ref, "region") is not None:
                found.setdefault(record[3], []).append(ref)
        return {lwp: some for lwp, some in found.items() if len(some) > 1}

    def wait_times(self) -> WaitTimes:
        since, last = _AT["wait_since"], _AT["last_wait"]
        records = self._thread_records().values()
        return WaitTimes({r[3]: r[since] for r in records if r[since] and r[3]},
                         max((r[last] for r in records), default=0) or None)

    @staticmethod
    def _correct(facts: Dict[str, Any], known: int, state: int, level: int) -> None:
        """Takes back what is not known, and adds what follows from the state."""
        for name in ("lwp", "codeptr"):
            if not known & _HAS[name]:
                del facts[name]
        if not known & _HAS["thread_num"]:
            del facts["number"]
        if not known & _HAS["state"] or state == abi5.STATE["wait_lock"]:
            del facts["state"], facts["wait_id"]
        elif facts["state"] is None:
            facts["state"] = standard5.state_name(state)
        elif facts["state"] == "idle":
            facts["level"] = facts["region"] = facts["task"] = None
        if known & _HAS["level"] and level == 0:
            facts["region"] = None

    def _thread_record(self, thread: Ref) -> Optional[ThreadRecord]:
        if self._by_id is None and thread.id in self._lone:
            return self._lone[thread.id]
        return self._thread_records().get(thread.id)

    def _of_thread(self, thread: Ref, name: str) -> Optional[int]:
        record = self._thread_record(thread)
        if record is None or not record[0] & _HAS[name]:
            return None
        return record[_AT[name]]

    def _ref_of_thread(self, thread: Ref, name: str) -> Optional[Ref]:
        record, at = self._thread_record(thread), _AT[name]
        if record is None or not record[0] & _HAS[name] or not record[at]:
            return None
        return Ref(record[at], record[at + 1])

    def lwp(self, thread: Ref) -> int:
        lwp = self._of_thread(thread, "lwp")
        return super().lwp(thread) if lwp is None else lwp

    def pthread(self, thread: Ref) -> Optional[int]:
        return self._of_thread(thread, "pthread")

    def codeptr(self, thread: Ref) -> Optional[int]:
        return self._of_thread(thread, "codeptr")

    def frame(self, thread: Ref) -> Optional[int]:
        return self._of_thread(thread, "frame")

    def barrier(self, thread: Ref) -> Optional[str]:
        return BARRIER_KINDS.get(self._of_thread(thread, "barrier"))

    def futexes(self, thread: Ref) -> Optional[Futexes]:
        barrier, dock = (self._of_thread(thread, name) for name in ("barrier_word", "dock_word"))
        record = self._thread_record(thread)
        if record is None or barrier is None and dock is None:
            return None
        return Futexes(barrier, dock, record[_DOCKED])

    def barriers_entered(self, thread: Ref) -> Optional[int]:
        return self._of_thread(thread, "barriers")

    def lock_tests(self, thread: Ref) -> Optional[LockTests]:
        lock, count = (self._of_thread(thread, name) for name in ("tested", "tests"))
        return None if lock is None or count is None else LockTests(
            lock, count, self._of_thread(thread, "tested_since"))

    def target(self, thread: Ref) -> Optional[TargetFacts]:
        name = _TARGETS.get(self._of_thread(thread, "target"))
        codeptr = self._of_thread(thread, "target_codeptr")
        return None if name is None or not codeptr else TargetFacts(
            name, self._of_thread(thread, "target_device"), codeptr,
            self._of_thread(thread, "target_since"))

    def state(self, thread: Ref) -> State:
        state = self._of_thread(thread, "state")
        if state is None:
            return super().state(thread)
        return State(standard5.state_name(state), self._of_thread(thread, "wait_id") or 0)

    def number(self, thread: Ref) -> int:
        number = self._of_thread(thread, "thread_num")
        return super().number(thread) if number is None else number

    def region_of(self, thread: Ref) -> Handle:
        region = self._ref_of_thread(thread, "region")
        if region is not None:
            return region
        if self._of_thread(thread, "level") == 0:
            raise OmpdError("unavailable", "ompd_ext_get_threads")
        return super().region_of(thread)

    def task_of(self, thread: Ref) -> Handle:
        task = self._ref_of_thread(thread, "task")
        return super().task_of(thread) if task is None else task

    def _runtimes_of_threads(self) -> Set[int]:
        """The numbers of runtimes that threads are known to be of."""
        return {record[_AT["runtime"]] for record in self._thread_records().values()
                if record[0] & _HAS["runtime"]}
