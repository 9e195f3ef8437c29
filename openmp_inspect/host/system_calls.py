# SPDX-License-Identifier: MIT
"""What a thread is in the kernel for, by the number and arguments of its system call."""

from __future__ import annotations

import functools
import os

from openmp_inspect.core import access, debug
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.host import interface
from openmp_inspect.host.interface import Awaited, Sleep, WantedLock

if TYPE_CHECKING:
    from typing import Dict, FrozenSet, Optional, Sequence, Tuple

_INT = 0xFFFFFFFF
_MOST_CALLS = 1 << 16  # a larger number says that there is none
_WAIT, _WAKE, _WAIT_BITSET, _PRIVATE = 0, 1, 9, 128
_LOCK_PI = 6, 13  # with the clock that they measure by
_ELSEWHERE = Sleep(0, 0, False, True)
_LOCK_AND_WAIT = 7, 38  # of fcntl(): F_SETLKW, F_OFD_SETLKW


class _Numbers(NamedTuple):
    futex: int
    flock: int
    fcntl: int
    # Those that wait for nothing: rt_sigprocmask, sched_yield, mmap, mprotect, munmap, brk, mremap,
    # madvise, kill, tkill, tgkill.
    brief: FrozenSet[int]
    awaited: Dict[int, Tuple[str, int]]  # the kind of interface.Awaited, and which argument says it


_FILE, _PATH, _QUEUE, _SIGNALS, _CHILD = ("file", 0), ("path", 1), ("queue", 0), ("signals", 0), ("child", 0)
# read, write, readv, writev, accept, connect, recvfrom, recvmsg, accept4, mq_timedsend, mq_timedreceive;
# openat, msgrcv, msgsnd, rt_sigtimedwait, wait4.
_X86_64 = _Numbers(
    202, 73, 72, frozenset((14, 24, 9, 10, 11, 12, 25, 28, 62, 200, 234)),
    {**dict.fromkeys((0, 1, 19, 20, 43, 42, 45, 47, 288, 242, 243), _FILE), 257: _PATH,
     **dict.fromkeys((70, 69), _QUEUE), 128: _SIGNALS, 61: _CHILD})
_AARCH64 = _Numbers(
    98, 32, 25, frozenset((135, 124, 222, 226, 215, 214, 216, 233, 129, 130, 131)),
    {**dict.fromkeys((63, 64, 65, 66, 202, 203, 207, 212, 242, 182, 183), _FILE), 56: _PATH,
     **dict.fromkeys((188, 189), _QUEUE), 137: _SIGNALS, 260: _CHILD})
# Of the kernel whose /proc is read.
_MACHINE = {"x86_64": interface.X86_64}.get(os.uname().machine, os.uname().machine)
_NUMBERS = {interface.X86_64: _X86_64, interface.AARCH64: _AARCH64}


class Stopped(NamedTuple):
    registers: Tuple[int, int]  # address of the next instruction, stack pointer
    sleep: Optional[Sleep]


def of_thread(process: int, thread: int) -> Optional[Stopped]:
    """What the kernel says of a thread of a live PROCESS; None where it is not allowed to look, or
    the thread runs."""
    try:
        call, sp, pc = access.current().text(
            "/proc/%d/task/%d/syscall" % (process, thread)).rsplit(None, 2)
        return Stopped((int(pc, 16), int(sp, 16)), _of_words(call))
    except (OSError, ValueError):
        debug.ignored()
        return None


@functools.lru_cache(maxsize=1 << 8)  # many threads sleep on the same word
def _of_words(call: bytes) -> Optional[Sleep]:
    number, *arguments = (int(word, 0) for word in call.split()[:5])
    return sleep(_MACHINE, number, arguments)


def sleep(machine: str, call: int, arguments: Sequence[int]) -> Optional[Sleep]:
    """The Sleep of a thread of a MACHINE in the system CALL of this number with at least four
    ARGUMENTS; None: it is in none, in one that waits for nothing, or that is not known."""
    numbers = _NUMBERS.get(machine)
    if numbers is None or not 0 <= call < _MOST_CALLS or call in numbers.brief:
        return None
    if call == numbers.flock:
        return _ELSEWHERE._replace(lock=WantedLock(arguments[0] & _INT, (b"FLOCK",)))
    if call == numbers.fcntl and arguments[1] & _INT in _LOCK_AND_WAIT:
        return _ELSEWHERE._replace(lock=WantedLock(arguments[0] & _INT, (b"POSIX", b"OFDLCK")))
    if call != numbers.futex:
        kind, at = numbers.awaited.get(call, ("", 0))
        value = arguments[at] & (_INT if at == 0 and kind != "signals" else (1 << 64) - 1)
        return _ELSEWHERE._replace(awaited=Awaited(kind, value)) if kind else _ELSEWHERE
    address, operation, value, timeout = arguments[:4]
    wait = operation & 0x7F
    if wait not in (_WAIT, _WAIT_BITSET, *_LOCK_PI):
        return None if wait == _WAKE else _ELSEWHERE
    return Sleep(address, value & 0xFFFFFFFF, bool(operation & _PRIVATE), timeout != 0,
                 wait in _LOCK_PI)
