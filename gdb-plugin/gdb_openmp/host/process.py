# SPDX-License-Identifier: MIT
"""A process or core of gdb's, for what asks by way of openmp_inspect/host/interface.py. It is that
of the selected inferior whenever it is asked; what is about a thread selects that meanwhile."""

from __future__ import annotations

import gdb

from openmp_inspect.core import caches, debug, proc_files
from openmp_inspect.core.errors import HostError, Unreadable
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import fatal_signal, interface, kept_registers, kernel_facts, \
    proc_times
from gdb_openmp.host import all_registers, core_notes, debug_information, \
    frames, gdb_text, images, inferiors, modules, parameters, registers, safe_path, signal_info, stop_time, \
    symbols, thread_ids, timed_run

if TYPE_CHECKING:
    from typing import BinaryIO, Callable, Collection, ContextManager, Dict, FrozenSet, \
        Hashable, List, Optional, Sequence, Set, Tuple, TypeVar
    from openmp_inspect.core.static_typing import ByteOrder
    from openmp_inspect.host.interface import Line
    from gdb_openmp.host.gdb_types import GdbFrame, GdbInferior, GdbThread
    Answer = TypeVar("Answer")

_MACHINES = {"i386:x86-64": interface.X86_64, "i386:x64-32": interface.X32,
             "i386": interface.I386}
_KINDS = {gdb.NORMAL_FRAME: interface.NORMAL, gdb.INLINE_FRAME: interface.INLINED,
          gdb.TAILCALL_FRAME: interface.TAIL_CALL, gdb.SIGTRAMP_FRAME: interface.SIGNAL}
_REGISTERS = (1 << 64) - 1

_processes: Dict[int, Process] = caches.of_code()  # by inferior


def current() -> Process:
    """The Process of the selected inferior."""
    inferior = gdb.selected_inferior()
    found = _processes.get(inferior.num)
    if found is None:
        found = _processes[inferior.num] = Process(inferior)
    return found


def machine_of(frame: GdbFrame) -> str:
    """The name of a gdb.Frame's machine."""
    name = frame.architecture().name()
    return _MACHINES.get(name, "aarch64" if name.startswith("aarch64") else str(name))


class Frame(interface.Frame):
    """Over a gdb.Frame, which is of no use without its THREAD: that is selected while more is
    asked than attributes; None: it is the selected one."""

    __slots__ = ("process", "_frame", "_thread", "pc", "kind", "instruction")

    def __init__(self, frame: GdbFrame, thread: Optional[GdbThread] = None,
                 process: Optional[interface.Process] = None) -> None:
        self.process = process or current()
        self._frame, self._thread = frame, thread
        self.pc = int(frame.pc())
        self.kind = _KINDS.get(frame.type(), interface.OTHER)
        self.instruction = frames.instruction(frame)

    @property
    def frame(self) -> GdbFrame:
        """The gdb.Frame, whose thread is selected then."""
        if self._thread is not None and gdb.selected_thread() != self._thread:
            self._thread.switch()
        return self._frame

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frame) and bool(self._frame == other._frame)

    def __hash__(self) -> int:
        return hash(self.pc)

    @property
    def name(self) -> Optional[str]:
        name: Optional[str] = self._answered(gdb_text.frame_name)
        return name

    @property
    def function(self) -> Optional[debug_information.Function]:
        found = self._answered(gdb_text.function_of)
        return None if found is None else debug_information.Function(found)

    @property
    def line(self) -> Line:
        return debug_information.line_of(self._answered(gdb_text.line_of))

    @property
    def newer(self) -> Optional[Frame]:
        return self._framed(lambda frame: frame.newer())

    @property
    def older(self) -> Optional[Frame]:
        return self._framed(frames.older)

    @property
    def sp(self) -> int:
        return self.register("sp")

    def register(self, name: str) -> int:
        return self._answered(lambda frame: int(frame.read_register(name))) & _REGISTERS

    def variables(self) -> List[interface.Variable]:
        with inferiors.selected(self._thread):
            return debug_information.variables_of(self._frame)

    def word(self, name: str) -> Optional[int]:
        kept = kept_registers.of(self.process, self) \
            if kept_registers.has_called(self) else None
        with inferiors.selected(self._thread):
            return debug_information.word(self._frame, name, self.instruction, kept)

    def _answered(self, ask: Callable[[GdbFrame], Answer]) -> Answer:
        """What ASK returns of the gdb.Frame; HostError where gdb raises an error."""
        return _in_thread(self._thread, lambda: ask(self._frame))

    def _framed(self, ask: Callable[[GdbFrame], Optional[GdbFrame]]) -> Optional[Frame]:
        return _in_thread(self._thread, lambda: _framed(
            ask(self._frame), self._thread, self.process))


def _framed(frame: Optional[GdbFrame], thread: Optional[GdbThread],
            process: interface.Process) -> Optional[Frame]:
    return None if frame is None else Frame(frame, thread, process)


def _in_thread(thread: Optional[GdbThread], ask: Callable[[], Answer]) -> Answer:
    """What ASK returns while a gdb thread is selected, None: the selected one; HostError where gdb raises
    an error."""
    try:
        if thread is None or gdb.selected_thread() == thread:
            return ask()
        with inferiors.selected(thread):
            return ask()
    except (gdb.error, ValueError) as error:  # ValueError: of a register that it does not have
        raise HostError(str(error)) from None


def gdb_frame(frame: interface.Frame) -> GdbFrame:
    """The gdb.Frame, whose thread is selected then."""
    assert isinstance(frame, Frame)  # there are no others
    return frame.frame


class Process(interface.Process):
    """Threads are gdb.InferiorThreads."""

    def __init__(self, inferior: GdbInferior) -> None:
        self._inferior = inferior
        self._order: Optional[ByteOrder] = None
        self._sizes: Sequence[int] = ()
        self._machine = ""

    @property
    def _is_live(self) -> bool:
        return inferiors.is_live_here(self._inferior)

    @property
    def byte_order(self) -> ByteOrder:
        self._order = self._order or inferiors.byte_order()
        return self._order

    @property
    def sizes(self) -> Sequence[int]:
        self._sizes = self._sizes or inferiors.sizes()
        return self._sizes

    @property
    def machine(self) -> str:
        if not self._machine:
            frame = frames.newest()
            self._machine = "" if frame is None else machine_of(frame)
        return self._machine

    @property
    def origin(self) -> str:
        if inferiors.is_live_here(self._inferior):
            return interface.LIVE
        return interface.CORE if inferiors.is_core(self._inferior) else interface.REMOTE

    @property
    def pid(self) -> int:
        return int(self._inferior.pid)

    @property
    def core_file(self) -> Optional[str]:
        return core_notes.path()

    def children(self) -> List[int]:
        return proc_files.children(self._inferior.pid) if self._is_live else []

    @property
    def facts(self) -> kernel_facts.KernelFacts:
        if self._is_live:
            return kernel_facts.OfProcess(self._inferior.pid)
        known = self._core_connection()
        return kernel_facts.KernelFacts() if known is None else \
            core_notes.facts(self._inferior, known)

    def allowed_processors(self, thread: Optional[GdbThread] = None) -> Optional[FrozenSet[int]]:
        return self.facts.allowed_processors(None if thread is None else inferiors.lwp(thread))

    def crash(self) -> Optional[interface.Crash]:
        thread = inferiors.chosen(self._inferior)
        info = None if thread is None else _in_thread(thread, signal_info.of_selected)
        return None if info is None else fatal_signal.crash(
            self, thread, info, thread_ids.process(self._inferior))

    def is_private(self, address: int) -> Optional[bool]:
        return modules.is_private(self._inferior, address)

    def read(self, address: int, size: int) -> bytes:
        try:
            if not self._is_left_out(address, size):
                return inferiors.read(address, size)
            problem = "the core has left it out"
        except (gdb.error, ValueError, OverflowError) as error:
            problem = str(error)
        return self._read_of_file(address, size, problem)

    def _core_connection(self) -> Optional[inferiors.Connection]:
        """That of a core, while it is selected."""
        known = inferiors.connection(self._inferior)
        return known if known is not None and known.type == "core" and \
            gdb.selected_inferior() == self._inferior else None

    def _is_left_out(self, address: int, size: int) -> bool:
        """Whether gdb has zeros for what a core lacks; a file has what nobody may write. Cores of
        emulators do not say what is a file's."""
        known = self._core_connection()
        if known is None:
            return False
        is_writable = core_notes.left_out(self._inferior, known, address, size)
        return is_writable is not None and (
            is_writable or bool(modules.mappings()) and modules.mapped_at(address) is None)

    def _read_of_file(self, address: int, size: int, problem: str) -> bytes:
        if inferiors.is_core(self._inferior) and gdb.selected_inferior() == self._inferior:
            try:
                return images.unwritten(address, size)
            except (OSError, ValueError):
                debug.ignored()
        raise Unreadable(problem)

    def threads(self) -> List[Tuple[int, GdbThread]]:
        return thread_ids.by_lwp(self._inferior)

    def pthread(self, thread: GdbThread) -> Optional[int]:
        return thread_ids.pthread(thread)

    def kernel_id(self, thread: GdbThread) -> int:
        return thread_ids.lwp(thread)

    @property
    def knows_kernel_ids(self) -> bool:
        return thread_ids.are_known(self._inferior)

    def kernel_ids_of_others(self) -> Set[int]:
        return {thread_ids.lwp(thread) for other in inferiors.others(self._inferior)
                for thread in thread_ids.threads(other)}

    def process_of(self, kernel_id: int) -> Optional[int]:
        return thread_ids.process_of(self._inferior, kernel_id)

    def shown_id(self, thread: GdbThread) -> int:
        return inferiors.lwp(thread)

    @property
    def selected_number(self) -> Optional[int]:
        return inferiors.selected_thread_number()

    def newest_frame(self, thread: GdbThread) -> Optional[Frame]:
        return _in_thread(thread, lambda: _framed(frames.newest(), thread, self))

    def are_newest(self, thread: GdbThread, found: Sequence[interface.Frame]) -> bool:
        """"return" and changes of registers give it others, and of a process that was killed from
        outside gdb has registers, but no memory to unwind with. What is said of a thread that is
        not selected was said before."""
        if gdb.selected_thread() != thread:
            return True
        newest = frames.newest()
        try:
            return newest is not None and newest.pc() == found[0].pc and \
                int(newest.read_register("sp")) & _REGISTERS == found[0].sp and \
                all(gdb_frame(frame).is_valid() for frame in found)
        except (gdb.error, HostError):
            debug.ignored()
            return False

    def registers(self) -> registers.Registers:
        return registers.Registers(self._inferior, self.read)

    def selection_kept(self) -> ContextManager[None]:
        return inferiors.selection_kept()

    @property
    def unwinding(self) -> Hashable:
        return tuple(gdb.parameter("backtrace " + name)
                     for name in ("limit", "past-main", "past-entry"))

    @property
    def unwinds_past_main(self) -> bool:
        return bool(gdb.parameter("backtrace past-main"))

    def times(self, thread: Optional[GdbThread] = None) -> Optional[interface.Times]:
        if not self._is_live:
            return super().times(thread)
        found = proc_times.of(self._inferior.pid, None if thread is None else inferiors.lwp(thread))
        # Somebody may have looked at the stop for long, and that is no time of the program's.
        return None if found is None else found._replace(elapsed=None)

    def switches(self, thread: GdbThread) -> Optional[int]:
        return proc_files.switches(self._inferior.pid, inferiors.lwp(thread)) \
            if self._is_live else None

    def monotonic(self) -> Optional[float]:
        return proc_files.monotonic(self._inferior.pid, stop_time.latest()) \
            if self._is_live else super().monotonic()

    def timed_runs(self) -> ContextManager[interface.TimedRun]:
        return timed_run.runs() if self._is_live else super().timed_runs()

    def register_values(self, thread: GdbThread, asleep: bool) -> Optional[Hashable]:
        return all_registers.of(thread, asleep)

    def writable_data(self, address: int) -> List[Tuple[int, int]]:
        return modules.data(address)

    @property
    def code_key(self) -> Hashable:
        return inferiors.program_space()

    @property
    def program(self) -> Optional[str]:
        return inferiors.program()

    def libraries(self) -> List[str]:
        return inferiors.libraries()

    def image_files(self, is_wanted: Callable[[str], bool]) -> List[interface.ImageFile]:
        loaded = gdb.current_progspace().objfiles()
        apart = {gdb_text.image_file(one.owner) for one in loaded if one.owner is not None}
        paths = (gdb_text.image_file(one) for one in loaded if one.owner is None)
        return [interface.ImageFile(path, path in apart) for path in paths
                if path and is_wanted(path)]

    def image_at(self, address: int) -> Optional[str]:
        return gdb_text.library_at(address)

    def code_name(self, address: int) -> str:
        return modules.named(address)

    def is_mapped(self, address: int) -> bool:
        return modules.is_mapped(address)

    def is_other_file(self, address: int) -> bool:
        return gdb_text.is_other(address)

    def differing_file(self, files: Optional[Collection[Optional[str]]] = None) -> Optional[str]:
        return images.differing(files)

    def unread_file(self, beginnings: Tuple[str, ...]) -> Optional[str]:
        return images.unread(beginnings)

    def opened(self, path: str) -> BinaryIO:
        return images.opened(path)

    def symbol(self, name: str) -> Optional[int]:
        return symbols.address(name)

    def symbol_of_thread(self, thread: GdbThread, name: str) -> Optional[int]:
        with inferiors.selection_kept():
            try:
                thread.switch()
            except gdb.error:
                debug.ignored()
                return None
            return symbols.own_address(name)

    def variable_in(self, file: str, name: str) -> Optional[int]:
        return symbols.variable_in(file, name)

    def definitions(self, name: str) -> List[interface.Definition]:
        return symbols.definitions(name)

    def files_of_symbol(self, name: str) -> Collection[str]:
        address = symbols.own_address(name)  # if their file is another one, too
        file = None if address is None else gdb_text.library_at(address)
        return () if file is None else (file,)

    def symbol_at(self, address: int) -> interface.Symbol:
        return symbols.at(address)

    def variables_from(self, prefix: str) -> Dict[int, str]:
        return symbols.variables_from(prefix)

    def function_start(self, address: int) -> Optional[int]:
        return modules.function_start(address)

    def demangled(self, name: str) -> str:
        return gdb_text.demangled(name)

    def line_at(self, address: int) -> Line:
        return debug_information.line_of(gdb_text.line_at(address))

    def functions_at(self, address: int) -> List[interface.Function]:
        return debug_information.functions_at(address)

    def variable(self, name: str) -> Optional[interface.Variable]:
        return debug_information.variable(name)

    @property
    def chosen_library(self) -> str:
        return parameters.library()

    def is_trusted(self, path: str) -> bool:
        return safe_path.covers(path)
