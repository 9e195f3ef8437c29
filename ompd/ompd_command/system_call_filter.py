# SPDX-License-Identifier: MIT
"""The system calls of a process that parses what it was given: memory, what it has open, the time.
All others fail with EPERM: none opens, connects, executes, signals, traces or makes a process."""

from __future__ import annotations

import ctypes
import os
import struct

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _MODE_FILTER = 38, 22, 2
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06  # instructions of BPF
_NUMBER, _MACHINE = 0, 4  # offsets in struct seccomp_data
_ALLOWED, _REFUSED = 0x7FFF0000, 0x00050001  # 1: EPERM
_INSTRUCTION = struct.Struct("<HBBI")
_NONE = -1  # no such call

# (AUDIT_ARCH_*, column of the table)
_MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
_CALLS = {
    "access": (21, _NONE), "brk": (12, 214), "clock_getres": (229, 114),
    "clock_gettime": (228, 113), "clock_nanosleep": (230, 115), "close": (3, 57), "dup": (32, 23),
    "dup2": (33, _NONE), "dup3": (292, 24), "exit": (60, 93), "exit_group": (231, 94),
    "faccessat": (269, 48), "faccessat2": (439, 439), "fadvise64": (221, 223), "fcntl": (72, 25),
    "fstat": (5, 80), "futex": (202, 98), "getcwd": (79, 17), "getdents64": (217, 61),
    "getegid": (108, 177), "geteuid": (107, 175), "getgid": (104, 176), "getpid": (39, 172),
    "getppid": (110, 173), "getrandom": (318, 278), "getrusage": (98, 165), "gettid": (186, 178),
    "gettimeofday": (96, 169), "getuid": (102, 174), "ioctl": (16, 29), "lseek": (8, 62),
    "lstat": (6, _NONE), "madvise": (28, 233), "membarrier": (324, 283), "mmap": (9, 222),
    "mprotect": (10, 226), "mremap": (25, 216), "munmap": (11, 215), "nanosleep": (35, 101),
    "newfstatat": (262, 79), "poll": (7, _NONE), "ppoll": (271, 73), "pread64": (17, 67),
    "prlimit64": (302, 261), "pselect6": (270, 72), "read": (0, 63), "readlink": (89, _NONE),
    "readlinkat": (267, 78), "readv": (19, 65),
    "recvfrom": (45, 207), "recvmsg": (47, 212), "restart_syscall": (219, 128),
    "rseq": (334, 293), "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139), "sched_getaffinity": (204, 123), "sched_yield": (24, 124),
    "select": (23, _NONE), "sendmsg": (46, 211), "sendto": (44, 206),
    "set_robust_list": (273, 99), "sigaltstack": (131, 132), "stat": (4, _NONE),
    "statx": (332, 291), "sysinfo": (99, 179), "uname": (63, 160), "write": (1, 64),
    "writev": (20, 66)}


class _Program(ctypes.Structure):
    """struct sock_fprog"""

    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]


def install() -> None:
    """For the rest of this process's life; OSError where the kernel has no such filters, or this
    machine is not in the table."""
    machine = _MACHINES.get(os.uname().machine)
    if machine is None:
        raise OSError("no table of the system calls of this machine")
    code = _code(*machine)
    libc = ctypes.CDLL(None, use_errno=True)
    program = _Program(len(code) // _INSTRUCTION.size, code)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
            _PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _code(machine: int, column: int) -> bytes:
    """The filter: of another machine nothing is allowed."""
    numbers = [call[column] for call in _CALLS.values() if call[column] != _NONE]
    found = [(_LOAD, 0, 0, _MACHINE), (_EQUAL, 1, 0, machine), (_RETURN, 0, 0, _REFUSED),
             (_LOAD, 0, 0, _NUMBER)]
    for number in numbers:
        found += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOWED)]
    found.append((_RETURN, 0, 0, _REFUSED))
    return b"".join(_INSTRUCTION.pack(*one) for one in found)
