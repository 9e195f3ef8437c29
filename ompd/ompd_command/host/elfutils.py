# SPDX-License-Identifier: MIT
"""The functions of elfutils' libdw and libelf, by ctypes. What a function returns and takes is said
where it is used, once, in a module's table."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os

from openmp_inspect.core import debug, install_paths
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Callable

Pointer = ctypes.c_void_p
Address = ctypes.c_uint64  # Dwarf_Addr, GElf_Addr, Dwarf_Word

_FILE = "libdw.so.1"
_NEEDED = "libelf.so.1"


class NoElfutils(Exception):
    """The library is not on this machine; the text says what to install."""


@functools.lru_cache(maxsize=None)
def _library() -> ctypes.CDLL:
    own = install_paths.elfutils()
    if own is not None:
        # Which libdw does not look for there: with a run path each library that it needs would be looked for.
        with contextlib.suppress(OSError):
            ctypes.CDLL(os.path.join(os.path.dirname(own), _NEEDED))
    for path in filter(None, (own, _FILE)):
        try:
            return ctypes.CDLL(path)
        except OSError:
            debug.ignored()
    raise NoElfutils("ompd needs %s of elfutils: install libdw1 (Debian, Ubuntu) or "
                     "elfutils-libs (Fedora, RHEL)." % _FILE)


def load() -> None:
    """Else it is loaded when it is first needed; NoElfutils."""
    _library()


def function(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    """The function of this NAME, with its types as ctypes has them; it is looked up when it is
    first called."""
    @functools.lru_cache(maxsize=None)
    def found() -> Any:
        one = getattr(_library(), name)
        one.restype, one.argtypes = result, arguments
        return one

    def call(*given: Any) -> Any:
        return found()(*given)

    return call


@functools.lru_cache(maxsize=None)
def version() -> str:
    """The library's."""
    return os.fsdecode(function("dwfl_version", ctypes.c_char_p, Pointer)(None) or b"")


def address_of(name: str) -> int:
    """That of a function which the library itself calls back."""
    return ctypes.cast(getattr(_library(), name), ctypes.c_void_p).value or 0
