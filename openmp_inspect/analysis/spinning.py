# SPDX-License-Identifier: MIT
"""Threads in a loop that reads what another thread may write."""

from __future__ import annotations

import itertools

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import polled_words
from openmp_inspect.stacks import stitched_stack

if TYPE_CHECKING:
    from typing import Callable, List
    from openmp_inspect.analysis.thread_rows import ThreadRow
    from openmp_inspect.host.interface import Frame

_MOST_WORDS = 3  # that are named of those which a loop reads


def read_words(row: ThreadRow) -> str:
    """Which variables the loop reads that a thread is in, or nothing. Call in selection_kept()."""
    return _names(row, polled_words.polled)


def polled_words_alone(row: ThreadRow) -> str:
    """The same of a loop that does nothing else, so that it ends by what another thread does, or
    never; of others nothing."""
    return _names(row, polled_words.polled_alone)


def _names(row: ThreadRow, find: Callable[[Frame, int], List[int]]) -> str:
    if row.thread is None:
        return ""
    frames = list(itertools.islice(stitched_stack.current().walker.stack(row.thread), 2))
    if len(frames) < 2 or not frames[0].is_user:
        return ""
    words = find(frames[0].frame, frames[1].sp)
    return ", ".join(stitched_stack.object_at(word) or "%#x" % word
                     for word in words[:_MOST_WORDS])
