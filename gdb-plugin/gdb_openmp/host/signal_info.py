# SPDX-License-Identifier: MIT
"""What gdb has of the signal that has stopped the selected thread."""

from __future__ import annotations

import gdb

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host.fatal_signal import SignalInfo

if TYPE_CHECKING:
    from typing import Optional
    from gdb_openmp.host.gdb_types import GdbValue


def of_selected() -> Optional[SignalInfo]:
    """Its SignalInfo, or None where gdb has none."""
    try:
        info = gdb.parse_and_eval("$_siginfo")
        number, code = int(info["si_signo"]), int(info["si_code"])
    except (gdb.error, RuntimeError):
        debug.ignored()
        return None
    return SignalInfo(number, code, _field(info, "_kill", "si_pid"),
                      _field(info, "_sigfault", "si_addr"))


def _field(info: GdbValue, kind: str, name: str) -> Optional[int]:
    """What a siginfo_t has of signals of this KIND, or None."""
    try:
        return int(info["_sifields"][kind][name])
    except gdb.error:
        debug.ignored()
        return None
