# SPDX-License-Identifier: MIT
"""Names of C++ that the linker's names stand for, by the C++ library if it is on this machine."""

from __future__ import annotations

import ctypes
import functools
import os

from openmp_inspect.core import debug, lazy_regex
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Optional

_FILE = "libstdc++.so.6"
_LONGEST = 1 << 14  # of both

_OPENING, _CLOSING = "<({[", ">)}]"
_TOKEN = lazy_regex.regex(r"\(anonymous namespace\)|\boperator(?:->\*?|<=>|<<=?|>>=?|[<>]=?|\b)"
                          r"|[<>(){}\[\] ]")


@functools.lru_cache(maxsize=None)
def _library() -> Any:
    try:
        library = ctypes.CDLL(_FILE)
        demangle = getattr(library, "__cxa_demangle")
        demangle.restype = ctypes.c_void_p
        demangle.argtypes = (ctypes.c_char_p, *[ctypes.c_void_p] * 3)
        return demangle
    except (OSError, AttributeError):
        debug.ignored()
        return None


@functools.lru_cache(maxsize=None)
def _free() -> Any:
    free = ctypes.CDLL(None).free
    free.restype, free.argtypes = None, (ctypes.c_void_p,)
    return free


@functools.lru_cache(maxsize=None)
def _length() -> Any:
    length = ctypes.CDLL(None).strnlen
    length.restype, length.argtypes = ctypes.c_size_t, (ctypes.c_void_p, ctypes.c_size_t)
    return length


def load() -> None:
    """Else it is loaded when it is first needed."""
    _library()


@functools.lru_cache(maxsize=1 << 12)
def known(name: str) -> Optional[str]:
    """What a linker's NAME stands for, or None."""
    if not name.startswith(("_Z", "_GLOBAL_")) or len(name) > _LONGEST or _library() is None:
        return None
    status = ctypes.c_int()
    found = _library()(os.fsencode(name), None, None, ctypes.byref(status))
    if not found:
        return None
    # A name may double with each of its letters.
    text = ctypes.string_at(found, _length()(found, _LONGEST))
    _free()(found)
    return os.fsdecode(text) if len(text) < _LONGEST else None


def demangled(name: str) -> str:
    return known(name) or name


def without_result(name: str) -> str:
    """The NAME of a function without the type of its result, which instances of templates have in
    theirs: "void grid::relax<int>(int)"."""
    depth = begins = 0
    for token in _TOKEN.finditer(name):
        text = token.group()
        if text == "(" and not depth:
            return name if name[begins:].startswith("(") else name[begins:]
        if text.startswith("operator") and not depth:
            break
        if text == " " and not depth:
            begins = token.end()
        depth += (text in _OPENING) - (text in _CLOSING)
    return name[begins:]
