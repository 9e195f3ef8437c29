# SPDX-License-Identifier: MIT
"""Looks at one live process again and again, for `ompd top`: as it runs where that records what its
threads do, else it is stopped for each; for `ompd record`, whose stacks want that, always."""

from __future__ import annotations

import math
import time

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError, NoLibrary, OmpdError, UserError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.analysis import time_samples
from openmp_inspect.report import explanations, stack_samples

if TYPE_CHECKING:
    from typing import Any, Callable, List, NoReturn, Optional
    from openmp_inspect.bindings.spaces import Space
    from ompd_command.host.live import LiveProcess

_RATES = 4.0, 10.0  # looks a second, of a process that is stopped for each, and of one that is not
_STOPPED = 0.02  # share of the time: it is looked at less often where it was stopped for more
_RECORDED = 0.1  # likewise, for stacks
_SPENT = 0.025  # likewise, where looks took more of the processors that it may use
_MOST_FAILED = 50  # looks in a row
_BEGINS, _WHILE = 20, 0.1  # looks at a program that begins, and seconds between them
_MOST_PAGES = 4096  # that are copied at a stop: then those are found anew
_CALM = 0.001  # seconds, up to twice as many, that threads run on before a look: preparing it took processors
_STEP = (math.sqrt(5) - 1) / 2  # between two times of looks, so that they keep no pace with the program


def run(here: Space, given: Any, process: LiveProcess, tell: Callable[[Any], None]) -> NoReturn:
    """TELLs Samples until the process, which has been rehearsed, ends: ProcessLookupError. UserError of
    one that no runtime is read of."""
    records = given.command == "record"
    recorded = _is_recorded(here, process, _BEGINS if records else 0)
    process.stops = process.stops and (records or not recorded)
    processors = _processors(process)
    rate = given.rate or _RATES[records or not process.stops]
    samples, locks = stack_samples if records else time_samples, time_samples.HeldLocks()
    failed = missed = count = 0
    threads: List[Any] = []
    while True:
        stopped, spent, were_many = process.seconds, time.process_time(), locks.are_many
        process.after = _CALM * (1.0 + count * _STEP % 1.0)
        process.look_again()
        at = time.monotonic()
        try:
            threads = [*samples.of_threads(here, process.clock(process.due), locks)]
            failed = 0
        except (OmpdError, NoLibrary, HostError):
            debug.ignored()
            threads, failed = [], failed + 1
            if failed == _MOST_FAILED:
                raise UserError("Its threads cannot be read.") from None
        # Memory of another moment; a process whose memory is new at each look has no other.
        is_torn = bool(process.missed) and missed <= count
        missed += is_torn
        count += 1
        if threads and not is_torn:
            tell((at, process.seconds, threads) if records else
                 time_samples.Sample(at, process.seconds, time.process_time(), processors, threads))
        if process.wants > _MOST_PAGES:
            process.forget_wanted()
        pause = (0.5 + count * _STEP % 1.0) / rate
        if not given.rate and were_many == locks.are_many:  # else the next look costs less
            pause = max(pause, (process.seconds - stopped) / (_RECORDED if records else _STOPPED),
                        0.0 if records else (time.process_time() - spent) / _SPENT / (processors or 1.0))
        time.sleep(pause)


def _is_recorded(here: Space, process: LiveProcess, most: int) -> bool:
    """Asks so often once more: a program that was started just now may have no runtime yet."""
    for left in reversed(range(most + 1)):
        try:
            with explanations.explained(process):
                return time_samples.is_recorded(here)
        except UserError:
            debug.ignored()
            if not left:
                raise
            time.sleep(_WHILE)
            process.look_again()
    return False


def _processors(process: LiveProcess) -> Optional[float]:
    """How many the process may use."""
    allowed, quota = process.allowed_processors(), process.processor_quota()
    known = min(math.inf if allowed is None else len(allowed), math.inf if quota is None else quota)
    return None if known == math.inf else known
