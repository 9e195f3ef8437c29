# SPDX-License-Identifier: MIT
"""How far long work has come: a line on the terminal while it lasts, and nothing elsewhere."""

from __future__ import annotations

import sys
import time

from openmp_inspect.core.static_typing import TYPE_CHECKING
from ompd_command import shell_screen

if TYPE_CHECKING:
    import types
    from typing import Optional, Type

_PATIENCE = 1.0  # seconds before it is shown
_AGAIN = 0.2  # seconds between two changes
_COLUMNS = 30  # of the bar
_ERASE = "\r\033[K"


class Bar:
    """Within `with` it may be shown on standard error. WHAT is done, of TOTAL, 0: as many as there
    are."""

    def __init__(self, what: str, total: int = 0) -> None:
        self._what, self._total = what, total
        self._began = self._last = time.monotonic()
        self._is_shown = False
        self._is_on = sys.stderr.isatty()

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, _type: Optional[Type[BaseException]], _value: Optional[BaseException],
                 _traceback: Optional[types.TracebackType]) -> None:
        if self._is_shown:
            sys.stderr.write(_ERASE)
            sys.stderr.flush()

    def show(self, done: int) -> None:
        """So much is DONE; call as often as you like."""
        now = time.monotonic()
        if not self._is_on or now - self._began < _PATIENCE or now - self._last < _AGAIN:
            return
        self._last, self._is_shown = now, True
        words = "%s %.0f s" % (self._what, now - self._began)
        if self._total:
            share = min(max(done / self._total, 0.0), 1.0)
            full = int(share * _COLUMNS)
            words = "[%s%s] %3.0f%% %s" % ("#" * full, "." * (_COLUMNS - full), 100 * share, words)
        else:
            words = "%d %s" % (done, words)
        sys.stderr.write(_ERASE + words[:(shell_screen.columns() or 80) - 1])
        sys.stderr.flush()
