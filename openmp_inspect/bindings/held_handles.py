# SPDX-License-Identifier: MIT
"""A query that keeps the library's handles, which both dialects have."""

from __future__ import annotations

import abc
import ctypes
from ctypes import byref, c_void_p

from openmp_inspect.core import debug
from openmp_inspect.core.errors import OmpdError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.bindings import query

if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Protocol, Sequence
    from openmp_inspect.bindings.callbacks import Space
    from openmp_inspect.bindings.query import Handle
    from openmp_inspect.bindings.routines import Routines

    class Library(Protocol):
        """See library.Library."""

        path: str


class ProcessSession(abc.ABC):
    """One process or core in one library. A dialect says which routine gives the process back."""

    release_routine = ""

    def __init__(self, dialect: Routines, space: Space, library: Library) -> None:
        self.dialect = dialect
        self.library = library
        self.process = space.process
        self.handle = c_void_p()
        dialect.call("process_initialize", c_void_p(space.token), byref(self.handle))

    @abc.abstractmethod
    def query(self) -> HandleQuery:
        """A new Query, for one stop."""

    def close(self) -> None:
        """Gives the process back to the library."""
        if self.handle:
            getattr(self.dialect, self.release_routine)(self.handle)
            self.handle = c_void_p()


class HandleQuery(query.Query):
    """Keeps every handle it gives out until release(), each by the routine `release_routine`."""

    release_routine = ""

    def __init__(self, session: ProcessSession) -> None:
        self._session = session
        self._space = session.handle
        self._order = session.process.byte_order
        self._call = session.dialect.call
        self._dialect = session.dialect
        self._kept: Dict[str, List[c_void_p]] = {"thread": [], "parallel": [], "task": []}

    def release(self) -> None:
        for kind, handles in self._kept.items():
            routine = getattr(self._dialect, self.release_routine % kind)
            for handle in handles:
                routine(handle)
            handles.clear()

    def _keep(self, kind: str, address: Optional[int]) -> Handle:
        """The handle at an ADDRESS, of a thing of this KIND, which release() gives back."""
        handle = c_void_p(address)
        self._kept[kind].append(handle)
        return handle

    def _answers(self, kinds: Sequence[str], routine: str, *arguments: Any) -> bool:
        """Whether a routine does not fail with an error of one of these KINDS."""
        try:
            self._call(routine, *arguments)
        except OmpdError as error:
            if error.kind not in kinds:
                raise
            debug.ignored()
            return False
        return True

    def _new(self, kind: str, routine: str, *arguments: Any) -> Handle:
        """_keep() of the handle that a routine stores behind its last argument."""
        out = c_void_p()
        self._call(routine, *arguments, byref(out))
        return self._keep(kind, out.value)

    def _number(self, routine: str, *arguments: Any, out: Any = ctypes.c_int64) -> int:
        """What a routine stores behind its last argument, which is of the type OUT."""
        found = out()
        self._call(routine, *arguments, byref(found))
        number: int = found.value
        return number

    def _os_id(self, routine: str, thread: Handle, kind: int, size: int) -> int:
        """The number of a thread that a routine stores in the target's byte order."""
        out = (ctypes.c_ubyte * 8)()
        self._call(routine, thread, kind, size, byref(out))
        return int.from_bytes(bytes(out)[:size], self._order)
