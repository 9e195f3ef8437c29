# SPDX-License-Identifier: MIT
"""Where the files of a live process of this machine are, as a container's."""

from __future__ import annotations

import os

from openmp_inspect.core import debug


def of_process(process: int) -> str:
    """What stands before names of its files where these are other ones than ours, else ""."""
    path = "/proc/%d/root" % process
    try:
        is_same = os.path.samefile(path, "/") and \
            os.readlink("/proc/%d/ns/mnt" % process) == os.readlink("/proc/self/ns/mnt")
    except OSError:
        debug.ignored()
        return ""
    return "" if is_same else path
