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
from openmp_inspect.code import call_argument, call_site, critical_calls, entry_points, loops

if TYPE_CHECKING:
    from typing import Dict, Optional, Sequence
    from openmp_inspect.code.loops import LoopPart
    from openmp_inspect.host.interface import Frame


def tested(frame: Frame) -> Dict[int, str]:
    """{address: the state of threads that wait for it} of the locks that the innermost loop tests
    which does so around a FRAME's instruction; none where one is not known."""
    try:
        for loop in loops.around(frame.instruction):
            way = loops.way_round(loop, frame.instruction)
            called = {at: entry_points.name_of(call_site.called_at(one.end))
                      for at, one in enumerate(loop)
                      if one.found.flow == "call" and one.start in way}
            found = {_argument(loop, at, frame): critical_calls.TESTS[name]
                     for at, name in called.items() if name in critical_calls.TESTS}
            if found:
                return {lock: state for lock, state in found.items()
                        if lock is not None and None not in found}
    except (HostError, OverflowError):
        debug.ignored()
    return {}


def _argument(loop: Sequence[LoopPart], at: int, frame: Frame) -> Optional[int]:
    """The first argument of the call with this index in a LOOP."""
    static = call_site.argument_at(loop[at].end, True)
    if static:
        return static
    targets = {one.found.target for one in loop}
    run = [loop[at].start]
    for before in reversed(loop[:at]):
        if before.found.flow != "other" or run[0] in targets:
            break
        run.insert(0, before.start)
    value = call_argument.before(run)
    return None if value is None else call_argument.evaluated(value, frame)
