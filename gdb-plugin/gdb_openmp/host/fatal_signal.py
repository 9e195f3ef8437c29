# SPDX-License-Identifier: MIT
"""The signal that ends a program: of which thread, and what for."""

from __future__ import annotations

import signal

import gdb

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host.interface import Crash
from gdb_openmp.host import frames, gdb_text, inferiors, thread_ids

if TYPE_CHECKING:
    from typing import Optional
    from gdb_openmp.host.gdb_types import GdbInferior, GdbValue

_FATAL = tuple(getattr(signal, "SIG" + name)
               for name in ("SEGV", "BUS", "FPE", "ILL", "ABRT", "TRAP"))
_BY_KERNEL = 0  # si_code of signals that an instruction has caused is greater
_BY_THREAD = -6  # tgkill, as abort() does
_NEAR = 1 << 16  # bytes around the stack pointer in which a frame's accesses lie
_THROWN = ("_Unwind_RaiseException", "__cxa_throw", "__cxa_rethrow", "std::terminate",
           "_ZSt9terminatev")


def crash(inferior: GdbInferior) -> Optional[Crash]:
    """The Crash that the selected thread's signal is, or None. A signal that somebody else has
    sent, as to make a core of a program that hangs, is none. Call in selection_kept()."""
    thread = gdb.selected_thread()
    try:
        info = gdb.parse_and_eval("$_siginfo")
        number, code = int(info["si_signo"]), int(info["si_code"])
    except (gdb.error, RuntimeError):
        debug.ignored()
        return None
    if thread is None or thread.inferior != inferior or number not in _FATAL:
        return None
    if number == signal.SIGTRAP or not (code > _BY_KERNEL or code == _BY_THREAD and
                                        _field(info, "_kill", "si_pid") ==
                                        thread_ids.process(inferior)):
        return None
    lwp, address = thread_ids.lwp(thread), None
    flags = {"initial"} if lwp == thread_ids.process(inferior) else set()
    if number in (signal.SIGSEGV, signal.SIGBUS):
        address = _field(info, "_sigfault", "si_addr")
        if _is_overflow(address):
            flags.add("overflow")
    elif number == signal.SIGABRT and _is_thrown():
        flags.add("uncaught")
    return Crash(lwp, signal.Signals(number).name, flags, address)


def _field(info: GdbValue, kind: str, name: str) -> Optional[int]:
    """What a siginfo_t has of signals of this KIND, or None."""
    try:
        return int(info["_sifields"][kind][name])
    except gdb.error:
        debug.ignored()
        return None


def _is_overflow(address: Optional[int]) -> bool:
    """Whether an access that failed was one to a stack that has ended: it is near the stack
    pointer, or that is where no memory is."""
    try:
        frame = gdb.newest_frame()
        pointer = int(frame.read_register("sp"))
    except gdb.error:
        debug.ignored()
        return False
    mask = (1 << 64) - 1
    if address is not None and abs((address & mask) - (pointer & mask)) <= _NEAR and \
            not inferiors.is_readable(address):
        return True
    return not inferiors.is_readable(pointer)


def _is_thrown() -> bool:
    return any((gdb_text.frame_name(frame) or "").startswith(_THROWN)
               for frame in frames.outward(frames.newest()))
