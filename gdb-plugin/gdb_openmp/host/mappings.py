# SPDX-License-Identifier: MIT
"""Whose memory an address is. Processes share what they have mapped of a file, for which the
kernel takes one where a program names none (/dev/zero)."""

from __future__ import annotations

from gdb_openmp.core import debug
from gdb_openmp.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import inferiors, modules

if TYPE_CHECKING:
    from gdb_openmp.core.static_typing import GdbInferior


def is_private(inferior: GdbInferior, address: int) -> bool:
    """Whether no other process has the memory at ADDRESS of the selected INFERIOR; False where
    that is not known."""
    if inferiors.is_live_here(inferior):
        return _is_private(inferior.pid, address)
    files = modules.mappings()
    return bool(files) and not any(file.start <= address < file.end for file in files)


def _is_private(process: int, address: int) -> bool:
    try:
        with open("/proc/%d/maps" % process, "rb") as stream:
            for line in stream:
                bounds, permissions = line.split(None, 2)[:2]
                low, high = (int(bound, 16) for bound in bounds.split(b"-"))
                if low <= address < high:
                    return permissions.endswith(b"p")
    except (OSError, ValueError):
        debug.ignored()
    return False
