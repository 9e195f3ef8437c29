# SPDX-License-Identifier: MIT
"""Whether a program handles signals that come from outside or with time: its handler may end a
wait that no thread can end. That of CPython notes the signal, and ends none: the function in Python
runs when the first thread comes back to the interpreter, or waits in it."""

from __future__ import annotations

import os
import signal

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import code_owner, image_symbols, python_interpreter

if TYPE_CHECKING:
    from typing import Callable, List, Optional
    from openmp_inspect.host.interface import Process


def _set(*signals: int) -> int:
    return sum(1 << (number - 1) for number in signals)


# What a thread raises itself, so that a handler reports a crash; 32 and 33 are glibc's.
_RAISED = _set(signal.SIGILL, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGSEGV, 32, 33)
# libgfortran's handlers of these report a crash, too.
_OF_GFORTRAN = _set(signal.SIGQUIT, signal.SIGTRAP, signal.SIGXCPU, signal.SIGXFSZ, signal.SIGSYS)
_INSTALL = {"sigaction", "__sigaction", "signal", "bsd_signal", "sysv_signal", "__sysv_signal",
            "ssignal", "sigset", "sigvec", "PyOS_setsig", "_gfortran_signal_sub",
            "_gfortran_signal_sub_int", "_gfortran_signal_func"}


def caught(process: Process) -> Optional[int]:
    """The signals that the process has handlers for, but for those that report a crash; None where the
    kernel does not say."""
    found = process.caught_signals()
    return None if found is None else found & ~_RAISED


def names(process: Process) -> List[str]:
    """Those of caught()."""
    found = caught(process) or 0
    return [getattr(one, "name", "signal %d" % one) for one in sorted(signal.valid_signals())
            if found >> one - 1 & 1]


def only_one(process: Process) -> Optional[str]:
    """The name of the only signal that the process has a handler for, glibc's own ones apart, or None."""
    found = (process.caught_signals() or 0) & ~_set(32, 33)
    return next((one.name for one in signal.Signals if found == _set(one)), None)


def may_have(process: Process, is_interpreting: Callable[[], bool]) -> bool:
    """Whether the process may have such a handler. IS_INTERPRETING: whether the first thread may be
    in CPython, or in what that has called of the system. The kernel knows of handlers of a live
    process of this machine; no core has them, so that what could install one counts there, as it
    does besides CPython and libgfortran: also what cannot be read, and a program that is linked
    statically, which has the functions in any case."""
    signals, interpreter = caught(process), python_interpreter.own_file(process)
    if signals is not None:
        if not signals:
            return False
        if interpreter is None and signals & ~_OF_GFORTRAN:
            return True
    if interpreter is not None and is_interpreting():
        return True
    return code_owner.runtimes(process).libc_is_linked_in or any(
        image is None or image.undefined & _INSTALL
        for path, image in image_symbols.of_user(process).items()
        if path != interpreter and
        not os.path.basename(path).startswith("libgfortran"))
