# SPDX-License-Identifier: MIT
"""The structures of our extension of the 5.x interface (ompd-ext.h): fetched, decoded and
kept, and the handles of the objects that they name."""

from __future__ import annotations

import ctypes
import functools
import struct
from collections import namedtuple
from ctypes import POINTER, byref, c_int64, c_uint64, c_void_p

from openmp_inspect.core import debug
from openmp_inspect.core.errors import OmpdError
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.bindings import abi5, callbacks, standard5

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterator, Optional, Tuple
    from openmp_inspect.bindings.dialect5 import Session5

    Record = Any  # a named tuple of numbers, with the fields of one of abi5.STRUCTURES
    ThreadRecord = Tuple[int, ...]  # the same of THREAD
    Words = Dict[Optional[int], str]  # the names of numbers


class Ref(NamedTuple):
    """Ids are unique among objects of a kind; one object may have several addresses, the
    ways it was found by."""

    address: int
    id: int

    def __eq__(self, other: Any) -> Any:
        return self.id == other.id

    def __ne__(self, other: Any) -> Any:
        return self.id != other.id

    def __hash__(self) -> int:
        return hash(self.id)


new_tuple: Any = tuple.__new__  # of named tuples, for hot loops
quick_ref: Callable[[Tuple[int, int]], Ref] = functools.partial(new_tuple, Ref)

_OUT = POINTER(c_void_p)
SIZE = c_uint64
OBJECT = c_uint64 * 2

ROUTINES = {
    "ext_get_version": (POINTER(c_int64),),
    "ext_set_stop": (c_void_p, c_uint64),
    "ext_get_tool": (c_void_p, POINTER(c_int64)),
    "ext_get_recording": (c_void_p, POINTER(c_int64)),
    "ext_get_thread_handle": (c_void_p, c_void_p, _OUT),
    "ext_get_parallel_handle": (c_void_p, c_void_p, _OUT),
    "ext_get_task_handle": (c_void_p, c_void_p, _OUT),
    "ext_get_object": (c_void_p, ctypes.c_int, c_void_p),
    "ext_get_threads": (c_void_p, SIZE, _OUT, POINTER(SIZE)),
    "ext_get_thread": (c_void_p, SIZE, c_void_p),
    "ext_get_region": (c_void_p, SIZE, c_void_p),
    "ext_get_tasks": (c_void_p, SIZE, _OUT, POINTER(SIZE)),
    "ext_get_task": (c_void_p, SIZE, c_void_p),
    "ext_get_dependences": (c_void_p, SIZE, _OUT, POINTER(SIZE)),
    "ext_get_locks": (c_void_p, SIZE, _OUT, POINTER(SIZE), _OUT, POINTER(SIZE)),
    "ext_get_lock": (c_void_p, c_uint64, ctypes.c_uint32, SIZE, c_void_p),
    "ext_get_barriers": (c_void_p, SIZE, _OUT, POINTER(SIZE)),
    "ext_get_runtimes": (c_void_p, SIZE, _OUT, POINTER(SIZE)),
    "ext_get_runtime_file": (c_void_p, ctypes.c_uint32, _OUT),
    "ext_get_devices": (c_void_p, SIZE, _OUT, POINTER(SIZE)),
    "ext_get_mappings": (c_void_p, SIZE, _OUT, POINTER(SIZE)),
    "ext_get_team": (c_void_p, SIZE, c_void_p),
    "ext_get_loop": (c_void_p, SIZE, c_void_p),
    "ext_get_stack": (c_void_p, SIZE, c_void_p),
    "ext_get_history": (c_void_p, SIZE, _OUT, POINTER(SIZE)),
    "ext_get_orders": (c_void_p, SIZE, _OUT, POINTER(SIZE)),
    "ext_get_sums": (c_void_p, SIZE, _OUT, POINTER(SIZE)),
    "ext_get_forks": (c_void_p, POINTER(c_int64)),
    "ext_get_verdicts": (ctypes.c_char_p, SIZE, SIZE, SIZE, _OUT, POINTER(SIZE), _OUT,
                         POINTER(SIZE)),
}

_MOST_OBJECTS = 1 << 22  # a larger count from the library would be nonsense


class Structure:
    """Decodes one structure of the extension into tuples with names."""

    def __init__(self, name: str) -> None:
        layout, names = abi5.STRUCTURES[name]
        self.layout = struct.Struct(layout)
        make_type: Any = namedtuple
        self.type = make_type(name.capitalize(), names)

    def all(self, data: bytes) -> Iterator[Record]:
        return map(self.type._make, self.layout.iter_unpack(data))


THREAD = Structure("thread")
REGION = Structure("region")
TASK = Structure("task")
DEPENDENCE = Structure("dependence")
LOCK = Structure("lock")
BARRIER = Structure("barrier")
RUNTIME = Structure("runtime")
DEVICE = Structure("device")
MAPPING = Structure("mapping")
VERDICT = Structure("verdict")
EVENT = Structure("event")
ORDER = Structure("order")
SUM = Structure("sum")

SCOPES = {kind: abi5.SCOPE[kind] for kind in ("thread", "parallel", "task")}


def words(numbers: Dict[str, int]) -> Words:
    """One of the tables of abi5, the other way round."""
    return {number: name for name, number in numbers.items()}


def field(record: Record, bits: Dict[str, int], name: str) -> Optional[int]:
    """A field of a record, or None when its bit is not set."""
    return getattr(record, name) if record.known >> bits[name] & 1 else None


def reference(record: Record, bits: Dict[str, int], name: str) -> Optional[Ref]:
    """The Ref that it has there, likewise."""
    if not record.known >> bits[name] & 1:
        return None
    address = getattr(record, name)
    return Ref(address, getattr(record, name + "_id")) if address else None


class Records(standard5.StandardQuery):
    """What extension5.Query asks with. Handles are Refs here."""

    def __init__(self, session: Session5) -> None:
        super().__init__(session)
        self._made: Dict[Tuple[str, Ref], c_void_p] = {}
        self._records: Dict[str, Dict[Ref, Record]] = {"parallel": {}, "task": {}}

    # Refs and the library's handles

    def _keep(self, kind: str, address: Optional[int]) -> Ref:
        handle = super()._keep(kind, address)
        place = OBJECT()
        self._call("ext_get_object", handle, SCOPES[kind], byref(place))
        ref = Ref(*place)
        self._made[kind, ref] = handle
        return ref

    def _native(self, kind: str, ref: Ref) -> c_void_p:
        handle = self._made.get((kind, ref))
        if handle is None:
            out = c_void_p()
            self._call("ext_get_%s_handle" % kind, self._space, byref(OBJECT(*ref)),
                       byref(out))
            handle = super()._keep(kind, out.value)
            self._made[kind, ref] = handle
        return handle

    def thread_key(self, thread: Ref) -> int:
        return thread.id

    def region_key(self, region: Ref) -> int:
        return region.id

    def task_key(self, task: Ref) -> int:
        return task.id

    # Vectors and single structures

    def _complete(self, routine: str, *arguments: Any) -> None:
        """Calls; what is there is used when it is not all."""
        try:
            self._call(routine, *arguments)
        except OmpdError as error:
            if error.kind != "incomplete":
                raise
            debug.ignored()
            self.incomplete = True

    @staticmethod
    def _bytes(vector: c_void_p, count: c_uint64, size: int) -> bytes:
        try:
            if count.value > _MOST_OBJECTS:
                raise OmpdError("error", "ompd_ext")
            return ctypes.string_at(vector, count.value * size) if vector else b""
        finally:
            callbacks.free(vector)

    def _vector(self, routine: str, structure: Structure, handle: Any = None) -> bytes:
        """Structures of an object with a native HANDLE, or of the process."""
        vector, count = c_void_p(), SIZE()
        size = structure.layout.size
        self._complete(routine, handle or self._space, size, byref(vector), byref(count))
        return self._bytes(vector, count, size)

    def _record(self, kind: str, ref: Ref, routine: str, structure: Structure) -> Record:
        known = self._records[kind]
        if ref not in known:
            known[ref] = self._single(kind, ref, routine, structure)
        return known[ref]

    def _single(self, kind: str, ref: Ref, routine: str, structure: Structure) -> Record:
        size = structure.layout.size
        place = ctypes.create_string_buffer(size)
        self._call(routine, self._native(kind, ref), size, place)
        return structure.type._make(structure.layout.unpack(place.raw))
