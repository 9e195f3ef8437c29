# SPDX-License-Identifier: MIT
"""When gdb's processes were stopped: how long a person looks is no time of the program's."""

from __future__ import annotations

import time

import gdb

from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Optional
    from gdb_openmp.host.gdb_types import GdbEvent

_latest: Optional[float] = None


def watch() -> None:
    """Follows gdb's events. Called once."""
    gdb.events.stop.connect(_stopped)
    gdb.events.cont.connect(_continued)


def latest() -> float:
    """time.monotonic() at the latest stop; now, while a process runs, or before any."""
    return time.monotonic() if _latest is None else _latest


def _stopped(_event: GdbEvent) -> None:
    global _latest
    _latest = time.monotonic()


def _continued(_event: GdbEvent) -> None:
    global _latest
    _latest = None
