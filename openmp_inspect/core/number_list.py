# SPDX-License-Identifier: MIT
"""Lists of numbers as a person types them: "1 3-5"."""

from __future__ import annotations

import re

from openmp_inspect.core.errors import UserError
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Callable, Collection, Iterable, List


def parsed(words: Iterable[str], known: Collection[int], noun: str,
           in_process: Callable[[str], str] = str) -> List[int]:
    """["1-3", "7"] as [1, 2, 3, 7]; UserError for anything else, or a number that is not KNOWN.
    IN_PROCESS takes from a word what a debugger has before it, as in "2.1-3"."""
    result: List[int] = []
    for word in words:
        found = re.match(r"(\d{1,9})(?:-(\d{1,9}))?\Z", in_process(word))
        if not found:
            raise UserError('"%s" is no %s number: give numbers or ranges, as "1 3-5".' % (word, noun))
        first, last = int(found.group(1)), int(found.group(2) or found.group(1))
        some = [number for number in known if first <= number <= last]
        if not some or first == last and first not in known:
            raise UserError("There is no %s %s." % (noun, word))
        result += some
    return sorted(set(result))
