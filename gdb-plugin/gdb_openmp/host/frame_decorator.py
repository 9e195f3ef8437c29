# SPDX-License-Identifier: MIT
"""gdb's frame decorator, which ends the whole backtrace at a name that gdb cannot decode."""

from __future__ import annotations

import functools

from gdb.FrameDecorator import FrameDecorator, FrameVars

from openmp_inspect.core import debug, escaped
from openmp_inspect.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import gdb_text

if TYPE_CHECKING:
    from typing import Any, Callable, Optional, TypeVar
    from gdb_openmp.host.gdb_types import GdbFrame
    Answer = TypeVar("Answer")


def _or(own: Callable[[GdbFrame], Answer]) -> Callable[[_Decoded], Answer]:
    """A method of the decorator beneath, and OWN of its frame where that cannot decode, or gdb
    has another file than the target for it."""
    name = own.__name__

    @functools.wraps(own)
    def method(self: _Decoded) -> Answer:
        try:
            if not gdb_text.is_other(self.inferior_frame().pc()):
                found: Answer = getattr(FrameDecorator, name)(self)
                return found
        except UnicodeDecodeError:
            debug.ignored()
        return own(self.inferior_frame())
    return method


class _Decoded(FrameDecorator):
    """gdb's, which fails at no name."""

    @_or
    def function(frame: GdbFrame) -> Optional[str]:  # pylint: disable=no-self-argument
        return escaped.shown(gdb_text.frame_name(frame) or "??")

    @_or
    def filename(frame: GdbFrame) -> Optional[str]:  # pylint: disable=no-self-argument
        symtab = gdb_text.line_of(frame).symtab
        name = gdb_text.library_at(frame.pc()) if symtab is None else gdb_text.full_name(symtab)
        return name and escaped.encodable(name)

    @_or
    def line(frame: GdbFrame) -> Optional[int]:  # pylint: disable=no-self-argument
        return gdb_text.line_of(frame).line or None

    @_or
    def frame_args(frame: GdbFrame) -> Any:  # pylint: disable=no-self-argument
        return None if gdb_text.is_other(frame.pc()) else FrameVars(frame).fetch_frame_args() or None

    @_or
    def frame_locals(frame: GdbFrame) -> Any:  # pylint: disable=no-self-argument
        return None if gdb_text.is_other(frame.pc()) else \
            FrameVars(frame).fetch_frame_locals() or None


class Decorator(_Decoded):
    """As gdb prints frames that no filter has touched."""

    def function(self) -> Optional[str]:
        """A name, or the address of code that gdb has a name of its own for."""
        found: Optional[str] = super().function()
        nameless = isinstance(found, int) and not gdb_text.frame_name(self.inferior_frame())
        return "??" if nameless else found
