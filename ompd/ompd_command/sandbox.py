# SPDX-License-Identifier: MIT
"""What a process that parses gives up before it does: the rights of whoever started it, all but some
system calls, and most memory."""

from __future__ import annotations

import ctypes
import os
import resource
import signal

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from ompd_command import system_call_filter

if TYPE_CHECKING:
    from typing import Optional
    from ompd_command.monitor import Owner

MEMORY = 1 << 30  # bytes of data, beside files that are given to it
_NOBODY = 65534
_PARENT_ENDS, _IS_DUMPABLE = 1, 4  # of prctl(): PR_SET_PDEATHSIG, PR_SET_DUMPABLE
_CAPABILITIES = 0x20080522  # version 3 of their header


_prctl = ctypes.CDLL(None).prctl


def end_with(parent: int) -> None:
    """This process ends when its PARENT does, or has."""
    _prctl(_PARENT_ENDS, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def enter(owner: Optional[Owner], parent: int) -> None:
    """For the rest of this process's life. OWNER: who the target is of, where root looks at it."""
    _limit_data(MEMORY)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        if owner is not None:
            _become(owner)
        ctypes.CDLL(None).capset((ctypes.c_uint32 * 2)(_CAPABILITIES, 0), (ctypes.c_uint32 * 6)())
    except OSError:
        debug.ignored()  # of a user's namespace, which has no other ids
    _prctl(_IS_DUMPABLE, 0)
    end_with(parent)  # which a change of ids has undone
    try:
        system_call_filter.install()
    except OSError:
        debug.ignored()


def allow(size: int) -> None:
    """So many bytes more of data: those of a file, of which libdw has a copy that counts as that."""
    soft, _ = resource.getrlimit(resource.RLIMIT_DATA)
    _limit_data(soft + size)


def _limit_data(size: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (
        size if hard == resource.RLIM_INFINITY else min(size, hard), hard))


def _become(owner: Owner) -> None:
    """Of what is root's nobody: it needs none of root's rights."""
    user, group = (owner.user, owner.group) if owner.user else (_NOBODY, _NOBODY)
    os.setgroups([])
    os.setresgid(group, group, group)
    os.setresuid(user, user, user)
