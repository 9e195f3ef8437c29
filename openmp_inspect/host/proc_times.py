# SPDX-License-Identifier: MIT
"""How long threads of a live process of this machine have had a processor, by /proc."""

from __future__ import annotations

import time

from openmp_inspect.core import proc_files
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host.interface import Times

if TYPE_CHECKING:
    from typing import Dict, Optional


def of(process: int, thread: Optional[int] = None) -> Optional[Times]:
    """The Times of a process, or of a THREAD of it, without what is recent."""
    if thread is None:
        found = proc_files.processor_time(process)
        return None if found is None else Times(found, None, proc_files.age(process))
    runs = proc_files.runs(process, thread)
    return None if runs is None else Times(runs[0] / 1e9, None, proc_files.age(process, thread),
                                           runs[2], runs[1] / 1e9)


def _seconds(process: int, thread: int) -> Optional[float]:
    found = proc_files.run_time(process, thread)
    return None if found is None else found / 1e9


class Moment:
    """From when it is made to its end() a process runs."""

    def __init__(self, process: int) -> None:
        self._process = process
        self._began, self._length = time.monotonic(), 0.0
        self._first: Dict[int, Optional[float]] = {
            thread: _seconds(process, thread) for thread in proc_files.threads(process)}

    def end(self) -> None:
        self._length = time.monotonic() - self._began

    def of(self, thread: Optional[int]) -> Optional[Times]:
        """As of(), with the share of this moment that a THREAD had a processor."""
        found = of(self._process, thread)
        first = None if thread is None else self._first.get(thread)
        if found is None or first is None or not self._length:
            return found
        share = (found.processor - first) / self._length
        return found._replace(recent=min(max(share, 0.0), 1.0))
