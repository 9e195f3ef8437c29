# SPDX-License-Identifier: MIT
"""What a debugger must answer of a process or core. Whoever adapts one implements Process; nothing
here asks for what is selected in it. Questions are asked while the process is stopped, unless they
say otherwise.

Addresses are unsigned integers of the target. A kernel id is the id that the process itself has for
a thread, whatever namespace the debugger is in.
"""

from __future__ import annotations

import abc

from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, List, Optional, Sequence, Tuple
    from openmp_inspect.core.static_typing import ByteOrder

    Thread = Any  # the debugger's own object of a thread; equal ones are of the same thread


class Process(abc.ABC):
    """One process or core. Where it has ended each question raises errors.HostError."""

    byte_order: ByteOrder
    sizes: Sequence[int]  # in bytes, of C's char, short, int, long, long long and a pointer

    # Memory

    @abc.abstractmethod
    def read(self, address: int, size: int) -> bytes:
        """SIZE bytes at an ADDRESS, as they are now; errors.Unreadable if one of them is not there."""

    # Threads

    @abc.abstractmethod
    def threads(self) -> List[Tuple[int, Thread]]:
        """Each thread with its kernel id, in the order of the debugger's numbers, also while they
        run. The caller leaves the list as it is."""

    @abc.abstractmethod
    def pthread(self, thread: Thread) -> Optional[int]:
        """The pthread_t of a thread, or None."""

    # Symbols

    @abc.abstractmethod
    def symbol(self, name: str) -> Optional[int]:
        """The address of the symbol of this NAME that the program or one of its libraries has,
        with or without debug information, or None."""

    @abc.abstractmethod
    def symbol_of_thread(self, thread: Thread, name: str) -> Optional[int]:
        """The same of a thread-local variable."""

    @abc.abstractmethod
    def function_in(self, file: str, name: str) -> Optional[int]:
        """The address of a function in the FILE that the dynamic linker calls so, "" being the
        program; None if it has none, or the debugger has several files that this may be."""
