# SPDX-License-Identifier: MIT
"""The OMPD interface of OpenMP 5.x, spoken through ctypes, with our extension to it where
the library has that.

standard5.py asks in the standard's words, extension5.py in bulk.
"""

from __future__ import annotations

from ctypes import POINTER, byref, c_char_p, c_int, c_int64, c_uint64, c_uint8, c_void_p

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.bindings import abi5, callbacks, extension5, held_handles, records5, standard5
from openmp_inspect.bindings.callbacks import Address, FrameInfo
from openmp_inspect.bindings.routines import Routines

if TYPE_CHECKING:
    from typing import Iterator, List, Optional
    from ctypes import CDLL
    from openmp_inspect.bindings.callbacks import Space
    from openmp_inspect.bindings.held_handles import Library

# Versions of the interface, as dates; older libraries speak theirs.
_OLDEST, _NEWEST = 201811, 202411
_OK = abi5.RC["ok"]
_KIND_OF = {number: kind for kind, number in abi5.RC.items()}
_KIND_OF[abi5.RC["device_read_error"]] = "target_read_error"

_MOST_ICVS = 1024  # more names would be nonsense

_READ = (c_void_p, c_void_p, c_void_p, c_uint64, c_void_p)
_CONVERT = (c_void_p, c_void_p, c_uint64, c_uint64, c_void_p)

# Callbacks take pointers as integers: the library may hand in anything.
_SIGNATURES = {
    "alloc_memory": (c_uint64, c_void_p),
    "free_memory": (c_void_p,),
    "print_string": (c_char_p, c_int),
    "sizeof_type": (c_void_p, c_void_p),
    "symbol_addr_lookup": (c_void_p, c_void_p, c_char_p, c_void_p, c_char_p),
    "read_memory": _READ,
    "write_memory": _READ,
    "read_string": _READ,
    "device_to_host": _CONVERT,
    "host_to_device": _CONVERT,
    "get_thread_context_for_thread_id": (c_void_p, c_uint64, c_uint64, c_void_p, c_void_p),
}

# What callbacks.py calls a code that has another name here.
_CODES = dict(abi5.RC, target_read_error=abi5.RC["device_read_error"])

_TABLE = callbacks.table(abi5.CALLBACKS, _SIGNATURES, {
    "alloc_memory": callbacks.allocate,
    "free_memory": callbacks.free,
    "print_string": lambda text, _category: callbacks.print_string(text),
    "sizeof_type": callbacks.sizes_of(c_uint8),
    "symbol_addr_lookup": callbacks.symbol,
    "read_memory": callbacks.read_memory,
    "write_memory": callbacks.refuse,
    "read_string": callbacks.read_string,
    "device_to_host": callbacks.convert,
    "host_to_device": callbacks.convert,
    "get_thread_context_for_thread_id": callbacks.thread_context(abi5.THREAD_ID),
}, _CODES)

_HANDLE = c_void_p
_OUT_HANDLE = POINTER(c_void_p)
_OUT_WORD = POINTER(c_int64)
_OUT_TEXT = POINTER(c_void_p)  # not c_char_p: the pointer itself is needed, to free it
_OUT_INT = POINTER(c_int)

_ROUTINES = {
    "get_api_version": (_OUT_WORD,),
    "get_version_string": (POINTER(c_char_p),),
    "initialize": (c_int64, POINTER(type(_TABLE))),
    "process_initialize": (c_void_p, _OUT_HANDLE),
    "rel_address_space_handle": (_HANDLE,),
    "rel_thread_handle": (_HANDLE,),
    "rel_parallel_handle": (_HANDLE,),
    "rel_task_handle": (_HANDLE,),
    "get_thread_handle": (_HANDLE, c_uint64, c_uint64, c_void_p, _OUT_HANDLE),
    "get_thread_in_parallel": (_HANDLE, c_int, _OUT_HANDLE),
    "get_thread_id": (_HANDLE, c_uint64, c_uint64, c_void_p),
    "get_curr_parallel_handle": (_HANDLE, _OUT_HANDLE),
    "get_enclosing_parallel_handle": (_HANDLE, _OUT_HANDLE),
    "get_task_parallel_handle": (_HANDLE, _OUT_HANDLE),
    "parallel_handle_compare": (_HANDLE, _HANDLE, _OUT_INT),
    "task_handle_compare": (_HANDLE, _HANDLE, _OUT_INT),
    "get_curr_task_handle": (_HANDLE, _OUT_HANDLE),
    "get_generating_task_handle": (_HANDLE, _OUT_HANDLE),
    "get_scheduling_task_handle": (_HANDLE, _OUT_HANDLE),
    "get_task_in_parallel": (_HANDLE, c_int, _OUT_HANDLE),
    "get_task_function": (_HANDLE, POINTER(Address)),
    "get_task_frame": (_HANDLE, POINTER(FrameInfo), POINTER(FrameInfo)),
    "get_state": (_HANDLE, _OUT_WORD, POINTER(c_uint64)),
    "get_display_control_vars": (_HANDLE, POINTER(POINTER(c_char_p))),
    "rel_display_control_vars": (POINTER(POINTER(c_char_p)),),
    "enumerate_icvs": (_HANDLE, c_uint64, POINTER(c_uint64), _OUT_TEXT, _OUT_INT, _OUT_INT),
    "get_icv_from_scope": (_HANDLE, c_int, c_uint64, _OUT_WORD),
    "get_icv_string_from_scope": (_HANDLE, c_int, c_uint64, _OUT_TEXT),
}


class Dialect5(Routines):
    def __init__(self, handle: CDLL) -> None:
        super().__init__(handle, _ROUTINES, _KIND_OF)
        self.version = 0
        try:
            self._add(records5.ROUTINES)
            self.extended = True
        except AttributeError:
            debug.ignored()
            self.extended = False

    def begins(self) -> bool:
        version = c_int64()
        if self.get_api_version(byref(version)) != _OK or version.value < _OLDEST:
            return False
        self.version = min(version.value, _NEWEST)
        return self.initialize(self.version, byref(_TABLE)) == _OK

    @property
    def name(self) -> str:
        text = "OMPD of OpenMP 5.x (%d)" % self.version
        return text + ", extended" if self.extended else text

    @property
    def rank(self) -> int:
        """How much it knows: of two libraries for a program the higher one is taken."""
        return 2 if self.extended else 0

    def open(self, space: Space, library: Library) -> Session5:
        return Session5(self, space, library)


class Session5(held_handles.ProcessSession):
    release_routine = "rel_address_space_handle"
    dialect: Dialect5

    def __init__(self, dialect: Dialect5, space: Space, library: Library) -> None:
        super().__init__(dialect, space, library)
        self._of = space
        self.recorded = False  # once it is so it stays so
        self._icvs: Optional[List[standard5.IcvEntry]] = None

    @property
    def icvs(self) -> List[standard5.IcvEntry]:
        """A standard5.IcvEntry of each control variable that the library knows."""
        if self._icvs is None:
            self._icvs = list(self._enumerate())
        return self._icvs

    def _enumerate(self) -> Iterator[standard5.IcvEntry]:
        current, more = 0, c_int(1)
        for _ in range(_MOST_ICVS):
            if not more.value:
                return
            following, name, scope = c_uint64(), c_void_p(), c_int()
            self.dialect.call("enumerate_icvs", self.handle, current, byref(following),
                              byref(name), byref(scope), byref(more))
            current = following.value
            yield standard5.IcvEntry(current, callbacks.take_text(name), scope.value)

    def query(self) -> standard5.StandardQuery:
        if self.dialect.extended:
            self.dialect.call("ext_set_stop", self.handle, self._of.stop)
            return extension5.ExtensionQuery(self)
        return standard5.StandardQuery(self)
