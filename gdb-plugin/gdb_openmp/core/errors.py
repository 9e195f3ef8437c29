# SPDX-License-Identifier: MIT
"""What goes wrong below the commands."""

from __future__ import annotations


class OmpdError(Exception):
    """An OMPD routine answered something other than ok. `kind` is the return code without
    its prefix, for instance "needs_state_tracking"; `routine` is what was called."""

    def __init__(self, kind: str, routine: str) -> None:
        super().__init__("%s: %s" % (routine, kind))
        self.kind = kind
        self.routine = routine


class NoLibrary(Exception):
    """There is no OMPD library for this program; the text says what to do. `fatal`: and
    nothing about OpenMP could be said even with one."""

    def __init__(self, message: str, fatal: bool = False) -> None:
        super().__init__(message)
        self.fatal = fatal


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
