# SPDX-License-Identifier: MIT
"""What a look needs rights for: files by name, the kernel's answers, and to stop a process. What
parses the files asks for it by way of this class, in a process without these rights."""

from __future__ import annotations

import itertools
import time

from openmp_inspect.core.access import Access
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.host import machine, mappings, memory
from ompd_command.host import copied_memory, debuginfod, ptrace

if TYPE_CHECKING:
    from typing import Collection, List, Optional, Tuple
    from openmp_inspect.host.machine import Machine
    from openmp_inspect.host.mappings import Mappings


class Wanted(NamedTuple):
    """What is copied at a stop beside general registers and stacks."""

    stops: bool  # else memory alone is copied, as it runs
    has_vectors: bool  # registers
    is_whole: bool  # and what else a core has of threads
    known: Collection[int]  # threads that cannot be stopped: they are not waited for
    only: Collection[int]  # which alone are stopped; none: all
    pages: List[Tuple[int, int]]  # runs of numbers
    after: float  # seconds that it runs on, once all is ready for the stop

    def areas(self, others: Collection[int] = ()) -> List[Tuple[int, int]]:
        """The runs of these pages and OTHERS, by number, none in two of them."""
        return list(copied_memory.runs(sorted({*others, *itertools.chain.from_iterable(
            itertools.starmap(range, self.pages))})))


class Stopped(NamedTuple):
    registers: ptrace.Registers
    seconds: float  # how long it was stopped
    pieces: List[Tuple[int, bytes]]  # of memory, by address
    due: float  # when it was to stop


class Rights(Access):
    """Those of this process."""

    def forget(self) -> None:
        """What the kernel has said may be different now."""

    def file_of_server(self, build_id: str) -> Optional[int]:
        return debuginfod.file(build_id)

    def stop(self, pid: int, elf_machine: int, wanted: Wanted) -> Stopped:
        """A copy of a live process of this machine; PermissionError or ProcessLookupError where that
        may not be."""
        layout = machine.of_number(elf_machine)
        living = ptrace.living(pid)
        if layout is None or living is None:
            raise ProcessLookupError("process %d has ended" % pid)
        mapped = mappings.of_process(living)
        source = memory.OfProcess(living)
        try:
            if not wanted.stops:
                areas, due = wanted.areas(), time.monotonic() + wanted.after
                time.sleep(wanted.after)
                return Stopped(ptrace.Registers(), 0.0, copied_memory.pieces_of(areas, source.read), due)
            with ptrace.Stop(pid, layout, wanted.has_vectors or wanted.is_whole,
                             wanted.known, wanted.only, wanted.after) as stop:
                pieces = copied(stop.found, layout, mapped, wanted, source)
        finally:
            source.close()
        return Stopped(stop.found, stop.seconds, pieces, stop.due)


def copied(registers: ptrace.Registers, layout: Machine, mapped: Mappings, wanted: Wanted,
           source: memory.OfProcess) -> List[Tuple[int, bytes]]:
    """The stacks of threads with these REGISTERS and what is WANTED, of what is MAPPED."""
    def end_of(address: int) -> Optional[int]:
        found = mapped.at(address)
        return None if found is None else found.end

    found = registers.registers.values()
    pages = copied_memory.stack_pages([one[layout.sp] for one in found], end_of)
    for one in found if wanted.is_whole else ():
        pages.update(copied_memory.around(one.get(layout.thread_pointer or "thread_pointer", 0)))
    return copied_memory.pieces_of(wanted.areas(pages), source.read)
