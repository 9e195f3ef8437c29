# SPDX-License-Identifier: MIT
"""What is kept of a process or core between commands.

A Space lives as long as one image of one process or core: its library is chosen and its address
space handle is made by the first command that needs them. Pages live until the process runs or its
memory changes. A debugger follows what happens to its processes, and says which Space commands are
about. """

from __future__ import annotations

import itertools
import sys

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host.page_cache import PageCache
from openmp_inspect.bindings import callbacks

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Hashable, List, Optional
    from openmp_inspect.host.interface import Process
    from openmp_inspect.bindings.callbacks import Natives
    from openmp_inspect.bindings.held_handles import Session

_tokens = itertools.count(1)
_openers: List[Callable[[Space], Session]] = []  # one; see are()
_current: List[Callable[[], Space]] = []  # likewise


def are(find: Callable[[], Space], open_session: Callable[[Space], Session]) -> None:
    """FIND returns the Space that commands are about now. OPEN_SESSION opens one in a library; it
    raises NoLibrary or OmpdError."""
    _current[:] = [find]
    _openers[:] = [open_session]


def current() -> Space:
    return _current[0]()


class Space:
    """A process or core. `identity` is the debugger's key for it: another one is another
    process."""

    def __init__(self, process: Process, identity: Hashable) -> None:
        self.token = next(_tokens)
        self.identity = identity
        self.process = process
        self.memory = PageCache(self.process)
        self.swapped = self.process.byte_order != sys.byteorder
        self.recorded = False  # by the runtime, for debuggers; library_choice.py finds out
        # callbacks.py: of thread-local symbols from the thread pointer.
        self.distances: Dict[str, Dict[int, int]] = {}
        self.natives: Dict[str, Natives] = {}  # callbacks.py: threads, while they are stopped
        self.kept: Any = None  # has forget(): what is kept while the program is stopped
        self.still = False  # whether all threads are known to be stopped
        self.damaged = False  # callbacks.py: a question about this stop found no end
        self._stops = 1
        self._session: Optional[Session] = None
        callbacks.register(self)

    @property
    def session(self) -> Session:
        """The dialect's session on this space. NoLibrary or OmpdError when there is none;
        it is tried again next time, since the program may get there yet."""
        if self._session is None:
            self._session = _openers[0](self)
        return self._session

    @property
    def stop(self) -> int:
        """A number of this stop; 0 while a thread runs."""
        return self._stops if self.still else 0

    def forget(self) -> None:
        """Drops what may have changed: the program runs, or its memory is written."""
        if self.kept is not None:
            self.kept.forget()  # its handles are of a session that may be closed next
            self.kept = None
        self.still = self.damaged = False
        self._stops += 1
        self.natives.clear()
        self.memory.drop()

    def close(self) -> None:
        self.forget()
        if self._session is not None:
            self._session.close()
            self._session = None
        callbacks.forget(self)
