# SPDX-License-Identifier: MIT
"""The files and symbols of a process or core, for hosts that read ELF files themselves."""

from __future__ import annotations

import contextlib
import os
import struct

from openmp_inspect.core import cached, caches, debug, elf, escaped, regular_file, unwind_table
from openmp_inspect.core.cached import fact
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import demangling, interface, linkage_table, thread_local
from openmp_inspect.host.images import Images, VDSO

if TYPE_CHECKING:
    from typing import BinaryIO, Collection, ContextManager, Dict, Hashable, Iterable, List, \
        Optional, Tuple
    from openmp_inspect.core.static_typing import ByteOrder
    from openmp_inspect.host.images import DebugFile, Image
    from openmp_inspect.host.interface import Definition, Symbol, Thread
    from openmp_inspect.host.mappings import Mapping, Mappings

_BITS = (1 << 64) - 1
_OTHER = "%s of this machine is another file than this process has, and no name in it is known%s."
_UNREAD = "%s of this process is not on this machine%s."
_NO_FIRST_PAGES = "This core has no first pages of files, by which they are known: bit 4 of the " \
    "process's coredump_filter was off."
_REPLACED = "This process has just begun to execute another program: look again."
_NO_PROGRAM = "The program of this process is not on this machine%s."


class ElfProcess(interface.Process):
    """One of 64 bits, of a machine that stores the low byte first."""

    mappings: Mappings
    where = ""  # how the user says where files are, at the end of a sentence

    # What a subclass says.

    def places_of(self, path: str, mapping: Mapping) -> Iterable[str]:
        """Where on this machine a mapped file of this name may be."""
        raise NotImplementedError

    def program_path(self) -> Optional[str]:
        raise NotImplementedError

    def debug_file_of(self, image: Image) -> Optional[DebugFile]:
        """The separate debug file of one that has a file; None where there is none."""
        raise NotImplementedError

    # What it is

    @property
    def byte_order(self) -> ByteOrder:
        return "little"

    # Parts, made when they are needed

    def reset(self) -> None:
        """Libraries have come or gone."""
        cached.forget(self)
        caches.forget_code()

    @fact
    def images(self) -> Images:
        return self.find_images()

    def find_images(self) -> Images:
        return Images(self.mappings, self.read, self.places_of, self.program_path(),
                      self.debug_file_of)

    @fact
    def thread_locals(self) -> thread_local.ThreadLocal:
        return thread_local.ThreadLocal(self.read, self.symbol)

    # What a debugger has, and these have not: a selection, and settings of how it unwinds

    def selection_kept(self) -> ContextManager[None]:
        return contextlib.nullcontext()

    @property
    def unwinding(self) -> Hashable:
        return None

    @property
    def unwinds_past_main(self) -> bool:
        return False

    # Memory

    def is_private(self, address: int) -> Optional[bool]:
        found = self.mappings.at(address)
        return None if found is None else found.is_private or self.images.at(address) is not None

    def writable_data(self, address: int) -> List[Tuple[int, int]]:
        image = self.images.at(address)
        return [] if image is None else [
            (image.bias + one.address, one.memory) for one in image.segments
            if one.type == elf.LOAD and one.writable]

    # Files

    @property
    def program(self) -> Optional[str]:
        found = self.images.program
        return None if found is None else found.path

    def libraries(self) -> List[str]:
        return [image.path for image in self.images.all if image.file is not None and
                not image.path.startswith("[")]

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

    def missing_file(self) -> Optional[str]:
        image = next((one for one in self.images.all if one.file is None and
                      not one.is_other and one.path != VDSO), None)
        return None if image is None else \
            _UNREAD % (escaped.shown(os.path.basename(image.path)), self.where)

    def unread_file(self, beginnings: Tuple[str, ...]) -> Optional[str]:
        for image in self.images.all:
            name = os.path.basename(image.path)
            if image.file is None and not image.is_other and name.startswith(beginnings):
                return _UNREAD % (escaped.shown(name), self.where)
        program = self.images.program
        if self.mappings.files and all(image.content is not None for image in self.images.all):
            return _NO_FIRST_PAGES if self.origin == interface.CORE else _REPLACED
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
                base = None if pthread is None else self.thread_locals.base(pthread, image.link)
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
        return demangling.demangled(name) if name.startswith("_Z") else name

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
