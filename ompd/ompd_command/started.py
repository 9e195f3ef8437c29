# SPDX-License-Identifier: MIT
"""A program is started as if Python had not been between: it may have changed the environment, for
the C locale, and signals that it ignores."""

from __future__ import annotations

import os
import signal

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Dict, List, NoReturn

_IGNORED = signal.SIGPIPE, signal.SIGXFSZ


def execute(command: List[str]) -> NoReturn:
    """Becomes a COMMAND, whose first word is a path; OSError where that cannot be."""
    for number in _IGNORED:
        signal.signal(number, signal.SIG_DFL)
    os.execve(command[0], command, _environment())


def _environment() -> Dict[bytes, bytes]:
    """What this process was started with."""
    try:
        with open("/proc/self/environ", "rb") as stream:
            words = stream.read().split(b"\0")
    except OSError:
        debug.ignored()
        return dict(os.environb)
    return {name: value for name, _, value in (word.partition(b"=") for word in words) if name}
