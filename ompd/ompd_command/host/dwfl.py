# SPDX-License-Identifier: MIT
"""One session of libdwfl: which file is where. Separate debug files are found by debug_file.py:
libdw's own search opens whatever the target names, and waits for it."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, c_bool, c_char_p, c_int, c_uint32, c_void_p

from openmp_inspect.core import debug, regular_file
from openmp_inspect.core.static_typing import TYPE_CHECKING
from ompd_command.host import debug_file, elfutils
from ompd_command.host.elfutils import Address, Pointer

if TYPE_CHECKING:
    from typing import Any, Dict, Iterable, Optional, Tuple
    from openmp_inspect.host.images import Image


_FindDebuginfo = ctypes.CFUNCTYPE(c_int, Pointer, Pointer, c_char_p, Address, c_char_p, c_char_p,
                                  c_uint32, POINTER(c_void_p))
_NONE = -1  # no file; also what dwarf_getalt() leaves where it has found none


class _Callbacks(ctypes.Structure):
    """Dwfl_Callbacks"""

    _fields_ = [("find_elf", Pointer), ("find_debuginfo", _FindDebuginfo), ("section_address", Pointer),
                ("debuginfo_path", Pointer)]


_begin = elfutils.function("dwfl_begin", Pointer, Pointer)
_end = elfutils.function("dwfl_end", None, Pointer)
_report_begin = elfutils.function("dwfl_report_begin", None, Pointer)
_report_elf = elfutils.function("dwfl_report_elf", Pointer, Pointer, c_char_p, c_char_p, c_int,
                                Address, c_bool)
_report_end = elfutils.function("dwfl_report_end", c_int, Pointer, Pointer, Pointer)
_info = elfutils.function("dwfl_module_info", c_char_p, Pointer, Pointer, Pointer, Pointer,
                          Pointer, Pointer, Pointer, Pointer)
_altlink = elfutils.function("dwelf_dwarf_gnu_debugaltlink", ctypes.c_ssize_t, Pointer, Pointer,
                             Pointer)
_setalt = elfutils.function("dwarf_setalt", None, Pointer, Pointer)
# The Dwarf * of the file that one shares with others, by dwz, or NULL.
shared_of = elfutils.function("dwarf_getalt", Pointer, Pointer)
_dwarf_begin = elfutils.function("dwarf_begin", Pointer, c_int, c_int)
_READ = 0  # DWARF_C_READ
_strdup = ctypes.CDLL(None).strdup  # libdwfl frees it
_strdup.argtypes, _strdup.restype = [c_char_p], c_void_p
_getdwarf = elfutils.function("dwfl_module_getdwarf", Pointer, Pointer, Pointer)


class DwflSession:
    """Each Image of IMAGES with a file gets its `handle`."""

    def __init__(self, images: Iterable[Image]) -> None:
        # They are used as long as the session lives.
        self._callbacks = _Callbacks(
            None, _FindDebuginfo(self._find_debug_file),
            elfutils.address_of("dwfl_offline_section_address"), None)
        self._images: Dict[int, Image] = {}
        self._dwfl = _begin(ctypes.byref(self._callbacks))
        _report_begin(self._dwfl)
        for image in images:
            if image.file is not None and image.file_path is not None:
                image.handle = self._reported(image, image.file_path)
                self._images[image.handle] = image
        _report_end(self._dwfl, None, None)

    def _reported(self, image: Image, path: str) -> int:
        try:
            with regular_file.opened(path) as stream:
                file = os.dup(stream.fileno())
        except (OSError, ValueError):
            debug.ignored()
            return 0
        # Its directory is where a debug file may be, too.
        found: int = _report_elf(self._dwfl, os.fsencode(os.path.basename(image.path)),
                                 os.fsencode(path), file, image.bias & (1 << 64) - 1, True)
        return found or 0

    def close(self) -> None:
        _end(self._dwfl)

    def _find_debug_file(self, handle: int, _data: int, _name: bytes, _base: int, _path: bytes,
                         _link: Optional[bytes], _checksum: int, found_at: Any) -> int:
        """As libdwfl calls it: a descriptor, and the path at FOUND_AT. It asks for a file that
        several share in the same way, which dwarf_of() finds."""
        try:
            image = self._images[handle]
            found = image.debug_file or debug_file.of_image(image, True)
            if found is None:
                return _NONE
            image.use_debug_file(found)
            found_at[0] = _strdup(os.fsencode(found.path))
            return os.dup(found.stream.fileno())
        # What leaves it is lost, and 0 returned, which is a descriptor.
        except Exception:  # pylint: disable=broad-except
            debug.ignored()
            return _NONE


def dwarf_of(handle: int) -> Tuple[Optional[int], int]:
    """(Dwarf * of a module, or None; its bias), with the file that it shares with others."""
    bias, name, build_id = Address(), c_char_p(), Pointer()
    found: Optional[int] = _getdwarf(handle, ctypes.byref(bias)) if handle else None
    size = _altlink(found, ctypes.byref(name), ctypes.byref(build_id)) if found else 0
    if size > 0:
        own, apart = c_char_p(), c_char_p()
        _info(handle, None, None, None, None, None, ctypes.byref(own), ctypes.byref(apart))
        one = debug_file.shared(os.fsdecode(apart.value or own.value or b""),
                                ctypes.string_at(build_id, size).hex(),
                                os.fsdecode(name.value or b""))
        # Else the library would look for it itself.
        _setalt(found, one and _dwarf_begin(os.dup(one.stream.fileno()), _READ) or _NONE)
    return found, int(bias.value)
