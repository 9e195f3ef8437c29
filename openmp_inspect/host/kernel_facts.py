# SPDX-License-Identifier: MIT
"""What the kernel says of a process: where its threads may run, how much of the processors it gets,
which signals it handles. Of a live one it is in /proc; of a snapshot in a note, as JSON, which may have
been damaged or crafted: what has not its form is not known. Other cores have whether it has forked."""

from __future__ import annotations

import json
import math
import os

from openmp_inspect.core import cpu_quota, debug, elf, proc_files, thread_limits
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface

if TYPE_CHECKING:
    from typing import Any, Dict, FrozenSet, Iterable, List, Optional, Tuple
    from openmp_inspect.core.elf import Note
    from openmp_inspect.core.thread_limits import Limit
    from openmp_inspect.host.interface import Process, Thread, Times

OWNER, NOTE = b"OMPD", 1  # and the type of the note
_FLAGS = 8  # offset in elf_prpsinfo
_MOST_PROCESSORS = 1 << 16
_PROCESSORS = os.cpu_count()  # of this machine


class KernelFacts:
    """Nothing is known. THREAD is the debugger's id of one; None: the first one."""

    def allowed_processors(self, thread: Optional[int] = None) -> Optional[FrozenSet[int]]:
        """The numbers of those on which a thread may run."""

    def last_processor(self, thread: int) -> Optional[int]:
        """The number of that which a thread had last."""

    def processor_quota(self) -> Optional[float]:
        """How many processors' time the control groups of the process grant it."""

    def parent(self) -> Optional[Tuple[str, FrozenSet[int]]]:
        """The name of its parent, and on which processors that may run."""

    def machine_processors(self) -> Optional[int]:
        """How many processors there are where it runs, or ran."""

    def is_forked(self) -> Optional[bool]:
        """Whether it was made by fork, and has not called exec since."""

    def caught_signals(self) -> Optional[int]:
        """The signals that it has handlers for, bit N - 1 being signal N."""

    def stack_limit(self) -> Optional[int]:
        """Bytes to which the stack of its first thread may grow, if it has a limit."""

    def thread_limits(self) -> Optional[List[Limit]]:
        """What limits how many threads it may have."""

    def shares_memory(self) -> bool:
        """Whether another process is known to have all of its memory, too."""
        return False

    def times(self, thread: Optional[int] = None) -> Optional[Times]:
        """Those of a thread at a stop, None: of the process."""

    def monotonic(self) -> Optional[float]:
        """Its CLOCK_MONOTONIC at a stop, in seconds."""


class OfProcess(KernelFacts):
    """Of a live one of this machine."""

    def __init__(self, pid: int) -> None:
        self._pid = pid

    def allowed_processors(self, thread: Optional[int] = None) -> Optional[FrozenSet[int]]:
        return proc_files.allowed_processors(self._pid if thread is None else thread)

    def last_processor(self, thread: int) -> Optional[int]:
        return proc_files.last_processor(self._pid, thread)

    def processor_quota(self) -> Optional[float]:
        return cpu_quota.of_process(self._pid)

    def parent(self) -> Optional[Tuple[str, FrozenSet[int]]]:
        number = proc_files.parent(self._pid)
        name = proc_files.name(number) if number else None
        allowed = None if name is None else proc_files.allowed_processors(number)
        return None if name is None or allowed is None else (name, allowed)

    def machine_processors(self) -> Optional[int]:
        return _PROCESSORS

    def is_forked(self) -> Optional[bool]:
        return proc_files.is_forked(self._pid)

    def caught_signals(self) -> Optional[int]:
        return proc_files.caught_signals(self._pid)

    def stack_limit(self) -> Optional[int]:
        return proc_files.limit(self._pid, b"Max stack size")

    def thread_limits(self) -> Optional[List[Limit]]:
        return thread_limits.of_process(self._pid)

    def shares_memory(self) -> bool:
        return proc_files.shares_memory(self._pid)


class OfNotes(KernelFacts):
    """Of a core of 64 bits, by its NOTES. That of a snapshot: {"threads": {id: [processors, seconds,
    recent, elapsed, last processor, delayed]}, …}, "0" being the process; earlier ones lack the last
    two."""

    def __init__(self, notes: Iterable[Note]) -> None:
        content, self._flags = b"{}", 0
        for note in notes:
            if (note.owner, note.type) == (OWNER, NOTE):
                content = note.content
            elif (note.owner, note.type) == (b"CORE", elf.PRPSINFO):
                self._flags = int.from_bytes(note.content[_FLAGS:_FLAGS + 8], "little")
        try:
            found = json.loads(content)
        except (ValueError, RecursionError):
            debug.ignored()
            found = None
        self._facts: Dict[str, Any] = found if isinstance(found, dict) else {}

    def allowed_processors(self, thread: Optional[int] = None) -> Optional[FrozenSet[int]]:
        found = self._of_thread(thread)[0]
        if not isinstance(found, list) or len(found) > _MOST_PROCESSORS or \
                not all(isinstance(one, int) for one in found):
            return None
        return frozenset(found)

    def times(self, thread: Optional[int] = None) -> Optional[Times]:
        processor, recent, elapsed, _, delayed = map(_number, self._of_thread(thread)[1:])
        return None if processor is None else interface.Times(processor, recent, elapsed, delayed=delayed)

    def last_processor(self, thread: int) -> Optional[int]:
        found = self._of_thread(thread)[4]
        return found if isinstance(found, int) and 0 <= found < _MOST_PROCESSORS else None

    def monotonic(self) -> Optional[float]:
        return _number(self._facts.get("monotonic"))

    def processor_quota(self) -> Optional[float]:
        found = self._facts.get("quota")
        return math.inf if found == "none" else _number(found)

    def machine_processors(self) -> Optional[int]:
        return self._integer("machine_processors")

    def is_forked(self) -> Optional[bool]:
        found = self._facts.get("is_forked")
        if isinstance(found, bool):
            return found
        # A debugger that makes cores has 0 for what it does not know.
        return proc_files.has_forked(self._flags) if self._flags else None

    def caught_signals(self) -> Optional[int]:
        return self._integer("caught_signals")

    def stack_limit(self) -> Optional[int]:
        return self._integer("stack_limit")

    def _of_thread(self, thread: Optional[int]) -> List[Any]:
        threads = self._facts.get("threads")
        found = threads.get("%d" % (thread or 0)) if isinstance(threads, dict) else None
        return [*found, None, None][:6] if isinstance(found, list) and 4 <= len(found) <= 6 else [None] * 6

    def _integer(self, name: str) -> Optional[int]:
        found = self._facts.get(name)
        return found if isinstance(found, int) and 0 <= found < 1 << 64 else None


def _number(found: Any) -> Optional[float]:
    return float(found) if isinstance(found, (int, float)) and 0 <= found < 1e12 else None


def note(process: Process) -> bytes:
    """The content of that of a live PROCESS."""
    quota = process.processor_quota()
    threads = {"%d" % lwp: _row(process, thread) for lwp, thread in process.threads()}
    threads["0"] = _row(process, None)
    return json.dumps({
        "threads": threads, "quota": "none" if quota == math.inf else quota,
        "monotonic": process.monotonic(), "caught_signals": process.caught_signals(),
        "is_forked": process.is_forked(), "stack_limit": process.stack_limit(),
        "machine_processors": process.machine_processors()}).encode()


def _row(process: Process, thread: Optional[Thread]) -> List[Any]:
    allowed, times = process.allowed_processors(thread), process.times(thread)
    return [None if allowed is None else sorted(allowed), *(
        (None, None, None) if times is None else (times.processor, times.recent, times.elapsed)),
        None if thread is None else process.facts.last_processor(process.shown_id(thread)),
        None if times is None else times.delayed]
