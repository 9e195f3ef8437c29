# SPDX-License-Identifier: MIT
"""What is known of the process that "run" would start."""

from __future__ import annotations

import os
import resource

from openmp_inspect.core import thread_limits
from openmp_inspect.host import kernel_facts
from openmp_inspect.model import checkup
from openmp_inspect.code import image_symbols
from openmp_inspect.analysis import ignored_settings
from gdb_openmp.host import inferiors, process

_UNLIMITED = 2 << 20  # bytes of a thread's stack that glibc takes for no limit, on x86-64


def facts() -> checkup.Facts:
    """For "ompd doctor"."""
    names = (checkup.PRELOAD, *ignored_settings.NAMES)
    of_gdb = kernel_facts.OfProcess(os.getpid())  # what it gets, unless somebody changes that
    mask = of_gdb.allowed_processors()
    return checkup.Facts(
        of=checkup.NEXT_RUN, settings={name: value for name, value in (
            (name, inferiors.environment(name)) for name in names) if value is not None},
        masks=None if mask is None else {0: mask}, machine=of_gdb.machine_processors(),
        quota=of_gdb.processor_quota(), images=image_symbols.of_user(process.current()),
        stack_limit=_stack_limit(), limits=[
            one._replace(used=0) if one.name == thread_limits.SPACE else one
            for one in of_gdb.thread_limits() or ()])


def _stack_limit() -> int:
    """Of gdb, which the program inherits."""
    limit = resource.getrlimit(resource.RLIMIT_STACK)[0]
    return _UNLIMITED if limit == resource.RLIM_INFINITY else limit
