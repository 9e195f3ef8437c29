# SPDX-License-Identifier: MIT
"""gdb's frame decorator, which ends the whole backtrace at a name that gdb cannot decode."""

import functools

from gdb.FrameDecorator import FrameDecorator, FrameVars

from gdb_openmp.core import debug
from gdb_openmp.host import escaped, gdb_text


def _or(own):
    """A method of the decorator beneath, and OWN of its frame where that cannot decode."""
    name = own.__name__

    @functools.wraps(own)
    def method(self):
        try:
            return getattr(FrameDecorator, name)(self)
        except UnicodeDecodeError:
            debug.ignored()
            return own(self.inferior_frame())
    return method


class Decorator(FrameDecorator):
    """As gdb prints frames that no filter has touched."""

    @_or
    def function(frame):  # pylint: disable=no-self-argument
        return escaped.shown(gdb_text.frame_name(frame) or "??")

    @_or
    def filename(frame):  # pylint: disable=no-self-argument
        symtab = frame.find_sal().symtab
        name = gdb_text.library_at(frame.pc()) if symtab is None else gdb_text.full_name(symtab)
        return name and escaped.encodable(name)

    @_or
    def line(frame):  # pylint: disable=no-self-argument
        return frame.find_sal().line or None

    @_or
    def frame_args(frame):  # pylint: disable=no-self-argument
        return FrameVars(frame).fetch_frame_args() or None

    @_or
    def frame_locals(frame):  # pylint: disable=no-self-argument
        return FrameVars(frame).fetch_frame_locals() or None
