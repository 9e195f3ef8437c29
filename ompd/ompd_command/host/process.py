# SPDX-License-Identifier: MIT
"""A process that is stopped, or a core, for what asks by way of openmp_inspect/host/interface.py.
What both are is here; live.py and core.py say where memory, threads and files are from."""

from __future__ import annotations

import contextlib
import os
import struct

from openmp_inspect.core import caches, debug, elf, escaped, regular_file, unwind_table
from openmp_inspect.core.cached import fact
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface, system_calls
from openmp_inspect.host.page_cache import PageCache
from ompd_command.host import dwfl, linkage_table, thread_local, unwinder
from ompd_command.host.debug_information import DebugInformation
from ompd_command.host.frames import Frame, Thread
from ompd_command.host.images import Images, VDSO
from ompd_command.host.unwind_rules import UnwindRules

if TYPE_CHECKING:
    from typing import BinaryIO, Collection, ContextManager, Dict, Hashable, Iterable, \
        List, Optional, Sequence, Set, Tuple
    from openmp_inspect.core.static_typing import ByteOrder
    from openmp_inspect.host.interface import Definition, ImageFile, Line, Sleep, Symbol
    from ompd_command.host.images import Image
    from ompd_command.host.machine import Machine
    from ompd_command.host.mappings import Mapping, Mappings

_SIZES = 1, 2, 4, 8, 8, 8  # of C's types, on machines of 64 bits
_MAIN = "main"
_OF_RUNTIMES = "GOMP_parallel", "__kmpc_fork_call"  # functions that are in there
_LIBC = "__libc_start_main"  # a function that is in there
_BITS = (1 << 64) - 1
_OTHER = "%s of this machine is another file than this process has, and no name in it is known%s."
_UNREAD = "%s of this process is not on this machine%s."
_NO_PROGRAM = "The program of this process is not on this machine%s."


class Registers(interface.Registers):
    def __init__(self, process: Process) -> None:
        self._process = process
        self._known: Dict[int, Optional[Sleep]] = {}

    def of(self, thread: Thread) -> Optional[Tuple[int, int]]:
        layout, found = self._process.layout, self._process.registers_of(thread)
        return None if found is None else (found[layout.pc], found[layout.sp])

    def sleep(self, thread: Thread) -> Optional[Sleep]:
        if thread.lwp not in self._known:
            layout, found = self._process.layout, self._process.registers_of(thread)
            self._known[thread.lwp] = None if found is None else system_calls.sleep(
                layout.name, found[layout.call], [found[name] for name in layout.arguments])
        return self._known[thread.lwp]

    def doubt(self) -> None:
        """The frames are made of these registers."""


class Process(interface.Process):
    """Threads are frames.Thread."""

    layout: Machine
    mappings: Mappings
    library = ""  # the path of the OMPD library that the user has chosen
    where = ""  # how the user says where files are, at the end of a sentence

    # What a subclass says.

    def registers_of(self, thread: Thread) -> Optional[Dict[str, int]]:
        """Those of a thread by name; None of one that has not stopped."""
        raise NotImplementedError

    def all_threads(self) -> List[Thread]:
        """In the order of their numbers."""
        raise NotImplementedError

    def places_of(self, path: str, mapping: Mapping) -> Iterable[str]:
        """Where on this machine a mapped file of this name may be."""
        raise NotImplementedError

    def program_path(self) -> Optional[str]:
        raise NotImplementedError

    # What it is

    @property
    def byte_order(self) -> ByteOrder:
        return "little"

    @property
    def sizes(self) -> Sequence[int]:
        return _SIZES

    @property
    def machine(self) -> str:
        return self.layout.name

    # Parts, made when they are needed

    def prepare(self) -> None:
        """Reads what stands in files, so that nothing waits for that later."""
        program = self.images.program
        for image in self.images.all:
            if image.file is not None and (image is program or
                                           any(map(image.file.symbol, _OF_RUNTIMES))):
                image.file.at(0)
        if program is not None:
            self.debug_information.functions_at(program.start)

    def reset(self) -> None:
        """Libraries have come or gone."""
        self.__dict__.pop("_facts", None)
        caches.forget_code()

    def forget(self) -> None:
        """It has run meanwhile."""
        self._pages.drop()
        self.__dict__.get("_facts", {}).pop("_threads", None)

    @fact
    def images(self) -> Images:
        return self.find_images()

    def find_images(self) -> Images:
        return Images(self.mappings, self.read, self.places_of, self.program_path())

    @fact
    def _session(self) -> dwfl.Session:
        return dwfl.Session(self.images.all)

    @fact
    def debug_information(self) -> DebugInformation:
        assert self._session is not None  # makes the images' handles
        return DebugInformation(_Modules(self.images), self.read)

    @fact
    def _unwinder(self) -> unwinder.Unwinder:
        assert self._session is not None
        return unwinder.Unwinder(self.layout, UnwindRules(self.images, self.layout),
                                 self._pages)

    @fact
    def _pages(self) -> PageCache:
        return PageCache(self)

    @fact
    def _thread_local(self) -> thread_local.ThreadLocal:
        return thread_local.ThreadLocal(self.read, self.symbol)

    # Memory

    def is_private(self, address: int) -> bool:
        found = self.mappings.at(address)
        return found is not None and found.is_private

    # Threads

    @fact
    def _threads(self) -> List[Tuple[int, Thread]]:
        found = self.all_threads()
        for thread in found:
            registers = self.registers_of(thread)
            if registers is not None:
                thread.stack = unwinder.Stack(self._unwinder, registers)
        return [(self.kernel_id(thread), thread) for thread in found]

    def threads(self) -> List[Tuple[int, Thread]]:
        return self._threads

    def pthread(self, thread: Thread) -> Optional[int]:
        found = self.registers_of(thread)
        return None if found is None else \
            found.get(self.layout.thread_pointer or "thread_pointer")

    def kernel_id(self, thread: Thread) -> int:
        return thread.lwp

    @property
    def knows_kernel_ids(self) -> bool:
        return True

    def kernel_ids_of_others(self) -> Set[int]:
        return set()

    def shown_id(self, thread: Thread) -> int:
        return thread.lwp

    @property
    def selected_number(self) -> Optional[int]:
        return None

    def are_newest(self, thread: Thread, frames: Sequence[interface.Frame]) -> bool:
        return True  # nobody changes registers

    def newest_frame(self, thread: Thread) -> Optional[Frame]:
        if thread.stack is None:
            return None
        physical = thread.stack.frame(0)
        return None if physical is None else Frame(self, thread.stack, 0, physical, 0)

    def is_outermost(self, frame: Frame) -> bool:
        """Whether a frame is that of main()."""
        image = self.images.at(frame.pc)
        if image is None or not image.is_program:
            return False
        return frame.name == _MAIN

    def registers(self) -> Registers:
        return Registers(self)

    def selection_kept(self) -> ContextManager[None]:
        return contextlib.nullcontext()

    @property
    def unwinding(self) -> Hashable:
        return None

    @property
    def unwinds_past_main(self) -> bool:
        return False

    # The user's choices

    @property
    def chosen_library(self) -> str:
        return self.library

    def is_trusted(self, path: str) -> bool:
        return False

    def writable_data(self, address: int) -> List[Tuple[int, int]]:
        image = self.images.at(address)
        return [] if image is None else [
            (image.bias + one.address, one.memory) for one in image.segments
            if one.type == elf.LOAD and one.writable]

    # Files

    @property
    def code_key(self) -> Hashable:
        return id(self)

    @property
    def program(self) -> Optional[str]:
        found = self.images.program
        return None if found is None else found.path

    def libraries(self) -> List[str]:
        return [image.path for image in self.images.all if image.file is not None and
                not image.path.startswith("[")]

    def image_files(self) -> List[ImageFile]:
        assert self._session is not None
        return [interface.ImageFile(image.path, dwfl.has_debug_file(image.handle))
                for image in self.images.all if image.handle]

    def image_at(self, address: int) -> Optional[str]:
        image = self.images.at(address)
        return None if image is None or image.is_program or image.path == VDSO else image.path

    def code_name(self, address: int) -> str:
        image = self.images.at(address)
        return "%#x" % address if image is None else \
            "%s+%#x" % (os.path.basename(image.mapping.path), address - image.bias)

    def is_mapped(self, address: int) -> bool:
        return self.images.at(address) is not None

    def is_other_file(self, address: int) -> bool:
        image = self.images.at(address)
        return image is not None and image.is_other

    def differing_file(self, files: Optional[Collection[Optional[str]]] = None) -> Optional[str]:
        image = next((one for one in self.images.all if one.is_other and
                      (files is None or (None if one.is_program else one.path) in files)), None)
        return None if image is None else \
            _OTHER % (escaped.shown(os.path.basename(image.path)), self.where)

    def unread_file(self, beginnings: Tuple[str, ...]) -> Optional[str]:
        for image in self.images.all:
            name = os.path.basename(image.path)
            if image.file is None and not image.is_other and name.startswith(beginnings):
                return _UNREAD % (escaped.shown(name), self.where)
        program = self.images.program
        return None if program is not None and program.file else _NO_PROGRAM % self.where

    def opened(self, path: str) -> BinaryIO:
        for image in self.images.all:
            if image.path == path and image.file_path is not None:
                return regular_file.opened(image.file_path)
        raise OSError("not on this machine")

    # Symbols

    def symbol(self, name: str) -> Optional[int]:
        for image in self.images.all:
            found = image.symbol(name)
            if found is not None and not found.is_thread_local:
                return image.address_of(found)
        return None

    def symbol_of_thread(self, thread: Thread, name: str) -> Optional[int]:
        for image in self.images.all:
            found = image.symbol(name)
            if found is None:
                continue
            if not found.is_thread_local:
                return image.address_of(found)
            pthread = self.pthread(thread)
            try:
                base = None if pthread is None else self._thread_local.base(pthread, image.link)
            except HostError:
                debug.ignored()
                base = None
            return None if base is None else base + found.value & _BITS
        return None

    def definitions(self, name: str) -> List[Definition]:
        found = ((image, image.symbol(name)) for image in self.images.all)
        return [interface.Definition(None if image.is_program else image.path,
                                     image.address_of(symbol))
                for image, symbol in found if symbol is not None and symbol.is_function]

    def files_of_symbol(self, name: str) -> Collection[str]:
        return [image.path for image in self.images.all
                if not image.is_program and image.symbol(name) is not None][:1]

    def symbol_at(self, address: int) -> Symbol:
        image = self.images.at(address)
        file = None if image is None else image.file
        if image is None or file is None:
            return interface.Symbol(None, 0)
        found = file.at(address - image.bias)
        if found is not None:
            return interface.Symbol(self.demangled(found.name),
                                    address - image.address_of(found))
        start, slot = linkage_table.slot_of(self.read, address)
        name = None if slot is None else file.slot(slot - image.bias)
        return interface.Symbol(None, 0) if name is None else \
            interface.Symbol(name + "@plt", address - start)

    def variables_from(self, prefix: str) -> Dict[int, str]:
        return {image.address_of(found): found.name for image in self.images.all
                if image.file is not None for found in image.file.variables_from(prefix)}

    def demangled(self, name: str) -> str:
        return self.debug_information.demangled(name) if name.startswith("_Z") else name

    def function_start(self, address: int) -> Optional[int]:
        image = self.images.at(address)
        for segment in image.segments if image is not None else ():
            if segment.type == elf.EH_FRAME_HDR and image is not None:
                try:
                    return unwind_table.function_start(self.read, image.bias + segment.address,
                                                       address)
                except (HostError, struct.error, OverflowError):
                    debug.ignored()
        return None

    def variable_in(self, file: str, name: str) -> Optional[int]:
        for image in self.images.all:
            found = image.symbol(name) if image.path == file else None
            if found is not None:
                return image.address_of(found)
        return None

    # Debug information

    def line_at(self, address: int) -> Line:
        return self.debug_information.line_at(address)

    def functions_at(self, address: int) -> List[interface.Function]:
        return self.debug_information.functions_at(address)

    def variable(self, name: str) -> Optional[interface.Variable]:
        return self.debug_information.variable(name)


class _Modules:
    """As debug_information.py asks for them. libc's dynamic symbols are all the names that anybody
    asks for: its debug information, in a file of its own that is compressed, takes longer to read
    than all else together."""

    def __init__(self, images: Images) -> None:
        self._images = images
        self._libc = next((image for image in images.all if image.symbol(_LIBC) is not None and
                           not image.is_program), None)

    def at(self, address: int) -> Optional[Image]:
        found = self._images.at(address)
        return found if found is not None and found.handle and found is not self._libc else None

    def with_name(self, name: str) -> List[Image]:
        """Those that have a symbol whose name has this one in it."""
        return [image for image in self._images.all
                if image.handle and image.file is not None and image.file.has_name(name)]
