# SPDX-License-Identifier: MIT
"""Whether a program handles signals that come from outside or with time: its handler may end a
wait that no thread can end."""

from __future__ import annotations

import os
import signal

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import inferiors
from gdb_openmp.program import code_owner, image_symbols

if TYPE_CHECKING:
    from gdb_openmp.host.gdb_types import GdbInferior

# Handlers of what else dumps core report a crash; 32 and 33 are glibc's own.
_CRASHES = sum(1 << (number - 1) for number in (
    signal.SIGQUIT, signal.SIGILL, signal.SIGTRAP, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE,
    signal.SIGSEGV, signal.SIGXCPU, signal.SIGXFSZ, signal.SIGSYS, 32, 33))
_INSTALL = {"sigaction", "__sigaction", "signal", "bsd_signal", "sysv_signal", "__sysv_signal",
            "ssignal", "sigset", "sigvec"}


def may_have(inferior: GdbInferior) -> bool:
    """Whether the selected inferior may have such a handler. The kernel knows it of a live process
    of this machine; no core has it, so that what could install one counts there: also what cannot
    be read, and a program that is linked statically, which has the functions in any case."""
    if not inferiors.is_live_here(inferior):
        return code_owner.runtimes().libc_is_linked_in or any(
            image is None or image.undefined & _INSTALL
            for path, image in image_symbols.of_user().items()
            if not os.path.basename(path).startswith("libgfortran"))  # reports crashes
    try:
        with open("/proc/%d/status" % inferior.pid, "rb") as stream:
            caught = next(int(line.split()[1], 16) for line in stream
                          if line.startswith(b"SigCgt:"))
    except (OSError, ValueError, IndexError, StopIteration):
        debug.ignored()
        return True
    return bool(caught & ~_CRASHES)
