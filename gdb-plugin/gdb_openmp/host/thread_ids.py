# SPDX-License-Identifier: MIT
"""The threads of an inferior, by the ids that their process has for them.

In another pid namespace, as a container's that is seen from its host, the kernel's ids are
others inside than outside, and gdb's are those outside. What the runtime and the C library
keep are those inside, and "kernel id" means one of these everywhere in this plugin; only what
asks the kernel, or tells a person, takes gdb's (inferiors.lwp). All threads of a process are in
one namespace, so one thread shows whether it is gdb's own.

Where libthread_db does not fit the target, gdb does not know the pthread id; then the register
that holds the thread pointer has to do.
"""

from __future__ import annotations

import functools

import gdb

from openmp_inspect.core import caches, debug, proc_files
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from gdb_openmp.host import core_notes, inferiors, symbols

if TYPE_CHECKING:
    from typing import Any, Callable, Collection, Dict, Iterable, List, Optional, Protocol, Tuple
    from gdb_openmp.host.gdb_types import GdbInferior, GdbThread
    from gdb_openmp.host.inferiors import Connection

    class Snapshot(Protocol):
        """As snapshot.Snapshot."""

        @property
        def lwps(self) -> Collection[Optional[int]]:
            """The kernel ids of all threads."""
    Pairs = List[Tuple[int, GdbThread]]  # with kernel ids
    Read = Callable[[GdbThread], Optional[int]]  # the id inside

# Register with the thread pointer, where the pthread id is the same number.
_POINTERS = {"i386:x86-64": "fs_base", "i386:x64-32": "fs_base"}
_TID = "_thread_db_pthread_tid"  # where glibc's struct pthread has it: bits, count, offset
_FARTHEST = 4096  # bytes into struct pthread
_WITNESSES = 4  # threads that are asked; one that has just begun or ended has no id
_NO_THREAD = 1 << 32  # added to an id of gdb's: no thread has that inside


class _Namespace(NamedTuple):
    key: Tuple[int, Optional[Connection]]
    differs: bool  # inside and outside ids are not the same
    certain: bool  # that was found out
    read: Read


_namespaces: Dict[int, _Namespace] = caches.of_code()  # by inferior
# By inferior and gdb's number of a thread: its id inside.
_inside: Dict[Tuple[int, int], Optional[int]] = caches.of_code()
# A list of threads, its namespace, the same with their ids.
_pairs: Tuple[Optional[List[GdbThread]], Optional[_Namespace], Pairs] = None, None, []
_listed: Dict[int, Tuple[Any, List[GdbThread]]] = {}  # what gdb gave, the same by number
# By inferior and connection; of one core at a time.
_of_core: Dict[Tuple[int, int], List[GdbThread]] = {}


def threads(inferior: GdbInferior) -> List[GdbThread]:
    """Threads by their number; gdb hands them out in no order that is promised. Those of a
    core stay the same, and gdb takes milliseconds to list hundreds of them."""
    known = inferiors.connection(inferior)
    if known is None or known.type != "core":
        found = inferior.threads()
        last = _listed.get(inferior.num)
        if last is None or last[0] != found:
            last = _listed[inferior.num] = found, _by_number(found)
        return last[1]
    if inferior != gdb.selected_inferior():
        return _by_number(inferior.threads())
    key = inferior.num, known.num
    if key not in _of_core or not all(t.is_valid() for t in _of_core[key]):
        _of_core.clear()
        _of_core[key] = _in_file(inferior, known, _by_number(inferior.threads()))
    return _of_core[key]


def _by_number(found: Iterable[GdbThread]) -> List[GdbThread]:
    return sorted((t for t in found if t.is_valid()), key=lambda t: int(t.num))


def _in_file(inferior: GdbInferior, core: Connection, found: List[GdbThread]) -> List[GdbThread]:
    """The threads that a core is about by its notes, or all."""
    known = core_notes.threads(inferior, core)
    return [t for t in found if inferiors.lwp(t) in known] or found if known else found


def lwp(thread: GdbThread) -> int:
    """The kernel's id of a gdb thread as its process has it. Where the namespace is another one and
    that cannot be read it is a number that no thread has, where it is not known gdb's."""
    namespace = _of(thread.inferior)
    return _own(thread, namespace) if namespace.differs else inferiors.lwp(thread)


def by_lwp(inferior: GdbInferior) -> Pairs:
    """[(the same, thread)] of threads(); neither changes while a thread lives."""
    global _pairs  # pylint: disable=global-statement
    found, namespace = threads(inferior), _of(inferior)
    if _pairs[0] is not found or _pairs[1] is not namespace:
        _pairs = found, namespace, [(lwp(thread), thread) for thread in found]
    return _pairs[2]


def are_its_own(inferior: GdbInferior, snapshot: Snapshot) -> bool:
    """Whether the ids are those that the process has, so that a thread which SNAPSHOT does not
    have is none of the runtime's: that was found out, or one of them is in there."""
    return _of(inferior).certain or not snapshot.lwps or \
        any(number in snapshot.lwps for number, _ in by_lwp(inferior))


def are_known(inferior: GdbInferior) -> bool:
    """Whether it was found out, so that a thread whose id the process has and no gdb thread has
    ended, or is of another process."""
    return _of(inferior).certain


def process(inferior: GdbInferior) -> int:
    """The id of a process as it has that itself, where it is known; else gdb's."""
    return next((own for own, thread in by_lwp(inferior)
                 if inferiors.lwp(thread) == inferior.pid), int(inferior.pid))


def process_of(inferior: GdbInferior, number: int) -> Optional[int]:
    """The process, as gdb attaches to it, with the thread that an inferior's process has by this
    kernel id, 0 if it has ended. None where that is not known, as of what is no live process of
    this machine."""
    return proc_files.process_known_as(number, inferior.pid) \
        if inferiors.is_live_here(inferior) else None


def pthread(thread: GdbThread) -> Optional[int]:
    """The pthread id of a gdb thread, or None."""
    try:
        return int.from_bytes(thread.handle(), inferiors.byte_order())
    except (AttributeError, NotImplementedError, RuntimeError):  # gdb.error is one, too
        debug.ignored()
        return _pointer(thread)


def _pointer(thread: GdbThread) -> Optional[int]:
    with inferiors.selection_kept():
        try:
            thread.switch()
            frame = gdb.newest_frame()
            register = _POINTERS.get(frame.architecture().name())
            return int(frame.read_register(register)) if register else None
        except (gdb.error, ValueError):
            debug.ignored()
            return None


def _of(inferior: GdbInferior) -> _Namespace:
    connection = inferiors.connection(inferior)
    key = inferior.pid, connection
    known = _namespaces.get(inferior.num)
    if known is None or known.key != key:
        for other in [other for other in _inside if other[0] == inferior.num]:
            del _inside[other]
        known = _namespaces[inferior.num] = _Namespace(key, *_found(inferior))
    return known


def _found(inferior: GdbInferior) -> Tuple[bool, bool, Read]:
    """(differs, certain, read) of an inferior."""
    if inferiors.is_live_here(inferior):
        ids = proc_files.own_ids(inferior.pid)
        if ids:
            return len(ids) > 1, True, lambda thread: next(
                reversed(proc_files.own_ids(inferior.pid, inferiors.lwp(thread))), None)
    offset = _offset() if inferior == gdb.selected_inferior() else None
    if offset is not None:
        read = functools.partial(_in_memory, inferior, offset)
        for thread in threads(inferior)[:_WITNESSES]:
            inside = read(thread)
            if inside:
                return inside != inferiors.lwp(thread), True, read
    return False, False, inferiors.lwp


def _own(thread: GdbThread, namespace: _Namespace) -> int:
    key = thread.inferior.num, thread.num
    if _inside.get(key) is None:
        _inside[key] = namespace.read(thread)
    return _inside[key] or inferiors.lwp(thread) + _NO_THREAD


def _offset() -> Optional[int]:
    """Where struct pthread has the kernel's id, or None."""
    descriptor = symbols.address(_TID)
    if descriptor is None:
        return None
    offset = _word(gdb.selected_inferior(), descriptor + 8)
    return offset if offset is not None and 0 < offset <= _FARTHEST else None


def _in_memory(inferior: GdbInferior, offset: int, thread: GdbThread) -> Optional[int]:
    """The id of a thread by its struct pthread, or None."""
    at = pthread(thread)
    return None if not at else _word(inferior, at + offset)


def _word(inferior: GdbInferior, address: int) -> Optional[int]:
    try:
        return int.from_bytes(bytes(inferior.read_memory(address, 4)), inferiors.byte_order())
    except (gdb.error, OverflowError):
        debug.ignored()
        return None
