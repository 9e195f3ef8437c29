# SPDX-License-Identifier: MIT
"""A process or core of lldb's, for what asks by way of openmp_inspect/host/interface.py. Threads,
frames and debug information are lldb's; symbols, which it makes up where a file has none, are read
from the files that it has."""

from __future__ import annotations

import contextlib
import os

import lldb

from openmp_inspect.core import debug, proc_files, regular_file
from openmp_inspect.core.cached import fact
from openmp_inspect.core.errors import Unreadable
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import fatal_signal, images, interface, machine, mappings, proc_times, \
    stopped_registers, system_calls
from openmp_inspect.host.elf_process import ElfProcess
from openmp_inspect.host.kernel_facts import KernelFacts, OfProcess
from openmp_inspect.host.mappings import Mapping
from openmp_inspect.host.stopped_registers import StoppedRegisters
from lldb_openmp.host import debug_information, line_tables, open_core, timed_run
from lldb_openmp.host.frames import Frame, Thread
from lldb_openmp.host.line_tables import NOWHERE

if TYPE_CHECKING:
    from typing import Any, Callable, Collection, ContextManager, Dict, FrozenSet, Hashable, Iterable, \
        List, Optional, Sequence, Set, Tuple
    from openmp_inspect.host.core_file import CoreFile
    from openmp_inspect.host.images import DebugFile, Image, Images
    from openmp_inspect.host.interface import ImageFile, Line
    from openmp_inspect.host.system_calls import Stopped

_MACHINES = {"x86_64": interface.X86_64, "aarch64": interface.AARCH64, "i386": interface.I386}
_THREAD_POINTERS = "fs_base", "tpidr"  # registers that newer ones than lldb 14 know
_NO_THREAD = -1
_LARGEST = 1 << 24  # bytes in one read

library = [""]  # one: the path of the OMPD library that the user has chosen


class Process(ElfProcess):
    """Over an SBProcess. Threads are frames.Thread. `when_run` is called when it has run within a
    command."""

    where = ": \"target modules add\" and \"settings set target.exec-search-paths\" say where it is"

    def __init__(self, process: Any) -> None:
        self.sb, self.target = process, process.GetTarget()
        self.when_run: Callable[[], None] = lambda: None
        self.core: Optional[CoreFile] = None
        self._threads: List[Thread] = []
        self._kernel_ids: Dict[int, int] = {}
        self._pthreads: Optional[Dict[int, int]] = None
        self._files: Optional[Images] = None  # once their first pages were read
        self._modules: List[Tuple[int, str]] = []
        if self.origin == interface.CORE:
            self.core = open_core.of_process(process)
            if self.core is not None:
                self.core.memory.files = self._from_files

    def renew(self) -> bool:
        """The process may have run since. Returns whether libraries have come or gone."""
        self._threads = [Thread(self.sb.GetThreadAtIndex(at))
                         for at in range(self.sb.GetNumThreads())]
        self._kernel_ids.clear()
        self._pthreads = None
        modules = [(_start(one, self.target), line_tables.path_of(one.GetFileSpec()))
                   for one in self.target.module_iter()]
        changed = modules != self._modules
        self._modules = modules
        if changed:
            self.reset()
            self._files = None
            self.mappings = self._mapped()
        return changed

    def _mapped(self) -> mappings.Mappings:
        if self.core is not None:
            return self.core.mappings
        if self.origin == interface.LIVE:
            try:
                return mappings.of_process(self.pid)
            except OSError:
                debug.ignored()
        return mappings.Mappings([Mapping(start, start + 1, 0, path, None)
                                  for start, path in self._modules if start != NOWHERE])

    # What it is

    @property
    def sizes(self) -> Sequence[int]:
        return 1, 2, 4, 8, 8, 8

    @property
    def machine(self) -> str:
        name = (self.target.GetTriple() or "").split("-")[0]
        return _MACHINES.get(name, name)

    @property
    def origin(self) -> str:
        if self.sb.GetPluginName() in ("elf-core", "minidump"):
            return interface.CORE
        is_here = self.target.GetPlatform().GetName() == "host" and os.path.isdir(
            "/proc/%d" % self.sb.GetProcessID())
        return interface.LIVE if is_here else interface.REMOTE

    @property
    def pid(self) -> int:
        return self.core.pid if self.core is not None else int(self.sb.GetProcessID())

    @property
    def core_file(self) -> Optional[str]:
        return None if self.core is None else self.core.path

    def children(self) -> List[int]:
        return proc_files.children(self.pid) if self.origin == interface.LIVE else []

    @property
    def facts(self) -> KernelFacts:
        if self.core is not None:
            return self.core.facts
        return OfProcess(self.pid) if self.origin == interface.LIVE else KernelFacts()

    def allowed_processors(self, thread: Optional[Thread] = None) -> Optional[FrozenSet[int]]:
        return self.facts.allowed_processors(None if thread is None else thread.lwp)

    def crash(self) -> Optional[interface.Crash]:
        if self.core is not None:
            found, threads = self.core.signal, self._threads
            thread = next((one for one in threads if one.lwp == self.core.threads[0]), None)
        else:
            thread = next((one for one in self._threads if one.sb.GetStopReason() in (
                lldb.eStopReasonSignal, lldb.eStopReasonException)), None)
            found = None if thread is None else _signal_of(thread)
        return None if found is None or thread is None else \
            fatal_signal.crash(self, thread, found, self._own_id())

    def _own_id(self) -> int:
        """The process's, as it has it."""
        ids = proc_files.own_ids(self.pid) if self.origin == interface.LIVE else []
        return ids[-1] if ids else self.pid

    # Memory

    def read(self, address: int, size: int) -> bytes:
        if self.core is not None:  # lldb takes zeros for what a core that was cut short lacks
            return self.core.memory.read(address, size)
        error = lldb.SBError()
        if not 0 <= address < 1 << 64 or not 0 <= size <= _LARGEST:
            raise Unreadable("no memory at %#x" % address)
        if not size:
            return b""
        found = self.sb.ReadMemory(address, size, error)
        if error.Fail() or found is None or len(found) != size:
            raise Unreadable("no memory at %#x" % address)
        return bytes(found)

    def _from_files(self, address: int, size: int) -> Optional[bytes]:
        mapping = self.mappings.at(address)
        if mapping is None or not mapping.path or self._files is None:
            return None
        return self._files.content(mapping, address, size)

    # Threads

    def threads(self) -> List[Tuple[int, Thread]]:
        return [(self.kernel_id(thread), thread) for thread in self._threads]

    def pthread(self, thread: Thread) -> Optional[int]:
        known = None if self.core is None else self.core.registers.get(thread.lwp)
        if known is not None and self.core is not None:
            return known.get(self.core.machine.thread_pointer or "thread_pointer")
        for name in _THREAD_POINTERS:
            register = thread.sb.GetFrameAtIndex(0).FindRegister(name)
            if register.IsValid():
                return int(register.GetValueAsUnsigned()) or None
        if self._pthreads is None:
            self._pthreads = self.thread_locals.by_kernel_id()
        return self._pthreads.get(self.kernel_id(thread))

    def kernel_id(self, thread: Thread) -> int:
        if thread.lwp not in self._kernel_ids:
            ids = proc_files.own_ids(self.pid, thread.lwp) \
                if self.origin == interface.LIVE else []
            self._kernel_ids[thread.lwp] = ids[-1] if ids else thread.lwp
        return self._kernel_ids[thread.lwp]

    @property
    def knows_kernel_ids(self) -> bool:
        return self.origin != interface.REMOTE

    def kernel_ids_of_others(self) -> Set[int]:
        return set()

    def process_of(self, kernel_id: int) -> Optional[int]:
        return proc_files.process_known_as(kernel_id, self.pid) \
            if self.origin == interface.LIVE else None

    def shown_id(self, thread: Thread) -> int:
        return thread.lwp

    @property
    def selected_number(self) -> Optional[int]:
        selected = self.selected()
        return None if selected is None else selected.num

    def selected(self) -> Optional[Thread]:
        """The thread that a person has selected."""
        found = self.sb.GetSelectedThread()
        return next((one for one in self._threads if one.sb == found), None)

    def newest_frame(self, thread: Thread) -> Optional[Frame]:
        return self.frame(thread, 0)

    def frame(self, thread: Thread, at: int) -> Optional[Frame]:
        """The Frame of a thread with this number, or None."""
        found = None if thread.is_running() else thread.frame(at)
        return None if found is None else Frame(self, thread, at, found)

    def are_newest(self, thread: Thread, frames: Sequence[interface.Frame]) -> bool:
        newest = thread.sb.GetFrameAtIndex(0)
        return bool(newest.IsValid() and newest.GetPC() == frames[0].pc and
                    newest.GetSP() == frames[0].sp)

    def registers(self) -> StoppedRegisters:
        return StoppedRegisters(self._stopped)

    def _stopped(self, thread: Thread) -> Optional[Stopped]:
        if self.origin == interface.LIVE:
            return system_calls.of_thread(self.pid, thread.lwp)
        return None if self.core is None else stopped_registers.of_values(
            self.core.machine, self.core.registers.get(thread.lwp), self.read)

    # Time

    def times(self, thread: Optional[Thread] = None) -> Optional[interface.Times]:
        return proc_times.of(self.pid, None if thread is None else thread.lwp) \
            if self.origin == interface.LIVE else super().times(thread)

    def timed_runs(self) -> ContextManager[interface.TimedRun]:
        return contextlib.nullcontext(self._run) if self.origin == interface.LIVE else \
            super().timed_runs()

    def _run(self, seconds: float, _wanted: Collection[int]) -> bool:
        is_over = timed_run.run(self.sb, seconds)
        self.when_run()
        return is_over

    def register_values(self, thread: Thread, asleep: bool) -> Optional[Hashable]:
        program = self.images.program
        layout = None if program is None else machine.of_number(program.header.machine)
        return None if layout is None else thread.register_values(
            (layout.call, layout.result) if asleep else ())

    # Files

    @fact
    def images(self) -> Images:
        self._files = super().find_images()
        return self._files

    def program_path(self) -> Optional[str]:
        if self.core is not None:
            found = self.mappings.at(self.core.entry)
            return None if found is None else found.path
        if self.origin == interface.LIVE:
            return proc_files.program(self.pid)
        return line_tables.path_of(self.target.GetExecutable())

    def places_of(self, path: str, mapping: Mapping) -> Iterable[str]:
        """The file that lldb has."""
        return [file for start, file in self._modules if start == mapping.start]

    @property
    def code_key(self) -> Hashable:
        return int(self.sb.GetUniqueID())

    def image_files(self, is_wanted: Callable[[str], bool]) -> List[ImageFile]:
        return [interface.ImageFile(image.path, image.file_path in self._apart)
                for image in self.images.all
                if image.file_path is not None and is_wanted(image.path)]

    @fact
    def _apart(self) -> Dict[str, str]:
        """The separate debug files that lldb has, by the paths of the others."""
        files = ((line_tables.path_of(one.GetFileSpec()), one.GetSymbolFileSpec())
                 for one in self.target.module_iter())
        return {path: line_tables.path_of(spec) for path, spec in files
                if spec.IsValid() and line_tables.path_of(spec) != path}

    def debug_file_of(self, image: Image) -> Optional[DebugFile]:
        """That which lldb has, without asking whether it fits: lldb has done so."""
        path = self._apart.get(image.file_path or "")
        try:
            return None if path is None else images.debug_file(path, regular_file.opened(path))
        except (OSError, ValueError):
            debug.ignored()
            return None

    # Debug information

    def line_at(self, address: int) -> Line:
        found = self._resolved(address)
        return interface.Line(None, 0, 0) if found is None else debug_information.line_of(
            found.GetLineEntry(), found.GetCompileUnit(), self.target)

    def functions_at(self, address: int) -> List[interface.Function]:
        found = self._resolved(address)
        return [] if found is None else debug_information.functions_at(found, self.target)

    def _resolved(self, address: int) -> Optional[Any]:
        """The SBAddress of what is in a file."""
        found = None if self.is_other_file(address) or not 0 <= address < 1 << 64 else \
            self.target.ResolveLoadAddress(address)
        return found if found is not None and found.GetModule().IsValid() else None

    def thread_local(self, name: str) -> Optional[Any]:
        """The SBValue, in no thread, of the one thread-local variable of this NAME, or None."""
        found = self.target.FindGlobalVariables(name, 2)
        symbols = [one for one in (image.symbol(name) for image in self.images.all)
                   if one is not None]
        is_one = found.GetSize() == 1 and len(symbols) == 1 and symbols[0].is_thread_local
        return found.GetValueAtIndex(0) if is_one else None

    def thread_local_of(self, thread: Thread, name: str) -> Optional[Any]:
        """The same of a thread, by the symbol: lldb does not find it in newer C libraries."""
        variable = self.thread_local(name)
        address = None if variable is None else self.symbol_of_thread(thread, name)
        return None if variable is None or address is None else self.target.CreateValueFromAddress(
            name, lldb.SBAddress(address, self.target), variable.GetType())

    def variable(self, name: str) -> Optional[interface.Variable]:
        found = self.target.FindGlobalVariables(name, 1)
        one = found.GetValueAtIndex(0) if found.GetSize() else None
        known = None if one is None else debug_information.variable(one, name)
        return known if known is not None and known.address is not None and \
            not self.is_other_file(known.address) else None

    # The user's choices

    @property
    def chosen_library(self) -> str:
        return library[0]

    def is_trusted(self, path: str) -> bool:
        return False


def _start(module: Any, target: Any) -> int:
    return int(module.GetObjectFileHeaderAddress().GetLoadAddress(target))


def _signal_of(thread: Thread) -> Optional[fatal_signal.SignalInfo]:
    """What the kernel says of the signal that has stopped a thread."""
    if not hasattr(thread.sb, "GetSiginfo"):
        return None
    info, error = thread.sb.GetSiginfo(), lldb.SBError()
    data = info.GetData() if info.IsValid() and info.GetError().Success() else None
    size = 0 if data is None else data.GetByteSize()
    content = data.ReadRawData(error, 0, size) if data is not None and size else None
    return None if not content or error.Fail() else fatal_signal.of_bytes(content)
