# SPDX-License-Identifier: MIT
"""The routines of one library, whatever interface it speaks."""

from ctypes import byref, c_char_p, c_int

from ompd import callbacks
from ompd.errors import OmpdError


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
            setattr(self, name, routine)

    def call(self, name, *arguments):
        rc = getattr(self, name)(*arguments)
        callbacks.raise_pending()
        if rc != 0:  # ompd_rc_ok
            raise OmpdError(self._codes.get(rc, "code %d" % rc), "ompd_" + name)

    def version_string(self):
        text = c_char_p()
        self.call("get_version_string", byref(text))
        return (text.value or b"").decode("utf-8", "replace")
