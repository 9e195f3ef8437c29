# SPDX-License-Identifier: MIT
"""Whether a program handles signals that come from outside or with time: its handler may end a
wait that no thread can end. That of CPython notes the signal, and ends none: the function in Python
runs when the first thread comes back to the interpreter."""

from __future__ import annotations

import os
import signal

from openmp_inspect.host import processes
from openmp_inspect.code import code_owner, image_symbols, python_interpreter

# Handlers of what else dumps core report a crash; 32 and 33 are glibc's own.
_CRASHES = sum(1 << (number - 1) for number in (
    signal.SIGQUIT, signal.SIGILL, signal.SIGTRAP, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE,
    signal.SIGSEGV, signal.SIGXCPU, signal.SIGXFSZ, signal.SIGSYS, 32, 33))
_INSTALL = {"sigaction", "__sigaction", "signal", "bsd_signal", "sysv_signal", "__sysv_signal",
            "ssignal", "sigset", "sigvec", "PyOS_setsig"}


def may_have() -> bool:
    """Whether the process may have such a handler. The kernel knows it of a live process of this
    machine; no core has it, so that what could install one counts there, and besides CPython: also
    what cannot be read, and a program that is linked statically, which has the functions in any
    case."""
    caught = processes.current().caught_signals()
    interpreter = python_interpreter.own_file()
    if caught is not None and (interpreter is None or not caught & ~_CRASHES):
        return bool(caught & ~_CRASHES)
    return code_owner.runtimes().libc_is_linked_in or any(
        image is None or image.undefined & _INSTALL
        for path, image in image_symbols.of_user().items()
        if path != interpreter and
        not os.path.basename(path).startswith("libgfortran"))  # reports crashes
