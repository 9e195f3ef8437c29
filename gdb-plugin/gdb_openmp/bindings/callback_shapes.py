# SPDX-License-Identifier: MIT
"""What the callback tables of both dialects share: callbacks.py in the types of C."""

import ctypes
import os
from ctypes import byref, c_int, c_int64, c_uint64, c_void_p

from gdb_openmp.bindings import callbacks


class Address(ctypes.Structure):
    _fields_ = [("segment", c_uint64), ("address", c_uint64)]


class FrameInfo(ctypes.Structure):
    """Of OpenMP 5.x."""

    _fields_ = [("address", Address), ("flag", c_int64)]


def table(names, signatures, functions, codes):
    """A structure of callbacks in the order of NAMES. It has to live as long as gdb does."""
    fields = [(name, ctypes.CFUNCTYPE(c_int, *signatures[name])) for name in names]
    kind = type("Table", (ctypes.Structure,), {"_fields_": fields})
    return kind(**{name: function(callbacks.guarded(functions[name], codes))
                   for name, function in fields})


def allocate(size, out):
    c_void_p.from_address(out).value = callbacks.allocate(size)


def sizes_of(number):
    """The callback that stores the sizes of C's types, each as a NUMBER."""
    def sizes(context, out):
        values = (number * 6)(*callbacks.space_of(context).sizes)
        ctypes.memmove(out, byref(values), ctypes.sizeof(values))
    return sizes


def symbol(context, thread, name, out, file=None):
    address = callbacks.symbol_address(context, name.decode("ascii", "replace"), thread,
                                       None if file is None else os.fsdecode(file))
    result = Address.from_address(out)
    result.segment, result.address = 0, address


def _at(address):
    return c_uint64.from_address(address + 8).value


def read(context, _thread, address, size, buffer):
    callbacks.read_memory(context, _at(address), size, buffer)


def read_string(context, _thread, address, size, buffer):
    callbacks.read_string(context, _at(address), size, buffer)


def refuse(*_):
    raise callbacks.Failed("unsupported")


def thread_context(numbers):
    """The callback that finds a thread; NUMBERS: of the kinds of thread ids, by name."""
    kinds = {numbers[name]: name for name in ("lwp", "pthread")}

    def find(context, kind, size, number, out):
        number = callbacks.native_id(context, kinds.get(kind), size, number)
        c_void_p.from_address(out).value = callbacks.thread_context(context, kinds[kind], number)
    return find
