# SPDX-License-Identifier: MIT
"""The signal that ends a program: what for, by what the kernel says of it and by the stack."""

from __future__ import annotations

import signal
import struct

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.host.interface import Crash

if TYPE_CHECKING:
    from typing import Optional
    from openmp_inspect.host.interface import Process, Thread

_FATAL = tuple(getattr(signal, "SIG" + name)
               for name in ("SEGV", "BUS", "FPE", "ILL", "ABRT", "TRAP"))
_BY_KERNEL = 0  # si_code of signals that an instruction has caused is greater
_NO_ADDRESS = 0x80  # SI_KERNEL, as for a general protection fault of x86: si_addr is 0
_BY_THREAD = -6  # tgkill, as abort() does: si_pid is where si_addr would be
_NEAR = 1 << 16  # bytes around the stack pointer in which a frame's accesses lie
_DEEPEST = 1 << 8  # frames between an exception and what throws it
# What has an exception; __cxa_rethrow may have found none, std::terminate is called without one, too.
_THROWN = ("_Unwind_RaiseException", "_Unwind_Resume", "__cxa_throw", "__clang_call_terminate")


class SignalInfo(NamedTuple):
    """siginfo_t"""

    number: int
    code: int
    sender: Optional[int]  # si_pid, of signals that somebody has sent
    address: Optional[int]  # si_addr, of those that an access has caused


_INFO = struct.Struct("<iiiiQ")  # number, errno, code, padding, address or sender


def of_bytes(content: bytes) -> Optional[SignalInfo]:
    """The kernel's siginfo_t of a 64-bit machine."""
    if len(content) < _INFO.size:
        return None
    number, _, code, _, word = _INFO.unpack_from(content)
    return SignalInfo(number, code, word & 0xFFFFFFFF, word)


def crash(process: Process, thread: Thread, info: SignalInfo, own_id: int) -> Optional[Crash]:
    """The Crash that a signal of a THREAD is, or None: it does not end a program, or somebody else
    has sent it, as to make a core of a program that hangs. OWN_ID: of the process, as it has it."""
    if info.number not in _FATAL or info.number == signal.SIGTRAP or not (
            info.code > _BY_KERNEL or info.code == _BY_THREAD and info.sender == own_id):
        return None
    lwp, address, sent = process.kernel_id(thread), None, info.code < _BY_KERNEL
    flags = {"initial"} if lwp == own_id else set()
    if info.number in (signal.SIGSEGV, signal.SIGBUS) and not sent:
        address = None if info.code == _NO_ADDRESS else info.address
        if _is_overflow(process, thread, address):
            flags.add("overflow")
    elif info.number == signal.SIGABRT and _is_thrown(process, thread):
        flags.add("uncaught")
    return Crash(lwp, signal.Signals(info.number).name, flags, address, sent)


def _is_overflow(process: Process, thread: Thread, address: Optional[int]) -> bool:
    """Whether an access that failed was one to a stack that has ended: it is near the stack
    pointer, or in a frame, which then reaches beyond the stack, or the pointer is where no memory
    is."""
    try:
        frame = process.newest_frame(thread)
        if frame is None:
            return False
        pointer = end = frame.sp
        for _ in range(_DEEPEST):
            if frame is None or frame.sp < end:
                break
            end, frame = frame.sp, frame.older
    except HostError:
        debug.ignored()
        return False
    if address is not None:
        address &= (1 << 64) - 1
        if pointer <= address < end or \
                abs(address - pointer) <= _NEAR and not process.is_readable(address):
            return True
    return not process.is_readable(pointer)


def _is_thrown(process: Process, thread: Thread) -> bool:
    try:
        frame = process.newest_frame(thread)
        for _ in range(_DEEPEST):
            if frame is None:
                return False
            if (frame.name or "").startswith(_THROWN):
                return True
            frame = frame.older
    except HostError:
        debug.ignored()
    return False
