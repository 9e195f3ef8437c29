# SPDX-License-Identifier: MIT
"""What is kept for each inferior between commands, and when it is thrown away.

A Space lives as long as one image of one process or core: its library is chosen and its
address space handle is made by the first command that needs them. Pages live until the
inferior runs or its memory changes.
"""

from __future__ import annotations

import itertools
import sys

import gdb

from openmp_inspect.core import caches
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host.page_cache import PageCache
from openmp_inspect.bindings import callbacks
from gdb_openmp.host import inferiors, parameters, process, thread_ids

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Tuple
    from openmp_inspect.host import interface
    from gdb_openmp.host.gdb_types import GdbEvent, GdbInferior
    from openmp_inspect.bindings.callbacks import Natives
    from openmp_inspect.bindings.held_handles import Session

_tokens = itertools.count(1)
_openers: List[Callable[[Space], Session]] = []  # one; see opened_by()
_spaces: Dict[int, Space] = {}  # by inferior number


class Space:
    def __init__(self, inferior: GdbInferior) -> None:
        self.token = next(_tokens)
        self.number = inferior.num
        self.identity = _identity(inferior)
        self.process: interface.Process = process.Process(inferior)
        self.memory = PageCache(self.process)
        self.swapped = self.process.byte_order != sys.byteorder
        self.recorded = False  # by the runtime, for debuggers; library.py finds out
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


def opened_by(open_session: Callable[[Space], Session]) -> None:
    """Sessions are opened by this function, called with a Space; it raises NoLibrary or
    OmpdError."""
    _openers[:] = [open_session]


def current() -> Space:
    """The Space of the selected inferior."""
    inferior = gdb.selected_inferior()
    space = _spaces.get(inferior.num)
    if space is not None and space.identity != _identity(inferior):
        discard(inferior.num)
        space = None
    if space is None:
        space = _spaces[inferior.num] = Space(inferior)
    if not space.still:
        space.still = not any(thread.is_running() for thread in thread_ids.threads(inferior))
    if not space.still:
        space.forget()  # non-stop: what was read may be old already
    return space


def _identity(inferior: GdbInferior) -> Tuple[int, int, str]:
    return inferior.pid, inferiors.connection_number(inferior), parameters.library()


def discard(number: int) -> None:
    """Forgets what is known of an inferior."""
    space = _spaces.pop(number, None)
    if space is not None:
        space.close()


def _drop_pages(_event: GdbEvent) -> None:
    # Memory may be shared between inferiors (fork, threads of a checkpoint): all of them.
    for space in _spaces.values():
        space.forget()


def _drop_space(event: GdbEvent) -> None:
    caches.forget_code()  # the next process may have it elsewhere
    inferior = getattr(event, "inferior", None)
    if inferior is not None:
        discard(inferior.num)


def _drop_all(_event: GdbEvent) -> None:
    """Libraries came or went (dlopen, exec, another core): symbols are looked up again."""
    caches.forget_code()
    for number in list(_spaces):
        discard(number)


def watch() -> None:
    """Follows gdb's events. Called once."""
    events = gdb.events
    for name, action in (("cont", _drop_pages), ("stop", _drop_pages),
                         ("memory_changed", _drop_pages), ("inferior_call", _drop_pages),
                         ("exited", _drop_space), ("inferior_deleted", _drop_space),
                         ("new_objfile", _drop_all), ("clear_objfiles", _drop_all),
                         ("free_objfile", _drop_all)):
        registry = getattr(events, name, None)
        if registry is not None:
            registry.connect(action)
