# SPDX-License-Identifier: MIT
"""The OMPD interface of the 2015 report, version 2.000, spoken through ctypes.

To add a dialect: begins() recognises a library and initialises it once, open() begins work
on a process, and a session's query() returns a Query2 of its own.
Of two libraries for a program the one whose dialect has the higher rank is taken.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_char_p, c_int, c_int64, c_uint64, c_void_p

from openmp_inspect.core import debug
from openmp_inspect.core.errors import OmpdError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.bindings import abi2, callbacks, held_handles, query
from openmp_inspect.bindings.callbacks import Address
from openmp_inspect.bindings.routines import Routines

if TYPE_CHECKING:
    from typing import List, Optional
    from ctypes import CDLL
    from openmp_inspect.bindings.callbacks import Space
    from openmp_inspect.bindings.held_handles import Library
    from openmp_inspect.bindings.query import Frames, Handle, State

NAME = "OMPD 2.000 (technical report of October 2015)"

_VERSION = 2
_OK = abi2.RC["ok"]
_KIND_OF = {number: kind for kind, number in abi2.RC.items()}
_STATES = {number: name for name, number in abi2.STATE.items()}

# No process has more; a larger count from the library would be nonsense.
_MOST_HANDLES = 1 << 22


# Callbacks take pointers as integers: the library may hand in anything.
_SIGNATURES = {
    "d_alloc_memory": (c_uint64, c_void_p),
    "d_free_memory": (c_void_p,),
    "print_string": (c_char_p,),
    "t_sizeof_prim_type": (c_void_p, c_void_p),
    "t_symbol_addr_lookup": (c_void_p, c_void_p, c_char_p, c_void_p),
    "t_read_memory": (c_void_p, c_void_p, c_void_p, c_int64, c_void_p),
    "t_write_memory": (c_void_p, c_void_p, c_void_p, c_int64, c_void_p),
    "target_to_host": (c_void_p, c_void_p, c_int, c_int, c_void_p),
    "host_to_target": (c_void_p, c_void_p, c_int, c_int, c_void_p),
    "get_thread_context_for_osthread": (c_void_p, c_int, c_uint64, c_void_p, c_void_p),
    "get_address_space_context_for_thread": (c_void_p, c_void_p),
}


_TABLE = callbacks.table(abi2.CALLBACKS, _SIGNATURES, {
    "d_alloc_memory": callbacks.allocate,
    "d_free_memory": callbacks.free,
    "print_string": callbacks.print_string,
    "t_sizeof_prim_type": callbacks.sizes_of(c_int),
    "t_symbol_addr_lookup": callbacks.symbol,
    "t_read_memory": callbacks.read_memory,
    "t_write_memory": callbacks.refuse,
    "target_to_host": callbacks.convert,
    "host_to_target": callbacks.convert,
    "get_thread_context_for_osthread": callbacks.thread_context(abi2.OSTHREAD),
    "get_address_space_context_for_thread": callbacks.refuse,
}, abi2.RC)

_HANDLE = c_void_p
_OUT_HANDLE = POINTER(c_void_p)
_OUT_VECTOR = POINTER(POINTER(c_void_p))
_OUT_WORD = POINTER(c_int64)
_OUT_ID = POINTER(c_uint64)
_OUT_ADDRESS = POINTER(Address)

_ROUTINES = {
    "get_version": (POINTER(c_int),),
    "get_version_string": (POINTER(c_char_p),),
    "initialize": (POINTER(type(_TABLE)),),
    "process_initialize": (c_void_p, _OUT_HANDLE),
    "release_address_space_handle": (_HANDLE,),
    "release_thread_handle": (_HANDLE,),
    "release_parallel_handle": (_HANDLE,),
    "release_task_handle": (_HANDLE,),
    "get_display_control_vars": (_HANDLE, POINTER(c_void_p)),
    "release_display_control_vars": (c_void_p,),
    "get_threads": (_HANDLE, _OUT_VECTOR, POINTER(c_int)),
    "get_thread_in_parallel": (_HANDLE, _OUT_VECTOR, POINTER(c_int)),
    "get_implicit_task_in_parallel": (_HANDLE, _OUT_VECTOR, POINTER(c_int)),
    "get_master_thread_in_parallel": (_HANDLE, _OUT_HANDLE),
    "get_top_parallel_region": (_HANDLE, _OUT_HANDLE),
    "get_enclosing_parallel_handle": (_HANDLE, _OUT_HANDLE),
    "get_top_task_region": (_HANDLE, _OUT_HANDLE),
    "get_ancestor_task_region": (_HANDLE, _OUT_HANDLE),
    "get_thread_handle": (_HANDLE, c_int, c_uint64, c_void_p, _OUT_HANDLE),
    "get_osthread": (_HANDLE, c_int, c_uint64, c_void_p),
    "get_state": (_HANDLE, POINTER(c_int), _OUT_ID),
    "get_thread_num": (_HANDLE, _OUT_WORD),
    "get_parallel_handle_string_id": (_HANDLE, _OUT_HANDLE),
    "get_thread_handle_string_id": (_HANDLE, _OUT_HANDLE),
    "get_task_handle_string_id": (_HANDLE, _OUT_HANDLE),
    "get_parallel_id": (_HANDLE, _OUT_ID),
    "get_num_threads": (_HANDLE, _OUT_WORD),
    "get_parallel_function": (_HANDLE, _OUT_ADDRESS),
    "get_task_id": (_HANDLE, _OUT_ID),
    "get_task_function": (_HANDLE, _OUT_ADDRESS),
    "get_task_frame": (_HANDLE, _OUT_ADDRESS, _OUT_ADDRESS),
    "get_level": (_HANDLE, _OUT_WORD),
    "is_implicit": (_HANDLE, _OUT_WORD),
}


class Dialect2(Routines):
    name = NAME
    rank = 1

    def __init__(self, handle: CDLL) -> None:
        super().__init__(handle, _ROUTINES, _KIND_OF)

    def begins(self) -> bool:
        version = c_int()
        return self.get_version(byref(version)) == _OK and version.value == _VERSION and \
            self.initialize(byref(_TABLE)) == _OK

    def open(self, space: Space, library: Library) -> Session2:
        return Session2(self, space, library)


class Session2(held_handles.ProcessSession):
    release_routine = "release_address_space_handle"

    def query(self) -> Query2:
        return Query2(self)


class Query2(held_handles.HandleQuery):
    release_routine = "release_%s_handle"

    def _vector(self, kind: str, routine: str, of: Handle) -> List[Handle]:
        vector = POINTER(c_void_p)()
        count = c_int()
        self._call(routine, of, byref(vector), byref(count))
        try:
            if not 0 <= count.value <= _MOST_HANDLES:
                raise OmpdError("error", "ompd_" + routine)
            return [self._keep(kind, vector[i]) for i in range(count.value)]
        finally:
            callbacks.free(ctypes.cast(vector, c_void_p))

    def _id(self, routine: str, of: Handle) -> int:
        return self._number(routine, of, out=c_uint64)

    def _address(self, routine: str, of: Handle) -> int:
        out = Address()
        self._call(routine, of, byref(out))
        return out.address

    @property
    def recorded(self) -> bool:
        """Only where there are records the settings of the program are among them."""
        vector = c_void_p()
        try:
            self._call("get_display_control_vars", self._space, byref(vector))
        except OmpdError as error:
            debug.ignored()
            return error.kind != "unsupported"
        self._dialect.release_display_control_vars(vector)
        return True

    def tracking(self) -> bool:
        return self._answers(("needs_state_tracking",), "get_threads", self._space, None,
                             byref(c_int()))

    def threads(self) -> List[Handle]:
        return self._vector("thread", "get_threads", self._space)

    def thread_of(self, lwp: int) -> Optional[Handle]:
        key, out = lwp.to_bytes(8, self._order), c_void_p()
        found = self._answers(("bad_input",), "get_thread_handle", self._space,
                              abi2.OSTHREAD["lwp"], 8, key, byref(out))
        return self._keep("thread", out.value) if found else None

    def lwp(self, thread: Handle) -> int:
        return self._os_id("get_osthread", thread, abi2.OSTHREAD["lwp"], 8)

    def state(self, thread: Handle) -> State:
        state, wait = c_int(), c_uint64()
        self._call("get_state", thread, byref(state), byref(wait))
        return query.State(_STATES.get(state.value, "state %#x" % state.value), wait.value)

    def number(self, thread: Handle) -> int:
        return self._number("get_thread_num", thread)

    def region_of(self, thread: Handle) -> Handle:
        return self._new("parallel", "get_top_parallel_region", thread)

    def task_of(self, thread: Handle) -> Handle:
        return self._new("task", "get_top_task_region", thread)

    def _key(self, kind: str, handle: Handle) -> str:
        text = c_void_p()
        self._call("get_%s_handle_string_id" % kind, handle, byref(text))
        return callbacks.take_text(text)

    def thread_key(self, thread: Handle) -> str:
        return self._key("thread", thread)

    def region_key(self, region: Handle) -> str:
        return self._key("parallel", region)

    def task_key(self, task: Handle) -> str:
        return self._key("task", task)

    def region_id(self, region: Handle) -> int:
        return self._id("get_parallel_id", region)

    def size(self, region: Handle) -> int:
        return self._number("get_num_threads", region)

    def function(self, region: Handle) -> int:
        return self._address("get_parallel_function", region)

    def enclosing(self, region: Handle) -> Handle:
        return self._new("parallel", "get_enclosing_parallel_handle", region)

    def master(self, region: Handle) -> Handle:
        return self._new("thread", "get_master_thread_in_parallel", region)

    def team(self, region: Handle) -> List[Handle]:
        return self._vector("thread", "get_thread_in_parallel", region)

    def implicit_tasks(self, region: Handle) -> List[Handle]:
        return self._vector("task", "get_implicit_task_in_parallel", region)

    def task_id(self, task: Handle) -> int:
        return self._id("get_task_id", task)

    def task_function(self, task: Handle) -> int:
        return self._address("get_task_function", task)

    def frames(self, task: Handle) -> Frames:
        leave, enter = Address(), Address()
        self._call("get_task_frame", task, byref(leave), byref(enter))
        return query.Frames(leave.address, enter.address)

    def parent(self, task: Handle) -> Handle:
        return self._new("task", "get_ancestor_task_region", task)

    def level(self, task: Handle) -> int:
        return self._number("get_level", task)

    def is_implicit(self, task: Handle) -> bool:
        return bool(self._number("is_implicit", task))
