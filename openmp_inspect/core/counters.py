# SPDX-License-Identifier: MIT
"""Counts what commands cost, so that tests can hold them to it."""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Dict

# target_accesses  reads that reached the target, beneath the page cache
# callback_reads   reads that an OMPD library asked for
# symbol_lookups   symbols that an OMPD library asked for
# frames_unwound   callers that gdb was asked for
_counts = {"target_accesses": 0, "callback_reads": 0, "symbol_lookups": 0, "frames_unwound": 0}


def add(name: str) -> None:
    _counts[name] += 1


def stats(reset: bool = False) -> Dict[str, int]:
    """The counts so far as a dictionary; with RESET they start again from zero."""
    result = dict(_counts)
    if reset:
        for name in _counts:
            _counts[name] = 0
    return result
