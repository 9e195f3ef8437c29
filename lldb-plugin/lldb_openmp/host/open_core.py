# SPDX-License-Identifier: MIT
"""The core that lldb has open: before its version 20 its Python does not say which, and no version
has the notes in it. lldb has it mapped into its own memory."""

from __future__ import annotations

import os

from openmp_inspect.core import debug, regular_file
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host.core_file import CoreFile

if TYPE_CHECKING:
    from typing import Any, Iterator, Optional, Set


def of_process(process: Any) -> Optional[CoreFile]:
    """The CoreFile with the threads of an SBProcess, or None."""
    threads = {process.GetThreadAtIndex(at).GetThreadID()
               for at in range(process.GetNumThreads())}
    for path in _candidates(process):
        try:
            found = CoreFile(path, regular_file.opened(path))
        except (OSError, ValueError):
            debug.ignored()
            continue
        if set(found.threads) == threads:
            return found
        found.memory.close()
    return None


def _candidates(process: Any) -> Iterator[str]:
    if hasattr(process, "GetCoreFile"):
        spec = process.GetCoreFile()
        if spec.IsValid():
            yield os.path.join(spec.GetDirectory() or "", spec.GetFilename() or "")
    seen: Set[str] = set()
    with open("/proc/self/maps", "rb") as stream:
        for line in stream:
            path = os.fsdecode(line.rstrip(b"\n").split(None, 5)[-1])
            if path.startswith("/") and path not in seen:
                seen.add(path)
                if _is_core(path):
                    yield path


def _is_core(path: str) -> bool:
    try:
        with regular_file.opened(path) as stream:
            head = stream.read(18)
    except (OSError, ValueError):
        debug.ignored()
        return False
    return head[:4] == b"\x7fELF" and head[16:18] == b"\4\0"
