# SPDX-License-Identifier: MIT
"""Regular expressions that are compiled when they are first used: gdb loads all modules when it
starts, and most sessions use few of them."""

from __future__ import annotations

import re

TYPE_CHECKING = False  # a type checker takes it for True

if TYPE_CHECKING:
    regex = re.compile
else:
    class regex:  # pylint: disable=invalid-name
        """As re.compile(), with its methods; not for functions of `re` that take a pattern."""

        def __init__(self, pattern, flags=0):
            self._given = pattern, flags

        def __getattr__(self, name):
            compiled = re.compile(*self._given)
            for method in ("search", "match", "fullmatch", "finditer", "findall", "sub", "split"):
                setattr(self, method, getattr(compiled, method))
            return getattr(compiled, name)
