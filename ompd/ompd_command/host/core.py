# SPDX-License-Identifier: MIT
"""A core as a Process. Its files are those of this machine, below a directory that the user names
if they were another one's."""

from __future__ import annotations

from openmp_inspect.core import escaped
from openmp_inspect.core.cached import fact
from openmp_inspect.core.errors import UserError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import fatal_signal, interface
from openmp_inspect.host.core_file import CoreFile
from openmp_inspect.host.kernel_facts import OfNotes
from ompd_command.host import packed_core
from ompd_command.host.frames import Thread
from ompd_command.host.process import Process

if TYPE_CHECKING:
    from typing import Dict, FrozenSet, Iterable, List, Optional, Tuple
    from openmp_inspect.host.images import Images
    from openmp_inspect.host.mappings import Mapping


class CoreProcess(Process):
    """Of the core at PATH; OSError where it cannot be opened. ROOT stands before the names of files.
    PROGRAM: its file, where the core does not say it or it is elsewhere."""

    where = ": -sysroot DIR, or for the program -program FILE, says where it is"

    def __init__(self, path: str, root: str = "", program: Optional[str] = None) -> None:
        self._path, self._stream = path, packed_core.opened(path)
        # Once their first pages, which the core has, were read.
        self._images: Optional[Images] = None
        self._root, self._program = root, program

    def begin(self) -> None:
        self._core = CoreFile(self._path, self._stream)
        self.layout, self.mappings = self._core.machine, self._core.mappings
        self._core.memory.files = self._from_files

    @fact
    def images(self) -> Images:
        self._images = super().find_images()
        return self._images

    def read(self, address: int, size: int) -> bytes:
        return self._core.memory.read(address, size)

    def _from_files(self, address: int, size: int) -> Optional[bytes]:
        mapping = self.mappings.at(address)
        if mapping is None or not mapping.path or self._images is None:
            return None
        return self._images.content(mapping, address, size)

    def registers_of(self, thread: Thread) -> Optional[Dict[str, int]]:
        return self._core.registers.get(thread.lwp)

    def all_threads(self) -> List[Thread]:
        return [Thread(lwp) for lwp in self._core.threads]

    def program_path(self) -> Optional[str]:
        """The file with the code at which it began."""
        found = self.mappings.at(self._core.entry)
        return None if found is None else found.path

    def places_of(self, path: str, mapping: Mapping) -> Iterable[str]:
        if self._program is not None and mapping.path == self.program_path():
            yield self._program
        for name in dict.fromkeys((mapping.path, path)):
            yield self._root + name

    def check_program(self) -> None:
        """UserError where the file that was given as its program is another one."""
        found = self.images.program
        if self._program is not None and found is not None and found.file_path != self._program:
            raise UserError("%s is not the program of this core, %s." % (
                escaped.shown(self._program), escaped.shown(found.path)))

    def unread_file(self, beginnings: Tuple[str, ...]) -> Optional[str]:
        found = super().unread_file(beginnings)
        if found is None or self._core.size == self._core.whole:
            return found
        return "This core is cut short: it has %d bytes of %d." % (self._core.size, self._core.whole)

    @property
    def origin(self) -> str:
        return interface.CORE

    @property
    def pid(self) -> int:
        return self._core.pid

    @property
    def core_file(self) -> Optional[str]:
        return self._core.path

    def times(self, thread: Optional[Thread] = None) -> Optional[interface.Times]:
        found = self._core.process_seconds if thread is None else \
            self._core.seconds.get(thread.lwp)
        return super().times(thread) or (
            None if found is None else interface.Times(found, None, None))

    @property
    def facts(self) -> OfNotes:
        return self._core.facts

    def children(self) -> List[int]:
        return []

    def allowed_processors(self, thread: Optional[Thread] = None) -> Optional[FrozenSet[int]]:
        return self.facts.allowed_processors(None if thread is None else thread.lwp)

    @property
    def selected_number(self) -> Optional[int]:
        return self._core.threads[0] if self._core.threads else None

    def crash(self) -> Optional[interface.Crash]:
        found = self._core.signal
        if found is None or not self.threads():
            return None
        return fatal_signal.crash(self, self.threads()[0][1], found, self.pid)

    def process_of(self, kernel_id: int) -> Optional[int]:
        return None
