# SPDX-License-Identifier: MIT
"""One session of libdwfl: which file is where. It finds separate debug files by build-id or name,
and by debuginfod where the user has set that."""

from __future__ import annotations

import ctypes
import os
from ctypes import c_bool, c_char_p, c_int

from openmp_inspect.core import debug, regular_file
from openmp_inspect.core.static_typing import TYPE_CHECKING
from ompd_command.host import elfutils
from ompd_command.host.elfutils import Address, Pointer

if TYPE_CHECKING:
    from typing import Iterable
    from openmp_inspect.host.images import Image


class _Callbacks(ctypes.Structure):
    """Dwfl_Callbacks"""

    _fields_ = [("find_elf", Pointer), ("find_debuginfo", Pointer), ("section_address", Pointer),
                ("debuginfo_path", Pointer)]


_begin = elfutils.function("dwfl_begin", Pointer, Pointer)
_end = elfutils.function("dwfl_end", None, Pointer)
_report_begin = elfutils.function("dwfl_report_begin", None, Pointer)
_report_elf = elfutils.function("dwfl_report_elf", Pointer, Pointer, c_char_p, c_char_p, c_int,
                                Address, c_bool)
_report_end = elfutils.function("dwfl_report_end", c_int, Pointer, Pointer, Pointer)
_info = elfutils.function("dwfl_module_info", c_char_p, Pointer, Pointer, Pointer, Pointer,
                          Pointer, Pointer, Pointer, Pointer)
_getdwarf = elfutils.function("dwfl_module_getdwarf", Pointer, Pointer, Pointer)


class DwflSession:
    """Each Image of IMAGES with a file gets its `handle`."""

    def __init__(self, images: Iterable[Image]) -> None:
        # They are used as long as the session lives.
        self._callbacks = _Callbacks(
            None, elfutils.address_of("dwfl_standard_find_debuginfo"),
            elfutils.address_of("dwfl_offline_section_address"), None)
        self._dwfl = _begin(ctypes.byref(self._callbacks))
        _report_begin(self._dwfl)
        for image in images:
            if image.file is not None and image.file_path is not None:
                image.handle = self._reported(image, image.file_path)
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


def has_debug_file(handle: int) -> bool:
    """Whether a module's debug information is in a file of its own."""
    if not handle or not _getdwarf(handle, ctypes.byref(Address())):
        return False
    file = c_char_p()
    _info(handle, None, None, None, None, None, None, ctypes.byref(file))
    return bool(file.value)
