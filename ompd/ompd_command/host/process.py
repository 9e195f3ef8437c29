# SPDX-License-Identifier: MIT
"""A process that is stopped, or a core, for what asks by way of openmp_inspect/host/interface.py.
What both are is here; live.py and core.py say where memory, threads and files are from."""

from __future__ import annotations

from openmp_inspect.core import cached
from openmp_inspect.core.cached import fact
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface, stopped_registers
from openmp_inspect.host.elf_process import ElfProcess
from openmp_inspect.host.page_cache import PageCache
from openmp_inspect.host.stopped_registers import StoppedRegisters
from ompd_command.host import debug_file, dwfl, unwinder
from ompd_command.host.debug_information import DebugInformation
from ompd_command.host.frames import Frame, Thread
from ompd_command.host.unwind_rules import UnwindRules

if TYPE_CHECKING:
    from typing import Callable, Dict, Hashable, List, Optional, Sequence, Set, Tuple
    from openmp_inspect.host.images import DebugFile, Image, Images
    from openmp_inspect.host.interface import ImageFile, Line
    from openmp_inspect.host.machine import Machine

_SIZES = 1, 2, 4, 8, 8, 8  # of C's types, on machines of 64 bits
_MAIN = "main"
_OF_RUNTIMES = "GOMP_parallel", "__kmpc_fork_call"  # functions that are in there
_LIBC = "__libc_start_main"  # a function that is in there


class Process(ElfProcess):
    """Threads are frames.Thread."""

    layout: Machine
    library = ""  # the path of the OMPD library that the user has chosen
    has_names = True  # of functions inlined, lines and variables: debug information is read

    # What a subclass says.

    def begin(self) -> None:
        """Reads what its makers have opened, which may be anything; ValueError of what is no process
        or core of a known machine."""
        raise NotImplementedError

    def registers_of(self, thread: Thread) -> Optional[Dict[str, int]]:
        """Those of a thread by name; None of one that has not stopped."""
        raise NotImplementedError

    def all_threads(self) -> List[Thread]:
        """In the order of their numbers."""
        raise NotImplementedError

    # What it is

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
        main = None if program is None else program.symbol(_MAIN)
        if program is not None and main is not None:
            self.debug_information.functions_at(program.address_of(main))

    def forget(self) -> None:
        """It has run meanwhile."""
        self._pages.drop()
        cached.forget(self, "_threads")

    @fact
    def _session(self) -> dwfl.DwflSession:
        return dwfl.DwflSession(self.images.all)

    @fact
    def debug_information(self) -> DebugInformation:
        assert self._session is not None  # makes the images' handles
        return DebugInformation(_Modules(self.images, self.has_names), self.read)

    @fact
    def _unwinder(self) -> unwinder.Unwinder:
        assert self._session is not None
        rules = UnwindRules(self.images, self.layout, self.has_names)
        return unwinder.Unwinder(self.layout, rules, self._pages)

    @fact
    def _pages(self) -> PageCache:
        return PageCache(self)

    # Threads

    @fact
    def _threads(self) -> List[Tuple[int, Thread]]:
        found = self.all_threads()
        for thread in found:
            registers = self.registers_of(thread)
            if registers is not None:
                thread.stack = unwinder.UnwoundStack(self._unwinder, registers)
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

    def registers(self) -> StoppedRegisters:
        return StoppedRegisters(lambda thread: stopped_registers.of_values(
            self.layout, self.registers_of(thread), self.read))

    # The user's choices

    @property
    def chosen_library(self) -> str:
        return self.library

    def is_trusted(self, path: str) -> bool:
        return False

    # Files

    @property
    def code_key(self) -> Hashable:
        return id(self)

    def image_files(self, is_wanted: Callable[[str], bool]) -> List[ImageFile]:
        return [interface.ImageFile(image.path, image.debug_file is not None and
                                    image.debug_file.file.has_debug_information)
                for image in self.images.all if image.file is not None and is_wanted(image.path)]

    def debug_file_of(self, image: Image) -> Optional[DebugFile]:
        return debug_file.of_image(image, False)

    # Debug information

    def unread_debug_information(self) -> List[str]:
        return self.debug_information.unread()

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

    def __init__(self, images: Images, has_names: bool) -> None:
        self._images = images
        self._all = [image for image in images.all if has_names and image.handle and
                     image.file is not None and not image.file.is_bomb]
        self._libc = next((image for image in images.all if image.symbol(_LIBC) is not None and
                           not image.is_program), None)

    def at(self, address: int) -> Optional[Image]:
        found = self._images.at(address)
        return found if found in self._all and found is not self._libc else None

    def with_name(self, name: str) -> List[Image]:
        """Those that have a symbol whose name has this one in it."""
        return [image for image in self._all
                if image.file is not None and image.file.has_name(name)]
