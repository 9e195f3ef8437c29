# SPDX-License-Identifier: MIT
"""The routines of one library, whatever interface it speaks."""

import functools
from ctypes import byref, c_char_p, c_int

from gdb_openmp.core.errors import OmpdError
from gdb_openmp.bindings import callbacks


class Routines:
    """Routines as attributes, without their prefix. `codes`: {return code: kind of error}."""

    def __init__(self, handle, routines, codes):
        self._handle = handle
        self._codes = codes
        self._add(routines)

    def _add(self, routines):
        """AttributeError: the library lacks one of them."""
        for name, types in routines.items():
            routine = getattr(self._handle, "ompd_" + name)
            routine.argtypes = types
            routine.restype = c_int
            setattr(self, name, functools.partial(callbacks.call, routine))

    def call(self, name, *arguments):
        rc = getattr(self, name)(*arguments)
        if rc != 0:  # ompd_rc_ok
            kind = "error" if callbacks.is_exhausted() else self._codes.get(rc, "code %d" % rc)
            callbacks.judge(is_answer=kind == "incomplete")
            raise OmpdError(kind, "ompd_" + name)

    def version_string(self):
        text = c_char_p()
        self.call("get_version_string", byref(text))
        return (text.value or b"").decode("utf-8", "replace")
