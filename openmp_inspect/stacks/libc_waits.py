# SPDX-License-Identifier: MIT
"""What a thread sleeps on in the kernel that the OpenMP runtime does not know: glibc's
mutexes with their owners, threads that are joined, Python's GIL, and other system calls.

What has an owner and what has arrivals libc_locks.py decodes, the GIL python_state.py. A joiner
sleeps on a word of the joined thread's struct pthread, which the kernel clears when that thread ends:
up to glibc 2.42 its kernel id.
"""

from __future__ import annotations

import bisect

from openmp_inspect.core import cached, debug, escaped
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.core.errors import HostError
from openmp_inspect.code import call_site, code_owner, entry_points, libc_names, symbol_names
from openmp_inspect.stacks import file_locks, kernel_things, libc_locks, python_state, segments
from openmp_inspect.host import interface

if TYPE_CHECKING:
    from typing import Container, Dict, List, Optional, Tuple
    from openmp_inspect.host.page_cache import PageCache
    from openmp_inspect.code.places import Place
    from openmp_inspect.stacks.thread_stack import StackFrame
    from openmp_inspect.stacks.user_frames import Walker
    from openmp_inspect.host.interface import Process, Sleep, Thread

_GENERATION = 8  # what a barrier of libgomp adds to its word when it is complete
_LARGEST_PTHREAD = 4096  # bytes of a struct pthread
_LONGEST_NAME = 40
_MPI = regex(r"P?MPI_\w+|p?mpi_\w+?_*\Z")
_FUNCTIONS = regex(r"_*(GI_+)?(?:(?P<mutex>pthread_mutex_(cond_|timed|clock)?lock|mtx_lock)|"
                   r"(?P<rwlock>pthread_rwlock_(timed|clock)?(rd|wr)lock)|"
                   r"(?P<barrier>pthread_barrier_wait)|"
                   r"(?P<join>pthread_(timed|clock)?join|thrd_join))")


class CalledFunction(NamedTuple):
    """What user code is inside of."""

    name: Optional[str]  # of the function, as programs call it
    kind: Optional[str]  # "mutex", "rwlock", "barrier" or "join" for what libc does there
    runtime: bool  # whether an OpenMP runtime does it
    bare: bool = False  # whether no user code is on the stack, from one end to the other


class LibcWait(NamedTuple):
    kind: str  # "mutex" for whatever has an owner, "join" or "other"
    address: int
    owner: int  # the kernel id of the thread that has the mutex or is joined, or 0
    noun: str = "mutex"  # what has the owner
    name: Optional[Name] = None  # of a stream, the GIL or a file
    arrivals: Optional[Tuple[int, int]] = None  # at a pthread_barrier_t, of how many
    readers: int = 0  # of a pthread_rwlock_t that no writer has
    processes: Tuple[int, ...] = ()  # that have locked a file, it seems, by this machine's ids
    thing: Optional[Name] = None  # that the kernel knows: a file, a message queue, signals


_NO_CALL = CalledFunction(None, None, False)


class Waits:
    """Lives during one command. WALKER: a user_frames.Walker; MEMORY: that of the
    process, which has threads with these kernel ids, LWPS."""

    def __init__(self, walker: Walker, memory: PageCache, lwps: Container[int]) -> None:
        self._walker = walker
        self._memory = memory
        self._lwps = lwps
        self.python = python_state.Interpreters(walker, memory)
        # By the instruction, and where user code goes on; of libc, where many functions come to one
        # instruction, by the thread's number.
        self._calls: Dict[Tuple[Optional[int], ...], CalledFunction] = {}
        self._waits: Dict[Tuple[Sleep, Optional[str]], LibcWait] = {}
        self._words: Dict[int, Optional[int]] = {}  # address -> its 32 bits

    def call(self, thread: Thread, pc: Optional[int], place: Optional[Place],
             sleep: Optional[Sleep]) -> CalledFunction:
        """The CalledFunction that a thread is inside of, which stands at PC for user code at PLACE
        or None, and is in the kernel as its interface.Sleep says, or None."""
        if sleep is not None and self._gil(sleep) is not None:
            return CalledFunction(self.python.entry(thread), None, False)
        key: Tuple[Optional[int], ...] = pc, None if place is None else place.address
        if self._walker.in_system(thread, pc):
            key = (thread.num,)
        if key not in self._calls:
            self._calls[key] = called(thread, self._walker)
        return self._calls[key]

    def _gil(self, sleep: Sleep) -> Optional[python_state.Gil]:
        """The GIL that a thread sleeps for, or None: nobody sleeps for it without an end."""
        return self.python.gil_at(sleep.address) if sleep.timed and sleep.address else None

    def wait(self, sleep: Sleep, call: CalledFunction) -> LibcWait:
        """The LibcWait of a thread that is in the kernel for CALL, a CalledFunction, as its
        interface.Sleep says."""
        key = sleep, call.kind
        if key not in self._waits:
            self._waits[key] = self._of_libc(sleep, call.kind)
        return self._waits[key]

    def _of_libc(self, sleep: Sleep, kind: Optional[str]) -> LibcWait:
        if sleep.lock is not None:
            found = file_locks.of(self._walker.process, sleep.lock)
            return LibcWait("other", 0, 0, file_locks.NOUN, Name(found.file), processes=found.processes)
        if sleep.awaited is not None:
            return LibcWait("other", 0, 0, thing=kernel_things.words(self._walker.space, sleep.awaited))
        gil = self._gil(sleep)
        if gil is not None:
            return LibcWait("mutex" if gil.holder else "other", gil.address, gil.holder,
                            python_state.GIL, Name(python_state.NAME))
        word = self._word(sleep.address) if sleep.inherits else sleep.value
        if word is not None and sleep.address and (kind or word == libc_locks.CONTENDED) and \
                self.is_unchanged(sleep):
            if kind == "join":
                joined = word if word in self._lwps else self._lwp_of(sleep.address)
                if joined:
                    return LibcWait("join", sleep.address, joined)
            owned = None
            if kind == "mutex":
                owned = libc_locks.mutex(self._memory, sleep.address, word)
            elif kind == "rwlock":
                owned = libc_locks.rwlock(self._memory, sleep.address)
            elif kind is None:
                owned = libc_locks.stream(self._memory, sleep.address, word,
                                          dict(self._pthreads))
            if owned is not None:
                return LibcWait("mutex", owned.address, owned.owner, owned.noun,
                                escaped.name(owned.name))
        if kind == "barrier":
            return LibcWait("other", sleep.address, 0, arrivals=libc_locks.arrivals(
                self._memory, sleep.address))
        if kind == "rwlock":
            return LibcWait("other", sleep.address, 0, readers=libc_locks.readers(
                self._memory, sleep.address, sleep.value))
        return LibcWait("other", sleep.address, 0)

    @cached.fact
    def _pthreads(self) -> List[Tuple[int, int]]:
        """Sorted pairs: the address of a thread's struct pthread, and its kernel id."""
        process = self._walker.process
        pairs = ((process.pthread(thread), lwp) for lwp, thread in process.threads())
        return sorted((address, lwp) for address, lwp in pairs if address)

    def _lwp_of(self, address: int) -> int:
        """The kernel id of the thread in whose struct pthread an address is, or 0."""
        at = bisect.bisect_right(self._pthreads, (address, 1 << 64)) - 1
        start, lwp = self._pthreads[at] if at >= 0 else (0, 0)
        return lwp if address < start + _LARGEST_PTHREAD else 0

    def is_unchanged(self, sleep: Sleep) -> bool:
        """Whether the word that a interface.Sleep waits for still has its value: nobody has
        released the thread. False where that cannot be read."""
        word = self._word(sleep.address)
        return bool(word) if sleep.inherits else word == sleep.value

    def has_passed(self, sleep: Sleep) -> Optional[bool]:
        """Whether the barrier of libgomp on which a interface.Sleep is has released the thread
        since; None where that cannot be read. The lowest bits of its word are flags."""
        word = self._word(sleep.address)
        return None if word is None else word // _GENERATION != sleep.value // _GENERATION

    def _word(self, address: int) -> Optional[int]:
        """The 32 bits at an address, on which many threads may sleep, or None."""
        if address not in self._words:
            try:
                self._words[address] = self._memory.unsigned(address, 4)
            except HostError:
                debug.ignored()
                self._words[address] = None
        return self._words[address]


def is_mpi(function: Optional[str]) -> bool:
    return function is not None and bool(_MPI.match(function))


def is_blocking(function: Optional[str]) -> bool:
    """Whether a function of libc or MPI mostly waits for something, by its name."""
    return function is not None and (
        libc_names.is_blocking(function) or is_mpi(function))


def called(thread: Thread, walker: Walker) -> CalledFunction:
    """The CalledFunction that a thread's user code is inside of, by the outermost of its newest
    frames that are the system's, a runtime's or an MPI library's."""
    found = kind = frame = None
    runtime = False
    try:
        for frame in walker.stack(thread):
            name, library = frame.name, walker.process.image_at(frame.pc)
            if found and frame.kind == interface.SIGNAL:  # a handler has left its frame
                return CalledFunction(_plain(walker.process, found), kind, runtime)
            if not found and library is not None and frame.owner == code_owner.USER and \
                    frame.newer is not None:
                found = segments.of_system(frame)  # what was called may have no name
            if is_mpi(name):
                found = name
            elif frame.is_runtime and not runtime:
                inner = frame.newer
                if (found or inner is not None and inner.owner == code_owner.SYSTEM) and \
                        call_site.is_indirect(frame.frame):  # user code has left its frame
                    return CalledFunction(_plain(walker.process, found), kind, runtime)
                runtime, found = True, name or found
            elif found in libc_names.CXX_INNER and libc_names.cxx_wait(name):
                found = libc_names.cxx_wait(name)
            elif frame.owner == code_owner.USER and (
                    library is None or found and not is_mpi(found) and "libmpi" not in library):
                found = _by_site(frame, library, found, runtime)
                return CalledFunction(_plain(walker.process, found), kind or _kind(found, runtime), runtime)
            elif name:
                kind = kind or _kind(name, runtime)
                found = name
    except HostError:
        debug.ignored()
        return _NO_CALL
    bare = frame is None or not walker.process.is_other_file(frame.pc)
    return CalledFunction(None, None, runtime, bare)


def _kind(name: Optional[str], runtime: bool) -> Optional[str]:
    """What libc does in a function, of which a RUNTIME is not the caller, or None."""
    found = None if name is None or runtime else _FUNCTIONS.match(name)
    return found.lastgroup if found else None


def _by_site(frame: StackFrame, library: Optional[str], found: Optional[str],
             runtime: bool) -> Optional[str]:
    """The name of what a StackFrame of the user's has called; FOUND is that of the frame that
    the call led to, or None."""
    if frame.newer is not None and found != libc_names.ATOMIC_WAIT:
        site = call_site.called(frame.frame)
        # A function of the user's may have left its frame to what it called.
        if site is not None and (_is_libc(frame.process, site) or library is None and (
                runtime or found is None or is_mpi(site))):
            found = site
    return found


def _is_libc(process: Process, function: str) -> bool:
    address = process.symbol(function)
    return address is not None and code_owner.is_system(process, address)


def _plain(process: Process, name: Optional[str]) -> Optional[str]:
    """A function as programs call it, in short, or None."""
    if name is None:
        return None
    name = entry_points.name_of(name) or name  # the hooks' functions have one more
    return escaped.short(symbol_names.demangle(process, name) if name.startswith("_Z") else
                         libc_names.plain(name), _LONGEST_NAME)


def is_endless(process: Process, pc: int) -> bool:
    """Whether the instructions at PC are a jump to themselves: what a compiler makes of a loop
    that tests what it has read before."""
    try:
        code = process.read(pc - 2, 8)
    except HostError:
        debug.ignored()
        return False
    if process.machine == interface.X86_64:
        return code[2:4] == b"\xeb\xfe" or code[2:6] == b"\xf3\x90\xeb\xfc" or \
            code[:4] == b"\xf3\x90\xeb\xfc"
    return process.machine == interface.AARCH64 and code[2:6] == b"\x00\x00\x00\x14"
