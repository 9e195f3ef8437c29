# SPDX-License-Identifier: MIT
"""The control groups that a process of this machine is in, of both versions."""

from __future__ import annotations

import os

from openmp_inspect.core import debug, regular_file
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Iterator, Optional, Tuple

ROOT = "/sys/fs/cgroup"
_MOST_BYTES = 1 << 16
_MOST_LEVELS = 64


def text_of(path: str) -> str:
    """OSError where that cannot be read."""
    with regular_file.opened(path) as stream:
        return stream.read(_MOST_BYTES).decode("utf-8", "surrogateescape")


def hierarchies(text: str, controller: str, root: str = ROOT) -> Iterator[Tuple[str, str, bool]]:
    """(mount point, path below it, whether version 2) of those of the file /proc/PID/cgroup, as TEXT,
    that have a CONTROLLER."""
    for line in text.splitlines():
        number, controllers, path = line.split(":", 2)
        mounts = []
        if number == "0" and not controllers:
            mounts = [(mount, True) for mount in (root, os.path.join(root, "unified"))
                      if os.path.exists(os.path.join(mount, "cgroup.controllers"))]
        elif controller in controllers.split(","):
            mounts = [(os.path.join(root, controllers), False)]
        for mount, unified in mounts:
            yield mount, path, unified


def upwards(mount: str, path: str) -> Iterator[Tuple[str, str]]:
    """(path, directory) of the group at PATH and those above it; ValueError if one is not below the
    MOUNT."""
    parts = [part for part in path.split("/") if part]
    if ".." in parts or len(parts) > _MOST_LEVELS:
        raise ValueError("a control group out of sight")
    for end in range(len(parts), -1, -1):
        directory = os.path.join(mount, *parts[:end])
        if not os.path.isdir(directory):
            raise ValueError("a control group out of sight")
        yield "/" + "/".join(parts[:end]), directory


def frozen_by(process: int, proc: str = "/proc", root: str = ROOT) -> Optional[str]:
    """The path of the group that keeps a process frozen, as a container that is paused is; None: of
    none that is visible from here."""
    try:
        text = text_of(os.path.join(proc, "%d" % process, "cgroup"))
        for mount, path, unified in hierarchies(text, "freezer", root):
            for group, directory in upwards(mount, path):
                file = os.path.join(directory, "cgroup.freeze" if unified else
                                    "freezer.self_freezing")
                if os.path.exists(file) and text_of(file).strip() == "1":
                    return group
    except (OSError, ValueError):
        debug.ignored()
    return None
