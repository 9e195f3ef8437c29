# SPDX-License-Identifier: MIT
"""What is kept of a process or core between commands.

A Space lives as long as one image of one process or core: its library is chosen and its address
space handle is made by the first command that needs them. Pages live until the process runs or its
memory changes. A debugger follows what happens to its processes, and hands the Space that a command
is about to it. """

from __future__ import annotations

import contextlib
import itertools
import sys

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host.page_cache import PageCache
from openmp_inspect.bindings import callbacks

if TYPE_CHECKING:
    from typing import Callable, Dict, Hashable, Iterator, List, Optional, Protocol, TypeVar
    from openmp_inspect.host.interface import Process
    from openmp_inspect.bindings.callbacks import Natives
    from openmp_inspect.bindings.held_handles import ProcessSession

    class Forgettable(Protocol):
        """What is found out of a process while it is stopped."""

        def forget(self) -> None:
            """Gives back what it has of others, as handles; it is not used any more."""

    Kept = TypeVar("Kept", bound=Forgettable)
    Made = TypeVar("Made")

_tokens = itertools.count(1)
_openers: List[Callable[[Space], ProcessSession]] = []  # one; see open_by()


def open_by(open_session: Callable[[Space], ProcessSession]) -> None:
    """OPEN_SESSION opens a Space in a library; it raises NoLibrary or OmpdError."""
    _openers[:] = [open_session]


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
        self.still = False  # whether all threads are known to be stopped
        self.damaged = False  # callbacks.py: a question about this stop found no end
        self._stops = 1
        self._commands = 0  # that are being carried out, one inside of another
        # By what makes them: until the process runs, and until the command has ended.
        self._kept: Dict[Callable[[Space], Forgettable], Forgettable] = {}
        self._made: Dict[Hashable, object] = {}
        self._outdated: List[Forgettable] = []  # which a command may still use
        self._session: Optional[ProcessSession] = None
        callbacks.register(self)

    @property
    def session(self) -> ProcessSession:
        """The dialect's session on this space. NoLibrary or OmpdError when there is none;
        it is tried again next time, since the program may get there yet."""
        if self._session is None:
            self._session = _openers[0](self)
        return self._session

    @property
    def stop(self) -> int:
        """A number of this stop; 0 while a thread runs."""
        return self._stops if self.still else 0

    def kept(self, make: Callable[[Space], Kept]) -> Kept:
        """What MAKE makes of it: the same object until the process runs, or its memory changes."""
        if make not in self._kept:
            self._kept[make] = make(self)
        found: Kept = self._kept[make]  # type: ignore[assignment]  # it is by its maker
        return found

    def made(self, what: Hashable, make: Callable[[], Made]) -> Made:
        """What MAKE makes under the name of WHAT: the same object until the command ends, where
        there is one."""
        if not self._commands:
            return make()
        if what not in self._made:
            self._made[what] = make()
        found: Made = self._made[what]  # type: ignore[assignment]  # likewise
        return found

    @property
    def is_in_use(self) -> bool:
        """Whether a command is being carried out."""
        return self._commands > 0

    @contextlib.contextmanager
    def in_use(self) -> Iterator[None]:
        """What a command has found out is not given back before its end, whatever happens. Where
        it fails, or is interrupted, nothing of that is kept: errors are facts, too."""
        self._commands += 1
        try:
            yield
        # Ctrl-C, too.
        except BaseException:
            self.give_back()
            raise
        finally:
            self._commands -= 1
            if not self._commands:
                self._made.clear()
                for found in self._outdated:
                    found.forget()
                self._outdated.clear()

    def forget(self) -> None:
        """Drops what may have changed: the program runs, or its memory is written."""
        self.give_back()
        self.still = self.damaged = False
        self._stops += 1
        self.natives.clear()
        self.memory.drop()

    def give_back(self) -> None:
        """Drops what was found out, but not what was read."""
        self._made.clear()
        if self._commands:
            self._outdated += self._kept.values()
        else:
            for found in self._kept.values():
                found.forget()
        self._kept.clear()

    def close(self) -> None:
        self.forget()
        for found in self._outdated:
            found.forget()  # its handles are of the session that is closed next
        self._outdated.clear()
        if self._session is not None:
            self._session.close()
            self._session = None
        callbacks.forget(self)
