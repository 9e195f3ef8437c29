# SPDX-License-Identifier: MIT
"""Counts what commands cost, so that tests can hold them to it."""

# target_accesses  reads that reached the target, beneath the page cache
# callback_reads   reads that an OMPD library asked for
# symbol_lookups   symbols that an OMPD library asked for
_counts = {"target_accesses": 0, "callback_reads": 0, "symbol_lookups": 0}


def add(name):
    _counts[name] += 1


def stats(reset=False):
    """The counts so far as a dictionary; with RESET they start again from zero."""
    result = dict(_counts)
    if reset:
        for name in _counts:
            _counts[name] = 0
    return result
