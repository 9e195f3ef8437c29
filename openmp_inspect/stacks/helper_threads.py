# SPDX-License-Identifier: MIT
"""Threads that an MPI library has made for itself: they wait for messages, and run no code of the
program, unless that has registered some to be called.

    clone3  start_thread  libpmix.so.2  libevent_core-2.1.so.7  epoll_wait         a helper
    clone3  start_thread  receiver () of the program  libmpi.so.40  poll           none
"""

from __future__ import annotations

import os

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import code_owner

if TYPE_CHECKING:
    from typing import Optional
    from openmp_inspect.host.interface import Process, Thread
    from openmp_inspect.stacks.user_frames import Walker

# Of Open MPI, MPICH and what they stand on: PMIx, libevent, UCX, libfabric.
_LIBRARIES = regex(r"(lib(mpi(ch)?|pmpi|open-(pal|rte)|prrte|pmix|uc[mpst]|fabric|psm2?|"
                   r"event(_core|_extra|_pthreads)?(-[\d.]+)?)|mca_\w+)\.so")
_MPI = "MPI_Init", "mpi_init_"  # a program of MPI has one


def is_mpi_program(process: Process) -> bool:
    return any(process.symbol(name) is not None for name in _MPI)


def library_of(thread: Thread, walker: Walker) -> Optional[str]:
    """The name of the library whose helper a thread is, or None."""
    process = walker.process
    found = None
    try:
        for frame in walker.stack(thread):
            path = process.image_at(frame.pc)
            name = os.path.basename(path or "")
            if _LIBRARIES.match(name):
                found = name
            elif frame.owner != code_owner.SYSTEM:
                return None
    except HostError:
        debug.ignored()
        return None
    return None if walker.stack(thread).is_cut else found
