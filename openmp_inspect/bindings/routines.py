# SPDX-License-Identifier: MIT
"""The routines of one library, whatever interface it speaks."""

from __future__ import annotations

import abc
import functools
from ctypes import byref, c_char_p, c_int

from openmp_inspect.core.errors import OmpdError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.bindings import callbacks

if TYPE_CHECKING:
    from ctypes import CDLL
    from typing import Any, Callable, Dict, Tuple
    from openmp_inspect.bindings.callbacks import Space
    from openmp_inspect.bindings.held_handles import Library, ProcessSession

    Signatures = Dict[str, Tuple[Any, ...]]  # types of arguments by the name of a routine


class Routines(abc.ABC):
    """Routines as attributes, without their prefix. `codes`: {return code: kind of error}."""

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> Callable[..., int]:
            """A routine of the library, which returns a code."""

    def __init__(self, handle: CDLL, routines: Signatures, codes: Dict[int, str]) -> None:
        self._handle = handle
        self._codes = codes
        self._add(routines)

    def _add(self, routines: Signatures) -> None:
        """AttributeError: the library lacks one of them."""
        for name, types in routines.items():
            routine = getattr(self._handle, "ompd_" + name)
            routine.argtypes = types
            routine.restype = c_int
            setattr(self, name, functools.partial(callbacks.call, routine))

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The interface, in words."""

    @property
    @abc.abstractmethod
    def rank(self) -> int:
        """How much it can tell: of two libraries for a program the higher one is taken."""

    @abc.abstractmethod
    def begins(self) -> bool:
        """Initialises the library, once. False: it speaks another version of the interface."""

    @abc.abstractmethod
    def open(self, space: Space, library: Library) -> ProcessSession:
        """Begins work on a process or core with the LIBRARY of these routines; OmpdError where
        it cannot read that."""

    def call(self, name: str, *arguments: Any) -> None:
        """OmpdError where the routine of this NAME does not return ok."""
        rc = getattr(self, name)(*arguments)
        if rc != 0:  # ompd_rc_ok
            kind = "error" if callbacks.is_exhausted() else self._codes.get(rc, "code %d" % rc)
            callbacks.judge(is_answer=kind == "incomplete")
            raise OmpdError(kind, "ompd_" + name)

    def version_string(self) -> str:
        """What the library calls itself. OmpdError where it does not say."""
        text = c_char_p()
        self.call("get_version_string", byref(text))
        return (text.value or b"").decode("utf-8", "replace")
