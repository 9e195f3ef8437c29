# SPDX-License-Identifier: MIT
"""Whether a process was made by fork and has not called exec since: the kernel's flag
PF_FORKNOEXEC of its first thread."""

from __future__ import annotations

from gdb_openmp.core import debug
from gdb_openmp.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import inferiors

if TYPE_CHECKING:
    from typing import Optional
    from gdb_openmp.core.static_typing import GdbInferior

_FORKED, _FLAGS = 0x40, 6  # PF_FORKNOEXEC; which field behind the name in stat


def is_forked(inferior: GdbInferior) -> Optional[bool]:
    """None for what is no live process of this machine."""
    if not inferiors.is_live_here(inferior):
        return None
    try:
        with open("/proc/%d/stat" % inferior.pid, "rb") as stream:
            return bool(int(stream.read(4096).rpartition(b")")[2].split()[_FLAGS]) & _FORKED)
    except (OSError, ValueError, IndexError):
        debug.ignored()
        return None
