# SPDX-License-Identifier: MIT
"""Who has what threads wait for in glibc, and how many have arrived at its barriers, by its
structures and the word that a waiter sleeps on:

    pthread_mutex_t    the first word is 2, or of robust ones has the owner's kernel id; behind a
                       count that id is stored for all
    pthread_rwlock_t   two words, one for readers and writers, one for writers alone; the kernel id
                       of the writer that has it follows. Before them is the number of readers,
                       and whether a writer has it; who reads nobody knows
    FILE               what its _lock points to: a word that is 2, how often the owner has it, from
                       glibc 2.41 on less one, and the owner's struct pthread
    pthread_barrier_t  the second word: how many had arrived when this round began
"""

from __future__ import annotations

import struct

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.core.errors import HostError

if TYPE_CHECKING:
    from typing import Dict, Optional, Tuple
    from openmp_inspect.host.interface import Process
    from openmp_inspect.host.page_cache import PageCache

CONTENDED = 2  # the word of a lock that somebody waits for
_ID = 0x3FFFFFFF  # the kernel id in the word of a robust mutex; the rest are flags
_MUTEX = struct.Struct("=IIi")  # lock, count, owner
_INCONSISTENT = 0x7FFFFFFF  # the owner of a robust mutex whose last one has ended with it
_RWLOCK = struct.Struct("=IIIIIIiI")  # 64-bit: two counts, two words, padding, writer, shared
_WRITES, _READER = 1, 3  # in the first count: the flag of a writer that has it, the count's shift
_WRITTEN = 3  # in the first count: it is the turn of writers, and one has it
_MOST_READERS = 1 << 20
_WORDS = 8, 12  # where a pthread_rwlock_t has them
_STREAM = struct.Struct("=IIQ")  # lock, count, owner
_POINTER = struct.Struct("=Q")
_LOCK_OF_FILE = 136  # where a 64-bit FILE has its _lock
_OPENED = 224  # from a FILE to its lock, as fopen() allocates both
_BARRIER = struct.Struct("=III")  # arrived, arrived when the round began, threads
_ROUND = 4  # where a pthread_barrier_t has the word


class Owned(NamedTuple):
    address: int
    owner: int  # kernel id
    noun: str
    name: Optional[str] = None


def mutex(memory: PageCache, address: int, word: int) -> Optional[Owned]:
    """The pthread_mutex_t at an ADDRESS whose WORD somebody sleeps on, or None."""
    found = _read(memory, address, _MUTEX)
    if found is None or found[2] <= 0:
        return None
    owner = found[2] if word == CONTENDED else word & _ID
    return Owned(address, owner, "mutex") if owner and found[2] in (owner, _INCONSISTENT) else None


def rwlock(memory: PageCache, address: int) -> Optional[Owned]:
    """The pthread_rwlock_t of which somebody sleeps on a word at this ADDRESS, if a writer has it,
    or None."""
    if not _is_wide(memory.process):
        return None
    for word in reversed(_WORDS):  # where the second has the writer, the first has padding
        found = _read(memory, address - word, _RWLOCK)
        if found is not None and found[6] and found[7] <= 1 and \
                found[0] & _WRITTEN == _WRITTEN:
            return Owned(address - word, found[6], "read-write lock")
    return None


def readers(memory: PageCache, address: int, word: int) -> int:
    """How many threads have the pthread_rwlock_t for reading of which somebody sleeps on the WORD
    at this ADDRESS, 0 if it is not known. A writer that waits for readers sleeps on the first one,
    which is 2; those behind it on the other, which is 3."""
    at = address - _WORDS[word != CONTENDED]
    found = _read(memory, at, _RWLOCK) if _is_wide(memory.process) else None
    if found is None or found[6] != 0 or found[7] > 1 or found[0] & _WRITES:
        return 0
    number = found[0] >> _READER
    return number if number < _MOST_READERS else 0


def stream(memory: PageCache, address: int, word: int,
           pthreads: Dict[int, int]) -> Optional[Owned]:
    """The stream whose lock is at this ADDRESS and has a WORD that somebody sleeps on, or None. A
    thread of PTHREADS, {struct pthread: kernel id}, has it."""
    found = _read(memory, address, _STREAM) if word == CONTENDED else None
    if found is None or found[2] not in pthreads or not _is_wide(memory.process):
        return None
    return Owned(address, pthreads[found[2]], "stream", _name(memory, address))


def _name(memory: PageCache, address: int) -> Optional[str]:
    """The name of the standard stream whose lock is at this ADDRESS, or the address of another one
    that was opened, or None."""
    for name in ("stdout", "stderr", "stdin"):
        variable = memory.process.symbol(name)
        file = _read(memory, variable, _POINTER) if variable else None
        if file is not None and _is_of(memory, file[0], address):
            return name
    return "%#x" % (address - _OPENED) if _is_of(memory, address - _OPENED, address) else None


def _is_of(memory: PageCache, file: int, address: int) -> bool:
    """Whether the lock at an ADDRESS is that of a FILE."""
    return _read(memory, file + _LOCK_OF_FILE, _POINTER) == (address,)


def arrivals(memory: PageCache, address: int) -> Optional[Tuple[int, int]]:
    """(how many threads have arrived, of how many) at the pthread_barrier_t of which somebody
    sleeps on the word at this ADDRESS, or None."""
    found = _read(memory, address - _ROUND, _BARRIER)
    if found is None:
        return None
    arrived, size = found[0] - found[1] & 0xFFFFFFFF, found[2]
    return (arrived, size) if 0 < arrived < size else None


def _is_wide(process: Process) -> bool:
    """Whether the structures are those of a 64-bit process."""
    return process.pointer_size == 8


def _read(memory: PageCache, address: int, layout: struct.Struct) -> Optional[Tuple[int, ...]]:
    try:
        return layout.unpack(memory.read(address, layout.size))
    except (HostError, OverflowError, ValueError):
        debug.ignored()
        return None
