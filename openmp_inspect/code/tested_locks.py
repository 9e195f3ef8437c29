# SPDX-License-Identifier: MIT
"""Which locks the loop tests that a thread is in, as in

    while (!omp_test_lock(&table))
        usleep(100);

The lock is computed over what the frame has now: that it was the same at the last test is
inferred. Who gives back another lock in the loop does not only wait: others go on with that."""

from __future__ import annotations

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import call_site, critical_calls, entry_points, loops

if TYPE_CHECKING:
    from typing import Dict, Optional
    from openmp_inspect.host.interface import Frame


def tested(frame: Frame) -> Dict[int, str]:
    """{address: the state of threads that wait for it} of the locks that the innermost loop tests
    which does so around a FRAME's instruction; none where one is not known, or it releases others."""
    found = _in_loop(frame)
    return {} if found is None or found.releases else found.tests


def releases(frame: Frame) -> bool:
    """Whether it tests locks, and releases others before it does so again."""
    found = _in_loop(frame)
    return found is not None and found.releases


class _Loop(NamedTuple):
    tests: Dict[int, str]
    releases: bool  # other locks, or such as are not known


def _in_loop(frame: Frame) -> Optional[_Loop]:
    try:
        for loop in loops.around(frame.process, frame.instruction):
            called = {at: entry_points.name_of(call_site.called_at(frame.process, one.end))
                      for at, one in enumerate(loop) if one.found.flow == "call"}
            found = {loops.argument(loop, at, frame): critical_calls.TESTS[name]
                     for at, name in called.items() if name in critical_calls.TESTS}
            if found:
                given = {loops.argument(loop, at, frame) for at, name in called.items()
                         if name in critical_calls.RELEASES}
                return _Loop({lock: state for lock, state in found.items()
                              if lock is not None and None not in found},
                             None in given or not given <= found.keys())
    except (HostError, OverflowError):
        debug.ignored()
    return None
