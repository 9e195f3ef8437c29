# SPDX-License-Identifier: MIT
"""Threads and their thread-local variables, as libthread_db finds them: the C library describes
its own structures in symbols _thread_db_TYPE_FIELD, each of three words: size in bits, count, offset.
For a library with the module id M the thread's control block leads to its vector, and that to the
memory:

    pthread --dtvp--> dtv_t[M].pointer.val + offset of the symbol

From 2.34 on all control blocks are in two lists, whose heads are in _rtld_global."""

from __future__ import annotations

import struct

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Callable, Dict, Iterator, Optional, Tuple
    Read = Callable[[int, int], bytes]

_DESCRIPTOR = struct.Struct("<3I")
_MOST_MODULES = 1 << 16
_FARTHEST = 1 << 16  # of a field in its structure
_LISTS = "dl_stack_used", "dl_stack_user"  # stacks of the library's own, and others
_MOST_THREADS = 1 << 16
_UNALLOCATED = (1 << 64) - 1, 0


class ThreadLocal:
    """Of one process. SYMBOL finds an address by a name."""

    def __init__(self, read: Read, symbol: Callable[[str], Optional[int]]) -> None:
        self._read, self._symbol = read, symbol
        self._fields: Dict[str, Optional[Tuple[int, int]]] = {}

    def field(self, name: str) -> Optional[Tuple[int, int]]:
        """(offset, size of an element in bytes) of TYPE_FIELD, or None."""
        if name not in self._fields:
            address = self._symbol("_thread_db_" + name)
            found = None
            if address is not None:
                bits, _, offset = _DESCRIPTOR.unpack(self._read(address, _DESCRIPTOR.size))
                if offset <= _FARTHEST and bits <= 1 << 16:
                    found = offset, bits // 8
            self._fields[name] = found
        return self._fields[name]

    def thread_id(self, pthread: int) -> Optional[int]:
        """The kernel id that the C library keeps of a thread."""
        found = self.field("pthread_tid")
        return None if found is None else \
            int.from_bytes(self._read(pthread + found[0], 4), "little")

    def by_kernel_id(self) -> Dict[int, int]:
        """The control block of each thread; none of a C library that keeps no such lists."""
        found: Dict[int, int] = {}
        for name in _LISTS:
            try:
                for pthread in self._listed(name):
                    found.setdefault(self.thread_id(pthread) or 0, pthread)
            except HostError:
                debug.ignored()
        return found

    def _listed(self, name: str) -> Iterator[int]:
        start, head = self._symbol("_rtld_global"), self.field("rtld_global__" + name)
        link, within = self.field("list_t_next"), self.field("pthread_list")
        if start is None or head is None or link is None or within is None:
            return
        first = at = start + head[0]
        for _ in range(_MOST_THREADS):
            at = self._word(at + link[0])
            if at == first:
                return
            yield at - within[0]

    def base(self, pthread: int, link: int) -> Optional[int]:
        """Where a thread has the variables of the library with this struct link_map; None where it
        has none yet."""
        names = ("link_map_l_tls_modid", "pthread_dtvp", "dtv_dtv", "dtv_t_pointer_val")
        fields = [self.field(name) for name in names]
        if None in fields or not link:
            return None
        (modid, _), (vector, _), (entries, size), (value, _) = (one for one in fields if one)
        module = self._word(link + modid)
        if not 0 < module <= _MOST_MODULES:
            return None
        address = self._word(self._word(pthread + vector) + entries + module * (size or 16) + value)
        return None if address in _UNALLOCATED else address

    def _word(self, address: int) -> int:
        if not 0 <= address < 1 << 63:
            raise HostError("no memory at %#x" % address)
        return int.from_bytes(self._read(address, 8), "little")
