# SPDX-License-Identifier: MIT
"""The process or core that a command is about. A debugger says once, in are(), which that is."""

from __future__ import annotations

import os

from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Callable, Dict, List, Union
    from openmp_inspect.host.interface import Process

_current: List[Callable[[], Process]] = []  # one function


def are(find: Callable[[], Process]) -> None:
    """FIND returns the Process that commands are about now."""
    _current[:] = [find]


def current() -> Process:
    return _current[0]()


def identity(process: Process) -> Dict[str, Union[int, str, None]]:
    """The keys of an object for JSON that say which it is."""
    path = process.core_file
    return {"pid": process.pid, "core": path and os.path.basename(path)}
