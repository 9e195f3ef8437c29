# SPDX-License-Identifier: MIT
"""What an OMPD library may ask of the debugger, as plain Python, in no ABI's types.

The dialects wrap these functions in ctypes callbacks of their own signatures. Addresses of
the debugger's memory come in as integers. Nothing here lets an exception out: it would be
lost in the library. Ctrl-C and the like are kept until the library comes back; until then it
gets nothing more of the target.
"""

import ctypes
import os
import sys

import gdb

from gdb_openmp.core import counters, debug
from gdb_openmp.host import escaped, symbols, thread_ids, thread_local

_libc = ctypes.CDLL(None)
_libc.malloc.argtypes = [ctypes.c_size_t]
_libc.malloc.restype = ctypes.c_void_p
_libc.free.argtypes = [ctypes.c_void_p]
_libc.free.restype = None

free = _libc.free

# What one call of a library may read. 4096 threads with 10^5 tasks that depend on each other
# take 140 000 reads; what fails after as many was damaged, or made to keep the debugger busy,
# and is asked little more at this stop.
MOST_READS = 1 << 18
_MANY_READS = 1 << 16
_READS_OF_DAMAGED = 1 << 13

_spaces = {}
_pending = []
_reads = {}  # token of a space -> reads in this call of a library
_refused = []  # spaces that were refused one


class Failed(Exception):
    """`kind` is an OMPD return code without its prefix."""

    def __init__(self, kind):
        super().__init__(kind)
        self.kind = kind


def register(space):
    """Makes SPACE known under its token, the context that libraries pass back."""
    _spaces[space.token] = space


def forget(space):
    _spaces.pop(space.token, None)


def space_of(token):
    """What a library asks about; it is refused once somebody wants the call to end."""
    if _pending:
        raise Failed("error")
    try:
        return _spaces[token]
    except KeyError:
        raise Failed("bad_input") from None


def call(routine, *arguments):
    """What a ROUTINE of a library returns. Raises what came up inside a callback."""
    _reads.clear()
    _refused.clear()
    # Ctrl-C may be raised before a callback's first statement, where nothing catches it.
    before = getattr(sys, "unraisablehook", None)
    sys.unraisablehook = _keep_interrupt
    try:
        code = routine(*arguments)
    finally:
        sys.unraisablehook = before
    if code != 0:  # ompd_rc_ok
        for token, reads in _reads.items():
            if reads > _MANY_READS and token in _spaces:
                _spaces[token].damaged = True
    raise_pending()
    return code


def is_exhausted():
    """Whether the last call of a library failed because it read too much."""
    return bool(_refused)


def raise_pending():
    """Raises what came up inside a callback, for instance Ctrl-C."""
    if _pending:
        first = _pending[0]
        _pending.clear()
        raise first


def _keep_interrupt(unraisable):
    if isinstance(unraisable.exc_value, KeyboardInterrupt):
        _pending.append(unraisable.exc_value)
    else:
        sys.__unraisablehook__(unraisable)


def _read_by(token):
    """The space whose memory is read once more."""
    space = space_of(token)
    reads = _reads[token] = _reads.get(token, 0) + 1
    if reads > (_READS_OF_DAMAGED if space.damaged else MOST_READS):
        _refused[:] = [space]
        raise Failed("error")
    counters.add("callback_reads")
    return space


def guarded(function, code_of):
    """FUNCTION as a callback that returns a code: CODE_OF maps kinds to numbers."""
    ok, error = code_of["ok"], code_of["error"]

    def callback(*arguments):
        try:
            function(*arguments)
            return ok
        except Failed as failure:
            debug.ignored()
            return code_of.get(failure.kind, error)
        except gdb.MemoryError:
            debug.ignored()
            return code_of["target_read_error"]
        except gdb.error:
            debug.ignored()
            return error
        # All the rest: an exception that left here would be lost in the library.
        except BaseException as other:  # pylint: disable=broad-except
            _pending.append(other)
            return error

    return callback


def allocate(size):
    """The address of SIZE bytes."""
    address = _libc.malloc(size or 1)
    if not address:
        raise Failed("nomem")
    return address


def take_text(pointer):
    """The string that a library allocated with allocate(); it is freed."""
    try:
        return (ctypes.string_at(pointer) if pointer else b"").decode("utf-8", "replace")
    finally:
        free(pointer)


def take_path(pointer):
    """The name of a file likewise; bytes that are no text as os.fsdecode() has them."""
    try:
        return os.fsdecode(ctypes.string_at(pointer) if pointer else b"")
    finally:
        free(pointer)


def read_memory(token, address, size, buffer):
    data = _read_by(token).memory.read(address, size)
    ctypes.memmove(buffer, data, size)


def read_string(token, address, size, buffer):
    """Up to its end, or SIZE bytes; the buffer is ended by NUL where there is room."""
    data = _read_by(token).memory.read_string(address, size)
    ctypes.memmove(buffer, (data + b"\0")[:size], min(len(data) + 1, size))


def symbol_address(token, name, context=None, file=None):
    """The address of a symbol, or with the CONTEXT of a thread that of a thread-local one
    in it, or of a function in the FILE of that name. Failed("error") when there is no such
    symbol."""
    space = space_of(token)
    if file is not None and not context:
        address = symbols.address_in(file, name)
    else:
        counters.add("symbol_lookups")
        address = thread_local.address(space, context, name) if context \
            else symbols.address(name)
    if address is None:
        raise Failed("error")
    return address


def thread_context(token, kind, number):
    """The context of a thread, for symbol_address(): KIND is "lwp" or "pthread" and says
    what NUMBER is."""
    thread = thread_local.thread_of(space_of(token), kind, number)
    if thread is None:
        raise Failed("unavailable")
    return thread_ids.lwp(thread)


def native_id(token, kind, size, where):
    """The number of a thread that a library asks for, in the target's byte order."""
    if kind is None:
        raise Failed("unsupported")
    if size not in (4, 8):
        raise Failed("bad_input")
    return int.from_bytes(ctypes.string_at(where, size), space_of(token).byte_order)


def convert(token, source, unit, count, destination):
    """Turns COUNT items of UNIT bytes from the target's byte order to the host's."""
    if unit <= 0 or count < 0 or unit * count > 1 << 24:
        raise Failed("bad_input")
    data = ctypes.string_at(source, unit * count)
    if space_of(token).swapped:
        data = b"".join(data[at:at + unit][::-1] for at in range(0, len(data), unit))
    ctypes.memmove(destination, data, len(data))


def print_string(text):
    gdb.write(escaped.lines(text.decode("utf-8", "surrogateescape")))
