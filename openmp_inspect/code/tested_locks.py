# SPDX-License-Identifier: MIT
"""Which locks the loop tests that a thread is in, as in

    while (!omp_test_lock(&table))
        usleep(100);

The lock is computed over what the frame has now: that it was the same at the last test is
inferred."""

from __future__ import annotations

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import call_site, critical_calls, entry_points, loops

if TYPE_CHECKING:
    from typing import Dict
    from openmp_inspect.host.interface import Frame


def tested(frame: Frame) -> Dict[int, str]:
    """{address: the state of threads that wait for it} of the locks that the innermost loop tests
    which does so around a FRAME's instruction; none where one is not known."""
    try:
        for loop in loops.around(frame.instruction):
            called = {at: entry_points.name_of(call_site.called_at(one.end))
                      for at, one in enumerate(loop) if one.found.flow == "call"}
            found = {loops.argument(loop, at, frame): critical_calls.TESTS[name]
                     for at, name in called.items() if name in critical_calls.TESTS}
            if found:
                return {lock: state for lock, state in found.items()
                        if lock is not None and None not in found}
    except (HostError, OverflowError):
        debug.ignored()
    return {}
