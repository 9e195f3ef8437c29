# SPDX-License-Identifier: MIT
"""A query that keeps the library's handles, which both dialects have."""

import ctypes
from ctypes import byref, c_void_p

from gdb_openmp.core import debug
from gdb_openmp.core.errors import OmpdError
from gdb_openmp.bindings import query


class Session:
    """One process or core in one library. A dialect says which routine gives the process back."""

    release_routine = ""

    def __init__(self, dialect, space, library):
        self.dialect = dialect
        self.library = library
        self.byte_order = space.byte_order
        self.handle = c_void_p()
        dialect.call("process_initialize", c_void_p(space.token), byref(self.handle))

    def close(self):
        if self.handle:
            getattr(self.dialect, self.release_routine)(self.handle)
            self.handle = c_void_p()


class Query(query.Query):
    """Keeps every handle it gives out until release(), each by the routine `release_routine`."""

    release_routine = ""

    def __init__(self, session):
        self._session = session
        self._space = session.handle
        self._order = session.byte_order
        self._call = session.dialect.call
        self._dialect = session.dialect
        self._kept = {"thread": [], "parallel": [], "task": []}

    def release(self):
        for kind, handles in self._kept.items():
            routine = getattr(self._dialect, self.release_routine % kind)
            for handle in handles:
                routine(handle)
            handles.clear()

    def _keep(self, kind, address):
        handle = c_void_p(address)
        self._kept[kind].append(handle)
        return handle

    def _answers(self, kinds, routine, *arguments):
        """Whether a routine does not fail with an error of one of these KINDS."""
        try:
            self._call(routine, *arguments)
        except OmpdError as error:
            if error.kind not in kinds:
                raise
            debug.ignored()
            return False
        return True

    def _number(self, routine, *arguments, out=ctypes.c_int64):
        """What a routine stores behind its last argument."""
        found = out()
        self._call(routine, *arguments, byref(found))
        return found.value

    def _os_id(self, routine, thread, kind, size):
        """The number of a thread that a routine stores in the target's byte order."""
        out = (ctypes.c_ubyte * 8)()
        self._call(routine, thread, kind, size, byref(out))
        return int.from_bytes(bytes(out)[:size], self._order)
