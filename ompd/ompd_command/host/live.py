# SPDX-License-Identifier: MIT
"""A live process of this machine as a Process, stopped while it is asked."""

from __future__ import annotations

import contextlib
import time

from openmp_inspect.core import cpu_quota, elf, proc_files, regular_file
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface, machine, mappings, memory, proc_times
from ompd_command.host import glance, ptrace
from ompd_command.host.frames import Thread
from ompd_command.host.process import Process

if TYPE_CHECKING:
    from typing import Callable, ContextManager, Dict, FrozenSet, Hashable, Iterable, List, \
        Optional, Union
    from openmp_inspect.host.mappings import Mapping


class LiveProcess(Process):
    """Of process PID; OSError where that may not be, ValueError of a program that is none of a
    known machine. Its files are opened as it runs; begin() stops it, until end(). `seconds`: how
    long it was stopped. `when_run` is called when it has run between two stops. Unless it STOPS, it
    is looked at while it runs."""

    def __init__(self, pid: int, stops: bool = True) -> None:
        self._pid, self._stops = pid, stops
        self._moment = proc_times.Moment(pid)
        self._living = ptrace.living(pid) or pid  # which has what all threads have
        self.layout = self._machine()
        self._memory = memory.OfProcess(self._living)
        self.mappings = mappings.of_process(self._living)
        self._stop: Optional[Union[ptrace.Stop, glance.Glance]] = None
        self._lwps: List[int] = []
        self._kernel_ids: Dict[int, int] = {}  # by the thread's lwp, at one stop
        self._stopped_at = 0.0
        self.seconds = 0.0
        self.when_run: Callable[[], None] = lambda: None
        self.prepare()

    def begin(self) -> None:
        """ProcessLookupError if it has ended, PermissionError where that may not be."""
        self._moment.end()
        self._kernel_ids.clear()
        self._stop = ptrace.Stop(self._pid, self.layout) if self._stops else \
            glance.Glance(self._pid, self.layout, self.read)
        self._stopped_at = time.monotonic()
        ended = self._stop.ended
        self._lwps = [one for one in ptrace.tasks(self._pid) if one not in ended]
        if not self._lwps:
            raise ProcessLookupError("process %d has ended" % self._pid)
        before, self.mappings = self.mappings, mappings.of_process(self._living)
        if self.mappings.files != before.files:
            self.reset()

    def end(self) -> None:
        """Lets it run on. What is asked afterwards is what it has then."""
        if self._stop is not None:
            self._stop.end()
            self.seconds += self._stop.seconds
            self._stop = None

    @property
    def is_stopped(self) -> bool:
        return self._stops

    def pthread(self, thread: Thread) -> Optional[int]:
        return self._stop.pointers.get(thread.lwp) if isinstance(self._stop, glance.Glance) else \
            super().pthread(thread)

    def timed_runs(self) -> ContextManager[Callable[[float], bool]]:
        return contextlib.nullcontext(self._run)

    def _run(self, seconds: float) -> bool:
        self.end()
        time.sleep(seconds)
        self.forget()
        self.when_run()
        self.begin()
        return True

    def times(self, thread: Optional[Thread] = None) -> Optional[interface.Times]:
        return self._moment.of(None if thread is None else thread.lwp)

    def monotonic(self) -> Optional[float]:
        return proc_files.monotonic(self._living, self._stopped_at)

    def register_values(self, thread: Thread, asleep: bool) -> Optional[Hashable]:
        general = self.registers_of(thread)
        if general is None or self._stop is None:
            return None
        left_out = (self.layout.call, self.layout.result) if asleep else ()
        return tuple(value for name, value in general.items() if name not in left_out), \
            self._stop.vectors_of(thread.lwp)

    def _machine(self) -> machine.Machine:
        with regular_file.opened("/proc/%d/exe" % self._living) as stream:
            header, _ = elf.read(stream)
        if not header.wide:
            raise ValueError("a program of 32 bits; the commands of gdb read it")
        found = machine.of_number(header.machine)
        if found is None:
            raise ValueError("a program of a machine that ompd does not know")
        return found

    def read(self, address: int, size: int) -> bytes:
        return self._memory.read(address, size)

    def registers_of(self, thread: Thread) -> Optional[Dict[str, int]]:
        return None if self._stop is None else self._stop.registers.get(thread.lwp)

    def all_threads(self) -> List[Thread]:
        return [Thread(lwp) for lwp in self._lwps]

    def kernel_id(self, thread: Thread) -> int:
        if thread.lwp not in self._kernel_ids:
            found = proc_files.own_ids(self._pid, thread.lwp)
            self._kernel_ids[thread.lwp] = found[-1] if found else thread.lwp
        return self._kernel_ids[thread.lwp]

    def program_path(self) -> Optional[str]:
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

    def allowed_processors(self, thread: Optional[Thread] = None) -> Optional[FrozenSet[int]]:
        return proc_files.allowed_processors(self._pid if thread is None else thread.lwp)

    def processor_quota(self) -> Optional[float]:
        return cpu_quota.of_process(self._pid)

    def is_forked(self) -> Optional[bool]:
        return proc_files.is_forked(self._pid)

    def caught_signals(self) -> Optional[int]:
        return proc_files.caught_signals(self._pid)

    def crash(self) -> Optional[interface.Crash]:
        return None

    def process_of(self, kernel_id: int) -> Optional[int]:
        return proc_files.process_known_as(kernel_id, self._living)
