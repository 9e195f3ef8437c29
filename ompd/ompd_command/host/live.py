# SPDX-License-Identifier: MIT
"""A live process of this machine as a Process. It is stopped to be copied: registers, the used part
of each stack, and the pages that a rehearsal has wanted, for which it need not stop."""

from __future__ import annotations

import contextlib
import time

from openmp_inspect.core import elf, proc_files, regular_file
from openmp_inspect.core.cached import fact
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import fatal_signal, interface, kernel_facts, machine, mappings, memory, \
    proc_times
from ompd_command.host import copied_memory, glance, ptrace
from ompd_command.host.copied_memory import CopiedMemory
from ompd_command.host.core_writer import ThreadState
from ompd_command.host.frames import Thread
from ompd_command.host.held import Held
from ompd_command.host.process import Process
from ompd_command.host.rights import Wanted

if TYPE_CHECKING:
    from typing import Callable, Collection, ContextManager, Dict, FrozenSet, Hashable, Iterable, \
        List, Optional, Set, Tuple, Union
    from openmp_inspect.host.mappings import Mapping
    from ompd_command.host.rights import Rights


class LiveProcess(Process):
    """Of process PID; OSError where that may not be. RIGHTS: by which it is stopped. Its files are
    opened as it runs; look() copies what is asked afterwards.
    `stops`: it is stopped for that, `after` so many seconds for which it runs once all is ready; `due`: when
    it was to stop, by our clock. `was_stopped`: by somebody else before. `seconds`: how long it was.
    `missed`: pages that were not copied and have been read as it ran on. `when_run` is called when it has
    run between two looks.
    `has_vectors`: whether registers for vectors are copied; `is_whole`: and what else a core has of
    threads; `is_final`: what is missing now stays so. HELD: a debugger keeps it stopped meanwhile."""

    def __init__(self, pid: int, stops: bool, rights: Rights, held: Optional[Held] = None) -> None:
        self._pid, self.stops, self._rights, self._held = pid, stops, rights, held
        self._moment, self._kernel = proc_times.Moment(pid), kernel_facts.OfProcess(pid)
        self._living = ptrace.living(pid) or pid  # which has what all threads have
        self._memory = memory.OfProcess(self._living, None if held is None else held.memory)
        self.mappings = mappings.of_process(self._living)
        self._look: Optional[ptrace.Registers] = None
        self._glance: Optional[glance.Glance] = None  # at threads that are not stopped
        self._copy: Optional[CopiedMemory] = None
        self._wanted: Set[int] = set()  # numbers of pages
        self.missed: Set[int] = set()
        self._kernel_ids: Dict[int, int] = {}  # by the thread's lwp, at one look
        self._known: List[int] = []  # the threads that could not be stopped
        self._only: List[int] = []  # the threads that the next look stops; none: all
        self._of_few: Set[int] = set()  # numbers of pages that looks at some threads have wanted
        self._looked_at = 0.0
        self.seconds = self.after = self.due = 0.0
        self.has_vectors = self.is_whole = self.is_final = False
        self.was_stopped = proc_files.is_stopped(pid)  # which is lost for a moment when it is let go
        self.when_run: Callable[[], None] = lambda: None

    def begin(self) -> None:
        self.elf_machine, self.layout = self._machine()
        self.prepare()

    def rehearse(self) -> None:
        """What is asked next is asked of the process as it runs, and is copied by further looks.
        Errors as of look()."""
        self._begin(None)
        self._see()

    def _see(self) -> None:
        """What its threads are, as they run."""
        self._look = None if self._held is None else \
            self._held.registers(self._pid, self.layout)
        self._glance_at(() if self._held is not None else ptrace.tasks(self._pid))
        self._check()

    def _glance_at(self, threads: Iterable[int]) -> None:
        self._glance = glance.Glance(self._pid, threads, self.layout, self.read)

    def look(self) -> None:
        """What is asked next is as the process is now. ProcessLookupError if it has ended,
        PermissionError where that may not be."""
        self._moment.end()
        pages = self._of_few if self._only else self._wanted
        self._add_missed(pages)
        self._begin(self._copied(pages))
        if self.unstopped():
            self._glance_at(self.unstopped())
        self._check()

    def look_again(self) -> None:
        """The same of a process that has run meanwhile. Memory of one that is not stopped is copied at once,
        too: as close to one moment as it can be."""
        self.forget()
        if self.stops:
            self.look()
        else:
            self._add_missed(self._wanted)
            self._begin(self._copied(self._wanted))
            self._see()
        self.when_run()

    def _add_missed(self, pages: Set[int]) -> None:
        pages.update(sorted(self.missed)[:copied_memory.MOST_PAGES - len(pages)])

    def stopped_again(self) -> bool:
        """Whether it has run, and stopped once more, as a copy of it lacked what was asked."""
        if self.is_final or not self.missed or not self.stops:
            return False
        self.is_final = True
        self.look_again()
        return True

    def _begin(self, copy: Optional[CopiedMemory]) -> None:
        self._copy = copy
        self._rights.forget()
        self.missed.clear()
        self._kernel_ids.clear()
        self._looked_at = time.monotonic()

    def _copied(self, pages: Set[int]) -> CopiedMemory:
        stopped = (self._held or self._rights).stop(self._pid, self.elf_machine, Wanted(
            self.stops, self.has_vectors, self.is_whole, self._known, self._only,
            list(copied_memory.with_margins(copied_memory.runs(sorted(pages)))), self.after))
        self._look = stopped.registers
        self._known = self._known if self._only else list(stopped.registers.unstopped)
        self.seconds += stopped.seconds
        self.due = stopped.due
        return CopiedMemory(stopped.pieces)

    def want(self, address: int, size: int) -> None:
        """These bytes are copied by further looks."""
        self._note(self._wanted, address, size)

    @property
    def wants(self) -> int:
        """How many pages further looks copy."""
        return len(self._wanted)

    def forget_wanted(self) -> None:
        """What further looks lack they copy."""
        self._wanted.clear()

    def _check(self) -> None:
        """What is mapped now is known, and that there is a thread."""
        if not self._lwps():
            raise ProcessLookupError("process %d has ended" % self._pid)
        before, self.mappings = self.mappings, mappings.of_process(self._living)
        if self.mappings.files != before.files:
            self.reset()

    @property
    def is_stopped(self) -> bool:
        return self._look is not None and self._copy is not None and not self.is_torn and \
            not self.unstopped()

    @property
    def is_copied(self) -> bool:
        return self._copy is not None

    @property
    def is_torn(self) -> bool:
        """Whether some of what was asked is of another moment."""
        return self.is_final and bool(self.missed)

    def unstopped(self) -> Dict[int, str]:
        return {} if self._look is None else self._look.unstopped

    def _lwps(self) -> List[int]:
        looked = self._look or self._glance
        return [] if looked is None else looked.threads

    def _of(self, thread: Thread) -> Optional[Union[ptrace.Registers, glance.Glance]]:
        """What was seen of a thread."""
        return self._glance if self._look is None or thread.lwp in self._look.unstopped else \
            self._look

    def pthread(self, thread: Thread) -> Optional[int]:
        found = self._of(thread)
        return found.pointers.get(thread.lwp) if isinstance(found, glance.Glance) else \
            super().pthread(thread)

    def timed_runs(self) -> ContextManager[interface.TimedRun]:
        return contextlib.nullcontext(self._run)

    def _run(self, seconds: float, wanted: Collection[int]) -> bool:
        self._only = [thread.lwp for number, thread in self.threads() if number in wanted]
        time.sleep(seconds)
        self.look_again()
        self._only = []
        return True

    def times(self, thread: Optional[Thread] = None) -> Optional[interface.Times]:
        return self._moment.of(None if thread is None else thread.lwp)

    def switches(self, thread: Thread) -> Optional[int]:
        return proc_files.switches(self._pid, thread.lwp)

    def monotonic(self) -> Optional[float]:
        return self.clock(self._looked_at)

    def clock(self, at: float) -> Optional[float]:
        """What the CLOCK_MONOTONIC that it has says AT a time of ours, in seconds."""
        return proc_files.monotonic(self._living, at)

    def register_values(self, thread: Thread, asleep: bool) -> Optional[Hashable]:
        general = self.registers_of(thread)
        if general is None or self._look is None:
            return None
        left_out = (self.layout.call, self.layout.result) if asleep else ()
        return tuple(value for name, value in general.items() if name not in left_out), \
            self._look.vectors.get(thread.lwp)

    def _machine(self) -> Tuple[int, machine.Machine]:
        with regular_file.opened("/proc/%d/exe" % self._living) as stream:
            header, _ = elf.read(stream)
        if not header.wide:
            raise ValueError("a program of 32 bits; the commands of gdb read it")
        found = machine.of_number(header.machine)
        if found is None:
            raise ValueError("a program of a machine that ompd does not know")
        return header.machine, found

    def read(self, address: int, size: int) -> bytes:
        if self._copy is not None:
            data = self._copy.read(address, size)
            if data is not None:
                return data
        data = self._memory.read(address, size)  # what is not there is not wanted either
        if self._copy is None:
            self._note(self._wanted, address, size)
        else:
            mapping = self.mappings.at(address)
            if mapping is not None and mapping.is_writable:
                self._note(self.missed, address, size)
        return data

    @staticmethod
    def _note(numbers: Set[int], address: int, size: int) -> None:
        pages = copied_memory.pages(address, size)
        if len(numbers) + len(pages) <= copied_memory.MOST_PAGES:
            numbers.update(pages)

    def registers_of(self, thread: Thread) -> Optional[Dict[str, int]]:
        found = self._of(thread)
        return None if found is None else found.registers.get(thread.lwp)

    def all_threads(self) -> List[Thread]:
        return [Thread(lwp) for lwp in self._lwps()]

    def kernel_id(self, thread: Thread) -> int:
        if self._is_in_our_namespace:
            return thread.lwp
        if thread.lwp not in self._kernel_ids:
            found = proc_files.own_ids(self._pid, thread.lwp)
            self._kernel_ids[thread.lwp] = found[-1] if found else thread.lwp
        return self._kernel_ids[thread.lwp]

    @fact
    def _is_in_our_namespace(self) -> bool:
        """Whether its PID namespace is that of /proc: then each thread's id is the one that it has itself."""
        return len(proc_files.own_ids(self._pid)) == 1

    def program_path(self) -> Optional[str]:
        return self._program

    @fact
    def _program(self) -> Optional[str]:
        return proc_files.program(self._living)

    def places_of(self, path: str, mapping: Mapping) -> Iterable[str]:
        if mapping.path == self.program_path():
            yield "/proc/%d/exe" % self._living
        yield "/proc/%d/map_files/%x-%x" % (self._living, mapping.start, mapping.end)
        yield "/proc/%d/root%s" % (self._living, mapping.path)

    @property
    def origin(self) -> str:
        return interface.LIVE

    @property
    def pid(self) -> int:
        return self._pid

    @property
    def core_file(self) -> Optional[str]:
        return None

    def children(self) -> List[int]:
        return proc_files.children(self._pid)

    @property
    def facts(self) -> kernel_facts.OfProcess:
        return self._kernel

    def allowed_processors(self, thread: Optional[Thread] = None) -> Optional[FrozenSet[int]]:
        return self.facts.allowed_processors(None if thread is None else thread.lwp)

    def crash(self) -> Optional[interface.Crash]:
        held = self._held
        if held is None or held.signal is None:
            return None
        thread = next((one for _, one in self.threads() if one.lwp == held.thread), None)
        return None if thread is None else \
            fatal_signal.crash(self, thread, held.signal, self.own_id)

    # For a core

    @property
    def own_id(self) -> int:
        """Its id as it has it."""
        return self.kernel_id(Thread(self._pid))

    def states(self) -> List[ThreadState]:
        """Of the threads that have stopped, the first one first; before it the one that a signal ends."""
        found, crashed = self._look, None if self._held is None else self._held.thread
        if found is None:
            return []
        return [ThreadState(self.kernel_id(thread), found.registers[thread.lwp],
                            found.vectors.get(thread.lwp))
                for thread in sorted(self.all_threads(), key=lambda one: one.lwp != crashed)
                if thread.lwp in found.registers]

    def signal_info(self) -> bytes:
        """The siginfo_t of the signal that ends it; nothing where none does."""
        return b"" if self._held is None else self._held.info

    def pieces(self, anonymous: bool) -> List[Tuple[int, bytes]]:
        """What was copied, by address; of an ANONYMOUS process without arguments and environment."""
        area = proc_files.argument_area(self._living) if anonymous else None
        return [] if self._copy is None else self._copy.pieces(area or range(0))

    def auxv(self) -> bytes:
        return proc_files.content(self._living, "auxv")

    def command_line(self) -> bytes:
        """Its words, with blanks between."""
        return proc_files.content(self._living, "cmdline").rstrip(b"\0").replace(b"\0", b" ")

    def process_of(self, kernel_id: int) -> Optional[int]:
        return proc_files.process_known_as(kernel_id, self._living)
