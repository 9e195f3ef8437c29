# SPDX-License-Identifier: MIT
"""What goes wrong below the commands."""

from __future__ import annotations

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Union

    Problem = Union["NoLibrary", "OmpdError", "HostError"]  # why the runtime is not known


class OmpdError(Exception):
    """An OMPD routine answered something other than ok. `kind` is the return code without
    its prefix, for instance "needs_state_tracking"; `routine` is what was called."""

    def __init__(self, kind: str, routine: str) -> None:
        super().__init__("%s: %s" % (routine, kind))
        self.kind = kind
        self.routine = routine


class UserError(Exception):
    """What was asked for cannot be had; the text is a sentence for the person who asked."""


class Unwritable(UserError):
    """A file that was asked for cannot be written."""


class HostError(Exception):
    """The debugger cannot answer; the text says why."""


class Unreadable(HostError):
    """There is no memory, or it cannot be read."""


class NoLibrary(Exception):
    """There is no OMPD library for this program; the text says what to do. `fatal`: and
    nothing about OpenMP could be said even with one."""

    def __init__(self, message: str, fatal: bool = False) -> None:
        super().__init__(message)
        self.fatal = fatal


def known(ask: Any) -> Any:
    """What the function ASK returns, or None when an OmpdError says that it cannot be had. ASK is
    typed Any: in a lambda that is passed as a Callable mypy drops the narrowing of names."""
    try:
        return ask()
    except OmpdError:
        debug.ignored()
        return None


_SHORT = {
    "unavailable": "not known",
    "stale_handle": "just ended",
    "needs_state_tracking": "not tracked",
    "target_read_error": "unreadable",
    "error": "inconsistent",
}


def short(error: OmpdError) -> str:
    """A few words for one cell of a table."""
    return _SHORT.get(error.kind, error.kind.replace("_", " "))
