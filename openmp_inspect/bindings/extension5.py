# SPDX-License-Identifier: MIT
"""The questions of query.py by our extension of the 5.x interface (ompd-ext.h): all
threads (threads5.py), tasks, locks and barriers in one call each.

What the extension leaves out is asked in the standard's words, which also gives the reason
why it is not known.
"""

from __future__ import annotations

import ctypes
import struct
from ctypes import byref, c_int64, c_void_p
from functools import partial

from openmp_inspect.core import debug
from openmp_inspect.core.cached import optional
from openmp_inspect.core.errors import OmpdError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.bindings import abi5, callbacks, standard5
from openmp_inspect.bindings.query import BarrierFacts, DependenceFacts, DependenceKinds, DeviceFacts, \
    EventFacts, EvidenceLink, LockFacts, MappingFacts, OrderFacts, RuntimeFacts, SumFacts, TaskFacts, \
    Verdicts
from openmp_inspect.bindings.records5 import BARRIER, DEPENDENCE, DEVICE, EVENT, LOCK, MAPPING, \
    ORDER, REGION, RUNTIME, Ref, SCOPES, SIZE, SUM, Structure, TASK, VERDICT, field, new_tuple, \
    quick_ref, reference, words
from openmp_inspect.bindings.threads5 import BARRIER_KINDS, Threads

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Set, Tuple, Union
    from openmp_inspect.bindings.dialect5 import Session5
    from openmp_inspect.bindings.query import Handle
    from openmp_inspect.bindings.records5 import Record, Words

_MADE = 1 << 63  # in ids of objects that no record numbers
_TOOLS = words(abi5.TOOL)

# The facts in which tasks alike differ.
_SERIAL, _NUMBER = (TASK.type._fields.index(name) for name in ("serial", "number"))
_TASK_KINDS: Words = {abi5.TASK_WORD[name]: name for name in ("initial", "implicit", "explicit")}
_TASK_STATES: Words = {abi5.TASK_WORD[name]: name for name in (
    "created", "ready", "waiting", "running", "suspended", "completed", "detached")}
_LOCK_KINDS = words(abi5.LOCK_KIND)
_LOCK_LIVES = words(abi5.LOCK_LIFE)
_DEPEND_KINDS = words(abi5.DEPEND_KIND)
_DEPEND_KINDS[abi5.DEPEND_KIND["out"]] = "inout"
_GENERATORS = words(abi5.GENERATOR)
_RUNTIMES = words(abi5.RUNTIME_KIND)
_RECORDED = words(abi5.RECORDED)
_SHORTFALLS = words(abi5.SHORTFALL)
_DEVICE_STATES = words(abi5.DEVICE_STATE)
# Kind of what is asked, the structure that is filled, the bits of its fields.
_DETAILS = {"team": ("parallel", Structure("team"), abi5.TEAM_BIT),
            "loop": ("thread", Structure("loop"), abi5.LOOP_BIT),
            "stack": ("thread", Structure("stack"), abi5.STACK_BIT)}

# For hot loops; tasks may be many thousands.
_quick_dependence: Callable[[Tuple[Any, ...]], DependenceFacts] = \
    partial(new_tuple, DependenceFacts)


class ExtensionQuery(Threads):
    bulk = True

    def __init__(self, session: Session5) -> None:
        super().__init__(session)
        self._all_tasks: Optional[Dict[int, Tuple[Any, ...]]] = None
        self._all_members: Optional[Dict[Ref, Dict[int, Ref]]] = None
        self._current: Optional[Set[Optional[Ref]]] = None  # tasks of threads
        self._recorded: Optional[bool] = None

    @property
    def recorded(self) -> bool:
        if self._recorded is None:
            out = c_int64(1)
            if not self._session.recorded:
                try:
                    self._call("ext_get_recording", self._space, byref(out))
                except OmpdError as error:
                    if error.kind != "incompatible":
                        raise
                    self.unread, out = error, c_int64(0)
            self._recorded = self._session.recorded = bool(out.value)
        return self._recorded

    def tool(self) -> Optional[str]:
        out = c_int64()
        found = self._answers(standard5.NOT_HELD, "ext_get_tool", self._space, byref(out))
        return _TOOLS.get(out.value) if found else None

    def runtimes(self) -> List[RuntimeFacts]:
        bits = abi5.RUNTIME_BIT
        return [RuntimeFacts(r.number, _RUNTIMES.get(r.kind), _RECORDED.get(r.recorded),
                             field(r, bits, "threads"), field(r, bits, "first_version"),
                             field(r, bits, "last_version"), self._runtime_file(r.number),
                             field(r, bits, "entry"), field(r, bits, "damaged"))
                for r in RUNTIME.all(self._vector("ext_get_runtimes", RUNTIME))]

    def _runtime_file(self, number: int) -> Optional[str]:
        out = c_void_p()
        found = self._answers(standard5.NOT_HELD, "ext_get_runtime_file", self._space, number,
                              byref(out))
        return callbacks.take_path(out.value) if found else None

    def has_several_runtimes(self) -> bool:
        known = self._runtimes_of_threads()
        if known or not self.threads():
            return len(known) > 1
        return sum(bool(one.threads) for one in self.runtimes()) > 1

    def runtime_of(self, thread: Ref) -> Optional[int]:
        found = self._of_thread(thread, "runtime")
        if found is not None:
            return found
        region = self._ref_of_thread(thread, "region")
        return None if region is None else field(self._region(region), abi5.REGION_BIT, "runtime")

    def _numbered(self, ref: Ref, facts: Callable[[Ref], Record], bits: Dict[str, int],
                  routine: str) -> int:
        """The id of the object's record: its own, also when it has ended, or a field's."""
        if self.recorded and not ref.id & _MADE:
            return ref.id
        number = field(facts(ref), bits, "number") if self.recorded else None
        if number is None:
            raise OmpdError("needs_state_tracking", routine)
        return number

    # Regions

    def _region(self, region: Ref) -> Record:
        return self._record("parallel", region, "ext_get_region", REGION)

    def _explicit(self, region: Ref) -> Handle:
        if region.address == 0:
            raise OmpdError("unavailable", "ompd_get_curr_parallel_handle")
        return super()._explicit(region)

    def region_id(self, region: Ref) -> int:
        return self._numbered(region, self._region, abi5.REGION_BIT, "ompd_ext_get_region")

    def size(self, region: Ref) -> int:
        size = field(self._region(region), abi5.REGION_BIT, "num_threads")
        return super().size(region) if size is None else size

    def function(self, region: Ref) -> int:
        function = field(self._region(region), abi5.REGION_BIT, "function")
        return super().function(region) if function is None else function

    def region_codeptr(self, region: Ref) -> Optional[int]:
        return field(self._region(region), abi5.REGION_BIT, "codeptr") or None

    def region_kind(self, region: Ref) -> Optional[str]:
        return _GENERATORS.get(field(self._region(region), abi5.REGION_BIT, "kind"))

    def enclosing(self, region: Ref) -> Handle:
        record = self._region(region)
        enclosing = reference(record, abi5.REGION_BIT, "enclosing")
        if enclosing is not None:
            return enclosing
        if field(record, abi5.REGION_BIT, "level") == 1:
            raise OmpdError("unavailable", "ompd_ext_get_region")
        return super().enclosing(region)

    def master(self, region: Ref) -> Handle:
        master = reference(self._region(region), abi5.REGION_BIT, "master")
        return super().master(region) if master is None else master

    def encountering_task(self, region: Ref) -> Optional[Ref]:
        return reference(self._region(region), abi5.REGION_BIT, "task")

    def encountering_number(self, region: Ref) -> Optional[int]:
        number = field(self._region(region), abi5.REGION_BIT, "master_num")
        if number is not None:
            return number
        task = self.encountering_task(region)
        if task is None:
            return None
        icv = next((number for number, name, _scope in self._session.icvs
                    if name == "thread-num-var"), None)
        return None if icv is None else optional(
            partial(self._icv_of_task, task, icv), *standard5.NOT_HELD, "stale_handle")

    def _icv_of_task(self, task: Ref, icv: int) -> int:
        return self._number("get_icv_from_scope", self._native("task", task), SCOPES["task"], icv)

    def team(self, region: Ref) -> List[Ref]:
        team = self._teams().get(region, {})
        return [team[number] for number in sorted(team)]

    def _teams(self) -> Dict[Ref, Dict[int, Ref]]:
        """Region -> {number: thread}, those included whose innermost region is one inside:
        the encountering thread is still a member of the team around it."""
        if self._all_members is not None:
            return self._all_members
        teams: Dict[Ref, Dict[int, Ref]] = {}
        for thread in self.threads():
            innermost, number = self._ref_of_thread(thread, "region"), \
                self._of_thread(thread, "thread_num")
            if innermost is not None and number is not None:
                teams.setdefault(innermost, {})[number] = thread
        todo = list(teams)
        seen = set(todo)
        for region in todo:
            try:
                around, number = self.enclosing(region), self.encountering_number(region)
                if number is not None:
                    teams.setdefault(around, {}).setdefault(number, self.master(region))
            except OmpdError:
                debug.ignored()
                continue  # there is none around, or it is just ending
            if around not in seen:
                seen.add(around)
                todo.append(around)
        self._all_members = teams
        return teams

    def cancelled(self, region: Ref) -> Optional[bool]:
        found = field(self._region(region), abi5.REGION_BIT, "cancelled")
        return None if found is None else bool(found)

    def parted(self, region: Ref) -> Optional[Tuple[int, int, int]]:
        record = self._region(region)
        number, first, other = (field(record, abi5.REGION_BIT, name)
                                for name in ("parted", "parted_first", "parted_other"))
        return (number, first, other) if number and first and other else None

    def requested(self, region: Ref) -> Optional[int]:
        return field(self._region(region), abi5.REGION_BIT, "requested")

    def details(self, name: str, item: Ref) -> Dict[str, Union[int, str, None]]:
        kind, structure, bits = _DETAILS[name]
        record = optional(partial(self._single, kind, item, "ext_get_" + name, structure),
                          *standard5.NOT_HELD, "stale_handle")
        if record is None:
            return {}
        found = {one: getattr(record, one) for one in bits
                 if field(record, bits, one) is not None}
        if "shortfall" in found:
            found["shortfall"] = _SHORTFALLS.get(found["shortfall"])
        return found

    def history(self, thread: Ref) -> Optional[List[EventFacts]]:
        data = optional(lambda: self._vector("ext_get_history", EVENT,
                                             self._native("thread", thread)),
                        *standard5.NOT_HELD, "unavailable", "stale_handle")
        bits = abi5.EVENT_BIT
        return None if data is None else [
            EventFacts(r.number, field(r, bits, "time"), field(r, bits, "waited"), r.object,
                       r.codeptr, r.kind, field(r, bits, "open")) for r in EVENT.all(data)]

    def sums(self) -> Optional[List[SumFacts]]:
        data = optional(lambda: self._vector("ext_get_sums", SUM), *standard5.NOT_HELD, "unavailable")
        bits = abi5.SUM_BIT
        return None if data is None else [
            SumFacts(r.kind, r.number, r.count, field(r, bits, "time"), field(r, bits, "waited"),
                     field(r, bits, "longest"), field(r, bits, "contended"), field(r, bits, "typical"),
                     r.codeptr, r.region, r.object, bool(r.several), r.holder) for r in SUM.all(data)]

    def forks(self) -> Optional[int]:
        return optional(lambda: self._number("ext_get_forks", self._space), *standard5.NOT_HELD)

    def orders(self) -> Optional[Tuple[Sequence[OrderFacts], bool]]:
        before, self.incomplete = self.incomplete, False
        try:
            data = optional(lambda: self._vector("ext_get_orders", ORDER), *standard5.NOT_HELD, "unavailable")
            return None if data is None else ([
                OrderFacts._make([*r[1:-1], _LOCK_KINDS.get(r.kind, "lock")]) for r in ORDER.all(data)],
                not self.incomplete)
        finally:
            self.incomplete = before

    # Tasks

    def _task(self, task: Ref) -> Record:
        record = (self._all_tasks or {}).get(task.id)
        return self._record("task", task, "ext_get_task", TASK) if record is None else \
            TASK.type._make(record)

    def _task_records(self) -> Dict[int, Tuple[Any, ...]]:
        """The records as plain tuples, by their ids."""
        if self._all_tasks is None:
            data = self._vector("ext_get_tasks", TASK)
            self._all_tasks = {record[2]: record for record in TASK.layout.iter_unpack(data)}
        return self._all_tasks

    def tasks(self) -> List[Ref]:
        return [quick_ref((record[1], record[2])) for record in self._task_records().values()]

    def task_survey(self) -> Iterator[Tuple[Ref, int, TaskFacts]]:
        alike: Dict[Tuple[Any, ...], TaskFacts] = {}
        for number, record in self._task_records().items():
            key = record[:1] + record[3:_SERIAL] + record[_SERIAL + 1:_NUMBER] + record[_NUMBER + 1:]
            facts = alike.get(key)
            if facts is None:
                facts = alike[key] = _task_facts(TASK.type._make(record))
            yield quick_ref((record[1], record[2])), number, facts

    def task_id(self, task: Ref) -> int:
        return self._numbered(task, self._task, abi5.TASK_BIT, "ompd_ext_get_task")

    def task_function(self, task: Ref) -> int:
        function = field(self._task(task), abi5.TASK_BIT, "function")
        if function is None and self.is_implicit(task):
            return super().task_function(task)  # says why it is not known
        if function is None:  # a question for each would read as much again, and find no more
            raise OmpdError("unavailable" if self.recorded else "needs_state_tracking",
                            "ompd_ext_get_task")
        return function

    def level(self, task: Ref) -> int:
        level = field(self._task(task), abi5.TASK_BIT, "level")
        return super().level(task) if level is None else level

    def is_implicit(self, task: Ref) -> bool:
        kind = field(self._task(task), abi5.TASK_BIT, "kind")
        if kind is None:
            return super().is_implicit(task)
        return _TASK_KINDS.get(kind) != "explicit"

    def parent(self, task: Ref) -> Handle:
        parent = reference(self._task(task), abi5.TASK_BIT, "parent")
        return super().parent(task) if parent is None else parent

    def task_facts(self, task: Ref) -> TaskFacts:
        return _task_facts(self._task(task))

    def task_serial(self, task: Ref) -> Optional[int]:
        return field(self._task(task), abi5.TASK_BIT, "serial") or None

    def task_state(self, task: Ref) -> Optional[str]:
        """As the survey of all tasks has it: one alone does not know whether its thread
        runs another, and whether what it waits for is complete."""
        self._task_records()
        record, bits = self._task(task), abi5.TASK_BIT
        state = _TASK_STATES.get(field(record, bits, "state"))
        if state is None or _TASK_KINDS.get(field(record, bits, "kind")) == "implicit":
            if self._current is None:
                self._current = {self._ref_of_thread(t, "task") for t in self.threads()}
            if task in self._current:
                return "running"
            return "suspended" if state == "running" else state
        return state

    def dependences(self) -> List[DependenceFacts]:
        kinds = {(one, other): DependenceKinds(first, second)
                 for one, first in _DEPEND_KINDS.items() for other, second in _DEPEND_KINDS.items()}
        unknown = DependenceKinds("unknown", "unknown")
        return [_quick_dependence((quick_ref((d[1], d[2])), quick_ref((d[3], d[4])), d[5],
                                   kinds.get((d[6], d[7]), unknown)))
                for d in DEPENDENCE.layout.iter_unpack(
                    self._vector("ext_get_dependences", DEPENDENCE))]

    # Locks and barriers

    def locks(self) -> List[LockFacts]:
        vector, count, waiters, waiter_count = c_void_p(), SIZE(), c_void_p(), SIZE()
        size = LOCK.layout.size
        self._complete("ext_get_locks", self._space, size, byref(vector), byref(count),
                       byref(waiters), byref(waiter_count))
        waiting = [Ref._make(pair) for pair in struct.iter_unpack(
            "=QQ", self._bytes(waiters, waiter_count, 16))]
        return [_lock_facts(r, waiting[r.first_waiter:r.first_waiter + r.waiters])
                for r in LOCK.all(self._bytes(vector, count, size))]

    def lock(self, address: int, kind: str) -> LockFacts:
        size = LOCK.layout.size
        data = ctypes.create_string_buffer(size)
        self._complete("ext_get_lock", self._space, address, abi5.LOCK_KIND[kind], size, data)
        return _lock_facts(next(LOCK.all(data.raw)), [])

    def barriers(self) -> List[BarrierFacts]:
        found = []
        for r in BARRIER.all(self._vector("ext_get_barriers", BARRIER)):
            state = field(r, abi5.BARRIER_BIT, "state")
            found.append(BarrierFacts(
                Ref(r.region, r.region_id), field(r, abi5.BARRIER_BIT, "team_size"),
                r.members, r.arrived, None if state is None else standard5.state_name(state),
                BARRIER_KINDS.get(field(r, abi5.BARRIER_BIT, "kind")),
                field(r, abi5.BARRIER_BIT, "codeptr")))
        return found

    # Devices

    def devices(self) -> Tuple[List[DeviceFacts], bool]:
        bits, (data, is_all) = abi5.DEVICE_BIT, self._listed("ext_get_devices", DEVICE)
        return [DeviceFacts(r.number, r.runtime, _DEVICE_STATES.get(field(r, bits, "state")),
                            *(field(r, bits, name) for name in DeviceFacts._fields[3:]))
                for r in DEVICE.all(data)], is_all

    def mappings(self) -> Tuple[List[MappingFacts], bool]:
        bits, (data, is_all) = abi5.MAPPING_BIT, self._listed("ext_get_mappings", MAPPING)
        return [MappingFacts(r.device, r.runtime, r.host, r.bytes,
                             *(field(r, bits, name) for name in MappingFacts._fields[4:]))
                for r in MAPPING.all(data)], is_all

    def _listed(self, routine: str, structure: Structure) -> Tuple[bytes, bool]:
        """Structures, and whether these are all: those of other questions may be, where they are not."""
        before, self.incomplete = self.incomplete, False
        try:
            return self._vector(routine, structure), not self.incomplete
        finally:
            self.incomplete = before

    def verdicts(self, evidence: bytes, count: int, size: int) -> Verdicts:
        return self.judged(self._call, evidence, count, size)

    @classmethod
    def judged(cls, call: Callable[..., None], evidence: bytes, count: int, size: int) -> Verdicts:
        """The same by the CALL of any library that has the extension: no process is asked."""
        vector, found, links, link_count = c_void_p(), SIZE(), c_void_p(), SIZE()
        width = VERDICT.layout.size
        call("ext_get_verdicts", evidence, size, count, width, byref(vector), byref(found),
             byref(links), byref(link_count))
        pairs = struct.iter_unpack("=II", cls._bytes(links, link_count, 8))
        return Verdicts(list(VERDICT.all(cls._bytes(vector, found, width))),
                        list(map(EvidenceLink._make, pairs)))


def _task_facts(record: Record) -> TaskFacts:
    bits = abi5.TASK_BIT
    flags = field(record, bits, "flags")
    return TaskFacts(
        kind=_TASK_KINDS.get(field(record, bits, "kind")),
        state=_TASK_STATES.get(field(record, bits, "state")),
        flags=None if flags is None else frozenset(
            name for name, bit in abi5.TASK_FLAG.items() if flags & bit),
        codeptr=field(record, bits, "codeptr") or None,
        event=field(record, bits, "event") or None,
        dependences=field(record, bits, "dependences"),
        thread=reference(record, bits, "thread"), region=reference(record, bits, "region"),
        parent=reference(record, bits, "parent"),
        scheduling=reference(record, bits, "scheduling"), device=field(record, bits, "device"))


def _lock_facts(record: Record, waiters: Sequence[Ref]) -> LockFacts:
    bits = abi5.LOCK_BIT
    return LockFacts(
        record.address, _LOCK_KINDS.get(field(record, bits, "kind")),
        field(record, bits, "count"), field(record, bits, "codeptr") or None,
        field(record, bits, "frame") or None, _LOCK_LIVES.get(field(record, bits, "life")),
        reference(record, bits, "owner"), reference(record, bits, "owner_task"), waiters)
