# SPDX-License-Identifier: MIT
"""A process or core of gdb's, for what asks by way of host/interface.py. It is that of the selected
inferior whenever it is asked."""

from __future__ import annotations

import gdb

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.core.errors import Unreadable
from openmp_inspect.host import interface
from gdb_openmp.host import inferiors, symbols, thread_ids

if TYPE_CHECKING:
    from typing import List, Optional, Tuple
    from gdb_openmp.host.gdb_types import GdbInferior, GdbThread


class Process(interface.Process):
    """Threads are gdb.InferiorThreads."""

    def __init__(self, inferior: GdbInferior) -> None:
        self._inferior = inferior
        self.byte_order = inferiors.byte_order()
        self.sizes = inferiors.sizes()

    def read(self, address: int, size: int) -> bytes:
        try:
            return inferiors.read(address, size)
        except (gdb.error, ValueError, OverflowError) as error:
            raise Unreadable(str(error)) from None

    def threads(self) -> List[Tuple[int, GdbThread]]:
        return thread_ids.by_lwp(self._inferior)

    def pthread(self, thread: GdbThread) -> Optional[int]:
        return thread_ids.pthread(thread)

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

    def function_in(self, file: str, name: str) -> Optional[int]:
        return symbols.address_in(file, name)
