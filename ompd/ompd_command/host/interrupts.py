# SPDX-License-Identifier: MIT
"""Ctrl-C: Python loses one that comes in a callback of C, or while an object is destroyed."""

from __future__ import annotations

import signal

from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    import types
    from typing import List, Optional

_came: List[int] = []


def begin() -> None:
    """From now on KeyboardInterrupt is remembered, if it is raised here at all."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _take)


def _take(number: int, _frame: Optional[types.FrameType]) -> None:
    _came.append(number)
    raise KeyboardInterrupt


def raise_lost() -> None:
    """KeyboardInterrupt if there was one: before what takes long."""
    if _came:
        raise KeyboardInterrupt
