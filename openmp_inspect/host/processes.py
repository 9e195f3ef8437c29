# SPDX-License-Identifier: MIT
"""The process or core that a command is about. A debugger says once, in are(), which that is."""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Callable, List
    from openmp_inspect.host.interface import Process

_current: List[Callable[[], Process]] = []  # one function


def are(find: Callable[[], Process]) -> None:
    """FIND returns the Process that commands are about now."""
    _current[:] = [find]


def current() -> Process:
    return _current[0]()
