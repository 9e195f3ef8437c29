# SPDX-License-Identifier: MIT
"""The questions of model.py by our extension of the 5.x interface (ompd-ext.h): all
threads, tasks, locks and barriers in one call each.

Handles here are Refs, the address and id of an object. What the extension leaves out is
asked in the standard's words, which also gives the reason why it is not known.
"""

import ctypes
import functools
import struct
from collections import namedtuple
from ctypes import POINTER, byref, c_int64, c_uint64, c_void_p

from ompd import abi5, callbacks, standard5
from ompd.errors import OmpdError
from ompd.query import BarrierFacts, LockFacts, TaskFacts



class Ref(namedtuple("Ref", "address id")):
    """Ids are unique among objects of a kind; one object may have several addresses, the
    ways it was found by."""

    __slots__ = ()

    def __eq__(self, other):
        return self.id == other.id

    def __ne__(self, other):
        return self.id != other.id

    def __hash__(self):
        return hash(self.id)


_ref_of = functools.partial(tuple.__new__, Ref)  # for hot loops

_OUT = POINTER(c_void_p)
_SIZE = c_uint64
_OBJECT = c_uint64 * 2

ROUTINES = {
    "ext_get_version": (POINTER(c_int64),),
    "ext_get_tool": (c_void_p, POINTER(c_int64)),
    "ext_get_recording": (c_void_p, POINTER(c_int64)),
    "ext_get_thread_handle": (c_void_p, c_void_p, _OUT),
    "ext_get_parallel_handle": (c_void_p, c_void_p, _OUT),
    "ext_get_task_handle": (c_void_p, c_void_p, _OUT),
    "ext_get_object": (c_void_p, ctypes.c_int, c_void_p),
    "ext_get_threads": (c_void_p, _SIZE, _OUT, POINTER(_SIZE)),
    "ext_get_thread": (c_void_p, _SIZE, c_void_p),
    "ext_get_region": (c_void_p, _SIZE, c_void_p),
    "ext_get_tasks": (c_void_p, _SIZE, _OUT, POINTER(_SIZE)),
    "ext_get_task": (c_void_p, _SIZE, c_void_p),
    "ext_get_dependences": (c_void_p, _SIZE, _OUT, POINTER(_SIZE)),
    "ext_get_locks": (c_void_p, _SIZE, _OUT, POINTER(_SIZE), _OUT, POINTER(_SIZE)),
    "ext_get_barriers": (c_void_p, _SIZE, _OUT, POINTER(_SIZE)),
}

_TOOLS = {number: name for name, number in abi5.TOOL.items()}
_MOST_OBJECTS = 1 << 22  # a larger count from the library would be nonsense


class _Structure:
    """Decodes one structure of the extension into tuples with names."""

    def __init__(self, name):
        layout, names = abi5.STRUCTURES[name]
        self.layout = struct.Struct(layout)
        self.type = namedtuple(name.capitalize(), names)

    def all(self, data):
        return map(self.type._make, self.layout.iter_unpack(data))


_THREAD = _Structure("thread")
# Of a thread's fields: the bit that says that one is known, and where it stands.
_HAS = {name: 1 << bit for name, bit in abi5.THREAD_BIT.items()}
_MOST = sum(_HAS[name] for name in ("lwp", "state", "thread_num", "level", "codeptr"))
_SPECIAL = (None, "wait_lock", "idle")  # states that say more, or less, than most
_REGION_KNOWN = _HAS["region"]
_STATES = {number: name for name, number in abi5.STATE.items()}
_AT = {name: _THREAD.type._fields.index(name) for name in _HAS}
_REGION = _Structure("region")
_TASK = _Structure("task")
_DEPENDENCE = _Structure("dependence")
_LOCK = _Structure("lock")
_BARRIER = _Structure("barrier")

_TASK_KINDS = {abi5.TASK_WORD[name]: name for name in ("initial", "implicit", "explicit")}
_TASK_STATES = {abi5.TASK_WORD[name]: name for name in (
    "created", "ready", "waiting", "running", "suspended", "completed", "detached")}
_LOCK_KINDS = {number: name for name, number in abi5.LOCK_KIND.items()}
_DEPEND_KINDS = {number: name for name, number in abi5.DEPEND_KIND.items()}
_DEPEND_KINDS[abi5.DEPEND_KIND["out"]] = "inout"
_GENERATORS = {number: name for name, number in abi5.GENERATOR.items()}

_SCOPES = {kind: abi5.SCOPE[kind] for kind in ("thread", "parallel", "task")}


def _known(record, bits, name):
    """A field of a record, or None when its bit is not set."""
    return getattr(record, name) if record.known >> bits[name] & 1 else None


def _ref(record, bits, name):
    if not record.known >> bits[name] & 1:
        return None
    address = getattr(record, name)
    return Ref(address, getattr(record, name + "_id")) if address else None


class Query(standard5.Query):
    bulk = True

    def __init__(self, session):
        super().__init__(session)
        self._made = {}
        self._lone = {}  # records of threads that were asked for by themselves
        self._records = {"thread": None, "parallel": {}, "task": {}}
        self._all_tasks = None
        self._all_members = None
        self._current = None
        self._recorded = None

    # Refs and the library's handles

    def _keep(self, kind, address):
        handle = super()._keep(kind, address)
        place = _OBJECT()
        self._call("ext_get_object", handle, _SCOPES[kind], byref(place))
        ref = Ref(*place)
        self._made[kind, ref] = handle
        return ref

    def _native(self, kind, ref):
        handle = self._made.get((kind, ref))
        if handle is None:
            out = c_void_p()
            self._call("ext_get_%s_handle" % kind, self._space, byref(_OBJECT(*ref)),
                       byref(out))
            handle = super()._keep(kind, out.value)
            self._made[kind, ref] = handle
        return handle

    @property
    def recorded(self):
        if self._recorded is None:
            out = c_int64(1)
            if not self._session.recorded:
                self._call("ext_get_recording", self._space, byref(out))
            self._recorded = self._session.recorded = bool(out.value)
        return self._recorded

    def tool(self):
        out = c_int64()
        try:
            self._call("ext_get_tool", self._space, byref(out))
        except OmpdError as error:
            if error.kind not in standard5.NOT_HELD:
                raise
            return None
        return _TOOLS.get(out.value)

    def thread_key(self, thread):
        return thread.id

    def region_key(self, region):
        return region.id

    def task_key(self, task):
        return task.id

    # Vectors and single structures

    def _complete(self, routine, *arguments):
        """Calls; what is there is used when it is not all."""
        try:
            self._call(routine, *arguments)
        except OmpdError as error:
            if error.kind != "incomplete":
                raise
            self.incomplete = True

    def _bytes(self, vector, count, size):
        try:
            if count.value > _MOST_OBJECTS:
                raise OmpdError("error", "ompd_ext")
            return ctypes.string_at(vector, count.value * size) if vector else b""
        finally:
            callbacks.free(vector)

    def _vector(self, routine, structure):
        vector, count = c_void_p(), _SIZE()
        size = structure.layout.size
        self._complete(routine, self._space, size, byref(vector), byref(count))
        return self._bytes(vector, count, size)

    def _record(self, kind, ref, routine, structure):
        known = self._records[kind]
        if ref not in known:
            known[ref] = self._single(kind, ref, routine, structure)
        return known[ref]

    def _single(self, kind, ref, routine, structure):
        size = structure.layout.size
        place = ctypes.create_string_buffer(size)
        self._call(routine, self._native(kind, ref), size, place)
        return structure.type._make(structure.layout.unpack(place.raw))

    # Threads. There may be thousands: their records stay plain tuples.

    def threads(self):
        return [Ref(record[1], record[2]) for record in self._thread_records().values()]

    def thread_of(self, lwp):
        thread = super().thread_of(lwp)
        if thread is not None and self._records["thread"] is None:
            self._lone[thread.id] = self._single("thread", thread, "ext_get_thread", _THREAD)
        return thread

    def tracking(self):
        try:
            self._thread_records()
        except OmpdError as error:
            if error.kind == "needs_state_tracking":
                return False
            raise
        return True

    def _thread_records(self):
        if self._records["thread"] is None:
            data = self._vector("ext_get_threads", _THREAD)
            self._records["thread"] = {
                record[2]: record for record in _THREAD.layout.iter_unpack(data)}
        return self._records["thread"]

    def thread_facts(self):
        regions = {}
        for record in self._thread_records().values():
            (known, address, number, lwp, _pthread, state, thread_num, _size, level, wait,
             codeptr, _frame, region, region_id, _task, _task_id) = record
            name = _STATES.get(state)
            facts = {"lwp": lwp, "codeptr": codeptr, "number": thread_num, "wait_id": wait,
                     "state": name}
            if known & _MOST != _MOST or name in _SPECIAL or level == 0:
                self._correct(facts, known, state, level)
            if known & _REGION_KNOWN and region:
                if region_id not in regions:
                    regions[region_id] = Ref(region, region_id)
                facts["region"] = regions[region_id]
            yield _ref_of((address, number)), number, facts

    def kinds(self):
        return {r[3] or None: ((r[5], r[8], r[9], r[10], r[13]) if r[0] & _MOST == _MOST
                               else None, r[6], _ref_of((r[1], r[2])))
                for r in self._thread_records().values()}

    @staticmethod
    def _correct(facts, known, state, level):
        """Takes back what is not known, and adds what the state tells."""
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

    def _thread_record(self, thread):
        if self._records["thread"] is None and thread.id in self._lone:
            return self._lone[thread.id]
        return self._thread_records().get(thread.id)

    def _of_thread(self, thread, name):
        record = self._thread_record(thread)
        if record is None or not record[0] & _HAS[name]:
            return None
        return record[_AT[name]]

    def _ref_of_thread(self, thread, name):
        address = self._of_thread(thread, name)
        if not address:
            return None
        return Ref(address, self._thread_record(thread)[_AT[name] + 1])

    def lwp(self, thread):
        lwp = self._of_thread(thread, "lwp")
        return super().lwp(thread) if lwp is None else lwp

    def pthread(self, thread):
        return self._of_thread(thread, "pthread")

    def codeptr(self, thread):
        return self._of_thread(thread, "codeptr")

    def frame(self, thread):
        return self._of_thread(thread, "frame")

    def team_size(self, thread):
        return self._of_thread(thread, "team_size")

    def thread_level(self, thread):
        return self._of_thread(thread, "level")

    def state(self, thread):
        state = self._of_thread(thread, "state")
        if state is None:
            return super().state(thread)
        return standard5.state_name(state), self._of_thread(thread, "wait_id") or 0

    def number(self, thread):
        number = self._of_thread(thread, "thread_num")
        return super().number(thread) if number is None else number

    def region_of(self, thread):
        region = self._ref_of_thread(thread, "region")
        if region is not None:
            return region
        if self._of_thread(thread, "level") == 0:
            raise OmpdError("unavailable", "ompd_ext_get_threads")
        return super().region_of(thread)

    def task_of(self, thread):
        task = self._ref_of_thread(thread, "task")
        return super().task_of(thread) if task is None else task

    # Regions

    def _region(self, region):
        return self._record("parallel", region, "ext_get_region", _REGION)

    def _explicit(self, region):
        if region.address == 0:
            raise OmpdError("unavailable", "ompd_get_curr_parallel_handle")
        return super()._explicit(region)

    def region_id(self, region):
        if not self.recorded:
            raise OmpdError("needs_state_tracking", "ompd_ext_get_region")
        return region.id

    def size(self, region):
        size = _known(self._region(region), abi5.REGION_BIT, "num_threads")
        return super().size(region) if size is None else size

    def function(self, region):
        function = _known(self._region(region), abi5.REGION_BIT, "function")
        return super().function(region) if function is None else function

    def region_codeptr(self, region):
        return _known(self._region(region), abi5.REGION_BIT, "codeptr") or None

    def region_kind(self, region):
        return _GENERATORS.get(_known(self._region(region), abi5.REGION_BIT, "kind"))

    def enclosing(self, region):
        record = self._region(region)
        enclosing = _ref(record, abi5.REGION_BIT, "enclosing")
        if enclosing is not None:
            return enclosing
        if _known(record, abi5.REGION_BIT, "level") == 1:
            raise OmpdError("unavailable", "ompd_ext_get_region")
        return super().enclosing(region)

    def master(self, region):
        master = _ref(self._region(region), abi5.REGION_BIT, "master")
        return super().master(region) if master is None else master

    def encountering_task(self, region):
        return _ref(self._region(region), abi5.REGION_BIT, "task")

    def encountering_number(self, region):
        task = self.encountering_task(region)
        if task is None:
            return None
        for number, name, _scope in self._session.icvs:
            if name == "thread-num-var":
                out = c_int64()
                try:
                    self._call("get_icv_from_scope", self._native("task", task),
                               _SCOPES["task"], number, byref(out))
                except OmpdError as error:
                    if error.kind not in standard5.NOT_HELD + ("stale_handle",):
                        raise
                    return None
                return out.value
        return None

    def team(self, region):
        team = self._teams().get(region, {})
        return [team[number] for number in sorted(team)]

    def _teams(self):
        """Region -> {number: thread}, those included whose innermost region is one inside:
        the thread that met a construct is still a member of the team around it."""
        if self._all_members is not None:
            return self._all_members
        teams = {}
        for thread in self.threads():
            region, number = self._ref_of_thread(thread, "region"), \
                self._of_thread(thread, "thread_num")
            if region is not None and number is not None:
                teams.setdefault(region, {})[number] = thread
        todo = list(teams)
        seen = set(todo)
        for region in todo:
            try:
                around, number = self.enclosing(region), self.encountering_number(region)
                if number is not None:
                    teams.setdefault(around, {}).setdefault(number, self.master(region))
            except OmpdError:
                continue  # there is none around, or it is just ending
            if around not in seen:
                seen.add(around)
                todo.append(around)
        self._all_members = teams
        return teams

    # Tasks

    def _task(self, task):
        return self._record("task", task, "ext_get_task", _TASK)

    def tasks(self):
        if self._all_tasks is None:
            found = {Ref(record.task, record.task_id): record
                     for record in _TASK.all(self._vector("ext_get_tasks", _TASK))}
            self._records["task"].update(found)
            self._all_tasks = list(found)
        return self._all_tasks

    def task_id(self, task):
        if not self.recorded:
            raise OmpdError("needs_state_tracking", "ompd_ext_get_task")
        return task.id

    def task_function(self, task):
        function = _known(self._task(task), abi5.TASK_BIT, "function")
        return function or super().task_function(task)

    def level(self, task):
        level = _known(self._task(task), abi5.TASK_BIT, "level")
        return super().level(task) if level is None else level

    def is_implicit(self, task):
        kind = _known(self._task(task), abi5.TASK_BIT, "kind")
        if kind is None:
            return super().is_implicit(task)
        return _TASK_KINDS.get(kind) != "explicit"

    def parent(self, task):
        parent = _ref(self._task(task), abi5.TASK_BIT, "parent")
        return super().parent(task) if parent is None else parent

    def task_facts(self, task):
        record, bits = self._task(task), abi5.TASK_BIT
        flags = _known(record, bits, "flags")
        return TaskFacts(
            kind=_TASK_KINDS.get(_known(record, bits, "kind")),
            state=_TASK_STATES.get(_known(record, bits, "state")),
            flags=None if flags is None else frozenset(
                name for name, bit in abi5.TASK_FLAG.items() if flags & bit),
            codeptr=_known(record, bits, "codeptr") or None,
            serial=_known(record, bits, "serial") or None,
            event=_known(record, bits, "event") or None,
            dependences=_known(record, bits, "dependences"),
            thread=_ref(record, bits, "thread"), region=_ref(record, bits, "region"),
            parent=_ref(record, bits, "parent"),
            scheduling=_ref(record, bits, "scheduling"))

    def task_state(self, task):
        """As the survey of all tasks tells it: one alone does not know whether its thread
        runs another, and whether what it waits for is complete."""
        self.tasks()
        facts = self.task_facts(task)
        if facts.kind == "implicit" or facts.state is None:
            if self._current is None:
                self._current = {self._ref_of_thread(t, "task") for t in self.threads()}
            if task in self._current:
                return "running"
            return "suspended" if facts.state == "running" else facts.state
        return facts.state

    def dependences(self):
        return [(Ref(d.predecessor, d.predecessor_id), Ref(d.successor, d.successor_id),
                 d.address, (_DEPEND_KINDS.get(d.predecessor_kind, "unknown"),
                             _DEPEND_KINDS.get(d.successor_kind, "unknown")))
                for d in _DEPENDENCE.all(self._vector("ext_get_dependences", _DEPENDENCE))]

    # Locks and barriers

    def locks(self):
        vector, count, waiters, waiter_count = c_void_p(), _SIZE(), c_void_p(), _SIZE()
        size = _LOCK.layout.size
        self._complete("ext_get_locks", self._space, size, byref(vector), byref(count),
                       byref(waiters), byref(waiter_count))
        waiting = [Ref._make(pair) for pair in struct.iter_unpack(
            "=QQ", self._bytes(waiters, waiter_count, 16))]
        bits = abi5.LOCK_BIT
        return [LockFacts(
            r.address, _LOCK_KINDS.get(_known(r, bits, "kind")), _known(r, bits, "count"),
            _known(r, bits, "codeptr") or None, _ref(r, bits, "owner"),
            _ref(r, bits, "owner_task"), waiting[r.first_waiter:r.first_waiter + r.waiters])
            for r in _LOCK.all(self._bytes(vector, count, size))]

    def barriers(self):
        found = []
        for r in _BARRIER.all(self._vector("ext_get_barriers", _BARRIER)):
            state = _known(r, abi5.BARRIER_BIT, "state")
            found.append(BarrierFacts(
                Ref(r.region, r.region_id), _known(r, abi5.BARRIER_BIT, "team_size"),
                r.members, r.arrived, None if state is None else standard5.state_name(state)))
        return found
