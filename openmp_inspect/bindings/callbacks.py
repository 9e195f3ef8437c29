# SPDX-License-Identifier: MIT
"""What an OMPD library may ask of the debugger: the callbacks that the dialects' tables share.

Addresses of the debugger's memory come in as integers, those of the target in a structure that
is the same in both versions. No exception leaves a callback: it would be lost in the library.
Ctrl-C and the like are kept until the library comes back; until then it gets nothing more of
the target.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from ctypes import byref, c_int, c_int64, c_uint64, c_void_p

from openmp_inspect.core import counters, debug, screen
from openmp_inspect.core.errors import HostError, Unreadable
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import page_cache

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Protocol, Sequence, Set, Tuple, \
        Type, Union
    from openmp_inspect.host.interface import Process, Thread
    from openmp_inspect.host.page_cache import PageCache

    # As libraries pass it back, of NULL as None: a Space's token, or a thread's kernel id.
    Context = Optional[int]
    Pointer = Union[c_void_p, int, None]  # to what a library has allocated
    Natives = Dict[Optional[int], Tuple[int, Thread]]

    class Space(Protocol):
        """The process or core that a library is asked about: see spaces.Space."""

        token: int
        process: Process
        swapped: bool  # whether its byte order is not that of the debugger
        memory: PageCache
        damaged: bool  # whether a question about this stop found no end
        natives: Dict[str, Natives]  # threads by their ids of a kind, at this stop
        distances: Dict[str, Dict[int, int]]  # of symbols from thread pointers, by kernel id

        @property
        def stop(self) -> int:
            """A number of this stop; 0 while a thread runs."""

_libc = ctypes.CDLL(None)
_libc.malloc.argtypes = [ctypes.c_size_t]
_libc.malloc.restype = ctypes.c_void_p
_libc.free.argtypes = [ctypes.c_void_p]
_libc.free.restype = None

free = _libc.free

# What one call of a library may read. 4096 threads with 10^5 tasks that depend on each other
# take 52 000 reads; what fails after more was damaged, or made to keep the debugger busy, and is
# asked little more at this stop.
MOST_READS = 1 << 18
_MANY_READS = 1 << 16
_READS_OF_DAMAGED = 1 << 13

# How long it may go on in what it has read already, in seconds of a processor: what a slow target
# takes to answer does not count, nor what others have of the machine. A list without an end stays in
# few pages; the call above has a page that it had not read from after ten reads or so.
_SECONDS, _SECONDS_A_PAGE = 2.0, 0.005
_READS_A_LOOK = 1 << 8  # at the clock

_spaces: Dict[Context, Space] = {}
_pending: List[BaseException] = []
_walks: Dict[Context, _Walk] = {}  # token of a space -> reads in this call of a library
_refused: List[Space] = []  # spaces that were refused one


class Failed(Exception):
    """`kind` is an OMPD return code without its prefix."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


class _Walk:
    """Reads of one space in one call of a library."""

    def __init__(self) -> None:
        self.reads = 0
        self._pages: Set[int] = set()
        self._since = time.thread_time()  # the last page that was new

    def is_too_long(self, address: int) -> bool:
        """Counts a read at ADDRESS, and whether it goes on in known pages for too long."""
        self.reads += 1
        page = address // page_cache.PAGE
        if page not in self._pages:
            self._pages.add(page)
            self._since = 0.0
        if self.reads % _READS_A_LOOK:
            return False
        now = time.thread_time()
        self._since = self._since or now
        return now - self._since > _SECONDS + _SECONDS_A_PAGE * len(self._pages)


def register(space: Space) -> None:
    """Makes SPACE known under its token, the context that libraries pass back."""
    _spaces[space.token] = space


def forget(space: Space) -> None:
    _spaces.pop(space.token, None)


def space_of(token: Context) -> Space:
    """What a library asks about; it is refused once somebody wants the call to end."""
    if _pending:
        raise Failed("error")
    try:
        return _spaces[token]
    except KeyError:
        raise Failed("bad_input") from None


def call(routine: Callable[..., int], *arguments: Any) -> int:
    """What a ROUTINE of a library returns. Raises what came up inside a callback."""
    _walks.clear()
    _refused.clear()
    # Ctrl-C may be raised before a callback's first statement, where nothing catches it.
    before = sys.unraisablehook
    sys.unraisablehook = _keep_interrupt
    try:
        code = routine(*arguments)
    finally:
        sys.unraisablehook = before
    raise_pending()
    return code


def judge(is_answer: bool) -> None:
    """Takes targets for damaged of which the last call read too much for what came of it: a
    part of an answer, if IS_ANSWER, or none."""
    for token, walk in _walks.items():
        if walk.reads > (MOST_READS // 2 if is_answer else _MANY_READS) and token in _spaces:
            _spaces[token].damaged = True


def is_exhausted() -> bool:
    """Whether the last call of a library failed because it read too much."""
    return bool(_refused)


def raise_pending() -> None:
    """Raises what came up inside a callback, for instance Ctrl-C."""
    if _pending:
        first = _pending[0]
        _pending.clear()
        raise first


def _keep_interrupt(unraisable: Any) -> None:
    if isinstance(unraisable.exc_value, KeyboardInterrupt):
        _pending.append(unraisable.exc_value)
    else:
        sys.__unraisablehook__(unraisable)


def _read_by(token: Context, address: int) -> Space:
    """The space whose memory is read once more, at ADDRESS."""
    space = space_of(token)
    walk = _walks.get(token)
    if walk is None:
        walk = _walks[token] = _Walk()
    is_too_long = walk.is_too_long(address)
    if is_too_long or walk.reads > (_READS_OF_DAMAGED if space.damaged else MOST_READS):
        space.damaged = space.damaged or is_too_long
        _refused[:] = [space]
        raise Failed("error")
    counters.add("callback_reads")
    return space


class Address(ctypes.Structure):
    """ompd_address_t, the same in both versions."""

    segment: int
    address: int
    _fields_ = [("segment", c_uint64), ("address", c_uint64)]


class FrameInfo(ctypes.Structure):
    """Of OpenMP 5.x."""

    address: Address
    flag: int
    _fields_ = [("address", Address), ("flag", c_int64)]


def table(names: Sequence[str], signatures: Dict[str, Tuple[Any, ...]],
          functions: Dict[str, Callable[..., None]], codes: Dict[str, int]) -> ctypes.Structure:
    """A structure of callbacks in the order of NAMES. It has to live as long as the debugger does.
    CODES: the numbers of return codes by their names."""
    fields = [(name, ctypes.CFUNCTYPE(c_int, *signatures[name])) for name in names]
    kind = type("Table", (ctypes.Structure,), {"_fields_": fields})
    made: ctypes.Structure = kind(**{
        name: function(_guarded(functions[name], codes)) for name, function in fields})
    return made


def _guarded(function: Callable[..., None], code_of: Dict[str, int]) -> Callable[..., int]:
    """FUNCTION as a callback that returns a code: CODE_OF maps kinds to numbers."""
    ok, error = code_of["ok"], code_of["error"]

    def callback(*arguments: Any) -> int:
        try:
            function(*arguments)
            return ok
        except Failed as failure:
            debug.ignored()
            return code_of.get(failure.kind, error)
        except Unreadable:
            debug.ignored()
            return code_of["target_read_error"]
        except HostError:
            debug.ignored()
            return error
        # All the rest: an exception that left here would be lost in the library.
        except BaseException as other:  # pylint: disable=broad-except
            _pending.append(other)
            return error

    return callback


def take_text(pointer: Pointer) -> str:
    """The string that a library allocated with allocate(); it is freed."""
    try:
        return (ctypes.string_at(pointer) if pointer else b"").decode("utf-8", "replace")
    finally:
        free(pointer)


def take_path(pointer: Pointer) -> str:
    """The name of a file likewise; bytes that are no text as os.fsdecode() has them."""
    try:
        return os.fsdecode(ctypes.string_at(pointer) if pointer else b"")
    finally:
        free(pointer)


def allocate(size: int, out: int) -> None:
    address = _libc.malloc(size or 1)
    if not address:
        raise Failed("nomem")
    c_void_p.from_address(out).value = address


def sizes_of(number: Type[Any]) -> Callable[[Context, int], None]:
    """The callback that stores the sizes of C's types, each as a NUMBER."""
    def sizes(context: Context, out: int) -> None:
        values = (number * 6)(*space_of(context).process.sizes)
        ctypes.memmove(out, byref(values), ctypes.sizeof(values))
    return sizes


def read_memory(context: Context, _thread: Context, address: int, size: int,
                buffer: int) -> None:
    at = c_uint64.from_address(address + 8).value
    data = _read_by(context, at).memory.read(at, size)
    ctypes.memmove(buffer, data, size)


def read_string(context: Context, _thread: Context, address: int, size: int,
                buffer: int) -> None:
    """Up to its end, or SIZE bytes; the buffer is ended by NUL where there is room."""
    at = c_uint64.from_address(address + 8).value
    data = _read_by(context, at).memory.read_string(at, size)
    ctypes.memmove(buffer, (data + b"\0")[:size], min(len(data) + 1, size))


def symbol(context: Context, thread: Context, name: bytes, out: int,
           file: Optional[bytes] = None) -> None:
    result = Address.from_address(out)
    result.segment, result.address = 0, symbol_address(
        context, name.decode("ascii", "replace"), thread,
        None if file is None else os.fsdecode(file))


def symbol_address(context: Context, name: str, thread: Context = None,
                   file: Optional[str] = None) -> int:
    """The address of a symbol, or with the context of a THREAD that of a thread-local one
    in it, or of a function in the FILE of that name. Failed("error") when there is no such
    symbol."""
    space = space_of(context)
    if file is not None and not thread:
        address = space.process.function_in(file, name)
    else:
        counters.add("symbol_lookups")
        address = _thread_local(space, thread, name) if thread else space.process.symbol(name)
    if address is None:
        raise Failed("error")
    return address


def _thread_local(space: Space, lwp: int, name: str) -> Optional[int]:
    """Where a thread-local symbol is in the thread with this kernel id, or None.

    Asking a debugger may take milliseconds. In a library that was loaded with the program the
    distance from the thread pointer is the same for all threads, so once two threads have
    agreed the others are not asked."""
    _, thread = _natives(space, "lwp").get(lwp, (None, None))
    if thread is None:
        return None
    pointer = space.process.pthread(thread)
    known = space.distances.setdefault(name, {})
    if pointer is not None and len(known) >= 2 and len(set(known.values())) == 1:
        return (pointer + next(iter(known.values()))) % (1 << 64)
    found = space.process.symbol_of_thread(thread, name)
    if found is not None and pointer is not None and len(known) < 2:
        known[lwp] = (found - pointer) % (1 << 64)
    return found


def thread_context(numbers: Dict[str, int]) -> Callable[[Context, int, int, int, int], None]:
    """The callback that finds a thread; NUMBERS: of the kinds of thread ids, by name."""
    kinds = {numbers[name]: name for name in ("lwp", "pthread")}

    def find(context: Context, kind: int, size: int, number: int, out: int) -> None:
        if kind not in kinds:
            raise Failed("unsupported")
        if size not in (4, 8):
            raise Failed("bad_input")
        space = space_of(context)
        number = int.from_bytes(ctypes.string_at(number, size), space.process.byte_order)
        c_void_p.from_address(out).value = context_of(space, kinds[kind], number)
    return find


def context_of(space: Space, kind: str, number: int) -> int:
    """The context that libraries hand back for a thread: its kernel id. NUMBER is its id of
    this KIND ("lwp" or "pthread")."""
    found = _natives(space, kind).get(number)
    if found is None:
        raise Failed("unavailable")
    return found[0]


def _natives(space: Space, kind: str) -> Natives:
    """{id of this KIND: (kernel id, thread)} of what SPACE is about. A library may ask for every
    thread, so they are gone through once a stop."""
    known = space.natives.get(kind)
    if known is None:
        known = space.natives[kind] = {
            pair[0] if kind == "lwp" else space.process.pthread(pair[1]): pair
            for pair in space.process.threads()}
    return known


def convert(context: Context, source: int, unit: int, count: int, destination: int) -> None:
    """Turns COUNT items of UNIT bytes from the target's byte order to the host's."""
    if unit <= 0 or count < 0 or unit * count > 1 << 24:
        raise Failed("bad_input")
    data = ctypes.string_at(source, unit * count)
    if space_of(context).swapped:
        data = b"".join(data[at:at + unit][::-1] for at in range(0, len(data), unit))
    ctypes.memmove(destination, data, len(data))


def print_string(text: bytes) -> None:
    screen.current().write(text.decode("utf-8", "surrogateescape"))


def refuse(*_: Any) -> None:
    raise Failed("unsupported")
