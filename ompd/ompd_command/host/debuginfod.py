# SPDX-License-Identifier: MIT
"""Debug files of the servers that the user has set, by elfutils' library. All that is asked takes
some seconds at most; then nothing is asked any more."""

from __future__ import annotations

import ctypes
import functools
import os
import sys
import time

from openmp_inspect.core import debug, screen
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Optional

_URLS = "DEBUGINFOD_URLS"
_SECONDS = 5.0
_Progress = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_long, ctypes.c_long)


class _Client:
    """A session of the LIBRARY that asks servers."""

    def __init__(self, library: Any) -> None:
        self._until = time.monotonic() + _SECONDS
        self._find = library.debuginfod_find_debuginfo
        self._find.argtypes = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p
        library.debuginfod_begin.restype = ctypes.c_void_p
        self._begun = library.debuginfod_begin()
        self._progress = _Progress(lambda *_given: int(self._is_over()))  # is used as long as it lives
        library.debuginfod_set_progressfn.argtypes = ctypes.c_void_p, _Progress
        if self._begun is not None:
            library.debuginfod_set_progressfn(self._begun, self._progress)

    def _is_over(self) -> bool:
        return time.monotonic() > self._until

    def file(self, build_id: bytes) -> Optional[int]:
        if self._begun is None or self._is_over():
            return None
        found: int = self._find(self._begun, build_id, len(build_id), None)
        return found if found >= 0 else None


@functools.lru_cache(maxsize=None)
def _client() -> Optional[_Client]:
    if not os.environ.get(_URLS):
        return None
    try:
        library = ctypes.CDLL("libdebuginfod.so.1")
    except OSError:
        debug.ignored()
        return None
    sys.stderr.write("ompd: asking %s ...\n" % screen.printable(os.environ[_URLS]))
    return _Client(library)


def file(build_id: str) -> Optional[int]:
    """A descriptor of the debug file of what has this BUILD_ID, in hexadecimal; None: there is none,
    or nobody to ask."""
    client = _client()
    return None if client is None else client.file(bytes.fromhex(build_id))
