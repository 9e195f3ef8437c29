# SPDX-License-Identifier: MIT
"""The callback table of OpenMP 5.x: callbacks.py in that interface's types."""

import ctypes
import os
from ctypes import byref, c_char_p, c_int, c_int64, c_uint64, c_uint8, c_void_p

from gdb_openmp.bindings import abi5, callbacks


class Address(ctypes.Structure):
    _fields_ = [("segment", c_uint64), ("address", c_uint64)]


class FrameInfo(ctypes.Structure):
    _fields_ = [("address", Address), ("flag", c_int64)]


class _Sizes(ctypes.Structure):
    _fields_ = [(name, c_uint8) for name in (
        "sizeof_char", "sizeof_short", "sizeof_int", "sizeof_long", "sizeof_long_long",
        "sizeof_pointer")]


_READ = (c_void_p, c_void_p, c_void_p, c_uint64, c_void_p)
_CONVERT = (c_void_p, c_void_p, c_uint64, c_uint64, c_void_p)

# Callbacks take pointers as integers: the library may hand in anything.
_SIGNATURES = {
    "alloc_memory": (c_uint64, c_void_p),
    "free_memory": (c_void_p,),
    "print_string": (c_char_p, c_int),
    "sizeof_type": (c_void_p, c_void_p),
    "symbol_addr_lookup": (c_void_p, c_void_p, c_char_p, c_void_p, c_char_p),
    "read_memory": _READ,
    "write_memory": _READ,
    "read_string": _READ,
    "device_to_host": _CONVERT,
    "host_to_device": _CONVERT,
    "get_thread_context_for_thread_id": (c_void_p, c_uint64, c_uint64, c_void_p, c_void_p),
}


def _alloc(size, out):
    c_void_p.from_address(out).value = callbacks.allocate(size)


def _print(text, _category):
    callbacks.print_string(text)


def _sizeof(context, out):
    values = callbacks.space_of(context).sizes
    ctypes.memmove(out, byref(_Sizes(*values)), ctypes.sizeof(_Sizes))


def _symbol(context, thread, name, out, file):
    address = callbacks.symbol_address(context, name.decode("ascii", "replace"), thread,
                                       None if file is None else os.fsdecode(file))
    result = Address.from_address(out)
    result.segment, result.address = 0, address


def _at(address):
    return c_uint64.from_address(address + 8).value


def _read(context, _thread, address, size, buffer):
    callbacks.read_memory(context, _at(address), size, buffer)


def _read_string(context, _thread, address, size, buffer):
    callbacks.read_string(context, _at(address), size, buffer)


def _write(*_):
    raise callbacks.Failed("unsupported")


_KINDS = {number: name for name, number in abi5.THREAD_ID.items() if name in ("lwp", "pthread")}


def _thread_context(context, kind, size, number, out):
    kind = _KINDS.get(kind)
    number = callbacks.native_id(context, kind, size, number)
    c_void_p.from_address(out).value = callbacks.thread_context(context, kind, number)


_FUNCTIONS = {
    "alloc_memory": _alloc,
    "free_memory": callbacks.free,
    "print_string": _print,
    "sizeof_type": _sizeof,
    "symbol_addr_lookup": _symbol,
    "read_memory": _read,
    "write_memory": _write,
    "read_string": _read_string,
    "device_to_host": callbacks.convert,
    "host_to_device": callbacks.convert,
    "get_thread_context_for_thread_id": _thread_context,
}

# What callbacks.py calls a code that has another name here.
CODES = dict(abi5.RC, target_read_error=abi5.RC["device_read_error"])

_FIELDS = [(name, ctypes.CFUNCTYPE(c_int, *_SIGNATURES[name])) for name in abi5.CALLBACKS]


class Table(ctypes.Structure):
    _fields_ = _FIELDS


# One table for all libraries of this ABI; it lives as long as gdb does.
TABLE = Table(**{name: kind(callbacks.guarded(_FUNCTIONS[name], CODES))
                 for name, kind in _FIELDS})
